"""Tests the wheel in a fresh Debian with Python, without a compiler, Swift or network access: INSTALL.md's commands,
and the page's first example.
"""

import pathlib
import re
import tempfile

from carried import FIXTURES, OUTPUT, TOP, Expectations
from fresh_debian import USER, inside, made

PAGE = TOP / "Sources/AppReceipt/AppReceipt.docc/FromPython.md"
RECEIPT = "genuine/receipts/ideas-mac-mindnode-sha256-production.der"


def example():
    """Returns the page's first block, up to the part that needs another receipt, and its expected output."""
    block = re.search(r"^```python\n(.*?)^try:", PAGE.read_text(), re.MULTILINE | re.DOTALL)[1]
    return block, re.findall(r"# prints: (.*)$", block, re.MULTILINE)


def main():
    expect = Expectations()
    with tempfile.TemporaryDirectory() as folder:
        root = f"{folder}/debian"
        made(root, "python3-venv")
        home = pathlib.Path(root, "srv")
        (home / RECEIPT).parent.mkdir(parents=True)
        (home / RECEIPT).write_bytes((FIXTURES / RECEIPT).read_bytes())
        for wheel in OUTPUT.glob("*.whl"):
            (home / wheel.name).write_bytes(wheel.read_bytes())
        said = re.search(r"`(python3 -m venv environment)`, then\s+`(.*?)`", (TOP / "Sources/Release/INSTALL.md").read_text())
        commands = f"cd /srv && {said[1]} && {said[2].replace('@VERSION@', '*')}"
        installed = inside(root, "sh", "-c", commands)
        expect(installed.returncode == 0, f"installed: {installed.stdout}{installed.stderr}")
        code, promised = example()
        printed = inside(root, *USER, "sh", "-c", 'cd /srv && exec environment/bin/python -c "$1"', "sh", code)
        expect(len(promised) > 2 and printed.stdout.splitlines() == promised, f"the example prints {promised}: {printed}")
        # The library in the wheel must not need missing libraries.
        version = inside(root, *USER, "/srv/environment/bin/python", "-c", "import appreceipt; print(appreceipt.__version__)")
        expect(any(f"-{version.stdout.strip()}-" in wheel.name for wheel in OUTPUT.glob("*.whl")), f"its version: {version}")
        removed = inside(root, "/srv/environment/bin/pip", "uninstall", "--yes", "appreceipt")
        left = [path for path in (home / "environment").rglob("*appreceipt*")]
        expect(removed.returncode == 0 and not left, f"removed: {removed.stderr} {left}")
    expect.end("the wheel in a fresh Debian")


if __name__ == "__main__":
    main()
