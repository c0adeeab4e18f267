"""Tests of evidence bundles with check.sh, check.py and evidence --check: genuine receipts, lies and seeded changes."""

import argparse
import base64
import concurrent.futures
import hashlib
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from authority import SIGNER_MARKER, Authority, Key, base64url, extension, integer, name, oid, pem, sums, tlv

TOP = pathlib.Path(__file__).resolve().parents[2]
CORPUS, FIXTURES = TOP.parent / "shared/corpus", TOP / "Fixtures"
ROOT = ("--root", str(FIXTURES / "roots/root.cer"))
CATALOG = ("--catalog", str(FIXTURES / "eligibility/Store.storekit"), "--as-of", "2026-03-02T00:00:00Z")
# Files that check.sh reads only to compute their digests for SHA256SUMS.
ONLY_DIGESTED = re.compile(r"(account|eligibility)\.txt|(request|citations|catalog|eligibility)\.json|check\.py|inclusion/\w+")
SHELLS = [shell for shell in (["dash"], ["bash", "--posix"], ["busybox", "sh"], ["yash"], ["mksh"], ["zsh"]) if shutil.which(shell[0])]


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def replaced(bundle, file, old, new):
    assert old in bundle[file], (file, old)
    return {**bundle, file: bundle[file].replace(old, new)}


def ordered(bundle):
    """Returns the bundle without the manifest, in the manifest's order."""
    return {name: bundle[name] for name in sorted(bundle, key=lambda name: ("/" in name, name)) if name != "SHA256SUMS"}


def children(der, at=0):
    """Returns the child elements of the element at an offset, as bytes."""
    def header(at):
        length, start = der[at + 1], at + 2
        if length > 127:
            start += length - 128
            length = int.from_bytes(der[at + 2:start], "big")
        return start, start + length
    at, end = header(at)
    found = []
    while at < end:
        stop = header(at)[1]
        found.append(der[at:stop])
        at = stop
    return found


