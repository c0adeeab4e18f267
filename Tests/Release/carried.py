"""A root that contains only the program and the given files, and a counter of expectations."""

import os
import pathlib
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
FIXTURES = TOP / "Fixtures"
OUTPUT = pathlib.Path(os.environ["OUTPUT"])
TOOL = pathlib.Path(os.environ["TOOL"])
PROGRAM = OUTPUT / "appreceipt"
NOBODY = 65534
PATIENCE = 300
# Settings that may not change an answer. Their files do not exist.
SETTINGS = {"LC_ALL": "tr_TR.UTF-8", "TZ": "Pacific/Apia"}

# Mounts that only this process sees: an empty root with bound folders (path on the machine, path there, ro or
# rw), which is then read-only. It has no /proc, no /dev and no /tmp.
ENTER = r"""
set -eu
mount --make-rprivate /
root=$1 program=$2; shift 2
mount -t tmpfs -o mode=755 none "$root"
touch "$root/appreceipt"
mount --bind "$program" "$root/appreceipt"
while [ "$1" != -- ]; do
    mkdir -p "$root$2"
    mount --bind "$1" "$root$2"
    [ "$3" = rw ] || mount -o remount,bind,ro "$root$2"
    shift 3
done
shift
mount -o remount,ro "$root"
cd /
exec chroot --userspec=65534:65534 "$root" /appreceipt "$@"
"""


class Root:
    """An environment in which the program runs as user 65534, without network access."""

    def __init__(self, folder, *bound):
        """Creates a root. folder: an empty folder; bound: (path on the machine, path there, "ro" or "rw")."""
        self.folder, self.bound = folder, [str(word) for each in bound for word in each]

    def run(self, *arguments, variables=None):
        enter = ["unshare", "--mount", "--net", "--pid", "--fork", "sh", "-c", ENTER, "enter",
                 self.folder, PROGRAM, *self.bound, "--", *arguments]
        environment = {"PATH": os.environ["PATH"], **SETTINGS, **(variables or {})}
        return subprocess.run([*map(str, enter)], env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=PATIENCE)


def ordinary(*arguments, folder=TOP):
    """Returns the answer of the ordinary build on the ordinary machine."""
    return subprocess.run([TOOL, *map(str, arguments)], cwd=folder,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)


class Expectations:
    """Counts met expectations, and prints the others. At the end, exits with an error if there are any."""

    def __init__(self):
        self.held, self.broken = 0, 0

    def __call__(self, holds, what):
        self.held += bool(holds)
        if not holds:
            self.broken += 1
            print(f"FAILED: {what}")
        return bool(holds)

    def same(self, one, other, what):
        if not self(one == other, what):
            print(f"    {one!r:.400}\n    {other!r:.400}")

    def end(self, what):
        if self.broken or not self.held:
            sys.exit(f"{what}: {self.broken} of {self.held + self.broken} expectations failed")
        print(f"{what}: {self.held} hold")
