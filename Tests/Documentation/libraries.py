"""The library products, built by the package in this folder, which needs no other package and no network access."""

import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent.parent
# A release builds in another place, and a build folder cannot be moved.
SCRATCH = os.environ.get("SCRATCH_PATH", HERE / ".build")


def output_of(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def modules():
    """Returns the Swift targets of the library products, in order. The C library has its documentation in its header."""
    # The package's own build folder may be in use.
    dump = output_of("swift", "package", "dump-package", "--scratch-path", f"{SCRATCH}/manifest", cwd=PACKAGE)
    products = json.loads(dump)["products"]
    libraries = [product for product in products if product["type"].get("library") == ["automatic"]]
    return list(dict.fromkeys(target for library in libraries for target in library["targets"]))


def symbol_graphs(folder, *options):
    """Builds the libraries and writes a folder of symbol graphs for each module. Returns the modules."""
    build = ["swift", "build", "--package-path", HERE, "--scratch-path", SCRATCH, "--target", "Given"]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    products = pathlib.Path(output_of(*build, "--show-bin-path").strip())
    sdk = ["-sdk", output_of("xcrun", "--show-sdk-path").strip()] if sys.platform == "darwin" else []
    triple = json.loads(output_of("swift", "-print-target-info"))["target"]["triple"]
    maps = [*products.glob("*.build/module.modulemap"), *(PACKAGE / "Sources").glob("*/module.modulemap")]
    found = modules()
    for module in found:
        into = pathlib.Path(folder) / module
        into.mkdir(parents=True)
        subprocess.run(
            ["swift", "symbolgraph-extract", "-module-name", module, "-target", triple, *sdk, "-I", products / "Modules",
             *(word for each in maps for word in ("-Xcc", f"-fmodule-map-file={each}")),
             "-minimum-access-level", "public", "-skip-synthesized-members", *options, "-output-dir", into], check=True)
    return found
