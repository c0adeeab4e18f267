"""The same path wherever the source lies, so that compilers leave the same of it in what they make.

Prefix maps take the path itself out; in what is nowhere mapped, GRDB's calls of `fatalError` for one, its length stays.
"""

import os
import pathlib
import sys

PLACE = pathlib.Path("/var/local/appreceipt")
# An empty folder of every Debian's, which whoever is not root cannot write into: what lies in it is hidden meanwhile.
ENTER = """
mount -t tmpfs -o mode=755 none "$1"
mkdir "$2"
mount --rbind "$3" "$2"
cd "$2"
shift 3
exec "$@"
"""


def enter(source, script, *arguments):
    """Goes on with the script of the source (a path below it) in a mount namespace in which the source is at PLACE; returns
    where it is there already. What is mounted nobody else sees, and it is gone with the process."""
    if source == PLACE:
        return
    for path in (source, *arguments):
        if pathlib.Path(path).is_relative_to(PLACE.parent):
            sys.exit(f"{path}: lies below {PLACE.parent}, which is hidden while a release is built")
    namespace = ["unshare", "--mount", *(["--map-root-user"] if os.geteuid() else [])]
    if os.spawnvp(os.P_WAIT, namespace[0], [*namespace, "true"]):
        sys.exit(f"this machine lets nobody mount: build where the source itself is at {PLACE}")
    os.execvp(namespace[0], [*namespace, "sh", "-euc", ENTER, "enter", str(PLACE.parent), str(PLACE), str(source),
                             str(PLACE / script), *map(str, arguments)])
