"""The container image of the server, without a container daemon: an OCI image layout in a tar file.

The file also has the manifest.json of `docker save`, so that every version of `docker load` reads it. The bill of materials and
the copyright file are attached to the image as a manifest with a subject (OCI Image Specification 1.1).
"""

import datetime
import gzip
import hashlib
import io
import json
import tarfile

NAME = "appreceipt-server"
USER = "65532:65532"
MEDIA = "application/vnd.oci.image"
LAYER = f"{MEDIA}.layer.v1.tar+gzip"
BILL, COPYRIGHT = "application/spdx+json", "text/plain"


def tar(files, date):
    """Returns a tar file of {path: (mode, bytes)}, with the folders above the files, as root's."""
    folders = sorted({f"{name.rsplit('/', count)[0]}" for name in files for count in range(1, name.count("/") + 1)})
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, (mode, data) in [*((folder, (0o755, None)) for folder in folders), *sorted(files.items())]:
            member = tarfile.TarInfo(name)
            member.mode, member.mtime, member.uname, member.gname = mode, date, "root", "root"
            if data is None:
                member.type = tarfile.DIRTYPE
                archive.addfile(member)
            else:
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
    return output.getvalue()


class Layout:
    """The blobs of an image layout."""

    def __init__(self):
        self.files = {"oci-layout": (0o644, b'{"imageLayoutVersion":"1.0.0"}')}

    def add(self, data, media_type, **others):
        """Adds a blob and returns its descriptor. An object is stored as JSON."""
        data = data if isinstance(data, bytes) else json.dumps(data, separators=(",", ":")).encode()
        digest = hashlib.sha256(data).hexdigest()
        self.files[f"blobs/sha256/{digest}"] = (0o644, data)
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(data), **others}


def path(descriptor):
    return "blobs/" + descriptor["digest"].replace(":", "/")


def archive(program, version, date, bill, notice):
    """Returns the tar file of the image.

    program: the bytes of the server; bill, notice: the bill of materials and the copyright file.
    """
    layout = Layout()
    created = datetime.datetime.fromtimestamp(date, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {f"org.opencontainers.image.{name}": text for name, text in {
        "title": NAME, "version": version, "created": created, "licenses": "MIT",
        "description": "Verifies App Store receipts and signed transactions offline, in place of verifyReceipt"}.items()}
    content = tar({NAME: (0o755, program)}, date)
    layer = layout.add(gzip.compress(content, 9, mtime=0), LAYER)
    config = layout.add({
        "created": created, "architecture": "amd64", "os": "linux",
        "config": {
            "User": USER, "Env": ["APPRECEIPT_HOST=0.0.0.0"], "Entrypoint": [f"/{NAME}", "serve"], "WorkingDir": "/",
            "ExposedPorts": {"8080/tcp": {}}, "Labels": labels, "StopSignal": "SIGTERM",
            # An extension of Docker's: nanoseconds.
            "Healthcheck": {"Test": ["CMD", f"/{NAME}", "serve", "--check-health"], "Interval": 30 * 10**9, "Timeout": 10 * 10**9,
                            "Retries": 3}},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(content).hexdigest()]},
        "history": [{"created": created, "created_by": ".ci/release"}]}, f"{MEDIA}.config.v1+json")
    image = layout.add({
        "schemaVersion": 2, "mediaType": f"{MEDIA}.manifest.v1+json", "config": config, "layers": [layer], "annotations": labels},
        f"{MEDIA}.manifest.v1+json")

    def titled(data, media_type, title):
        return layout.add(data, media_type, annotations={"org.opencontainers.image.title": title})

    attached = layout.add({
        "schemaVersion": 2, "mediaType": f"{MEDIA}.manifest.v1+json", "artifactType": BILL,
        "config": layout.add({}, "application/vnd.oci.empty.v1+json"),
        "layers": [titled(bill, BILL, f"appreceipt-{version}.spdx.json"), titled(notice, COPYRIGHT, "copyright")],
        "subject": image}, f"{MEDIA}.manifest.v1+json")
    index = {"schemaVersion": 2, "mediaType": f"{MEDIA}.index.v1+json", "manifests": [
        {**image, "platform": {"architecture": "amd64", "os": "linux"},
         "annotations": {"org.opencontainers.image.ref.name": version, "io.containerd.image.name": f"docker.io/library/{NAME}:{version}"}},
        {**attached, "artifactType": BILL}]}
    layout.files["index.json"] = (0o644, json.dumps(index, separators=(",", ":")).encode())
    saved = [{"Config": path(config), "RepoTags": [f"{NAME}:{version}"], "Layers": [path(layer)]}]
    layout.files["manifest.json"] = (0o644, json.dumps(saved, separators=(",", ":")).encode())
    return tar(layout.files, date)
