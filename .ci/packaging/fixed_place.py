"""Mounts the source at a fixed path, so that the output of compilers does not depend on its folder.

Prefix maps remove the path from most of the output. In unmapped places, such as calls of `fatalError`, its length remains.
"""

import os
import pathlib
import sys

PLACE = pathlib.Path("/var/local/appreceipt")
# A folder that is empty on every Debian machine and that only root can write to. The mount hides its content.
ENTER = """
mount -t tmpfs -o mode=755 none "$1"
mkdir "$2"
mount --rbind "$3" "$2"
cd "$2"
shift 3
exec "$@"
"""


def enter(source, script, *arguments):
    """Continues with the script, a path below the source, in a mount namespace in which the source is at PLACE. Returns if the
    source is already there. Other processes do not see the mount, and it ends with this process."""
    if source == PLACE:
        return
    for path in (source, *(each for each in arguments if isinstance(each, pathlib.Path))):
        if path.is_relative_to(PLACE.parent):
            sys.exit(f"{path}: below {PLACE.parent}, which is hidden during the build of a release")
    namespace = ["unshare", "--mount", *(["--map-root-user"] if os.geteuid() else [])]
    if os.spawnvp(os.P_WAIT, namespace[0], [*namespace, "true"]):
        sys.exit(f"mount: not permitted on this machine; build with the source itself at {PLACE}")
    os.execvp(namespace[0], [*namespace, "sh", "-euc", ENTER, "enter", str(PLACE.parent), str(PLACE), str(source),
                             str(PLACE / script), *map(str, arguments)])
