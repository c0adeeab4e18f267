"""Checks the packages in a fresh Debian: installation, use by a user, and removal without leftovers."""

import pathlib
import tempfile

from carried import FIXTURES, OUTPUT, Expectations
from fresh_debian import USER, inside, made

# Files that the package manager itself keeps: lists and logs.
KEPT = ("var/lib/dpkg", "var/log", "var/cache", "etc/ld.so.cache")


def files(root):
    return {str(path.relative_to(root)) for path in pathlib.Path(root).rglob("*")
            if not str(path.relative_to(root)).startswith(KEPT)}


def main():
    expect = Expectations()
    with tempfile.TemporaryDirectory() as folder:
        root = f"{folder}/debian"
        made(root)
        before = files(root)
        # `server_test` installs the server.
        packages = [package for package in sorted(OUTPUT.glob("*appreceipt*_amd64.deb"))
                    if not package.name.startswith("appreceipt-server_")]
        names = {package.name.split("_")[0] for package in packages}
        expect.same(names, {"appreceipt", "libappreceipt-dev"}, "packages")
        for package in packages:
            pathlib.Path(root, "tmp", package.name).write_bytes(package.read_bytes())
        pathlib.Path(root, "tmp/receipt.der").write_bytes(
            (FIXTURES / "genuine/receipts/ideas-mac-mindnode-sha256-production.der").read_bytes())

        installed = inside(root, "dpkg", "--install", *(f"/tmp/{package.name}" for package in packages))
        expect(installed.returncode == 0, f"installed: {installed.stderr}")
        for name in names:
            expect("install ok installed" in inside(root, "dpkg", "--status", name).stdout, f"{name} is installed")
            expect.same(inside(root, "dpkg", "--verify", name).stdout, "", f"every file of {name} is unchanged")
        expect("libappreceipt.so.0 " in inside(root, "ldconfig", "-p").stdout, "the loader knows the library")
        needed = inside(root, "/lib64/ld-linux-x86-64.so.2", "--list", "/usr/lib/x86_64-linux-gnu/libappreceipt.so.0")
        expect(needed.returncode == 0 and "not found" not in needed.stdout, f"the library loads: {needed}")
        verdict = inside(root, *USER, "appreceipt", "verify", "--brief", "/tmp/receipt.der")
        expect(verdict.returncode == 0 and verdict.stdout.startswith("GENUINE /tmp/receipt.der: "), f"a user verifies: {verdict}")
        for name in ("bash-completion/completions/appreceipt", "zsh/vendor-completions/_appreceipt",
                     "fish/vendor_completions.d/appreceipt.fish", "man/man1/appreceipt-verify.1.gz",
                     "doc/appreceipt/copyright", "doc/appreceipt/INSTALL.md"):
            expect(pathlib.Path(root, "usr/share", name).stat().st_size > 0, name)

        removed = inside(root, "dpkg", "--purge", *names)
        expect(removed.returncode == 0, f"removed: {removed.stderr}")
        left = files(root) - before - {f"tmp/{package.name}" for package in packages} - {"tmp/receipt.der"}
        expect(not left, f"left behind: {sorted(left)}")
        expect(before <= files(root), "Debian's own files still exist")
        expect(inside(root, "sh", "-c", "command -v appreceipt").returncode != 0, "the command is removed")
    expect.end("the packages in a fresh Debian")


if __name__ == "__main__":
    main()
