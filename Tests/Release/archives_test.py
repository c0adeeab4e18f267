"""Checks the archives: sums, content and owners, manual pages, completions, the bill of materials, and the
instructions of INSTALL.md.
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
import zipfile

from carried import OUTPUT, PROGRAM, TOP, Expectations

NAME = next(OUTPUT.glob("appreceipt-*-linux-x86_64.tar.gz")).name.removesuffix(".tar.gz")
VERSION = NAME.split("-")[1]
HAS_SERVER = (OUTPUT / "appreceipt-server").exists()
PACKAGES = ["appreceipt", "libappreceipt-dev", *(["appreceipt-server"] if HAS_SERVER else [])]
COMMANDS = ("verify", "verify-receipt", "inspect", "eligibility", "rules", "audit", "ask", "migrate", "evidence", "forget", "forge", "schema")


def run(*command, **options):
    return subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def sums(expect):
    checked = run("sha256sum", "--check", "SHA256SUMS", cwd=OUTPUT)
    expect(checked.returncode == 0, f"SHA256SUMS: {checked.stdout}")
    named = {line.split()[1] for line in (OUTPUT / "SHA256SUMS").read_text().splitlines()}
    expect.same(named, {file.name for file in OUTPUT.iterdir()} - {"SHA256SUMS", "SHA256SUMS.minisig"}, "files in SHA256SUMS")


def members(expect, folder):
    with tarfile.open(OUTPUT / f"{NAME}.tar.gz") as archive:
        names = [member.name for member in archive]
        expect.same(names, sorted(names), "the names are sorted")
        expect.same({(member.uid, member.gid, member.uname) for member in archive}, {(0, 0, "root")}, "root owns all files")
        links = {member.name: member.linkname for member in archive if not (member.isfile() or member.isdir())}
        expect.same(links, {f"{NAME}/lib/libappreceipt.so": "libappreceipt.so.0"}, "links")
        expect(len({member.mtime for member in archive}) == 1, "one date")
        expect(all(name.split("/")[0] == NAME for name in names), "all files are in one folder")
        archive.extractall(folder, filter="data")
    root = pathlib.Path(folder, NAME)
    expect((root / "bin/appreceipt").read_bytes() == PROGRAM.read_bytes(), "the program equals the one next to the archive")
    for name in ("include/appreceipt.h", "include/appreceipt_batch.h", "lib/libappreceipt.so.0", "INSTALL.md", "LICENSE", "licenses/Apache-2.0", "licenses/LGPL-2.1", "licenses/GPL-3",
                 "share/doc/appreceipt/copyright", f"share/doc/appreceipt/appreceipt-{VERSION}.spdx.json"):
        expect((root / name).stat().st_size > 0, name)
    return root


def debian(expect, folder, root):
    """Checks that the packages contain the archive's files below usr, that no file is in both, and that lintian
    reports nothing.
    """
    installed = set()
    for name in PACKAGES:
        package = OUTPUT / f"{name}_{VERSION}_amd64.deb"
        run("dpkg-deb", "--extract", package, f"{folder}/{name}", check=True)
        top = pathlib.Path(folder, name)
        files = {str(path.relative_to(top)).removeprefix("usr/").replace("lib/x86_64-linux-gnu/", "lib/")
                 .replace("vendor-completions", "site-functions"): path for path in top.rglob("*") if path.is_file()}
        expect(not installed & set(files), f"in both packages: {installed & set(files)}")
        installed |= set(files)
        expect(all(path.read_bytes() == (root / each).read_bytes() for each, path in files.items()
                   if (root / each).exists() and not each.endswith((".pc", ".cmake"))),
               f"{name}: the same bytes as in the archive")
        owners = {line.split()[1] for line in run("dpkg-deb", "--contents", package).stdout.splitlines()}
        expect.same(owners, {"root/root"}, "root owns all files")
        found = run("lintian", "--allow-root", "--fail-on", "error,warning", package)
        expect(found.returncode == 0, f"lintian: {found.stdout}")
        print("".join(f"    lintian: {line}\n" for line in found.stdout.splitlines()), end="")
    below = {str(path.relative_to(root)) for name in ("bin", "etc", "include", "lib", "share") for path in (root / name).rglob("*")
             if path.is_file()}
    below -= {"etc/appreceipt/kubernetes.yaml"}
    expect(below and below <= installed, f"in no package: {below - installed}")


def wheel(expect, root):
    """Checks that the wheel contains the archive's library, and its metadata."""
    wheels = list(OUTPUT.glob("*.whl"))
    expect.same([name.name.split("-")[:4] for name in wheels], [["appreceipt", VERSION, "py3", "none"]], "one wheel")
    with zipfile.ZipFile(wheels[0]) as archive:
        inside = {info.filename: archive.read(info) for info in archive.infolist()}
        modes = {info.external_attr >> 16 & 0o777 for info in archive.infolist() if not info.is_dir()}
    # RECORD always has mode 664.
    expect(modes <= {0o644, 0o664, 0o755}, f"modes in the wheel: {[oct(mode) for mode in modes]}")
    said = f"appreceipt-{VERSION}.dist-info/licenses"
    for name, path in (("appreceipt/libappreceipt.so", "lib/libappreceipt.so.0"), ("appreceipt/INSTALL.md", "INSTALL.md"),
                       (f"{said}/LICENSE", "LICENSE"), (f"{said}/NOTICE", "share/doc/appreceipt/copyright")):
        expect(inside.get(name) == (root / path).read_bytes(), f"{name} in the wheel equals {path}")


