"""A fresh Debian in a folder, by debootstrap, from MIRROR or Debian's own server."""

import os
import subprocess

MIRROR = os.environ.get("MIRROR", "http://deb.debian.org/debian")
SUITE = "bookworm"
# Before a command that a user gives.
USER = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def made(root, *packages):
    """With these packages beside the essential ones."""
    more = [f"--include={','.join(packages)}"] if packages else []
    # What debootstrap mounts, it mounts where only it sees it.
    done = subprocess.run(["unshare", "--mount", "debootstrap", "--variant=minbase", *more, SUITE, root, MIRROR],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"debootstrap: {done.stdout[-400:]}{done.stderr[-400:]}")


def inside(root, *command):
    """The machine's root runs a command in it, without a network."""
    return subprocess.run(["unshare", "--net", "chroot", root, *command], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"})
