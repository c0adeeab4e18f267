"""A bundle that lies, or was taken for one, and what both checks say of it; and bundles made by hand."""

import dataclasses
import hashlib
import json
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import typing

from authority import base64url, pem, sums

DASH, BASH, POSIX = ("dash",), ("bash",), ("bash", "--posix")
BOTH, ALL_SHELLS = (DASH, BASH), (DASH, BASH, POSIX)
# None of the rows writes as much, but parts that double each other.
MOST_BYTES = 16 << 20
# A run takes one, and sixteen where the machine does much else.
MOST_SECONDS = 300

SIGNED = 1766774387000
PAYLOAD = {"transactionId": "1", "productId": "com.example.p", "bundleId": "com.example", "signedDate": SIGNED,
           "environment": "Production", "quantity": 1}
# As bash takes it in arithmetic, where a word is a variable's name, and its text an expression once more.
COMMAND = b"number[$(id>pwned)]+0"


def payload(**members):
    return json.dumps({**PAYLOAD, **members}, separators=(",", ":")).encode()


def changed(bundle, file, old, new):
    old, new = (text.encode() if isinstance(text, str) else text for text in (old, new))
    assert old in bundle[file], (file, old, bundle[file][:400])
    return {**bundle, file: bundle[file].replace(old, new)}


@dataclasses.dataclass
class Row:
    title: str
    bundle: dict
    # What check.sh finds, as a pattern; where it is nothing, the pattern of its last line.
    finds: str | None = None
    last: str = "^It is what it claims to be: "
    # Whether --check takes it; where nothing is said, as check.sh does. None: it is not asked.
    is_taken: bool | None = ...
    # Where nothing is said, the one or the other by turns.
    shells: tuple = ()
    environment: dict = dataclasses.field(default_factory=dict)
    options: tuple = ()
    # What is done to the folder behind the writing of the manifest.
    place: typing.Callable[[pathlib.Path], None] | None = None
    # Changes the script: a control of one of its walls.
    edit: typing.Callable[[bytes], bytes] = staticmethod(lambda script: script)


class Court:
    def __init__(self, tool, folder, script):
        self.tool, self.folder, self.script = tool, folder, script

    def judge(self, row):
        """What is not as the row says, each as a line."""
        script = row.edit(self.script or row.bundle["check.sh"])
        bundle = {**row.bundle, "check.sh": script}
        bundle["SHA256SUMS"] = sums(bundle)
        place = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        folder, trusted, scratch = place / "bundle", place / "check.sh", place / "scratch"
        scratch.mkdir()
        trusted.write_bytes(script)
        for file, content in bundle.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(content)
        if row.place:
            row.place(folder)
        before = listing(place)
        for shell in row.shells:
            environment = {"PATH": os.environ["PATH"], "TMPDIR": str(scratch), **row.environment}
            try:
                done = subprocess.run(
                    [*shell, trusted, folder], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                    text=True, errors="replace", timeout=MOST_SECONDS,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_BYTES, MOST_BYTES)))
            except subprocess.TimeoutExpired:
                yield f"{row.title}: {' '.join(shell)} does not end"
                continue
            told = f"{' '.join(shell)} exits {done.returncode}: {done.stderr.strip()} {(done.stdout.splitlines() or [''])[-1]}"
            if row.finds is None:
                if done.returncode != 0 or done.stderr or not re.search(row.last, done.stdout.splitlines()[-1]):
                    yield f"{row.title}: {told}"
            else:
                found = re.fullmatch(r"NOT what it claims to be: (.*)\n", done.stderr)
                if done.returncode != 1 or not found or not re.search(row.finds, found[1]):
                    yield f"{row.title}: {told}, where it should find: {row.finds}"
            if listing(place) != before:
                yield f"{row.title}: {' '.join(shell)} leaves {sorted(listing(place) - before)}"
                return
        is_taken = row.finds is None if row.is_taken is ... else row.is_taken
        if is_taken is not None:
            # The program knows its own script alone.
            bundle["check.sh"] = row.bundle["check.sh"]
            (folder / "check.sh").write_bytes(bundle["check.sh"])
            (folder / "SHA256SUMS").write_bytes(sums(bundle))
            done = subprocess.run(
                [self.tool, "evidence", "--check", folder, *row.options], capture_output=True, text=True, errors="replace")
            if (done.returncode == 0) != is_taken or done.returncode not in (0, 1, 2):
                yield f"{row.title}: --check exits {done.returncode}: {done.stdout}{done.stderr}"


