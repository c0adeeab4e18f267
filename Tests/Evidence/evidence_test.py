"""Evidence of genuine receipts, lies and seeded changes, before check.sh, check.py and evidence --check."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

from authority import Authority, Key, base64url, pem, sums

TOP = pathlib.Path(__file__).resolve().parents[2]
CORPUS, FIXTURES = TOP.parent / "shared/corpus", TOP / "Fixtures"
ROOT = ("--root", str(FIXTURES / "roots/root.cer"))
CATALOG = ("--catalog", str(FIXTURES / "eligibility/Store.storekit"), "--as-of", "2026-03-02T00:00:00Z")
SHELLS = [shell for shell in (["dash"], ["bash", "--posix"], ["busybox", "sh"], ["yash"], ["mksh"], ["zsh"]) if shutil.which(shell[0])]


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def replaced(bundle, file, old, new):
    assert old in bundle[file], (file, old)
    return {**bundle, file: bundle[file].replace(old, new)}


def ordered(bundle):
    """Without the manifest, in its order."""
    return {name: bundle[name] for name in sorted(bundle, key=lambda name: ("/" in name, name)) if name != "SHA256SUMS"}


class Trial:
    def __init__(self, options, folder):
        self.tool, self.share, self.folder = options.tool, options.share, pathlib.Path(folder)
        self.faults, self.count = [], 0

    def run(self, *arguments, **more):
        return subprocess.run(list(map(str, arguments)), capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, **more)

    def place(self):
        return pathlib.Path(tempfile.mkdtemp(dir=self.folder))

    def make(self, *arguments):
        """Bundles by their names."""
        out = self.place() / "out"
        made = self.run(self.tool, "evidence", *arguments, "--output", out)
        assert out.is_dir(), made.stderr
        return {path.name: files(path) for path in out.iterdir()}

    def written(self, bundle, renew=True):
        """A folder of a bundle, with its own scripts beside it, which are the reader's."""
        place = self.place()
        if renew:
            bundle = {**bundle, "SHA256SUMS": sums(ordered(bundle))}
        for name, content in bundle.items():
            (place / "bundle" / name).parent.mkdir(parents=True, exist_ok=True)
            (place / "bundle" / name).write_bytes(content)
        for name in ("check.sh", "check.py"):
            (place / name).write_bytes(self.scripts[name])
        return place

    def expect(self, title, place, statuses, options=(), shell=None):
        """Compares exit statuses: of check.sh, check.py and evidence --check; None is not asked."""
        folder, shell = place / "bundle", shell or SHELLS[self.count % len(SHELLS)]
        commands = ([*shell, place / "check.sh", folder], [sys.executable, place / "check.py", folder],
                    [self.tool, "evidence", "--check", folder, *options])
        for command, wanted in zip(commands, statuses):
            self.count += 1
            if wanted is None:
                continue
            done = self.run(*command)
            if done.returncode != wanted:
                self.faults.append(f"{title}: {command[0]} {pathlib.Path(command[-1]).name} exits {done.returncode}, not {wanted}: "
                                   f"{done.stdout[-300:]}{done.stderr[-300:]}")

    def confirm(self):
        """Every genuine receipt is confirmed, in every shell; of the corpus a quarter, unless there are many changes."""
        sources = [FIXTURES / "genuine/receipts"]
        if CORPUS.is_dir():
            sources += [CORPUS / "genuine", CORPUS / "encodings", CORPUS / "transaction-receipt"]
        bundles = {(source.name, name): bundle for source in sources for name, bundle in self.make(source).items()}
        genuine = {key: bundle for key, bundle in bundles.items() if b'"status":"genuine"' in bundle["verdict.json"]}
        self.scripts = next(iter(genuine.values()))
        self.genuine = genuine["receipts", "tikhop-ios-sandbox-g5-2025.b64"]
        self.refused = next((bundle for bundle in bundles.values() if b'"status":"refused"' in bundle["verdict.json"]), None)
        if self.refused is None:
            path = self.place() / "refused.b64"
            path.write_bytes(b"MAT7")
            self.refused, = self.make(path).values()
        rows = []
        for index, ((source, name), bundle) in enumerate(genuine.items()):
            if source != "receipts" and self.share < 100 and index % 4:
                continue
            place = self.written(bundle, renew=False)
            for shell in SHELLS if self.share >= 100 or index % 8 == 0 else SHELLS[index % len(SHELLS):][:1]:
                rows.append((f"{source}/{name} in {shell[0]}", place, (0, 0 if shell == SHELLS[0] or self.share < 100 else None,
                                                                     0 if shell == SHELLS[0] else None), (), shell))
        return rows

    def lies(self):
        """Bundles that lie, and what is close to a lie."""
        honest, plain = self.genuine, ordered(self.genuine)
        other = next(bundle for bundle in self.make(FIXTURES / "genuine/receipts/ideas-mac-mindnode-production.der").values())
        der = other["container"]
        rows = [
            # A claim of another trust anchor, which once skipped the markers.
            ("realm storekit_test", replaced(honest, "verdict.json", b'"app_store"', b'"storekit_test"'), (3, 3, 1)),
            # Two containers in one file, and a container that is not what was received.
            ("forged and genuine", {**other, "container": der[:-1] + b"\0" + der, "received": der[:-1] + b"\0" + der}, (1, 1, 1)),
            ("genuine and forged", {**other, "container": der * 2, "received": der * 2}, (1, 1, 1)),
            ("received twice", {**other, "received": der * 2}, (2, 2, 1)),
            ("received of another", {**honest, "received": other["received"]}, (2, 2, 1)),
            ("bytes behind", {**other, "container": der + b"\0\0", "received": der + b"\0\0"}, (1, 1, 1)),
            ("content of another", {**honest, "content.der": other["content.der"]}, (1, 1, 1)),
            ("signer of another", {**honest, "signer.pem": other["signer.pem"]}, (1, 1, 1)),
            ("no intermediate", {name: text for name, text in plain.items() if name != "intermediate.pem"}, (1, 1, 1)),
            ("a root of its own behind Apple's", {**honest, "root.pem": honest["root.pem"] + honest["signer.pem"]}, (0, 0, 1)),
            # Words around a true signature.
            ("a date of the verdict", replaced(honest, "verdict.json", b"2025-12-26T18:19:07Z", b"2035-12-26T18:19:07Z"), (0, 1, 1)),
            ("a product of the verdict", replaced(honest, "verdict.json", b".pro.annual", b".pro.weekly"), (0, 1, 1)),
            ("a certificate of the verdict", replaced(honest, "verdict.json", b"OU=G5", b"OU=G6"), (0, 1, 1)),
            ("a member more", replaced(honest, "verdict.json", b'"realm"', b'"refunded":false,"realm"'), (0, 1, 1)),
            ("a member twice", replaced(honest, "verdict.json", b'"environment"', b'"realm":"app_store","environment"'), (0, 1, 1)),
            ("a verdict behind the verdict", {**honest, "verdict.json": honest["verdict.json"] + b"{}"}, (0, 1, 1)),
            ("a place of a citation", replaced(honest, "citations.json", b'"offset":', b'"offset":1'), (0, 1, 1)),
            ("true for 1", replaced(honest, "verdict.json", b'"quantity":1,', b'"quantity":true,'), (0, 1, 1)),
            ("words", {**honest, "account.txt": b"Refunded.\n"}, (0, 0, 1)),
            # Files.
            ("another file", {**honest, "cat": b"#!/bin/sh\n"}, (0, 0, 1)),
            ("another check.sh", {**honest, "check.sh": honest["check.sh"] + b"\n"}, (2, 2, 1)),
            ("another check.py", {**honest, "check.py": honest["check.py"] + b"\n"}, (0, 2, 1)),
            ("refused", self.refused, (4, 4, 4)),
            ("genuine as refused", {name: text for name, text in {
                **plain, "verdict.json": self.refused["verdict.json"]}.items() if name != "root.pem"}, (4, 4, 1)),
            ("refused as genuine", {**self.refused, "verdict.json": honest["verdict.json"]}, (4, 4, 1)),
            # Another version of the program: never a lie.
            ("another version", replaced({**honest, "account.txt": b"x"}, "request.json", b'"appreceipt":"', b'"appreceipt":"9.'), (0, 0, 2)),
            ("another form", replaced(honest, "request.json", b'"evidence":2', b'"evidence":3'), (0, 0, 2)),
        ]
        found = [(title, self.written(bundle), statuses, (), None) for title, bundle, statuses in rows]
        for title, manifest in (("unterminated", honest["SHA256SUMS"].rstrip(b"\n")), ("a line twice", honest["SHA256SUMS"] * 2)):
            found.append((title, self.written({**honest, "SHA256SUMS": manifest}, renew=False), (1, 1, 1), (), None))
        place = self.written(honest, renew=False)
        (place / "bundle/.hidden").write_bytes(b"")
        found.append(("a hidden file", place, (1, 1, 1), (), None))
        place = self.written(honest, renew=False)
        (place / "bundle/container").rename(place / "container")
        (place / "bundle/container").symlink_to("../container")
        found.append(("a link", place, (1, 1, 2), (), None))
        return found + self.questions() + self.own_authority()

    def questions(self):
        """Eligibility: the answers follow from the values, catalog and date are compared where the checker has them."""
        bundles, rows = self.make(FIXTURES / "eligibility/receipts", *ROOT, *CATALOG), []
        for name, bundle in bundles.items():
            assert len(bundle["eligibility.txt"].splitlines()) <= 30
            rows.append((f"offers of {name}", self.as_apples(bundle, FIXTURES / "roots/root.cer"), (0, 0, None), (), None))
        bundle = bundles["refund.der"]
        rows.append(("offers", self.written(bundle), (3, 3, 3), (*ROOT, *CATALOG), None))
        rows.append(("as of another date", self.written(bundle), (3, 3, 1), (*ROOT, *CATALOG[:3], "2026-03-03T00:00:00Z"), None))
        doctored = replaced(bundle, "catalog.json", b"com.example.tides.yearly", b"com.example.tides.yeerly")
        rows.append(("a doctored catalog", self.written(doctored), (3, 3, 1), (*ROOT, *CATALOG), None))
        answer = replaced(bundle, "eligibility.json", b'"outcome":"ineligible","rule":"refunded"', b'"outcome":"eligible","rule":"lapsed"')
        rows.append(("another answer", self.as_apples(answer, FIXTURES / "roots/root.cer"), (0, None, None), (), None))
        answer = replaced(bundle, "eligibility.json", b'"rule":"refunded"', b'"rule":"subscribed"')
        rows.append(("another rule", self.as_apples(answer, FIXTURES / "roots/root.cer"), (0, 1, None), (), None))
        return rows

    def as_apples(self, bundle, root):
        """Written with scripts that take a root of one's own for Apple's: controls of what stands behind the roots."""
        digest = self.run("openssl", "x509", "-inform", "DER", "-in", root, "-noout", "-fingerprint", "-sha256").stdout
        digest = digest.split("=")[1].strip().replace(":", "").lower().encode()
        scripts = self.scripts
        sh = re.sub(rb"apple='[0-9a-f]*", b"apple='" + digest, scripts["check.sh"]).replace(b'"realm":"app_store"', b'"realm":"custom"')
        py = scripts["check.py"].replace(b'"realm": "app_store"', b'"realm": "custom"')
        place = self.written({**bundle, "check.sh": sh, "check.py": py})
        (place / "check.sh").write_bytes(sh)
        (place / "check.py").write_bytes(py)
        return place

    def own_authority(self):
        """JWS, and certificates without Apple's markers, under an authority of the test's."""
        folder, rows = self.place(), []
        keys = Key.three(folder, "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
        marked = Authority(folder, keys)
        payload = {"transactionId": "1", "productId": "com.example.p", "bundleId": "com.example", "signedDate": 1766774387000,
                   "environment": "Production", "quantity": 1, "offerType": 2, "offerIdentifier": "é\"\\"}
        text = json.dumps(payload, separators=(",", ":")).encode()
        source = self.place() / "a.jws"
        source.write_bytes(marked.jws(text))
        bundle, = self.make(source, "--root", marked.root_file).values()
        rows.append(("JWS", self.as_apples(bundle, marked.root_file), (0, 0, None), (), None))
        for title, changed in (("another date", text.replace(b"1766774387000", b"1766774387001")),
                               ("another product", text.replace(b"example.p", b"example.q"))):
            parts = bundle["container"].split(b".")
            forged = b".".join([parts[0], base64url(changed), parts[2]])
            lie = {**bundle, "payload.json": changed, "container": forged, "received": forged}
            rows.append((f"JWS: {title}", self.as_apples(lie, marked.root_file), (1, 1, None), (), None))
            rows.append((f"JWS: {title} beside it", self.as_apples({**bundle, "payload.json": changed}, marked.root_file), (1, 1, None), (), None))
        for title, extensions in (("signer", {"signer_extensions": ()}), ("intermediate", {"intermediate_extensions": ()})):
            authority = Authority(folder, keys, **extensions)
            jws = authority.jws(text)
            lie = {**bundle, "container": jws, "received": jws, "signer.pem": pem(authority.signer), "root.pem": pem(authority.root),
                   "intermediate.pem": pem(authority.intermediate)}
            rows.append((f"no marker of the {title}", self.as_apples(lie, authority.root_file), (1, 1, None), (), None))
        # Apple's root beside a chain that it did not sign.
        rows.append(("another's chain", self.written({
            **bundle, "root.pem": self.genuine["root.pem"],
            "verdict.json": bundle["verdict.json"].replace(b'"custom"', b'"app_store"')}), (1, 1, 1), (), None))
        # An audit's proof, and its lies.
        database, proven = folder / "audit.sqlite", folder / "proven"
        source = folder / "in.ndjson"
        source.write_text("".join(json.dumps({"id": f"r{n}", "receipt": marked.jws(text).decode()}) + "\n" for n in range(3)))
        audit = (self.tool, "audit", source, "--root", marked.root_file)
        self.run(*audit, "--output", database, "--as-of", "2026-01-01T00:00:00Z")
        done = self.run(*audit, "--prove", "number:2", "--database", database, "--output", proven)
        assert done.returncode == 0, done.stderr
        honest, options = files(proven), ("--root", marked.root_file)
        rows.append(("inclusion", self.as_apples(honest, marked.root_file), (0, 0, None), (), None))
        for file, old, new in (("inclusion/place", b"1 3", b"0 3"), ("inclusion/place", b"1 3", b"1 9"),
                               ("inclusion/leaf", b'"r1"', b'"r2"'), ("verdict.json", b'"r1"', b'"r2"'),
                               ("inclusion/root", b"0", b"1")):
            lie = replaced(honest, file, old, new)
            rows.append((f"inclusion: {file} {new}", self.as_apples(lie, marked.root_file), (0, 1, None), (), None))
            rows.append((f"inclusion: {file} {new} in the tool", self.written(lie), (None, None, 1), options, None))
        return rows

    def changes(self):
        """One bit of a file: of what is signed check.sh finds it, of the values check.py, and --check of all."""
        draw, rows = random.Random(16), []
        for _ in range(self.share):
            name = draw.choice(sorted(self.genuine.keys() - {"SHA256SUMS", "check.sh", "check.py", "account.txt", "request.json"}))
            content = bytearray(self.genuine[name])
            content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
            bundle = {**self.genuine, name: bytes(content)}
            is_value = name in ("verdict.json", "citations.json")
            place = self.written(bundle)
            def judge(title=f"a bit of {name}", place=place, is_value=is_value):
                sh = self.run(*SHELLS[0], place / "check.sh", place / "bundle").returncode
                py = self.run(sys.executable, place / "check.py", place / "bundle").returncode
                own = self.run(self.tool, "evidence", "--check", place / "bundle").returncode
                is_name = py == 0 and is_value  # the name of the file, which is the author's
                if own != 1 or (sh == 0) != is_value and not is_value or py == 0 and not is_name:
                    self.faults.append(f"{title}: check.sh {sh}, check.py {py}, --check {own}: {place}")
            rows.append(judge)
        return rows

    def machines(self):
        """A machine that lacks something is to blame, and no code of a folder runs."""
        place, environment = self.written(self.genuine, renew=False), {"PATH": os.environ["PATH"]}
        script, bundle = place / "check.sh", place / "bundle"
        refused, own = self.written(self.refused), self.written(next(iter(self.make(FIXTURES / "jws/transaction.jws", *ROOT).values())))
        lie = self.written({**self.genuine, "content.der": b"x"})
        for title, wanted, arguments, more in (
                ("no TMPDIR", 2, [bundle], {"TMPDIR": "/nonexistent"}), ("a full TMPDIR", 2, [bundle], {"TMPDIR": "/dev/full"}),
                ("no folder", 2, [place / "nowhere"], {}), ("an empty argument", 2, [bundle, ""], {}),
                ("several", 4, [bundle, refused / "bundle"], {}), ("several roots", 3, [refused / "bundle", own / "bundle", bundle], {}),
                ("a lie among several", 1, [refused / "bundle", lie / "bundle", place / "nowhere"], {})):
            for shell in SHELLS:
                done = self.run(*shell, script, *arguments, env={**environment, **more})
                if done.returncode != wanted:
                    self.faults.append(f"{title} in {shell[0]}: exits {done.returncode}, not {wanted}: {done.stderr}")
        # PATH begins with the folder, whose programs would leave a trace.
        for name in ("openssl", "cat", "cut", "tr", "mktemp", "date", "od", "head", "tail", "fold", "rm", "python3"):
            (bundle / name).write_text("#!/bin/sh\necho >> /dev/stderr RAN\n")
            (bundle / name).chmod(0o755)
        for shell in SHELLS:
            done = self.run(shutil.which(shell[0]), *shell[1:], script, ".", cwd=bundle, env={"PATH": f".:{environment['PATH']}"})
            if "RAN" in done.stderr or done.returncode != 1:
                self.faults.append(f"code of the folder runs in {shell[0]}: {done.returncode}: {done.stderr}")
        # A disk without room, and a system without openssl: as root alone.
        full = self.place()
        if os.geteuid() == 0 and self.run("mount", "-t", "tmpfs", "-o", "size=16k", "none", full).returncode == 0:
            good = self.written(self.genuine, renew=False)
            for shell in SHELLS:
                done = self.run(*shell, script, good / "bundle", env={**environment, "TMPDIR": str(full)})
                if done.returncode != 2:
                    self.faults.append(f"a full disk in {shell[0]}: exits {done.returncode}: {done.stderr}")
            self.run("umount", full)
        script.write_bytes(self.scripts["check.sh"].replace(b"PATH=/usr/local/bin:/usr/bin:/bin", b"PATH=/nonexistent"))
        done = self.run(shutil.which("dash") or "/bin/sh", script, bundle)
        if done.returncode != 2 or "missing" not in done.stderr:
            self.faults.append(f"no tools: exits {done.returncode}: {done.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--share", type=int, required=True)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(parser.parse_args(), folder)
        script = (TOP / "Sources/ReceiptEvidence/Script/check.sh").read_text()
        assert len(script.splitlines()) <= 150 and "eval" not in script
        assert len((TOP / "Sources/ReceiptEvidence/Script/check.py").read_text().splitlines()) <= 400
        rows = trial.confirm() + trial.lies()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda row: trial.expect(*row), rows))
            list(pool.map(lambda judge: judge(), trial.changes()))
        trial.machines()
    for fault in trial.faults:
        print(f"FAULT {fault}")
    shells = ", ".join(shell[0] for shell in SHELLS)
    print(f"{len(rows)} bundles, {trial.share} changes, {shells}: {len(trial.faults)} faults, {time.monotonic() - started:.0f} s")
    sys.exit(1 if trial.faults else 0)


main()
