"""Creates a fresh Debian in a folder with debootstrap, from MIRROR or Debian's own server."""

import os
import subprocess

MIRROR = os.environ.get("MIRROR", "http://deb.debian.org/debian")
SUITE = "bookworm"
# The prefix of a command for an ordinary user.
USER = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def made(root, *packages):
    """Installs a Debian with these packages in addition to the essential ones."""
    more = [f"--include={','.join(packages)}"] if packages else []
    # A separate mount namespace hides debootstrap's mounts.
    done = subprocess.run(["unshare", "--mount", "debootstrap", "--variant=minbase", *more, SUITE, root, MIRROR],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"debootstrap: {done.stdout[-400:]}{done.stderr[-400:]}")


def inside(root, *command):
    """Runs a command in the system as root, without network access."""
    return subprocess.run(["unshare", "--net", "chroot", root, *command], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"})
