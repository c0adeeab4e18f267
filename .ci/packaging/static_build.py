"""The reproducible builds of the tool and the server as static binaries, and of the C library."""

import dataclasses
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
LIBRARY_SCRATCH = PACKAGE / ".build/static-c"
LIBRARY_MAP = LIBRARY_SCRATCH / "libappreceipt.map"
SUBSTITUTES = pathlib.Path(__file__).resolve().parent / "substitutes.c"
# The packages that a Debian machine with Swift and git may lack, with a file of each.
NEEDS = {"libssl-dev": "/usr/lib/x86_64-linux-gnu/libcrypto.a", "libsqlite3-dev": "/usr/lib/x86_64-linux-gnu/libsqlite3.a",
         "zlib1g-dev": "/usr/lib/x86_64-linux-gnu/libz.a", "libc6-dev": "/usr/lib/x86_64-linux-gnu/libc.a",
         "libstdc++-12-dev": "/usr/lib/gcc/x86_64-linux-gnu/12/libstdc++.a",
         "pkg-config": "/usr/bin/pkg-config", "util-linux": "/usr/bin/unshare", "mount": "/usr/bin/mount",
         "binutils": "/usr/bin/objcopy", "git": "/usr/bin/git",
         "python3-venv": "/usr/lib/python3.11/ensurepip"}


@dataclasses.dataclass(frozen=True)
class Program:
    """A program of the release. Both are the product `appreceipt`, with other traits."""
    name: str
    traits: str
    most_bytes: int

    @property
    def link_map(self):
        """The linker's map, with the parts of the program."""
        return SCRATCH / f"{self.name}.map"


TOOL = Program("appreceipt", "CommandLine", 40_000_000)
SERVER = Program("appreceipt-server", "CommandLine,Server", 60_000_000)


def output_of(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=PACKAGE, **options).stdout


def install(commands=()):
    """Installs missing packages: those that every release needs, and those named after a command."""
    files = NEEDS | {command: f"/usr/bin/{command}" for command in commands}
    missing = [package for package, file in files.items() if not os.path.exists(file)]
    if missing:
        subprocess.run("apt-get update && apt-get install -y " + " ".join(missing), shell=True, check=True, stdout=sys.stderr)


def version():
    """Returns the version of this package from PackageVersion.swift."""
    text = (PACKAGE / "Sources/AppReceipt/PackageVersion.swift").read_text()
    return text.split('packageVersion = "')[1].split('"')[0]