class Trial:
    def __init__(self, options, folder):
        self.tool, self.share, self.folder = options.tool, options.share, pathlib.Path(folder)
        self.faults, self.ended_scripts, self.shown_certificates, self.modules = [], {}, {}, {}
        self.lock, self.locks, self.shells = threading.Lock(), {}, {}
        # Whether to run every combination of bundle, shell and process, instead of a fixed rotation.
        self.is_whole = self.share >= 100

    def run(self, *arguments, **more):
        return subprocess.run(list(map(str, arguments)), capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, **more)

    def place(self):
        return pathlib.Path(tempfile.mkdtemp(dir=self.folder))

    def make(self, *arguments):
        """Creates bundles and returns them by name."""
        out = self.place() / "out"
        made = self.run(self.tool, "evidence", *arguments, "--output", out)
        assert out.is_dir(), made.stderr
        return {path.name: files(path) for path in out.iterdir()}

    def written(self, bundle, renew=True):
        """Writes a bundle to a folder, with check.sh and check.py next to it, because readers use their own scripts."""
        place = self.place()
        if renew:
            bundle = {**bundle, "SHA256SUMS": sums(ordered(bundle))}
        for name, content in bundle.items():
            (place / "bundle" / name).parent.mkdir(parents=True, exist_ok=True)
            (place / "bundle" / name).write_bytes(content)
        for name in ("check.sh", "check.py"):
            (place / name).write_bytes(self.scripts[name])
        return place

    def rotated(self, index):
        """Returns the shells for row `index` of a table: one after the other, or all for every row."""
        return SHELLS if self.is_whole else [SHELLS[index % len(SHELLS)]]

    def compare(self, number, title, place, statuses, options=(), shell=None):
        """Compares the exit statuses of check.sh, check.py and evidence --check. None skips a command. The row's number
        selects the shell, unless the row names one, and the rows in which check.py is a process: every twenty-fifth, or all.
        """
        folder = place / "bundle"
        rotation = shell or SHELLS[number % len(SHELLS)]
        is_process = self.is_whole or number % 25 == 0
        commands = (lambda: self.check_sh(place, rotation, shell),
                    lambda: self.run(sys.executable, place / "check.py", folder) if is_process else self.check_py(place, rotation, shell),
                    lambda: self.run(self.tool, "evidence", "--check", folder, *options))
        for name, command, wanted in zip(("check.sh", "check.py", "evidence --check"), commands, statuses):
            if wanted is None:
                continue
            done = command()
            if done.returncode != wanted:
                self.faults.append(f"{title}: {name} ({done.args[0]}) exits {done.returncode}, not {wanted}: "
                                   f"{done.stdout[-300:]}{done.stderr[-300:]}")

    def check_sh(self, place, rotation, shell=None):
        """Runs check.sh, once for all bundles that differ only in files of which it reads the digests. The manifests of such
        bundles list these digests. Other bundles, and all bundles with `is_whole`, have their own run.
        """
        key, command = self.planned(place, rotation, shell)
        with self.locks[key]:
            if key not in self.ended_scripts:
                self.ended_scripts[key] = self.run(*command, place / "check.sh", place / "bundle")
            return self.ended_scripts[key]

    def planned(self, place, rotation, shell):
        """Returns the run of check.sh for a bundle and its shell: the shell of the first of these bundles. `main` plans all rows
        in order, because the order in which threads run them varies.
        """
        key = self.input_of_check_sh(place, shell) or (place, *(shell or rotation))
        with self.lock:
            self.locks.setdefault(key, threading.Lock())
            return key, self.shells.setdefault(key, shell or rotation)

    def input_of_check_sh(self, place, shell):
        """Returns a digest of everything that check.sh uses, or None if a file is unusual, the manifest is wrong, or every
        bundle has its own run.
        """
        if self.is_whole:
            return None
        folder = place / "bundle"
        paths = sorted(folder.rglob("*"))
        if any(path.is_symlink() or not path.is_file() and path != folder / "inclusion" for path in paths):
            return None
        bundle = files(folder)
        if bundle.get("SHA256SUMS") != sums(ordered(bundle)):
            return None
        used = {name: None if ONLY_DIGESTED.fullmatch(name) else content for name, content in bundle.items() if name != "SHA256SUMS"}
        used |= {f"{path.name}/": None for path in paths if path.is_dir()}
        used["the script"] = (place / "check.sh").read_bytes()
        return hashlib.sha256(repr((shell, sorted(used.items()))).encode()).digest()

    def check_py(self, place, rotation, shell=None):
        """Runs check.py in this process, with check.sh's result instead of another run of check.sh. Shows equal
        certificates once.
        """
        text = (place / "check.py").read_bytes()
        module = {"__name__": "check", "__file__": str(place / "check.py")}
        with self.lock:
            if text not in self.modules:
                self.modules[text] = compile(text, "check.py", "exec")
            path = sys.path[:]
            exec(self.modules[text], module)
            sys.path[:] = path  # check.py removes its folder.
        real = module["run"]
        def run(*command, given=None):
            if command[0] == "sh":
                assert command == ("sh", str(place / "check.sh"), str(place / "bundle")), command
                done = self.check_sh(place, rotation, shell)
                return subprocess.CompletedProcess(
                    command, done.returncode, *(each.encode(errors="replace") for each in (done.stdout, done.stderr)))
            key = command, given
            if key not in self.shown_certificates:
                self.shown_certificates[key] = real(*command, given=given)
            return self.shown_certificates[key]
        module["run"] = run
        status, lines = module["check"](str(place / "bundle"))
        return subprocess.CompletedProcess(["check.py"], status, "\n".join(lines), "")

    def confirm(self):
        """Checks that every genuine receipt is confirmed, in every shell. Uses a part of the corpus unless there
        are many changes.
        """
        sources = [FIXTURES / "genuine/receipts"]
        if CORPUS.is_dir():
            sources += [CORPUS / "genuine", CORPUS / "encodings", CORPUS / "transaction-receipt", CORPUS / "jws/genuine"]
        bundles = {(source.name, name): bundle for source in sources for name, bundle in self.make(source).items()}
        genuine = {key: bundle for key, bundle in bundles.items() if b'"status":"genuine"' in bundle["verdict.json"]}
        self.scripts = next(iter(genuine.values()))
        self.genuine = genuine["receipts", "tikhop-ios-sandbox-g5-2025.b64"]
        self.transaction_receipt = next((bundle for (source, _), bundle in genuine.items() if source == "transaction-receipt"), None)
        self.refused = next((bundle for bundle in bundles.values() if b'"status":"refused"' in bundle["verdict.json"]), None)
        if self.refused is None:
            path = self.place() / "refused.b64"
            path.write_bytes(b"MAT7")
            self.refused, = self.make(path).values()
        rows = []
        for index, ((source, name), bundle) in enumerate(genuine.items()):
            if source != "receipts" and self.share < 100 and index % 36:
                continue
            place = self.written(bundle, renew=False)
            for shell in SHELLS if self.is_whole or index % 8 == 0 else SHELLS[index % len(SHELLS):][:1]:
                rows.append((f"{source}/{name} in {shell[0]}", place, (0, 0 if shell == SHELLS[0] or not self.is_whole else None,
                                                                     0 if shell == SHELLS[0] else None), (), shell))
        return rows

    def lies(self):
        """Checks bundles with false statements, and true bundles that look similar."""
        honest, plain = self.genuine, ordered(self.genuine)
        other = next(bundle for bundle in self.make(FIXTURES / "genuine/receipts/ideas-mac-mindnode-production.der").values())
        der = other["container"]
        forged = other["content.der"].replace(b"com.", b"con.")
        marked, = self.make(self.file("mark.b64", b"\xef\xbb\xbf" + base64.b64encode(honest["container"]))).values()
        rows = [
            ("a byte order mark", marked, (0, 0, 0)),
            # A claim of another trust anchor, which once bypassed the marker checks.
            ("realm storekit_test", replaced(honest, "verdict.json", b'"app_store"', b'"storekit_test"'), (1, 1, 1)),
            # Two containers in one file, and a container that differs from the received bytes.
            ("forged and genuine", {**other, "container": der[:-1] + b"\0" + der, "received": der[:-1] + b"\0" + der}, (1, 1, 1)),
            ("genuine and forged", {**other, "container": der * 2, "received": der * 2}, (1, 1, 1)),
            ("the received bytes twice", {**other, "received": der * 2}, (2, 2, 1)),
            ("received bytes of another receipt", {**honest, "received": other["received"]}, (2, 2, 1)),
            ("long received bytes", {**honest, "received": b"-----BEGIN" + b"A" * 3_000_000}, (2, 2, 1)),
            ("received bytes above the limit", {**honest, "received": b"A" * ((32 << 20) + 1)}, (2, 2, 1)),
            ("bytes after the container", {**other, "container": der + b"\0\0", "received": der + b"\0\0"}, (1, 1, 1)),
            ("content of another receipt", {**honest, "content.der": other["content.der"]}, (1, 1, 1)),
            ("forged content", {
                **other, "content.der": forged, **dict.fromkeys(("container", "received"), der.replace(other["content.der"], forged))}, (1, 1, 1)),
            ("signer of another receipt", {**honest, "signer.pem": other["signer.pem"]}, (1, 1, 1)),
            ("no intermediate", {name: text for name, text in plain.items() if name != "intermediate.pem"}, (1, 1, 1)),
            ("another root after Apple's", {**honest, "root.pem": honest["root.pem"] + honest["signer.pem"]}, (0, 0, 1)),
            # An invalid root and an invalid verdict do not count as another root.
            ("a root that is not a certificate", {**honest, "root.pem": b"nothing\n"}, (1, 1, 1)),
            ("a root that did not sign the chain", {**honest, "root.pem": honest["signer.pem"]}, (1, 1, 1)),
            ("a verdict without content", {**honest, "verdict.json": b"{}\n"}, (1, 1, 1)),
            # Changed text with a valid signature.
            ("a changed date in the verdict", replaced(honest, "verdict.json", b"2025-12-26T18:19:07Z", b"2035-12-26T18:19:07Z"), (0, 1, 1)),
            ("a changed product in the verdict", replaced(honest, "verdict.json", b".pro.annual", b".pro.weekly"), (0, 1, 1)),
            ("a changed certificate in the verdict", replaced(honest, "verdict.json", b"OU=G5", b"OU=G6"), (0, 1, 1)),
            ("another of Apple's roots in the verdict", replaced(honest, "verdict.json", *self.roots()), (0, 1, 1)),
            ("missing received bytes", {name: text for name, text in plain.items() if name != "received"}, (1, 1, 1)),
            ("no request", {name: text for name, text in plain.items() if name != "request.json"}, (0, 1, 1)),
            ("true for 1 in a citation", replaced(honest, "citations.json", b'"value":1}', b'"value":true}'), (0, 1, 1)),
            ("an additional member", replaced(honest, "verdict.json", b'"realm"', b'"refunded":false,"realm"'), (0, 1, 1)),
            ("an additional path", replaced(honest, "verdict.json", b'"realm"', b'"path":"data","realm"'), (0, 1, 1)),
            ("an additional wrapping", replaced(honest, "verdict.json", b'"realm"', b'"wrapping":["quotes"],"realm"'), (0, 2, 1)),
            ("an additional place", replaced(honest, "request.json", b'"place":""', b'"place":"#data"'), (0, 1, 1)),
            ("a duplicate member", replaced(honest, "verdict.json", b'"environment"', b'"realm":"app_store","environment"'), (0, 1, 1)),
            ("a second verdict after the first", {**honest, "verdict.json": honest["verdict.json"] + b"{}"}, (0, 1, 1)),
            ("a changed offset of a citation", replaced(honest, "citations.json", b'"offset":', b'"offset":1'), (0, 1, 1)),
            ("true for 1", replaced(honest, "verdict.json", b'"quantity":1,', b'"quantity":true,'), (0, 1, 1)),
            ("a changed account", {**honest, "account.txt": b"Refunded.\n"}, (0, 0, 1)),
            # Files.
            ("another file", {**honest, "cat": b"#!/bin/sh\n"}, (0, 0, 1)),
            ("another check.sh", {**honest, "check.sh": honest["check.sh"] + b"\n"}, (2, 2, 1)),
            ("another check.py", {**honest, "check.py": honest["check.py"] + b"\n"}, (0, 2, 1)),
            ("a name with a space", {**honest, "a b": b""}, (1, 1, 1)),
            ("a hidden file that is listed", {**honest, ".x": b""}, (1, 1, 1)),
            ("refused", self.refused, (4, 4, 4)),
            ("genuine, claimed as refused", replaced(honest, "verdict.json", b'"status":"genuine"', b'"status":"refused"'), (1, 1, 1)),
            ("genuine, with the verdict of a refused receipt", {name: text for name, text in {
                **plain, "verdict.json": self.refused["verdict.json"]}.items() if name != "root.pem"}, (4, 4, 1)),
            ("refused, with the verdict of a genuine receipt", {**self.refused, "verdict.json": honest["verdict.json"]}, (4, 4, 1)),
            # Another version of the program is not a lie.
            ("another version", replaced({**honest, "account.txt": b"x"}, "request.json", b'"appreceipt":"', b'"appreceipt":"9.'), (0, 0, 2)),
            ("another schema version", replaced(honest, "request.json", b'"evidence":2', b'"evidence":3'), (0, 0, 2)),
        ]
        if self.transaction_receipt:
            rows.append(("another certificate in a transaction receipt", self.with_another_certificate(self.transaction_receipt), (1, 1, 1)))
        found = [(title, self.written(bundle), statuses, (), None) for title, bundle, statuses in rows]
        for title, manifest in (("unterminated", honest["SHA256SUMS"].rstrip(b"\n")), ("a line twice", honest["SHA256SUMS"] * 2)):
            found.append((title, self.written({**honest, "SHA256SUMS": manifest}, renew=False), (1, 1, 1), (), None))
        # Bytes that are not text: every shell must finish reading lines.
        for shell in SHELLS:
            found.append(("the received bytes twice", self.written({**other, "received": der * 2}), (2, None, None), (), shell))
        place = self.written(honest, renew=False)
        (place / "bundle/.hidden").write_bytes(b"")
        found.append(("a hidden file", place, (1, 1, 1), (), None))
        place = self.written(honest, renew=False)
        (place / "bundle/container").rename(place / "container")
        (place / "bundle/container").symlink_to("../container")
        found.append(("a link", place, (1, 1, 2), (), None))
        for title, prepare in (
                ("a linked manifest", lambda bundle: self.link(bundle / "SHA256SUMS")),
                ("a file of two dots", lambda bundle: (bundle / "..x").touch()),
                ("a file of two dots in inclusion", lambda bundle: [(bundle / "inclusion").mkdir(), (bundle / "inclusion/..x").touch()]),
                ("an empty inclusion", lambda bundle: (bundle / "inclusion").mkdir())):
            place = self.written(honest, renew=False)
            prepare(place / "bundle")
            found.append((title, place, (1, 1, 1 if "dots" in title else 2), (), None))
        return found + self.encodings() + self.containers(honest) + self.refusals() + self.questions() + self.own_authority()

    def file(self, name, content):
        path = self.place() / name
        path.write_bytes(content)
        return path

    def with_another_certificate(self, bundle):
        """Changes the last byte of the certificate in the blob. The byte is part of the certificate's own signature, which is
        not checked here.
        """
        text = re.search(rb'"signature"\s*=\s*"([^"]*)"', bundle["container"])[1]
        blob = bytearray(base64.b64decode(text))
        blob[-1] ^= 1
        form = bundle["container"].replace(text, base64.b64encode(blob))
        return {**bundle, "container": form, "received": form}

    def roots(self):
        """Returns the digests of the root that signed, and of another root of Apple's."""
        apples = re.findall(rb"[0-9a-f]{64}", self.scripts["check.sh"])
        return sorted(apples[:3], key=lambda digest: digest not in self.genuine["verdict.json"])[:2]

    def link(self, path):
        path.rename(path.parent.parent / path.name)
        path.symlink_to(f"../{path.name}")

    def encodings(self):
        """Checks base64 that verify refuses: nothing is repaired."""
        text = base64.b64encode(self.genuine["container"])
        forms = {"padding inside": text[:100] + b"===" + text[100:], "too much padding": text.rstrip(b"=") + b"====",
                 "a byte order mark inside": text[:100] + b"\xef\xbb\xbf" + text[100:], "NUL inside": text[:100] + b"\0" + text[100:],
                 "a space inside": text[:100] + b" " + text[100:], "two alphabets": text.replace(b"+", b"-", 1),
                 # Text with a special meaning for echo.
                 "an escape": text.replace(b"A", b"\\0101", 1), "an option": text[:100] + b"\n-n\n" + text[100:],
                 "any label": b"-----BEGIN ANY LIE-----\n" + text + b"\n-----END-----\n",
                 "base64 in a JSON string": b'{"old":"' + text + b'"}'}
        assert b"+" in forms["two alphabets"]
        return [(f"base64: {title}", self.written({**self.genuine, "received": form}), (2, 2, 1) if shell == shells[0] else (2, None, None),
                 (), shell) for index, (title, form) in enumerate(forms.items()) for shells in [self.rotated(index)] for shell in shells]

    def containers(self, other):
        """Checks unsigned parts of PKCS #7 that verify refuses. check.py detects them."""
        der = other["container"]  # signed with SHA-256
        kind, wrapped = children(der)
        signed = children(children(wrapped)[0])
        version, digests, content, certificates, signers = signed
        signer = children(children(signers)[0])
        unsigned = tlv(0xA1, tlv(0x30, oid("1.2.840.113549.1.9.2"), tlv(0x31, tlv(12, b"refunded"))))
        def signed_with(algorithm, place):
            return (*signed[:4], tlv(0x31, tlv(0x30, *signer[:place], algorithm, *signer[place:][1:])))
        sha1, sha256, sha512 = (tlv(0x30, oid(each), tlv(5)) for each in (
            "1.3.14.3.2.26", "2.16.840.1.101.3.4.2.1", "1.2.840.113549.1.1.13"))
        words = tlv(0x30, oid("2.16.840.1.101.3.4.2.1"), tlv(12, b"refunded"))
        forms = {
            "version 3": (integer(3), *signed[1:]),
            "a signature of another algorithm": signed_with(sha512, 3),
            "text in the signature's algorithm": signed_with(tlv(0x30, oid("1.2.840.113549.1.1.1"), tlv(12, b"refunded")), 3),
            "text in the signer's digest algorithm": signed_with(words, 2),
            "text in a digest algorithm": (version, tlv(0x31, words), *signed[2:]),
            "MD5 in addition to the digest algorithm": (
                version, tlv(0x31, tlv(0x30, oid("1.2.840.113549.2.5"), tlv(5)), *children(digests)), *signed[2:]),
            "two signers": (*signed[:4], tlv(0x31, *children(signers) * 2)),
            "unsigned attributes": (*signed[:4], tlv(0x31, tlv(0x30, *signer, unsigned))),
            "a certificate of another kind": (*signed[:3], tlv(0xA0, *children(certificates), tlv(0xA2, integer(1))), signers),
            "no digest algorithms": (version, tlv(0x31), *signed[2:]),
        }
        def rebuilt(fields):
            form = tlv(0x30, kind, tlv(0xA0, tlv(0x30, *fields)))
            digests = [hashlib.sha256(each).hexdigest().encode() for each in (der, form)]
            return {**replaced(other, "verdict.json", *digests), "container": form, "received": form}
        assert rebuilt(signed)["container"] == der
        # Without a digest algorithm, openssl computes no hash.
        rows = [(f"container: {title}", rebuilt(fields), (1 if title.startswith("no") else 0, 1, 1)) for title, fields in forms.items()]
        # A script that uses only the first algorithm would fail here.
        first = rebuilt((version, tlv(0x31, *sorted({sha1, sha256})), *signed[2:]))
        rows.append(("container: two digest algorithms", first, (0, 0, None)))
        rows.append(("container: another digest algorithm", replaced(
            first, "verdict.json", b'"digest":"sha256"', b'"digest":"sha1"'), (0, 1, 1)))
        # A genuine receipt in an encoding that check.py does not read.
        source = self.place() / "ber.der"
        source.write_bytes(b"\x30\x80" + kind + tlv(0xA0, tlv(0x30, *signed)) + b"\0\0")
        indefinite, = self.make(source).values()
        rows.append(("container: BER", indefinite, (0, 2, 0)))
        return [(title, self.written(bundle), statuses, (), None) for title, bundle, statuses in rows]

    def refusals(self):
        """Checks one refusal in place of another, for receipts of another app or device under Apple's root."""
        genuine, rows = FIXTURES / "genuine/receipts/tikhop-ios-sandbox-g5-2025.b64", []
        for options, code, other in ((("--bundle-id", "com.example"), b"wrong_bundle_id", b"wrong_device"),
                                     (("--bundle-id", "any", "--device-id", "00"), b"wrong_device", b"wrong_bundle_id")):
            bundle, = self.make(genuine, *options).values()
            rows.append((f"refused: {code}", self.written(bundle), (4, 4, 4), (), None))
            rows.append((f"{other} for {code}", self.written(replaced(bundle, "verdict.json", code, other)), (4, 4, 1), (), None))
        return rows

    def questions(self):
        """Checks eligibility: answers follow from the values, and catalog and date are compared if the reader gives
        them.
        """
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
        rows.append(("another answer", self.as_apples(answer, FIXTURES / "roots/root.cer"), (0, 1, None), (), None))
        answer = replaced(bundle, "eligibility.json", b'"rule":"refunded"', b'"rule":"subscribed"')
        rows.append(("another rule", self.as_apples(answer, FIXTURES / "roots/root.cer"), (0, 1, None), (), None))
        answer = replaced(bundle, "eligibility.json", b'"as_of":"2026-03-02', b'"as_of":"2026-03-03')
        rows.append(("an answer as of another date", self.as_apples(answer, FIXTURES / "roots/root.cer"), (0, 1, None), (), None))
        answer = re.sub(rb'"transactions":\["\d', b'"transactions":["9', bundle["eligibility.json"], 1)
        assert answer != bundle["eligibility.json"]
        rows.append(("an unsigned transaction", self.as_apples(
            {**bundle, "eligibility.json": answer}, FIXTURES / "roots/root.cer"), (0, 1, None), (), None))
        answer = replaced(bundle, "request.json", b'"refunds":"block"', b'"refunds":"ignore"')
        rows.append(("ignored refunds", self.as_apples(answer, FIXTURES / "roots/root.cer"), (0, 1, None), (), None))
        # Under strict policies, eligible may become undetermined, but nothing else.
        eligible = b'"introductory_offer":{"outcome":"eligible","rule":"lapsed"'
        name = "one-month-then-left.der"
        for outcome in (b"ineligible", b"undetermined"):
            lie = replaced(bundles[name], "request.json", b'"stale_evidence":"accept"', b'"stale_evidence":"undetermined"')
            lie = replaced(lie, "eligibility.json", eligible, eligible.replace(b"eligible", outcome, 1))
            rows.append((f"{name}: {outcome} under a strict policy", self.as_apples(lie, FIXTURES / "roots/root.cer"), (0, 1, None), (), None))
        answer = {**bundle, "eligibility.json": b"".join(bundle["eligibility.json"].splitlines(True)[1:])}
        asked = json.loads(bundle["request.json"])["question"]["products"]
        if asked is not None:
            rows.append(("a missing answer", self.as_apples(answer, FIXTURES / "roots/root.cer"), (0, 1, None), (), None))
        # Before the receipt's creation, for a product without a group, and without a catalog.
        question, apples = ("--as-of", "2026-03-02T00:00:00Z"), FIXTURES / "roots/root.cer"
        refund = FIXTURES / "eligibility/receipts/refund.der"
        early, = self.make(refund, *ROOT, *CATALOG[:3], "2020-03-02T00:00:00Z").values()
        unknown, = self.make(refund, *ROOT, *CATALOG, "--product", "com.example.unknown").values()
        single, = self.make(refund, *ROOT, "--single-group", "--product", "com.example.tides.monthly", *question).values()
        for title, lie, status in (
                ("an early date", early, 0), ("an early clock", replaced(early, "request.json", b'"is_clock":false', b'"is_clock":true'), 1),
                ("an unknown product", unknown, 0), ("one group", single, 0),
                ("an unknown product, claimed as eligible", replaced(
                    unknown, "eligibility.json", b'"introductory_offer":{"outcome":"undetermined","rule":"unknown-product"',
                    b'"introductory_offer":{"outcome":"eligible","rule":"never-subscribed"'), 1)):
            rows.append((f"offers: {title}", self.as_apples(lie, apples), (0, status, None), (), None))
        strict = self.make(FIXTURES / "eligibility/receipts", *ROOT, *CATALOG, "--stale-evidence", "undetermined", "--refunds", "ignore")
        for name, bundle in strict.items():
            rows.append((f"strict offers of {name}", self.as_apples(bundle, FIXTURES / "roots/root.cer"), (0, 0, None), (), None))
        rows += self.late_offers() + self.switches()
        # A date with milliseconds, in a receipt from a PEM file.
        source = self.place() / "milliseconds.der"
        lines = (FIXTURES / "receipts/milliseconds.pem").read_bytes().splitlines()
        source.write_bytes(base64.b64decode(b"".join(line for line in lines if not line.startswith(b"-----"))))
        bundle, = self.make(source, *ROOT).values()
        rows.append(("milliseconds", self.as_apples(bundle, FIXTURES / "roots/root.cer"), (0, 0, None), (), None))
        return rows

    def late_offers(self):
        """Checks answers years after the receipts. Periods that ended after a receipt's creation make it stale."""
        question, apples = (*CATALOG[:3], "2030-01-01T00:00:00Z"), FIXTURES / "roots/root.cer"
        strict, lenient = (self.make(FIXTURES / "eligibility/receipts", *ROOT, *question, "--stale-evidence", policy)
                           for policy in ("undetermined", "accept"))
        assert any(strict[name]["eligibility.json"] != lenient[name]["eligibility.json"] for name in strict)
        return [(f"late offers of {name}", self.as_apples(bundle, apples), (0, 0, None), (), None)
                for bundles in (strict, lenient) for name, bundle in bundles.items()]

    def switches(self):
        """Checks a canceled year. It is a switch if another product began at most 60 seconds before or after."""
        rows, place = [], self.place()
        receipt = {"bundle_id": "com.example.tides", "receipt_creation_date": "2026-03-01T09:00:00Z"}
        # (name, the start of the other product, the exit status of check.py where the answer is "lapsed")
        table = [("at-60", "2025-12-01T20:16:31Z", 0), ("at-61", "2025-12-01T20:16:32Z", 1),
                 ("60-before", "2025-12-01T20:14:31Z", 0), ("61-before", "2025-12-01T20:14:30Z", 1)]
        spec = {"receipts": [{"name": name, "receipt": {**receipt, "in_app": [
            {"product_id": "com.example.tides.monthly", "transaction_id": "1", "purchase_date": "2025-11-20T08:00:00Z",
             "expires_date": "2025-12-20T08:00:00Z", "cancellation_date": "2025-12-01T20:15:31Z"},
            {"product_id": "com.example.tides.yearly", "transaction_id": "2", "original_transaction_id": "1", "purchase_date": start,
             "expires_date": "2026-01-01T20:15:50Z"}]}} for name, start, _ in table]}
        (place / "spec.json").write_text(json.dumps(spec))
        done = self.run(self.tool, "forge", place / "spec.json", "--output", place / "receipts", "--roots", place / "roots")
        assert done.returncode == 0, done.stderr
        root = place / "roots/root.cer"
        bundles = self.make(place / "receipts", "--root", root, *CATALOG, "--product", "com.example.tides.monthly")
        for name, _, status in table:
            bundle = next(bundle for key, bundle in bundles.items() if key.startswith(name))
            rows.append((f"switch {name}", self.as_apples(bundle, root), (0, 0, None), (), None))
            lie, count = re.subn(rb'("introductory_offer":{"outcome":)"\w+","rule":"[a-z-]+"', rb'\1"eligible","rule":"lapsed"', bundle["eligibility.json"])
            assert count
            rows.append((f"switch {name} as lapsed", self.as_apples({**bundle, "eligibility.json": lie}, root), (0, status, None), (), None))
        return rows

    def as_apples(self, bundle, root):
        """Writes a bundle with scripts that treat a custom root as Apple's, to test the checks after the root."""
        digest = hashlib.sha256(pathlib.Path(root).read_bytes()).hexdigest().encode()
        scripts = self.scripts
        sh = re.sub(rb"apple='[0-9a-f]*", b"apple='" + digest, scripts["check.sh"]).replace(b'"realm":"app_store"', b'"realm":"custom"')
        py = scripts["check.py"].replace(b'"realm": "app_store"', b'"realm": "custom"')
        place = self.written({**bundle, "check.sh": sh, "check.py": py})
        (place / "check.sh").write_bytes(sh)
        (place / "check.py").write_bytes(py)
        return place

    def own_authority(self):
        """Checks JWS, and certificates without Apple's markers, under a test authority."""
        folder, rows = self.place(), []
        keys = Key.three(folder, "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
        marked = Authority(folder, keys)
        payload = {"transactionId": "1", "productId": "com.example.p", "bundleId": "com.example", "signedDate": 1766774387000,
                   "environment": "Production", "quantity": 2, "offerType": 2, "offerIdentifier": "é\"\\"}
        text = json.dumps(payload, separators=(",", ":")).encode()
        source = self.place() / "a.jws"
        source.write_bytes(marked.jws(text))
        bundle, = self.make(source, "--root", marked.root_file).values()
        rows.append(("JWS", self.as_apples(bundle, marked.root_file), (0, 0, None), (), None))
        forms = {"a line end": marked.jws(text) + b"\n", "blanks": marked.jws(json.dumps(payload, indent=1, separators=(", ", " : ")).encode()),
                 "JSON": json.dumps({"a": 1, "signedTransactions": [1, marked.jws(text).decode()]}).encode()}
        for title, form in forms.items():
            source.write_bytes(form)
            made, = (each for each in self.make(source, "--root", marked.root_file).values() if b'"status":"genuine"' in each["verdict.json"])
            rows.append((f"JWS: {title}", self.as_apples(made, marked.root_file), (0, 0, None), (), None))
        place = b'"place":"#signedTransactions[1]"'
        def at(other):
            """Changes the path, also in the source."""
            lie = replaced(made, "request.json", place, b'"place":"%s"' % other)
            return replaced(lie, "verdict.json", b"#signedTransactions[1]", other)
        for title, lie in (
                ("another place", at(b"#signedTransactions[0]")), ("no place", replaced(made, "request.json", place, b'"place":""')),
                ("a place with a suffix", at(b"#signedTransactions[1] ")),
                ("a source with another place", replaced(made, "verdict.json", b"#signedTransactions[1]", b"#signedTransactions[0]"))):
            rows.append((f"JWS: {title}", self.as_apples(lie, marked.root_file), (0, 1, None), (), None))
        old = {**at(b"#old"), "received": json.dumps(
            {"old": made["container"].decode(), "signedTransactionInfo": "x.y.z"}).encode()}
        rows.append(("JWS: a member without a JWS", self.as_apples(old, marked.root_file), (0, 1, None), (), None))
        # A custom root. The verdict names its digest before a slash, where a script could mistake it for one
        # of Apple's roots.
        digest = hashlib.sha256(marked.root).hexdigest().encode()
        verdict = re.sub(rb'"source":"[^"]*"', b'"source":"%s/a"' % digest, bundle["verdict.json"]).replace(b'"custom"', b'"app_store"')
        rows.append(("a root in the verdict", self.written({**bundle, "verdict.json": verdict}), (3, 3, 1), (), None))
        rows.append(("JWS: another root, another payload", self.written({**bundle, "payload.json": b"{}"}), (1, 1, 1), (), None))
        # Only one text for the same bytes: a signature of 64 bytes, without padding, in one alphabet.
        head, body, signature = bundle["container"].split(b".")
        raw = base64.urlsafe_b64decode(signature + b"==")
        for title, form in (("65 bytes", base64url(raw[:32] + b"\0" + raw[32:])), ("67 bytes", base64url(raw[:32] + b"\0" * 3 + raw[32:])),
                            ("a fourth part", signature + b".x"), ("padding", signature + b"=="), ("a backslash", signature[:5] + b"\\" + signature[5:]),
                            ("NUL", signature[:5] + b"\0" + signature[5:]), ("two alphabets", base64url(raw).replace(b"_", b"/").replace(b"-", b"+") + b"+")):
            form = head + b"." + body + b"." + form
            digests = [hashlib.sha256(each).hexdigest().encode() for each in (bundle["container"], form)]
            lie = {**replaced(bundle, "verdict.json", *digests), "container": form, "received": form}
            rows.append((f"JWS signature: {title}", self.as_apples(lie, marked.root_file), (1, 1, None), (), None))
        places = {each["path"]: each for each in json.loads(bundle["citations.json"])["citations"]}
        moved = json.loads(bundle["citations.json"])
        for each in moved["citations"]:
            if each["path"] == "transaction.quantity":
                each["offset"] = places["transaction.offerType"]["offset"]
        rows.append(("JWS: an integer cited at another place", self.as_apples(
            {**bundle, "citations.json": json.dumps(moved).encode()}, marked.root_file), (0, 1, None), (), None))
        def cited(title, of, change):
            told = json.loads(of["citations.json"])
            change(told["citations"])
            rows.append((f"JWS: {title}", self.as_apples(
                {**of, "citations.json": json.dumps(told).encode()}, marked.root_file), (0, 1, None), (), None))
        last = places["transaction.offerIdentifier"]
        cited("a part of a string", bundle, lambda told: told[-1].update(offset=last["offset"] + 1, length=last["length"] - 1))
        cited("a missing citation", bundle, lambda told: told.pop())
        index = list(places).index("transaction.quantity")
        cited("true for a length of 1", bundle, lambda told: told[index].update(length=True))
        source.write_bytes(marked.jws(text[:-1] + b',"share":2.50}'))
        fraction, = self.make(source, "--root", marked.root_file).values()
        rows.append(("JWS: a fraction", self.as_apples(fraction, marked.root_file), (0, 0, None), (), None))
        cited("a part of a number", fraction, lambda told: told[-1].update(length=3))
        for title, changed in (("another date", text.replace(b"1766774387000", b"1766774387001")),
                               ("another product", text.replace(b"example.p", b"example.q"))):
            parts = bundle["container"].split(b".")
            forged = b".".join([parts[0], base64url(changed), parts[2]])
            lie = {**bundle, "payload.json": changed, "container": forged, "received": forged}
            rows.append((f"JWS: {title}", self.as_apples(lie, marked.root_file), (1, 1, None), (), None))
            rows.append((f"JWS: {title} only in payload.json", self.as_apples({**bundle, "payload.json": changed}, marked.root_file), (1, 1, None), (), None))
        def of(authority, payload=text):
            jws = authority.jws(payload)
            return {**bundle, "container": jws, "received": jws, "payload.json": payload, "signer.pem": pem(authority.signer),
                    "root.pem": pem(authority.root), "intermediate.pem": pem(authority.intermediate)}
        marker = tlv(0x30, tlv(0x31, tlv(0x30, oid(SIGNER_MARKER), tlv(12, b"x"))))
        for title, extensions in (("signer", {"signer_extensions": ()}), ("intermediate", {"intermediate_extensions": ()}),
                                  ("signer but in its name", {"signer_extensions": (), "signer": marker})):
            authority = Authority(folder, keys, **extensions)
            rows.append((f"no marker of the {title}", self.as_apples(of(authority), authority.root_file), (1, 1, None), (), None))
        # A signer that the root signed, next to an unrelated intermediate.
        direct = Authority(folder, keys)
        direct.signer = direct.certificate(
            name(O="Test signer"), name(O="Test root"), keys[2], keys[0], False, (extension(SIGNER_MARKER),))
        rows.append(("no intermediate above the signer", self.as_apples(of(direct), direct.root_file), (1, 1, None), (), None))
        late = of(marked, text.replace(b"1766774387000", b"2550000000000"))
        rows.append(("JWS: signed after its chain expired", self.as_apples(late, marked.root_file), (1, 1, None), (), None))
        rows.append(("JWS: other received bytes", self.as_apples({**bundle, "received": b"{}"}, marked.root_file), (2, 2, None), (), None))
        rows.append(("a custom root after Apple's", self.written({
            **bundle, "root.pem": self.genuine["root.pem"] + bundle["root.pem"],
            "verdict.json": bundle["verdict.json"].replace(b'"custom"', b'"app_store"')}), (1, 1, 1), (), None))
        # A second certificate with the signer's key, which the container does not contain.
        receipt = marked.receipt([
            (0, tlv(12, b"Production")), (2, tlv(12, b"com.example")), (3, tlv(12, b"1")), (4, b"0"), (5, bytes(20)),
            (12, tlv(22, b"2026-01-01T00:00:00Z")), (19, tlv(12, b"1")), (99, bytes(100_000))])
        # A line that is too long for a command-line argument.
        receipt, = self.make(self.file("receipt.b64", base64.b64encode(receipt)), "--root", marked.root_file).values()
        for shell in SHELLS:
            rows.append(("a long line", self.as_apples(receipt, marked.root_file), (0, None, None), (), shell))
        rows.append(("a receipt", self.as_apples(receipt, marked.root_file), (0, 0, None), (), None))
        again = {**receipt, "signer.pem": pem(marked.certificate(
            name(O="Test signer"), name(O="Test intermediate"), keys[2], keys[1], False, (extension(SIGNER_MARKER),)))}
        rows.append(("a signer that the container does not name", self.as_apples(again, marked.root_file), (1, 1, None), (), None))
        # Apple's root next to a chain that it did not sign.
        rows.append(("another chain next to Apple's root", self.written({
            **bundle, "root.pem": self.genuine["root.pem"],
            "verdict.json": bundle["verdict.json"].replace(b'"custom"', b'"app_store"')}), (1, 1, 1), (), None))
        # An audit's proof, with lies.
        database, proven = folder / "audit.sqlite", folder / "proven"
        source = folder / "in.ndjson"
        source.write_text("".join(json.dumps({"id": f"r{n}", "receipt": marked.jws(text).decode()}) + "\n" for n in range(3)))
        audit = (self.tool, "audit", source, "--root", marked.root_file)
        self.run(*audit, "--output", database, "--as-of", "2026-01-01T00:00:00Z")
        done = self.run(*audit, "--prove", "number:2", "--database", database, "--output", proven)
        assert done.returncode == 0, done.stderr
        honest, options = files(proven), ("--root", marked.root_file)
        rows.append(("inclusion", self.as_apples(honest, marked.root_file), (0, 0, None), (), None))
        self.run(*audit, "--prove", "number:3", "--database", database, "--output", folder / "last")
        last = files(folder / "last")
        rows.append(("inclusion: the last", self.as_apples(last, marked.root_file), (0, 0, None), (), None))
        rows.append(("inclusion: the last as the only one", self.as_apples(
            replaced(last, "inclusion/place", b"2 3", b"0 1"), marked.root_file), (0, 1, None), (), None))
        rows.append(("inclusion: other bytes around the container", self.as_apples(
            {**honest, "received": honest["received"] + b"\n"}, marked.root_file), (0, 1, None), (), None))
        def alone(leaf):
            """Returns the bundle with the proof of an audit that has only this leaf."""
            root = hashlib.sha256(b"\0" + leaf).hexdigest().encode() + b"\n"
            return {**honest, "inclusion/leaf": leaf, "inclusion/path": b"", "inclusion/place": b"0 1\n", "inclusion/root": root}
        leaf = honest["inclusion/leaf"]
        version = leaf.replace(b"appreceipt record 2", b"appreceipt record 3", 1)
        elsewhere = leaf.replace(b"{", b'{"source":"#signedTransactions[9]",', 1)
        assert leaf not in (version, elsewhere)
        for title, lie, status in (("alone", leaf, 0), ("a later version of the leaf", version, 1), ("a source of another place", elsewhere, 1)):
            rows.append((f"inclusion: {title}", self.as_apples(alone(lie), marked.root_file), (0, status, None), (), None))
        # The same object twice in a record. The leaf states which of them is proven.
        answer = json.dumps({"signedTransactions": [marked.jws(text).decode()] * 2})
        source.write_text(json.dumps({"id": "r", "receipt": answer}) + "\n")
        database, proven = folder / "answers.sqlite", folder / "answers"
        self.run(*audit, "--output", database, "--as-of", "2026-01-01T00:00:00Z")
        done = self.run(*audit, "--prove", "number:1", "--database", database, "--output", proven)
        assert done.returncode == 0, done.stderr
        answers = files(proven)
        rows.append(("inclusion: an object of an answer", self.as_apples(answers, marked.root_file), (0, 0, None), (), None))
        places = b"signedTransactions[0]", b"signedTransactions[1]"
        lie = replaced(replaced(answers, "verdict.json", *places), "request.json", *places)
        rows.append(("inclusion: another object of the answer", self.as_apples(lie, marked.root_file), (0, 1, None), (), None))
        lie = replaced(answers, "verdict.json", b'"path":"signedTransactions[0]",', b"")
        rows.append(("inclusion: an object without its path", self.as_apples(lie, marked.root_file), (0, 1, None), (), None))
        source.write_text(json.dumps({"id": "r", "receipt": base64.b64encode(
            (FIXTURES / "eligibility/receipts/refund.der").read_bytes()).decode()}) + "\n")
        database, proven = folder / "offers.sqlite", folder / "offers"
        audit = (self.tool, "audit", source, *ROOT, *CATALOG)
        self.run(*audit, "--output", database)
        done = self.run(*audit, "--prove", "number:1", "--database", database, "--output", proven)
        assert done.returncode == 0, done.stderr
        offers = files(proven)
        rows.append(("inclusion: offers", self.as_apples(offers, FIXTURES / "roots/root.cer"), (0, 0, None), (), None))
        lie = re.sub(rb'"promotional_offer":\{"outcome":"\w+"', b'"promotional_offer":{"outcome":"undetermined"', offers["eligibility.json"])
        assert lie != offers["eligibility.json"]
        rows.append(("inclusion: other offers", self.as_apples(
            {**offers, "eligibility.json": lie}, FIXTURES / "roots/root.cer"), (0, 1, None), (), None))
        rows.append(("inclusion: no offers", self.as_apples(
            {name: text for name, text in offers.items() if name != "eligibility.json"}, FIXTURES / "roots/root.cer"), (0, 1, None), (), None))
        root = honest["inclusion/root"]
        for file, old, new in (("inclusion/place", b"1 3", b"0 3"), ("inclusion/place", b"1 3", b"1 9"), ("inclusion/place", b"1 3", b"9 3"),
                               ("inclusion/leaf", b'"r1"', b'"r2"'), ("verdict.json", b'"r1"', b'"r2"'),
                               ("inclusion/root", root[:1], b"1" if root[:1] == b"0" else b"0")):
            lie = {**honest, file: honest[file].replace(old, new, 1)}
            assert lie != honest, file
            rows.append((f"inclusion: {file} {new}", self.as_apples(lie, marked.root_file), (0, 1, None), (), None))
            rows.append((f"inclusion: {file} {new} in the tool", self.written(lie), (None, None, 1), options, None))
        return rows

    def changes(self):
        """Checks one flipped bit of a file. check.sh detects it in signed content, check.py in values, and --check
        everywhere.
        """
        draw, rows = random.Random(16), []
        for _ in range(self.share):
            name = draw.choice(sorted(self.genuine.keys() - {"SHA256SUMS", "check.sh", "check.py", "account.txt", "request.json"}))
            content = bytearray(self.genuine[name])
            content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
            bundle = {**self.genuine, name: bytes(content)}
            is_value = name in ("verdict.json", "citations.json")
            place = self.written(bundle)
            def check(title=f"a flipped bit in {name}", place=place, is_value=is_value):
                sh = self.check_sh(place, SHELLS[0]).returncode
                py = (self.run(sys.executable, place / "check.py", place / "bundle") if self.is_whole
                      else self.check_py(place, SHELLS[0])).returncode
                own = self.run(self.tool, "evidence", "--check", place / "bundle").returncode
                is_name = py == 0 and is_value  # the file's name, which the author chooses
                if own != 1 or (sh == 0) != is_value and not is_value or py == 0 and not is_name:
                    self.faults.append(f"{title}: check.sh {sh}, check.py {py}, --check {own}: {place}")
            rows.append(check)
        return rows

    def machines(self):
        """Checks that a missing program or resource is reported as such, and that no code of a folder runs."""
        place, environment = self.written(self.genuine, renew=False), {"PATH": os.environ["PATH"]}
        script, bundle = place / "check.sh", place / "bundle"
        refused, own = self.written(self.refused), self.written(next(iter(self.make(FIXTURES / "jws/transaction.jws", *ROOT).values())))
        lie = self.written({**self.genuine, "content.der": b"x"})
        for index, (title, wanted, arguments, more) in enumerate((
                ("no TMPDIR", 2, [bundle], {"TMPDIR": "/nonexistent"}), ("a full TMPDIR", 2, [bundle], {"TMPDIR": "/dev/full"}),
                ("no folder", 2, [place / "nowhere"], {}), ("an empty argument", 2, [bundle, ""], {}),
                ("several", 4, [bundle, refused / "bundle"], {}), ("several roots", 3, [refused / "bundle", own / "bundle", bundle], {}),
                ("a lie among several", 1, [refused / "bundle", lie / "bundle", place / "nowhere"], {}))):
            for shell in self.rotated(index):
                done = self.run(*shell, script, *arguments, env={**environment, **more})
                if done.returncode != wanted:
                    self.faults.append(f"{title} in {shell[0]}: exits {done.returncode}, not {wanted}: {done.stderr}")
        self.ended(lie, place)
        self.unreadable()
        self.outputs(place)
        # PATH begins with the folder. Its programs and check.py's modules would leave a trace.
        evil = self.written(self.genuine)
        for name in ("openssl", "cat", "cut", "tr", "mktemp", "date", "od", "head", "tail", "fold", "rm", "python3", "emulate", "unset", "export",
                     "printf", "comm", "csplit", "sort", "ls", "wc", "sh", "["):
            (evil / "bundle" / name).write_text("#!/bin/sh\necho RAN >&2\n")
            (evil / "bundle" / name).chmod(0o755)
        for shell in SHELLS:
            for more in ({}, {"ZSH_VERSION": "5"}):
                done = self.run(shutil.which(shell[0]), *shell[1:], script, ".", cwd=evil / "bundle",
                                env={"PATH": f".:{environment['PATH']}", **more})
                self.expect(f"code of the folder in {shell[0]}", done, 1)
                if "RAN" in done.stderr:
                    self.faults.append(f"code of the folder runs in {shell[0]}: {done.stderr}")
        evil = {**self.genuine, **{f"{name}.py": b"print('RAN')\n" for name in ("json", "hashlib", "datetime", "re", "subprocess", "pathlib", "os")}}
        evil = self.written(evil)
        for arguments in ([evil / "bundle/check.py"], ["-I", evil / "bundle/check.py"], ["check.py"]):
            done = self.run(sys.executable, *arguments, cwd=evil / "bundle")
            self.expect("modules of the folder", done, 0)
            if "RAN" in done.stdout:
                self.faults.append("modules of the folder run")
        # A disk without space or inodes, and a system without openssl or without GNU date. Requires root.
        for option in ("size=16k", "size=1m,nr_inodes=8"):
            full = self.place()
            if os.geteuid() == 0 and self.run("mount", "-t", "tmpfs", "-o", option, "none", full).returncode == 0:
                good = self.written(self.genuine, renew=False)
                for shell in SHELLS:
                    done = self.run(*shell, script, good / "bundle", env={**environment, "TMPDIR": str(full)})
                    self.expect(f"a disk of {option} in {shell[0]}", done, 2)
                self.run("umount", full)
        tools = self.place()
        for name in "cat comm csplit cut fold head ls mktemp od openssl rm sort tail tr wc".split():
            (tools / name).symlink_to(shutil.which(name))
        (tools / "date").write_text("#!/bin/sh\nprintf 'date: illegal option -- d\\n' >&2\nexit 1\n")
        (tools / "date").chmod(0o755)
        for folder, words in ((tools, "date: not of GNU coreutils"), ("/nonexistent", "missing")):
            path = b"PATH=" + str(folder).encode()
            script.write_bytes(self.scripts["check.sh"].replace(b"PATH=/usr/local/bin:/usr/bin:/bin", path))
            self.expect(words, self.run(shutil.which("dash") or "/bin/sh", script, bundle), 2, words)

    def expect(self, title, done, wanted, words=""):
        if done.returncode != wanted or words not in done.stderr + done.stdout or "Traceback" in done.stderr:
            self.faults.append(f"{title}: exits {done.returncode}, not {wanted}: {done.stdout[-200:]}{done.stderr[-400:]}")

    def ended(self, lie, place):
        """Checks that a check that ends early confirms nothing: closed output, a signal, a limit."""
        for shell in SHELLS:
            process = subprocess.Popen([*shell, str(place / "check.sh"), str(lie / "bundle")], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
            process.stdout.close()
            words = process.communicate()[1]
            if process.returncode in (0, 3, 4):
                self.faults.append(f"a closed pipe in {shell[0]}: exits {process.returncode}: {words}")
        folder = self.written(self.genuine)
        for line in (b"sh -c 'kill -9 $PPID'", b"sh -c 'kill -13 $PPID'", b"exit 0", b"exit 7", b"return 0"):
            script = self.scripts["check.sh"].replace(b"    say '2. container", b"    " + line + b"\n    say '2. container")
            for place in (folder, folder / "bundle"):
                (place / "check.sh").write_bytes(script)
            bundle = files(folder / "bundle")
            (folder / "bundle/SHA256SUMS").write_bytes(sums(ordered(bundle)))
            for shell in SHELLS:
                self.expect(f"{line} in {shell[0]}", self.run(*shell, folder / "check.sh", folder / "bundle"), 2)
            self.expect(f"check.py: {line}", self.run(sys.executable, folder / "check.py", folder / "bundle"), 2)
        for script in (b"kill -9 $$", b"exit 7", b"exit 0", b"echo CONFIRMED: not at the start; exit 0", b"echo; echo CONFIRMED: this; exit 137"):
            (folder / "check.sh").write_bytes(b"#!/bin/sh\n" + script + b"\n")
            self.expect(f"check.py after {script}", self.run(sys.executable, folder / "check.py", folder / "bundle"), 2)

    def unreadable(self):
        """Checks that a folder without read permission is not reported as a lie."""
        if os.geteuid() != 0:
            return
        for name in ("", "SHA256SUMS", "received", "check.sh", "inclusion"):
            place = self.written({**self.genuine, **{f"inclusion/{each}": b"x" for each in ("leaf", "path", "place", "root")}})
            for path in (self.folder, place):
                path.chmod(0o755)
            (place / "bundle" / name).chmod(0)
            for shell in SHELLS:
                done = self.run(*shell, place / "check.sh", place / "bundle", preexec_fn=lambda: (os.setgroups([]), os.setuid(65534)))
                self.expect(f"unreadable {name or 'folder'} in {shell[0]}", done, 2)
            self.folder.chmod(0o700)

    def outputs(self, place):
        """Checks that a full output prevents a confirmation, and that no output depends on the encoding."""
        names = self.written(replaced(self.genuine, "verdict.json", b'"realm"', '"\u00e9\\u001b[2J":1,"realm"'.encode()))
        for command in ([sys.executable, place / "check.py"], *([*shell, place / "check.sh"] for shell in SHELLS)):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([*map(str, command), place / "bundle"], stdout=full, stderr=subprocess.PIPE, text=True)
            done.stdout = ""
            self.expect(f"a full output of {command[0]}", done, 2)
        done = self.run(sys.executable, place / "check.py", names / "bundle", env={**os.environ, "PYTHONIOENCODING": "ascii"})
        self.expect("an output in ASCII", done, 1)
        if "\x1b" in done.stdout:
            self.faults.append("the name of a folder controls the terminal")
        other = self.written({**self.genuine, "check.sh": self.genuine["check.sh"] + b"\n"})
        self.expect("another check.sh", self.run("sh", place / "check.sh", other / "bundle"), 2, ": get that version from a release\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--share", type=int, required=True)
    parser.add_argument("--shells", type=str.split, help="instead of all at hand")
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        options = parser.parse_args()
        SHELLS[:] = [shell for shell in SHELLS if not options.shells or shell[0] in options.shells]
        trial = Trial(options, folder)
        script = (TOP / "Sources/EmbeddedFiles/EvidenceScripts/check.sh").read_text()
        assert len(script.splitlines()) <= 150 and "eval" not in script
        assert len((TOP / "Sources/EmbeddedFiles/EvidenceScripts/check.py").read_text().splitlines()) <= 400
        rows = trial.confirm() + trial.lies()
        for number, (_, place, _, _, shell) in enumerate(rows):
            trial.planned(place, SHELLS[number % len(SHELLS)], shell)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda number, row: trial.compare(number, *row), itertools.count(), rows))
            list(pool.map(lambda check: check(), trial.changes()))
        trial.machines()
    for fault in trial.faults:
        print(f"FAULT {fault}")
    shells = ", ".join(shell[0] for shell in SHELLS)
    print(f"{len(rows)} bundles and {trial.share} changes with {len(trial.ended_scripts)} runs of check.sh, {shells}: "
          f"{len(trial.faults)} faults, {time.monotonic() - started:.0f} s")
    sys.exit(1 if trial.faults else 0)


main()
