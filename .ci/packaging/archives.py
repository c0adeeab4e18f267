"""Reproducible archives: sorted names, root as the owner, one date, no randomness."""

import gzip
import io
import os
import pathlib
import subprocess
import tarfile
import tempfile


def compressed(data):
    """Returns the data compressed with gzip, without a name or a date."""
    return gzip.compress(data, 9, mtime=0)


def write_tar(path, top, tree, date):
    """Writes a tree, {path: (mode, bytes)}, below the folder top. Text instead of bytes is the target of a link."""
    folders = {str(parent) for name in tree for parent in pathlib.PurePosixPath(top, name).parents} - {"."}
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, mode, data in sorted([*((folder, 0o755, None) for folder in folders),
                                        *((f"{top}/{name}", mode, data) for name, (mode, data) in tree.items())]):
            member = tarfile.TarInfo(name)
            member.mode, member.mtime, member.uname, member.gname = mode, date, "root", "root"
            if data is None:
                member.type = tarfile.DIRTYPE
                archive.addfile(member)
            elif isinstance(data, str):
                member.type, member.linkname = tarfile.SYMTYPE, data
                archive.addfile(member)
            else:
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
    path.write_bytes(compressed(output.getvalue()))


def write_deb(path, control, tree, date):
    """Writes a package. control: {name: bytes} of the control files, of which scripts begin with "#!"."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        root.chmod(0o755)
        control = {f"DEBIAN/{name}": (0o755 if data.startswith(b"#!") else 0o644, data) for name, data in control.items()}
        for name, (mode, data) in {**tree, **control}.items():
            file = root / name
            for parent in [each for each in reversed(file.relative_to(root).parents) if str(each) != "."]:
                (root / parent).mkdir(exist_ok=True)
                (root / parent).chmod(0o755)
            if isinstance(data, str):
                file.symlink_to(data)
            else:
                file.write_bytes(data)
                file.chmod(mode)
        for name in [*root.rglob("*"), root]:
            os.utime(name, (date, date), follow_symlinks=False)
        # Several threads would split the archive differently on a machine with more processors.
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--threads-max=1", "--build", folder, path],
                       env={**os.environ, "SOURCE_DATE_EPOCH": str(date)}, check=True, stdout=subprocess.DEVNULL)