def source_date():
    """Returns SOURCE_DATE_EPOCH, else the date of the last commit, in seconds since 1970."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or output_of("git", "log", "-1", "--format=%ct"))


def swift(command, *words):
    subprocess.run(["swift", *command.split(), *map(str, words)], cwd=PACKAGE, check=True, stdout=sys.stderr)


@functools.cache
def pinned():
    """Returns {identity: version} from .ci/dependencies."""
    lines = (PACKAGE / ".ci/dependencies").read_text().splitlines()
    return dict(line.split() for line in lines if line and not line.startswith("#"))


@functools.cache
def checked_out():
    """Returns {identity: SwiftPM's state} of the packages that the build uses."""
    state = json.loads((SCRATCH / "workspace-state.json").read_text())
    return {each["packageRef"]["identity"]: each for each in state["object"]["dependencies"]}


def check_dependencies(programs):
    """Fails if SwiftPM resolves other versions for the programs than those in .ci/dependencies. Other packages may be missing,
    or present for a trait of another build. linked.components() fails if those are linked."""
    traits = sorted({trait for program in programs for trait in program.traits.split(",")})
    swift("package resolve", "--traits", ",".join(traits), "--scratch-path", SCRATCH)
    taken = {name: each["state"].get("checkoutState", {}).get("version") for name, each in checked_out().items()}
    differences = [f"{name}: resolved {taken[name]}, expected {pinned()[name]} (.ci/dependencies)"
                   for name in sorted(set(pinned()) & set(taken)) if pinned()[name] != taken[name]]
    if differences:
        sys.exit("\n".join([*differences, "`swift package resolve NAME --version VERSION` selects a version"]))


@functools.cache
def toolchain():
    """Returns the folder of Swift's static libraries."""
    paths = json.loads(output_of("swift", "-print-target-info", "-static-executable"))["paths"]
    return next(pathlib.Path(path) for path in paths["runtimeLibraryPaths"] if path.endswith("swift_static/linux"))


def settled(swiftc, linker):
    """Returns options for `swift build` that keep paths of this machine and randomness out of its output."""
    # Of two prefixes that match, swiftc uses the first one, and clang the last one.
    prefixes = [f"{scratch}/checkouts=." for scratch in (SCRATCH, LIBRARY_SCRATCH)] + [f"{PACKAGE}=."]
    for option, words in (("-Xswiftc", [*swiftc, "-gnone", *(word for each in prefixes for word in ("-file-prefix-map", each))]),
                          ("-Xcc", ["-g0", *(f"-ffile-prefix-map={each}" for each in reversed(prefixes))]),
                          ("-Xlinker", ["--build-id=none", *linker])):
        for word in words:
            yield from (option, word)


def flags(link_map):
    substitutes = SCRATCH / "substitutes.o"
    subprocess.run(["clang", "-c", "-O2", SUBSTITUTES, "-o", substitutes], check=True)
    linker = ["--icf=safe", f"-Map={link_map}",
              "--wrap=swift_copyAuxiliaryExecutablePath", "--wrap=open", str(substitutes),
              *icu_data.linker_options(toolchain() / "lib_FoundationICU.a", SCRATCH)]
    return settled(["-static-executable"], linker)


def library():
    """Builds the C library and the map of its parts, LIBRARY_MAP."""
    LIBRARY_SCRATCH.mkdir(parents=True, exist_ok=True)
    (LIBRARY_SCRATCH / "release/libCAppReceipt.so").unlink(missing_ok=True)
    words = settled([], [f"-Map={LIBRARY_MAP}"])
    made = output_of(PACKAGE / "Tests/C/library", *words, env={**os.environ, "SCRATCH": ".build/static-c"}).splitlines()[-1]
    subprocess.run(["objcopy", "--remove-section=.comment", made], check=True)
    blank(pathlib.Path(made), ".swift_modhash")
    return pathlib.Path(made)


def blank(file, section):
    """Overwrites a loaded section with zeros. Removing it with objcopy would also remove the write protection of relocated data."""
    listed = output_of("readelf", "--wide", "--sections", file)
    place, size = (int(each, 16) for each in re.search(rf" {re.escape(section)} +\w+ +\w+ (\w+) (\w+) ", listed).groups())
    data = bytearray(file.read_bytes())
    data[place:place + size] = bytes(size)
    file.write_bytes(data)


def build(program, into):
    """Builds a program and its link map. Both programs share the objects of other packages."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    options = ["-c", "release", "--traits", program.traits, "--product", "appreceipt", "--scratch-path", SCRATCH,
               *flags(program.link_map)]
    # An existing program would leave the map of an earlier link.
    made = SCRATCH / "release/appreceipt"
    made.unlink(missing_ok=True)
    swift("build", *options)
    # The hash of a module's interface differs between builds, and programs do not use it.
    subprocess.run(["objcopy", "--strip-all", "--remove-section=.swift_modhash", "--remove-section=.comment",
                    made, into], check=True)
    into.chmod(0o755)
    size = into.stat().st_size
    if size > program.most_bytes:
        sys.exit(f"{into}: {size} bytes, more than the limit of {program.most_bytes}")


def manual_generator():
    """Builds swift-argument-parser's own generator of manual pages."""
    scratch = PACKAGE / ".build/manual"
    swift("build", "--package-path", SCRATCH / "checkouts/swift-argument-parser", "--scratch-path", scratch,
          "--product", "generate-manual")
    return scratch / "debug/generate-manual"


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
