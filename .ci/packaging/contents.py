"""What stands beside the program in the archives: manual pages, completions, licences, how to install."""

import datetime
import pathlib
import re
import subprocess
import tempfile

import header_pages
import static_build
from archives import compressed
from static_build import PACKAGE

COMMON = pathlib.Path("/usr/share/common-licenses")


def manual(program, generator, date):
    """{file name: page} of the program and each command, as swift-argument-parser writes them."""
    day = datetime.datetime.fromtimestamp(date, datetime.timezone.utc).strftime("%Y-%m-%d")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([generator, program, "--multi-page", "--date", day, "--output-directory", folder],
                       check=True, env={"TZ": "UTC"})
        pages = {page.name: page.read_text() for page in pathlib.Path(folder).iterdir()}
    # It writes appreceipt.verify, and people look for appreceipt-verify.
    names = sorted((name.removesuffix(".1") for name in pages if name.count(".") > 1), key=len, reverse=True)
    for name in names:
        pages = {page: re.sub(rf"\b{re.escape(name)}\b", lambda found: found[0].replace(".", "-"), text, flags=re.IGNORECASE)
                 for page, text in pages.items()}
    # The name of a page is one word; how the command is called is told in the synopsis.
    pages = {name: re.sub(r'\.Nm "(\w+) ([\w-]+)"(.*?)\n\.Nm\n', r'.Nm \1-\2\3\n.Nm "\1 \2"\n', text, flags=re.DOTALL)
             for name, text in pages.items()}
    # Its paragraphs are empty lines, of which mdoc knows nothing, and its statuses are those of any program.
    statuses = re.search(r"^Exit status: (.*)$", pages["appreceipt.1"], re.MULTILINE)[1]
    return {name.removesuffix(".1").replace(".", "-") + ".1":
            re.sub(r"\n\n+", "\n.Pp\n", text).replace("\n.Ex -std", f"\n{statuses}").encode() + b"\n"
            for name, text in pages.items()}


def completion(program, shell):
    script = subprocess.run([program, "--generate-completion-script", shell], check=True, stdout=subprocess.PIPE).stdout
    # It is read by the shell, and run by nobody.
    return re.sub(rb"\A#!.*\n", b"", script)


def instructions(program, version):
    """INSTALL.md, with the roots that the program itself names."""
    said = subprocess.run([program, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
    roots = "\n".join("    " + line for line in said.splitlines() if re.search(r" [0-9a-f]{64}$", line))
    text = (PACKAGE / "Sources/Release/INSTALL.md").read_text()
    return text.replace("@VERSION@", version).replace("@ROOTS@", roots).encode()


def shared(program, generator, version, date, bill):
    """{path below share: bytes} of what both archives have."""
    name = "appreceipt"
    files = {f"man/man1/{page}.gz": compressed(text) for page, text in manual(program, generator, date).items()}
    return files | {
        f"bash-completion/completions/{name}": completion(program, "bash"),
        f"zsh/vendor-completions/_{name}": completion(program, "zsh"),
        f"fish/vendor_completions.d/{name}.fish": completion(program, "fish"),
        f"doc/{name}/INSTALL.md": instructions(program, version),
        f"doc/{name}/copyright": (PACKAGE / "Sources/Release/copyright").read_bytes(),
        f"doc/{name}/{name}-{version}.spdx.json": bill,
    }


def library(shared_object, date):
    """{path: (mode, bytes)} of the C library, its header and its manual pages."""
    pages = header_pages.pages(date)
    return {
        "include/appreceipt.h": (0o644, header_pages.HEADER.read_bytes()),
        "lib/libappreceipt.so.0": (0o644, shared_object),
        "lib/libappreceipt.so": (0o777, "libappreceipt.so.0"),
    } | {f"share/man/man3/{name}.gz": (0o644, compressed(text.encode())) for name, text in pages.items()}


def licences():
    """{name: text} of those that Debian has on every machine, and others have not."""
    return {name: (COMMON / name).read_bytes() for name in ("Apache-2.0", "LGPL-2.1", "GPL-3")}
