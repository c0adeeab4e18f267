"""Checks the manual pages: manuals.py LIBRARY FOLDER

Each function has a page without warnings. Each page has an example, which is compiled and run as a reader sees it.
The example must print what its comments say, in Fixtures.
"""

import os
import pathlib
import re
import subprocess
import sys
import textwrap

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOP / ".ci/packaging"))
import header_pages  # noqa: E402
import static_build  # noqa: E402

LIBRARY, FOLDER = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
SCREEN = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "100"}
COMPILER = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-pthread", f"-I{TOP}/Sources/CAppReceipt"]


def shown(page):
    """Returns the page's text as a reader sees it."""
    result = subprocess.run(["man", "--warnings", "--local-file", page], env=SCREEN, capture_output=True, text=True)
    if result.returncode or result.stderr:
        sys.exit(f"{page.name}: {result.stderr}")
    return result.stdout


def section(text, title):
    found = re.search(rf"^{title}\n(.*?)^(?=\S)", text, re.MULTILINE | re.DOTALL)
    return textwrap.dedent(found[1]).strip() + "\n"


def main():
    pages = header_pages.pages(0)
    exported = set(re.findall(r"\b(appreceipt_\w+);", (TOP / "Sources/CAppReceipt/appreceipt.map").read_text()))
    if set(pages) != {f"{name}.3" for name in exported | {"libappreceipt"}} or len(exported) < 9:
        sys.exit(f"pages {sorted(pages)} differ from functions {sorted(exported)}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for file_name, text in pages.items():
        page = FOLDER / file_name
        page.write_text(text)
        screen = shown(page)
        if page.stem == "libappreceipt":
            continue
        for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "SEE ALSO"):
            section(screen, title)
        code = section(screen, "EXAMPLES")
        source, program = page.with_suffix(".c"), page.with_suffix("")
        source.write_text(code)
        if f"{page.stem}(" not in code:
            sys.exit(f"{file_name}: the example does not call the function")
        subprocess.run([*COMPILER, source, "-o", program, LIBRARY, f"-Wl,-rpath,{LIBRARY.parent}"], check=True)
        printed = subprocess.run([program], cwd=TOP / "Fixtures", check=True, capture_output=True, text=True).stdout.splitlines()
        wanted = re.findall(r"/\* prints: (.*) \*/$", code.replace("VERSION", static_build.version()), re.MULTILINE)
        if printed != wanted or not wanted:
            sys.exit(f"{file_name}: prints {printed}, expected {wanted}")
    print(f"{len(exported)} manual pages, whose examples print what they state")


if __name__ == "__main__":
    main()
