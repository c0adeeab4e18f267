"""A root that holds sh, coreutils, cmp and openssl, and nothing else."""

import os
import pathlib
import re
import shutil
import subprocess

COREUTILS = "od tr head tail cat fold wc mkdir mktemp mv rm".split()


def libraries(program):
    """What the dynamic linker loads for a program."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    return re.findall(r"(/\S+)", listed)


class EmptyRoot:
    def __init__(self, folder, shell, openssl):
        self.folder = pathlib.Path(folder)
        programs = {"sh": shell, "openssl": openssl}
        for name in [*COREUTILS, "cmp"]:
            programs[name] = shutil.which(name)
        for name, path in programs.items():
            self.copy(path, f"bin/{name}")
            for library in libraries(path):
                self.copy(library, library.lstrip("/"))
        (self.folder / "tmp").mkdir(exist_ok=True)
        (self.folder / "dev").mkdir(exist_ok=True)
        subprocess.run(["mknod", "-m", "666", self.folder / "dev/null", "c", "1", "3"], check=True)

    def copy(self, source, name):
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            shutil.copy(os.path.realpath(source), target)

    def run(self, *command):
        """Runs a command in the root, without a network."""
        return subprocess.run(
            [shutil.which("unshare"), "-n", shutil.which("chroot"), self.folder, *command], capture_output=True, text=True, errors="replace",
            stdin=subprocess.DEVNULL, env={"PATH": "/bin"})
