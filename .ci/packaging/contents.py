"""The other files of the archives: manual pages, completions, licenses, documentation, INSTALL.md."""

import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import header_pages
import static_build
from archives import compressed
from static_build import PACKAGE

COMMON = pathlib.Path("/usr/share/common-licenses")


def manual(program, generator, date):
    """Returns {file name: page} of the program and each command, from swift-argument-parser."""
    day = datetime.datetime.fromtimestamp(date, datetime.timezone.utc).strftime("%Y-%m-%d")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([generator, program, "--multi-page", "--date", day, "--output-directory", folder],
                       check=True, env={"TZ": "UTC"})
        pages = {page.name: page.read_text() for page in pathlib.Path(folder).iterdir()}
    # The generator writes appreceipt.verify, but people look for appreceipt-verify.
    names = sorted((name.removesuffix(".1") for name in pages if name.count(".") > 1), key=len, reverse=True)
    for name in names:
        pages = {page: re.sub(rf"\b{re.escape(name)}\b", lambda found: found[0].replace(".", "-"), text, flags=re.IGNORECASE)
                 for page, text in pages.items()}
    # The name of a page must be one word. The synopsis has the command line.
    pages = {name: re.sub(r'\.Nm "(\w+) ([\w-]+)"(.*?)\n\.Nm\n', r'.Nm \1-\2\3\n.Nm "\1 \2"\n', text, flags=re.DOTALL)
             for name, text in pages.items()}
    # Separates paragraphs for mdoc, which ignores empty lines, and replaces the generic exit statuses with those in the
    # command's help, or with the tool's.
    status = re.compile(r"^Exit status: (.*)$", re.MULTILINE)
    usual = status.search(pages["appreceipt.1"])
    return {name.removesuffix(".1").replace(".", "-") + ".1":
            re.sub(r"\n\n+", "\n.Pp\n", text).replace("\n.Ex -std", f"\n{(status.search(text) or usual)[1]}").encode() + b"\n"
            for name, text in pages.items()}


def completion(program, shell):
    script = subprocess.run([program, "--generate-completion-script", shell], check=True, stdout=subprocess.PIPE).stdout
    # The shell reads the script, and does not run it as a program.
    return re.sub(rb"\A#!.*\n", b"", script)


def manual_of_server(program, generator, date):
    """Returns the page of `serve` as the only page of the server's program."""
    page = manual(program, generator, date)["appreceipt-serve.1"].decode()
    page = re.sub(r"(?i)\bappreceipt-serve\b", lambda found: found[0] + ("R" if found[0].isupper() else "r"), page)
    return page.replace('"appreceipt serve"', '"appreceipt-server serve"').encode()


def instructions(program, version, with_server):
    """Returns INSTALL.md with the roots that the program itself prints, and with the section on the server or without it."""
    said = subprocess.run([program, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
    roots = "\n".join("    " + line for line in said.splitlines() if re.search(r" [0-9a-f]{64}$", line))
    text = (PACKAGE / "Sources/Release/INSTALL.md").read_text()
    text = re.sub(r"<!-- server -->\n(.*?)<!-- end -->\n", r"\1" if with_server else "", text, flags=re.DOTALL)
    return text.replace("@VERSION@", version).replace("@ROOTS@", roots).encode()


def shared(program, generator, version, date, bill, with_server):
    """Returns {path below share: bytes} of the files in both archives."""
    name = "appreceipt"
    files = {f"man/man1/{page}.gz": compressed(text) for page, text in manual(program, generator, date).items()}
    return files | {
        f"bash-completion/completions/{name}": completion(program, "bash"),
        f"zsh/vendor-completions/_{name}": completion(program, "zsh"),
        f"fish/vendor_completions.d/{name}.fish": completion(program, "fish"),
        f"doc/{name}/INSTALL.md": instructions(program, version, with_server),
        f"doc/{name}/copyright": (PACKAGE / "Sources/Release/copyright").read_bytes(),
        f"doc/{name}/{name}-{version}.spdx.json": bill,
    }


def library(shared_object, version, date, prefix="${pcfiledir}/../..", place="lib", headers="../../../include"):
    """Returns {path: (mode, bytes)} of the C library, its headers, its manual pages, and the files for pkg-config and CMake.

    prefix, place: the folder in which the library is, and the library's path below it; headers: the path from the CMake files.
    """
    pages = header_pages.pages(date)
    given = {"@VERSION@": version, "@PREFIX@": prefix, "@LIBDIR@": place, "@HEADERS@": headers}

    def filled(name):
        text = (PACKAGE / "Sources/Release/library" / name).read_text()
        for word, value in given.items():
            text = text.replace(word, value)
        return 0o644, text.encode()

    return {
        "lib/libappreceipt.so.0": (0o644, shared_object),
        "lib/libappreceipt.so": (0o777, "libappreceipt.so.0"),
        "lib/pkgconfig/libappreceipt.pc": filled("libappreceipt.pc"),
        "lib/cmake/appreceipt/appreceipt-config.cmake": filled("appreceipt-config.cmake"),
        "lib/cmake/appreceipt/appreceipt-config-version.cmake": filled("appreceipt-config-version.cmake"),
    } | {f"include/{path.name}": (0o644, path.read_bytes()) for path in header_pages.HEADERS} \
      | {f"share/man/man3/{name}.gz": (0o644, compressed(text.encode())) for name, text in pages.items()}


def licenses():
    """Returns {name: text} of the licenses that every Debian machine has, and other systems lack."""
    return {name: (COMMON / name).read_bytes() for name in ("Apache-2.0", "LGPL-2.1", "GPL-3")}


def documentation():
    """Returns {path: (mode, bytes)} of the pages as HTML, the schemas, the descriptions for `forge`, the examples in C, and the
    packages for other languages."""
    folder = PACKAGE / ".build/release-documentation"
    scratch = {"SCRATCH_PATH": str(PACKAGE / ".build/static-documentation")}
    subprocess.run([PACKAGE / "Tests/Documentation/build", folder], check=True, stdout=sys.stderr, env=os.environ | scratch)
    sources = PACKAGE / "Sources"
    files = {f"html/{path.relative_to(folder)}": settled(path) for path in folder.rglob("*") if path.is_file()}
    for target, paths in (("schemas", sources.glob("EmbeddedFiles/JSONSchemas/*.json")), ("forge", PACKAGE.glob("Fixtures/specs/*.json")),
                          ("examples", sources.glob("Release/examples/*.c"))):
        files |= {f"{target}/{path.name}": path.read_bytes() for path in paths}
    files |= {f"languages/{path.relative_to(sources / 'Languages')}": path.read_bytes() for path in languages()}
    return {f"doc/{name}": (0o644, data) for name, data in files.items()}


def languages():
    """Returns the files of the packages for other languages, without those that their own builds made."""
    if (PACKAGE / ".git").exists():
        listed = static_build.output_of("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "Sources/Languages")
        return [PACKAGE / name for name in filter(None, listed.split("\0"))]
    return [path for path in (PACKAGE / "Sources/Languages").rglob("*") if path.is_file()]


def settled(path):
    """Returns a file of the documentation. DocC writes the members of objects in random order."""
    data = path.read_bytes()
    return json.dumps(json.loads(data), sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode() \
        if path.suffix == ".json" else data