def listing(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


class Maker:
    """Makes evidence of what authorities sign."""

    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder

    def run(self, *arguments):
        return subprocess.run([self.tool, *arguments], capture_output=True, text=True, errors="replace")

    def evidence(self, source, *options):
        """The bundle of a file, or of bytes."""
        place = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        if isinstance(source, bytes):
            (place / "source").write_bytes(source)
            source = place / "source"
        made = self.run("evidence", source, *options, "--output", place / "out")
        assert made.returncode in (0, 1), made.stderr
        return files(next((place / "out").iterdir()))

    def signed(self, authority, payload):
        return self.evidence(authority.jws(payload), "--root", authority.root_file)


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def by_hand(base, form, pieces, citations=(), verdict=b""):
    """A bundle whose parts stand in `received` one behind the other. The container is all of it, unless it is a piece.

    base: a bundle whose other files it takes. citations: path, offset and value. verdict: what stands behind the digest.
    """
    received, facts = b"", ""
    bundle = {file: base[file] for file in ("request.json", "account.txt", "check.sh")}
    for file, content in pieces.items():
        facts += f"part {file} bytes received {len(received)} {len(content)}\n"
        received += content
        bundle[file] = pem(content) if file.endswith(".pem") else content
    if "container" not in pieces:
        facts += f"part container bytes received 0 {len(received)}\n"
        bundle["container"] = received
    digest = hashlib.sha256(bundle["container"]).hexdigest()
    return {
        **bundle, "received": received, "facts": f"{form}\n{facts}".encode(), "root.pem": base["root.pem"],
        "citations.json": b'{"content":"%s","citations":[\n%s\n]}\n' % (
            b"payload.json" if "payload.json" in pieces else b"content", b",\n".join(
                b'{"path":"%s","offset":%d,"length":%d,"value":%s}' % (path.encode(), offset, length, value)
                for path, offset, length, value in citations)),
        "verdict.json": b'{"source":"x","sha256":"%s"%s' % (digest.encode(), verdict)}


def jws_by_hand(base, authority, payload, head=b"e30", kind="transaction", verdict=b""):
    """A JWS of any header's text and any payload, properly signed."""
    text = head + b"." + base64url(payload)
    pieces = {"signing-input": text, "payload.json": payload, "signature": authority.sign_raw(text),
              "signer.pem": authority.signer, "intermediate.pem": authority.intermediate}
    citations = [(f"{kind}.{found[1].decode()}", found.start(2), len(found[2]), found[2])
                 for found in re.finditer(rb'"(\w+)":([^,}]+)', payload)]
    return by_hand(base, f"form jws\nkind {kind}\ninstant 1766774387000\ngenuine custom", pieces, citations, verdict)


def transaction_receipt_by_hand(base, authority, members, verdict=b""):
    """Of version 3, as an iOS of 2012 had it."""
    content = b"\x03{" + b"".join(b'"%s" = "%s";' % (key.encode(), text.encode()) for key, text in members.items()) + b"}"
    pieces = {"content": content, "signature": authority.key.sign(content), "signer.pem": authority.signer,
              "intermediate.pem": authority.intermediate}
    citations = [(f"transaction.{found[1].decode()}", found.start(2), len(found[2]), b'"%s"' % found[2])
                 for found in re.finditer(rb'"([\w-]+)" = "([^"]+)";', content)]
    return by_hand(base, "form transaction_receipt\ninstant 1766774387000\ngenuine custom", pieces, citations, verdict)


def resigned(bundle, authority, old, new):
    """PKCS #7 of the same length with other bytes in its content, signed anew."""
    assert len(old) == len(new) and bundle["content.der"].count(old) == 1
    content = bundle["content.der"].replace(old, new)
    signature = authority.key.sign(content)
    container = bundle["container"].replace(bundle["content.der"], content).replace(bundle["signature"], signature)
    verdict = bundle["verdict.json"]
    for file, changed in (("container", container), ("content.der", content)):
        verdict = verdict.replace(hashlib.sha256(bundle[file]).hexdigest().encode(), hashlib.sha256(changed).hexdigest().encode())
    return {**bundle, "received": container, "container": container, "content.der": content, "signature": signature,
            "verdict.json": verdict}