def manuals(expect, root):
    pages = {page.name: page for page in (root / "share/man/man1").iterdir()}
    functions = {page.name: page for page in (root / "share/man/man3").iterdir()}
    declared = [name for header in (root / "include").iterdir() for name in re.findall(r"\b(appreceipt_\w+)\(", header.read_text())]
    expect.same(set(functions), {f"{name}.3.gz" for name in {"libappreceipt", *declared}}, "pages of the C library")
    wanted = {"appreceipt.1.gz", *(f"appreceipt-{command}.1.gz" for command in COMMANDS)}
    expect(wanted <= set(pages), f"no page: {wanted - set(pages)}")
    for name, page in sorted({**pages, **functions}.items()):
        text = subprocess.run(["man", "--local-file", "--warnings", page], capture_output=True, text=True,
                              env={**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8"})
        expect.same((text.returncode, text.stderr), (0, ""), f"{name}: status and warnings")
        expect("SYNOPSIS" in text.stdout and "appreceipt" in text.stdout, f"{name} has a synopsis")
    audit = run("man", "--local-file", pages["appreceipt-audit.1.gz"], env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout
    for option in re.findall(r"--[a-z-]+", run(PROGRAM, "audit", "--help").stdout):
        expect(option in audit or option == "--help", f"the page of audit has {option}")


def completions(expect, root):
    bash, zsh, fish = (root / "share" / name for name in (
        "bash-completion/completions/appreceipt", "zsh/site-functions/_appreceipt",
        "fish/vendor_completions.d/appreceipt.fish"))
    environment = {"PATH": f"{root}/bin:{os.environ['PATH']}", "HOME": str(root)}
    asked = f"""source {bash}; COMP_LINE='appreceipt ver'; COMP_POINT=14; COMP_WORDS=(appreceipt ver); COMP_CWORD=1
        _appreceipt appreceipt ver appreceipt; echo "${{COMPREPLY[@]}}" """
    expect.same(run("bash", "-c", asked, env=environment).stdout.split(), ["verify", "verify-receipt"], "bash completes")
    expect.same(run("fish", "-c", f"source {fish}; complete -C 'appreceipt ver'", env=environment).stdout.split()[:1],
                ["verify"], "fish completes")
    expect.same(run("zsh", "-n", zsh, env=environment).stdout, "", "zsh parses its script")
    expect(zsh.read_text().startswith("#compdef appreceipt"), "the zsh script names its command")


def bill_of_materials(expect, root):
    path = OUTPUT / f"appreceipt-{VERSION}.spdx.json"
    checked = run(pathlib.Path(sys.executable).with_name("pyspdxtools"), "--infile", path)
    expect(checked.returncode == 0, f"spdx-tools: {checked.stdout}")
    document, program = json.loads(path.read_text()), PROGRAM.read_bytes()
    packages = {package["name"]: package for package in document["packages"]}
    expect.same(packages["appreceipt"]["checksums"][0]["checksumValue"], hashlib.sha256(program).hexdigest(), "its SHA-256")
    of_tool = {"gcc-12", "glibc", "openssl", "sqlite3", "swift", "swift-argument-parser",
              "swift-corelibs-foundation", "swift-corelibs-libdispatch", "swift-foundation", "swift-foundation-icu", "swift-mustache", "zlib"}
    of_library = {"gcc-12", "glibc", "openssl", "swift"}
    pins = dict(line.split() for line in (TOP / ".ci/dependencies").read_text().splitlines() if line and not line.startswith("#"))
    of_server = (of_tool | set(pins)) if HAS_SERVER else set()
    expect.same(set(packages) - {"appreceipt", "appreceipt-server", "libappreceipt"}, of_tool | of_server, "linked components")
    for name, parts in (("appreceipt", of_tool), ("libappreceipt", of_library), *([("appreceipt-server", of_server)] if HAS_SERVER else [])):
        related = {each["relatedSpdxElement"] for each in document["relationships"]
                   if each["relationshipType"] == "STATIC_LINK" and each["spdxElementId"] == f"SPDXRef-{name}"}
        expect.same(related, {f"SPDXRef-{part}" for part in parts}, f"the components of {name}")
    library = hashlib.sha256((root / "lib/libappreceipt.so.0").read_bytes()).hexdigest()
    expect.same(packages["libappreceipt"]["checksums"][0]["checksumValue"], library, "the library's SHA-256")
    running = re.search(r"OpenSSL, running +OpenSSL (\S+)", run(PROGRAM, "--version").stdout)[1]
    expect(packages["openssl"]["versionInfo"].startswith(running + "-"), f"OpenSSL {running}")
    for name in sorted(set(pins) & set(packages)):
        expect.same(packages[name]["versionInfo"], pins[name], name)


def documentation(expect, root):
    """Checks that the archive has every article as HTML, and the files that go with the documentation."""
    doc = root / "doc"
    pages = {path.parent.name for path in doc.glob("html/documentation/**/index.html")}
    articles = {path.stem.lower() for path in (TOP / "Sources").glob("*/*.docc/*.md")
                if not path.read_text().startswith("# ``")}
    expect(len(articles) >= 18 and articles <= pages, f"no page: {sorted(articles - pages)}")
    for folder, source in (("schemas", "Sources/EmbeddedFiles/JSONSchemas/*.json"), ("forge", "Fixtures/specs/*.json"),
                           ("examples", "Sources/Release/examples/*.c")):
        expect.same({path.name: path.read_bytes() for path in (doc / folder).iterdir()},
                    {path.name: path.read_bytes() for path in TOP.glob(source)}, f"the files of {folder}")
    for description in sorted((doc / "forge").iterdir()):
        with tempfile.TemporaryDirectory() as folder:
            made = run(PROGRAM, "forge", description, "--output", f"{folder}/made")
            expect(made.returncode == 0, f"forge {description.name}: {made.stdout[:300]}")
    languages = run("git", "ls-files", "Sources/Languages", cwd=TOP).stdout.split()
    expect.same({str(path.relative_to(doc / "languages")) for path in (doc / "languages").rglob("*") if path.is_file()},
                {name.removeprefix("Sources/Languages/") for name in languages}, "the packages for other languages")


def instructions(expect, root, folder):
    """Runs the local commands of INSTALL.md, and checks their output and that the files that it names are there."""
    text = (root / "INSTALL.md").read_text()
    named = {re.sub(r"[,;:.]+$", "", word) for word in re.findall(r"[\w./*-]+", re.sub(r"https?://\S+|www\.\S+", "", text))}
    files = {word for word in named if re.match(r"(bin|etc|lib|include|share|doc)/\w", word)}
    released = {word for word in named if re.search(r"\.(deb|whl|tar|gz|spdx\.json)$", word) and "/" not in word}
    expect(len(files) > 3 and len(released) > 3, f"INSTALL.md names files: {files} {released}")
    expect.same(sorted(word for word in files if not list(root.glob(word))), [], "files that INSTALL.md names and the archive lacks")
    expect.same(sorted(word for word in released if not list(OUTPUT.glob(word))), [], "files that INSTALL.md names and the release lacks")
    expect.same("appreceipt-server" in text, HAS_SERVER, "INSTALL.md has the section on the server")
    expect.same(re.findall(r"@\w+@", text), [], "placeholders that are left")
    digests = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (TOP / "Certificates").glob("Apple*Root*.cer")}
    expect.same(set(re.findall(r"\b[0-9a-f]{64}\b", text)), digests, "the digests of Apple's roots")
    environment = {"PATH": f"{root}/bin:/usr/bin:/bin", "HOME": folder}
    commands = [line.strip() for line in text.splitlines() if re.match(r"    appreceipt (forge|audit) ", line)]
    expect(len(commands) == 2, "the first run has two commands")
    said = [run("sh", "-c", command, cwd=folder, env=environment) for command in commands]
    expect(said[0].returncode == 0, said[0].stdout)
    promised = re.search(r"`(1000 records: .*?)`", text)[1]
    expect(promised in said[1].stdout, f"expected {promised}, found {said[1].stdout[:200]}")
    apple = commands[1].replace("--root root.cer", "").replace("first.sqlite", "second.sqlite")
    without = run("sh", "-c", apple, cwd=folder, env=environment).stdout
    expect("1000 records: 0 genuine, 1000 refused" in without, f"without the root: {without[:200]}")


def main():
    expect = Expectations()
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two, tempfile.TemporaryDirectory() as three:
        sums(expect)
        root = members(expect, one)
        debian(expect, two, root)
        wheel(expect, root)
        manuals(expect, root)
        completions(expect, root)
        bill_of_materials(expect, root)
        documentation(expect, root)
        instructions(expect, root, three)
    expect.end("the archives")


if __name__ == "__main__":
    main()
