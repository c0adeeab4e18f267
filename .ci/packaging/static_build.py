"""The tool as one static file: the same bytes whenever and by whomever it is built."""

import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import icu_data

PACKAGE = pathlib.Path(__file__).resolve().parent.parent.parent
SCRATCH = PACKAGE / ".build/static"
LINK_MAP = SCRATCH / "appreceipt.map"
LIBRARY_SCRATCH = PACKAGE / ".build/static-c"
LIBRARY_MAP = LIBRARY_SCRATCH / "libappreceipt.map"
SUBSTITUTES = pathlib.Path(__file__).resolve().parent / "substitutes.c"
MOST_BYTES = 40_000_000
# What a Debian machine with Swift and git may lack, with the command or file that says so.
NEEDS = {"libssl-dev": "/usr/lib/x86_64-linux-gnu/libcrypto.a", "libsqlite3-dev": "/usr/lib/x86_64-linux-gnu/libsqlite3.a",
         "zlib1g-dev": "/usr/lib/x86_64-linux-gnu/libz.a", "libc6-dev": "/usr/lib/x86_64-linux-gnu/libc.a",
         "libstdc++-12-dev": "/usr/lib/gcc/x86_64-linux-gnu/12/libstdc++.a",
         "pkg-config": "/usr/bin/pkg-config", "util-linux": "/usr/bin/unshare", "mount": "/usr/bin/mount",
         "binutils": "/usr/bin/objcopy", "git": "/usr/bin/git",
         "python3-venv": "/usr/lib/python3.11/ensurepip"}


def output_of(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=PACKAGE, **options).stdout


def install():
    missing = [package for package, file in NEEDS.items() if not os.path.exists(file)]
    if missing:
        subprocess.run("apt-get update && apt-get install -y " + " ".join(missing), shell=True, check=True, stdout=sys.stderr)


def version():
    """Of this package, from the one place that says it."""
    text = (PACKAGE / "Sources/AppReceipt/PackageVersion.swift").read_text()
    return text.split('packageVersion = "')[1].split('"')[0]


def source_date():
    """Seconds since 1970: SOURCE_DATE_EPOCH, else the last commit's."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or output_of("git", "log", "-1", "--format=%ct"))


def swift(command, *words):
    subprocess.run(["swift", *command.split(), *map(str, words)], cwd=PACKAGE, check=True, stdout=sys.stderr)


@functools.cache
def pinned():
    """{identity: version}, as .ci/dependencies says."""
    lines = (PACKAGE / ".ci/dependencies").read_text().splitlines()
    return dict(line.split() for line in lines if line and not line.startswith("#"))


@functools.cache
def checked_out():
    """{identity: what SwiftPM knows of it} of the packages that the build takes."""
    state = json.loads((SCRATCH / "workspace-state.json").read_text())
    return {each["packageRef"]["identity"]: each for each in state["object"]["dependencies"]}


def check_dependencies():
    """Ends where SwiftPM took other versions than .ci/dependencies says. What it fetched besides, for a trait of another build,
    is not linked, or linked.components() ends."""
    swift("package resolve", "--scratch-path", SCRATCH)
    taken = {name: each["state"].get("checkoutState", {}).get("version") for name, each in checked_out().items()}
    differences = [f"{name}: version {taken.get(name)} was taken, and .ci/dependencies says {pinned()[name]}"
                   for name in sorted(pinned()) if pinned()[name] != taken.get(name)]
    if differences:
        sys.exit("\n".join([*differences, "`swift package resolve NAME --version VERSION` takes a certain one"]))


@functools.cache
def toolchain():
    """The folder of the static libraries of Swift."""
    paths = json.loads(output_of("swift", "-print-target-info", "-static-executable"))["paths"]
    return next(pathlib.Path(path) for path in paths["runtimeLibraryPaths"] if path.endswith("swift_static/linux"))


def settled(swiftc, linker):
    """For `swift build`, with what leaves no path of this machine and no chance in what is made."""
    prefix = f"{PACKAGE}=."
    for option, words in (("-Xswiftc", [*swiftc, "-gnone", "-file-prefix-map", prefix]),
                          ("-Xcc", ["-g0", f"-ffile-prefix-map={prefix}"]), ("-Xlinker", ["--build-id=none", *linker])):
        for word in words:
            yield from (option, word)


def flags():
    substitutes = SCRATCH / "substitutes.o"
    subprocess.run(["clang", "-c", "-O2", SUBSTITUTES, "-o", substitutes], check=True)
    linker = ["--icf=safe", f"-Map={LINK_MAP}",
              "--wrap=swift_copyAuxiliaryExecutablePath", str(substitutes),
              *icu_data.linker_options(toolchain() / "lib_FoundationICU.a", SCRATCH)]
    return settled(["-static-executable"], linker)


def library():
    """The C library; what it is made of stands in LIBRARY_MAP."""
    LIBRARY_SCRATCH.mkdir(parents=True, exist_ok=True)
    (LIBRARY_SCRATCH / "release/libCAppReceipt.so").unlink(missing_ok=True)
    words = settled([], [f"-Map={LIBRARY_MAP}"])
    made = output_of(PACKAGE / "Tests/C/library", *words, env={**os.environ, "SCRATCH": ".build/static-c"}).splitlines()[-1]
    subprocess.run(["objcopy", "--remove-section=.comment", made], check=True)
    blank(pathlib.Path(made), ".swift_modhash")
    return pathlib.Path(made)


def blank(file, section):
    """Where objcopy takes a loaded section out, it takes out as well what keeps relocated data from being written to."""
    listed = output_of("readelf", "--wide", "--sections", file)
    place, size = (int(each, 16) for each in re.search(rf" {re.escape(section)} +\w+ +\w+ (\w+) (\w+) ", listed).groups())
    data = bytearray(file.read_bytes())
    data[place:place + size] = bytes(size)
    file.write_bytes(data)


def build(into):
    """Writes the file; what it is made of stands in LINK_MAP."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    options = ["-c", "release", "--product", "appreceipt", "--scratch-path", SCRATCH, *flags()]
    # A program that is there already would leave the map of another link.
    program = SCRATCH / "release/appreceipt"
    program.unlink(missing_ok=True)
    swift("build", *options)
    # The hash of a module's interface is not the same for two builds, and nobody reads it in a program.
    subprocess.run(["objcopy", "--strip-all", "--remove-section=.swift_modhash", "--remove-section=.comment",
                    program, into], check=True)
    into.chmod(0o755)
    size = into.stat().st_size
    if size > MOST_BYTES:
        sys.exit(f"{into}: {size} bytes, and at most {MOST_BYTES} are promised")


def manual_generator():
    """swift-argument-parser's own program that writes manual pages."""
    scratch = PACKAGE / ".build/manual"
    swift("build", "--package-path", SCRATCH / "checkouts/swift-argument-parser", "--scratch-path", scratch,
          "--product", "generate-manual")
    return scratch / "debug/generate-manual"


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
