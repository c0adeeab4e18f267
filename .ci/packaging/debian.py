"""The Debian packages: the tool, and the C library with its header."""

import datetime
import os
import sys

import archives
from archives import compressed

PLACE_OF_LIBRARIES = "lib/x86_64-linux-gnu"
DESCRIPTION = """ Verifies App Store receipts, StoreKit 2 and App Store Server API JWS, and
 transaction receipts. Lists the purchases, and determines which subscription
 offers a customer can still get.
 .
"""
TOOL = f"""Section: utils
Priority: optional
Description: verifies App Store receipts and JWS, offline
{DESCRIPTION} Verdicts do not depend on the network, the clock or the machine's
 configuration. Audits exports into a database and a report. The program is
 linked statically and has no dependencies.
"""
LIBRARY = f"""Section: libdevel
Priority: optional
Depends: libc6 (>= 2.34), libgcc-s1 (>= 3.0)
Description: verifies App Store receipts and JWS, offline: C library
{DESCRIPTION} The shared library, its header and its manual pages, for programs in C and in
 languages that can call C. It contains OpenSSL and the Swift runtime.
"""
TOOL_OVERRIDES = """# A single file is the purpose of the package, for machines without a network or other packages.
# INSTALL.md explains how to check sums and roots, and what to do when Apple's certificates change.
appreceipt: package-contains-upstream-installation-documentation
appreceipt: statically-linked-binary
appreceipt: embedded-library
"""
LIBRARY_OVERRIDES = """# Verdicts must not depend on the host or its OpenSSL. One package has the library and the files to build with it.
libappreceipt-dev: embedded-library
libappreceipt-dev: package-name-doesnt-match-sonames
libappreceipt-dev: link-to-shared-library-in-wrong-package
"""


def maintainer():
    """Returns the maintainer from the variables that Debian's own tools use, or None if they are not set."""
    name, address = (os.environ.get(each, "").strip() for each in ("DEBFULLNAME", "DEBEMAIL"))
    return f"{name} <{address}>" if name and address else None


def write(output, version, date, tree, of_library, parts, parts_of_library):
    """Writes both packages. The trees are those of the archive, {path: (mode, bytes)}; parts are results of linked.components()."""
    for name in ("appreceipt", "libappreceipt-dev"):
        (output / f"{name}_{version}_amd64.deb").unlink(missing_ok=True)
    if maintainer() is None:
        print("no Debian packages: set DEBFULLNAME and DEBEMAIL to the maintainer's name and address", file=sys.stderr)
        return
    of_library = {name.replace("lib/", f"{PLACE_OF_LIBRARIES}/", 1) if name.startswith("lib/") else name: file
                  for name, file in of_library.items()}
    of_library["share/doc/libappreceipt-dev/copyright"] = tree["share/doc/appreceipt/copyright"]
    shared = {"shlibs": f"libappreceipt 0 libappreceipt-dev (>= {version})\n".encode(),
              "triggers": b"activate-noawait ldconfig\n"}
    package("appreceipt", output, version, date, tree, parts, TOOL, TOOL_OVERRIDES, {})
    package("libappreceipt-dev", output, version, date, of_library, parts_of_library, LIBRARY, LIBRARY_OVERRIDES, shared)


def package(name, output, version, date, tree, parts, fields, overrides, control):
    when = datetime.datetime.fromtimestamp(date, datetime.timezone.utc).strftime("%a, %d %b %Y %H:%M:%S +0000")
    changes = f"appreceipt ({version}) unstable; urgency=medium\n\n  * Release {version}.\n\n -- {maintainer()}  {when}\n"
    tree = {f"usr/{path}": file for path, file in tree.items()} | {
        f"usr/share/doc/{name}/changelog.gz": (0o644, compressed(changes.encode())),
        f"usr/share/lintian/overrides/{name}": (0o644, overrides.encode())}
    size = -(-sum(len(data) for _, data in tree.values()) // 1024)
    built = ", ".join(f"{part.name} (= {part.version})" for part in parts if part.locator.startswith("pkg:deb/"))
    said = (f"Package: {name}\nVersion: {version}\nArchitecture: amd64\nMaintainer: {maintainer()}\nInstalled-Size: {size}\n"
            f"Built-Using: {built}\n{fields}")
    archives.write_deb(output / f"{name}_{version}_amd64.deb", {"control": said.encode(), **control}, tree, date)
