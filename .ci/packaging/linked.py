"""The third-party components of a program with their versions, from the linker's own map."""

import dataclasses
import functools
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse

import static_build
from static_build import PACKAGE, SCRATCH, output_of

# The project of a library of the toolchain, unless it is Swift's own.
TOOLCHAIN = [
    (re.compile(r"lib_FoundationICU\.a"), "swift-foundation-icu"),
    (re.compile(r"lib(dispatch|BlocksRuntime|swiftDispatch)\.a"), "swift-corelibs-libdispatch"),
    (re.compile(r"lib(Foundation|CoreFoundation)\.a"), "swift-corelibs-foundation"),
    # Includes a copy of swift-collections, _FoundationCollections.
    (re.compile(r"lib(FoundationEssentials|FoundationInternationalization|_Foundation\w+)\.a"), "swift-foundation"),
]


@dataclasses.dataclass(frozen=True, order=True)
class Component:
    """A third-party component. Debian's are named after their source packages."""
    name: str
    version: str
    locator: str
    "A package URL, purl."


# A section of a file, its size and source, in the formats of gold and lld.
PIECE = re.compile(r"(?: \S+)?\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (/.*?)(?:\([^()]*\))?$"
                   r"|\s*[0-9a-f]+\s+[0-9a-f]+\s+([0-9a-f]+)\s+\d+ +(/.*?)(?:\([^()]*\))?:\(.*\)$")


def files(link_map):
    """Returns the archives and object files from which code or data was linked."""
    found = set()
    # gold lists the files that it searched before its memory map.
    for line in link_map.read_text().rpartition("\nMemory map\n")[2].splitlines():
        if (match := PIECE.match(line)) and int(match[1] or match[3], 16):
            found.add(match[2] or match[4])
    if not found:
        sys.exit(f"{link_map}: contains no linked files, or has an unknown format")
    return sorted(found)


@functools.cache
def swift_version():
    return re.search(r"swift-(\S+)-RELEASE", output_of("swift", "--version", stderr=subprocess.DEVNULL))[1]


@functools.cache
def owners():
    """Returns {module: its package}."""
    folders = {"appreceipt": PACKAGE} | {each.name.lower(): each for each in (SCRATCH / "checkouts").iterdir()}
    return {target["name"]: name for name, folder in folders.items() for target in
            json.loads(output_of("swift", "package", "--package-path", folder, "dump-package"))["targets"]}


def of_debian(file):
    """Returns the source package that a file of the machine belongs to."""
    places = [file, f"/usr{file}", str(pathlib.Path(file).resolve())]
    answers = [subprocess.run(["dpkg-query", "--search", place], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
               for place in places]
    package = next((answer.stdout.partition(": ")[0] for answer in answers if answer.returncode == 0), None)
    if package is None:
        sys.exit(f"{file}: linked, but not from a Debian package, so its version is unknown")
    form = "${source:Package} ${source:Version}"
    source, version = output_of("dpkg-query", "--show", f"--showformat={form}", package).split()
    return Component(source, version, f"pkg:deb/debian/{source}@{urllib.parse.quote(version, safe='~.')}?arch=source")


def component(file):
    """Returns the component that a file belongs to, or None for this package."""
    path = pathlib.Path(file)
    if path.parent == static_build.LIBRARY_SCRATCH / "static":
        return of_debian(str(path.resolve()))
    if path == SCRATCH / "substitutes.o":
        return None
    if path == SCRATCH / "icu_data.o" or path.is_relative_to(static_build.toolchain()):
        name = "swift-foundation-icu" if path.name == "icu_data.o" else next(
            (name for pattern, name in TOOLCHAIN if pattern.fullmatch(path.name)), "swift")
        return Component(name, swift_version(), f"pkg:github/swiftlang/{name}@swift-{swift_version()}-RELEASE")
    if path.is_relative_to(SCRATCH) or path.is_relative_to(static_build.LIBRARY_SCRATCH):
        owner = owners()[re.search(r"/([^/]+)\.build/", file)[1]]
        if owner == "appreceipt":
            return None
        version = static_build.pinned().get(owner) or sys.exit(f"{owner}: linked, but not in .ci/dependencies")
        return Component(owner, version, f"pkg:swift/{address(owner)}@{version}")
    return of_debian(file)


def address(package):
    return static_build.checked_out()[package]["packageRef"]["location"].removeprefix("https://").removesuffix(".git")


def components(link_map):
    """Returns {component: the names of its archives, modules and object files}."""
    found = {}
    for file in files(link_map):
        if part := component(file):
            module = re.search(r"/([^/]+)\.build/", file)
            found.setdefault(part, set()).add(f"module {module[1]}" if module else pathlib.Path(file).name)
    return {part: sorted(found[part]) for part in sorted(found)}


def licenses():
    """Returns {name: its license as an SPDX expression} from the copyright file."""
    text = (PACKAGE / "Sources/Release/copyright").read_text()
    return {name.removeprefix("linked/"): match[2] for match in re.finditer(
        r"^Files: (linked/.*)\n(?:Copyright:.*\n(?: .*\n)*)License: (.*)$", text, re.MULTILINE) for name in match[1].split()}


def check_licenses(parts, is_complete):
    """Checks that the copyright file has a license for each component, and, if these are all, for no others."""
    known, needed = set(licenses()) - {"certificates"}, {part.name for part in parts}
    if needed - known or (is_complete and known != needed):
        sys.exit(f"Sources/Release/copyright: missing stanzas {sorted(needed - known)}, not linked {sorted(known - needed)}")
