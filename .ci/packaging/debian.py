"""The Debian packages: the tool, the server as a service, and the C library with its header."""

import datetime
import os
import sys

import archives
import static_build
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
SERVER = f"""Section: httpd
Priority: optional
Depends: adduser, init-system-helpers (>= 1.54~)
Description: verifies App Store receipts and JWS, offline: HTTP server
{DESCRIPTION} Answers like Apple's deprecated verifyReceipt. The package starts the server as
 a systemd service on 127.0.0.1:8080. Its settings are in /etc/appreceipt. The
 program is linked statically, and contains the commands of appreceipt as well.
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

SERVER_OVERRIDES = """# A single file without dependencies, which is the content of the container image, too.
appreceipt-server: statically-linked-binary
appreceipt-server: embedded-library
"""
UNITS = ("appreceipt-server.service", "appreceipt-server.socket")
# The scripts that debhelper generates for a service, and the service's user.
SCRIPTS = {
    "postinst": """#!/bin/sh
set -e
case "$1" in
configure|abort-upgrade|abort-deconfigure|abort-remove)
    adduser --quiet --system --group --no-create-home --home /nonexistent appreceipt
    # Files with secrets can be here, too. Only root and the service read them.
    chown root:appreceipt /etc/appreceipt
    chmod 750 /etc/appreceipt
    deb-systemd-helper unmask appreceipt-server.service > /dev/null || true
    if deb-systemd-helper --quiet was-enabled appreceipt-server.service; then
        deb-systemd-helper enable appreceipt-server.service > /dev/null || true
    else
        deb-systemd-helper update-state appreceipt-server.service > /dev/null || true
    fi
    if [ -d /run/systemd/system ]; then
        systemctl --system daemon-reload > /dev/null || true
        deb-systemd-invoke restart appreceipt-server.service > /dev/null || true
    fi
    ;;
esac
""",
    "prerm": """#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
    deb-systemd-invoke stop appreceipt-server.service appreceipt-server.socket > /dev/null || true
fi
""",
    "postrm": """#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then
    systemctl --system daemon-reload > /dev/null || true
fi
if [ "$1" = purge ] && command -v deb-systemd-helper > /dev/null; then
    deb-systemd-helper purge appreceipt-server.service appreceipt-server.socket > /dev/null || true
fi
""",
}


def maintainer():
    """Returns the maintainer from the variables that Debian's own tools use, or None if they are not set."""
    name, address = (os.environ.get(each, "").strip() for each in ("DEBFULLNAME", "DEBEMAIL"))
    return f"{name} <{address}>" if name and address else None


def server_tree(program, manual, notice):
    """Returns {path: (mode, bytes)} of the server's package, from the root folder."""
    service = static_build.PACKAGE / "Sources/Service"
    return {
        "usr/bin/appreceipt-server": (0o755, program),
        "usr/share/man/man1/appreceipt-server.1.gz": (0o644, manual),
        "usr/share/doc/appreceipt-server/copyright": (0o644, notice),
        "etc/appreceipt/environment": (0o644, (service / "environment").read_bytes()),
    } | {f"lib/systemd/system/{name}": (0o644, (service / name).read_bytes()) for name in UNITS}


def write(output, version, date, products):
    """Writes the packages.

    products: {package's name: (tree, parts, fields, overrides, control files)}. A tree is {path from the root folder: (mode,
    bytes)}. Parts are results of linked.components().
    """
    for name in products:
        (output / f"{name}_{version}_amd64.deb").unlink(missing_ok=True)
    if maintainer() is None:
        print("no Debian packages: set DEBFULLNAME and DEBEMAIL to the maintainer's name and address", file=sys.stderr)
        return
    for name, (tree, parts, fields, overrides, control) in products.items():
        package(name, output, version, date, tree, parts, fields, overrides, control)


def tool(tree, parts):
    return {f"usr/{path}": file for path, file in tree.items()}, parts, TOOL, TOOL_OVERRIDES, {}


def library(tree, notice, parts, version):
    tree = {f"usr/{name.replace('lib/', f'{PLACE_OF_LIBRARIES}/', 1) if name.startswith('lib/') else name}": file
            for name, file in tree.items()}
    tree["usr/share/doc/libappreceipt-dev/copyright"] = 0o644, notice
    shared = {"shlibs": f"libappreceipt 0 libappreceipt-dev (>= {version})\n".encode(),
              "triggers": b"activate-noawait ldconfig\n"}
    return tree, parts, LIBRARY, LIBRARY_OVERRIDES, shared


def server(tree, parts):
    scripts = {name: text.encode() for name, text in SCRIPTS.items()}
    return tree, parts, SERVER, SERVER_OVERRIDES, {"conffiles": b"/etc/appreceipt/environment\n", **scripts}


def package(name, output, version, date, tree, parts, fields, overrides, control):
    when = datetime.datetime.fromtimestamp(date, datetime.timezone.utc).strftime("%a, %d %b %Y %H:%M:%S +0000")
    changes = f"appreceipt ({version}) unstable; urgency=medium\n\n  * Release {version}.\n\n -- {maintainer()}  {when}\n"
    tree = tree | {
        f"usr/share/doc/{name}/changelog.gz": (0o644, compressed(changes.encode())),
        f"usr/share/lintian/overrides/{name}": (0o644, overrides.encode())}
    size = -(-sum(len(data) for _, data in tree.values()) // 1024)
    built = ", ".join(f"{part.name} (= {part.version})" for part in parts if part.locator.startswith("pkg:deb/"))
    said = (f"Package: {name}\nVersion: {version}\nArchitecture: amd64\nMaintainer: {maintainer()}\nInstalled-Size: {size}\n"
            + (f"Built-Using: {built}\n" if built else "") + fields)
    archives.write_deb(output / f"{name}_{version}_amd64.deb", {"control": said.encode(), **control}, tree, date)
