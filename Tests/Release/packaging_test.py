"""Checks how the server is packed: the image with skopeo and umoci, and the Debian package with lintian.

A release of the server takes too long for each change. The image here has the tool instead, and the package a short script.
`server_test` starts the server itself.
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

from carried import OUTPUT, PROGRAM, TOP, Expectations

sys.path.insert(0, str(TOP / ".ci/packaging"))
import debian  # noqa: E402
import image  # noqa: E402
from archives import compressed  # noqa: E402

DATE = 1_700_000_000
VERSION = "1.2.3"
# A program that takes little time to pack.
SMALL = b"#!/bin/sh\nexit 0\n"


def run(*command, **options):
    return subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL,
                          **options)


def layout(expect, archive, version, folder):
    """Checks the image with skopeo and umoci, and returns the unpacked root and the configuration."""
    inspected = run("skopeo", "inspect", f"oci-archive:{archive}:{version}")
    expect(inspected.returncode == 0 and len(json.loads(inspected.stdout)["Layers"]) == 1, f"skopeo reads one layer: {inspected}")
    # Converts the archive as `docker load` reads it, and compares the layer's content.
    copied = run("skopeo", "--insecure-policy", "copy", f"docker-archive:{archive}:appreceipt-server:{version}", f"dir:{folder}/docker")
    expect(copied.returncode == 0, f"skopeo reads it like docker load: {copied.stdout}")
    with tarfile.open(archive) as files:
        members = files.getmembers()
        expect.same({(member.uid, member.gid, member.uname) for member in members}, {(0, 0, "root")}, "root owns the image's files")
        expect(len({member.mtime for member in members}) == 1, "the image's files have one date")
        files.extractall(f"{folder}/layout", filter="data")
    for blob in pathlib.Path(folder, "layout/blobs/sha256").iterdir():
        expect.same(hashlib.sha256(blob.read_bytes()).hexdigest(), blob.name, "the digest of a blob")
    unpacked = run("umoci", "unpack", "--image", f"{folder}/layout:{version}", f"{folder}/bundle")
    expect(unpacked.returncode == 0, f"umoci unpacks it: {unpacked.stdout}")
    root = pathlib.Path(folder, "bundle/rootfs")
    expect.same([str(path.relative_to(root)) for path in root.rglob("*")], ["appreceipt-server"], "the only file of the image")

    def blob(descriptor):
        return json.loads(pathlib.Path(folder, "layout", image.path(descriptor)).read_text())

    index = json.loads(pathlib.Path(folder, "layout/index.json").read_text())
    first, attached = index["manifests"]
    manifest = blob(attached)
    expect.same(manifest["subject"]["digest"], first["digest"], "the attachment names the image")
    expect.same([layer["mediaType"] for layer in manifest["layers"]], [image.BILL, image.COPYRIGHT], "the attached files")
    config = blob(blob(first)["config"])["config"]
    expect(re.fullmatch(r"[1-9]\d*:[1-9]\d*", config["User"]), "the user is not root")
    expect.same(config["Labels"]["org.opencontainers.image.version"], version, "the label of the version")
    return root, config


def the_image(expect, folder):
    archives = {image.archive(SMALL, VERSION, DATE, b"{}", b"a notice") for _ in range(2)}
    expect(len(archives) == 1, "the image is the same twice")
    archive = pathlib.Path(folder, "oci.tar")
    archive.write_bytes(image.archive(PROGRAM.read_bytes(), VERSION, DATE, b"{}", b"a notice"))
    root, config = layout(expect, archive, VERSION, folder)
    user, group = config["User"].split(":")
    said = run("chroot", f"--userspec={user}:{group}", root, config["Entrypoint"][0], "--version")
    expect(said.returncode == 0 and "OpenSSL" in said.stdout, f"its program runs: {said}")


def the_package(expect, folder):
    tree = debian.server_tree(SMALL, compressed(b".TH APPRECEIPT-SERVER 1\n.SH NAME\nappreceipt-server - serves\n"),
                              (TOP / "Sources/Release/copyright").read_bytes())
    packages = []
    for name in ("one", "two"):
        output = pathlib.Path(folder, name)
        output.mkdir()
        debian.write(output, VERSION, DATE, {"appreceipt-server": debian.server(tree, {})})
        packages += output.iterdir()
    expect(packages[0].read_bytes() == packages[1].read_bytes(), "the package is the same twice")
    found = run("lintian", "--allow-root", "--fail-on", "error,warning", packages[0])
    expect(found.returncode == 0, f"lintian: {found.stdout}")
    run("dpkg-deb", "--raw-extract", packages[0], f"{folder}/raw")
    raw = pathlib.Path(folder, "raw")
    expect.same((raw / "DEBIAN/conffiles").read_text(), "/etc/appreceipt/environment\n", "conffiles")
    for script in debian.SCRIPTS:
        expect.same((run("sh", "-n", raw / "DEBIAN" / script).stdout, (raw / "DEBIAN" / script).stat().st_mode & 0o777), ("", 0o755), script)
    unit = (raw / "lib/systemd/system/appreceipt-server.service").read_text()
    command = re.search(r"^ExecStart=(\S+) serve$", unit, re.MULTILINE)[1]
    expect((raw / command.lstrip("/")).read_bytes() == SMALL, "the unit starts the program")
    # Each variable that the settings name is one of the server's.
    options = set(re.findall(r'ServerOption\("([\w-]+)"', (TOP / "Sources/ReceiptServer/Settings/ServerOption.swift").read_text()))
    named = re.findall(r"^#?APPRECEIPT_(\w+)=", (raw / "etc/appreceipt/environment").read_text(), re.MULTILINE)
    expect(len(named) > 3 and {name.lower().replace("_", "-") for name in named} <= options, f"the settings are known: {named}")


def main():
    expect = Expectations()
    os.environ |= {"DEBFULLNAME": "A trial", "DEBEMAIL": "nobody@example.org"}
    with tempfile.TemporaryDirectory() as folder:
        the_image(expect, folder)
        the_package(expect, folder)
    expect.end("the packaging of the server")


if __name__ == "__main__":
    main()
