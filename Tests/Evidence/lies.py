"""What an attack found in evidence, each as a row: bundles that lie, and honest ones that were taken for lies.

    python3 Tests/Evidence/lies.py --tool PATH                           as Tests/Evidence/run does
    python3 Tests/Evidence/lies.py --tool PATH --script FILE --only TEXT    with another check.sh; some of the rows
"""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from authority import Authority, Key, name, pem
from alarms import TOP, FalseAlarms
from commands import Commands
from lie import BOTH, SIGNED, Court, Maker, Row, changed, files, payload

GENUINE = TOP / "Fixtures/genuine/receipts/tikhop-ios-sandbox-g5-2025.b64"


class Lies(Commands, FalseAlarms):
    def __init__(self, tool, folder):
        self.make, self.folder = Maker(tool, folder), folder
        self.keys = Key.three(folder, "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
        self.authority = Authority(folder, self.keys)
        self.rsa = Authority(folder, Key.three(folder, "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"))
        self.own = ("--root", self.authority.root_file)
        self.plain = self.make.signed(self.authority, payload())
        self.genuine = self.make.evidence(GENUINE)

    def rows(self, only):
        for topic in (self.roots, self.commands, self.fronts, self.kinds, self.refusals, self.doubles, self.markers,
                      self.escapes, self.long_names, self.inclusions, self.own_names, self.environments, self.empty_values):
            if only.split(":")[0] in topic.__name__.replace("_", " "):
                yield from topic()

    def roots(self):
        """A certificate that nobody vouches for, put where openssl may look for trusted ones."""
        for generation in range(100):
            authority = Authority(
                self.folder, self.keys, root=name(O="Apple Inc.", CN="Apple Root CA"),
                intermediate=name(O="Apple Inc.", OU=f"G{generation}", CN="Apple Worldwide Developer Relations"),
                signer=name(O="Apple Inc.", CN="Receipt Signing"))
            intermediate = pem(authority.intermediate)
            digest = subprocess.run(
                ["openssl", "x509", "-noout", "-subject_hash"], input=intermediate, check=True, capture_output=True)
            trusted = digest.stdout.decode().strip() + ".0"
            # As names of parts had to.
            if trusted[0] in "abcdef":
                break
        forged = self.make.signed(authority, payload())
        verdict = json.loads(forged["verdict.json"])
        verdict["realm"] = "app_store"
        verdict["signature"]["chain"][-1] = json.loads(self.genuine["verdict.json"])["signature"]["chain"][-1]
        received = forged["received"] + b"\n"
        forged = {
            **changed(forged, "facts", "genuine custom", "genuine app_store"), "root.pem": self.genuine["root.pem"],
            "verdict.json": json.dumps(verdict, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"}
        # Apple's root beside a chain that it did not sign.
        yield Row("roots: none", forged, "the chain does not hold")
        part = f"part {trusted} bytes received {len(received)} {len(intermediate)}\n".encode()
        forged = {**forged, "facts": forged["facts"] + part, "received": received + intermediate, trusted: intermediate}
        # The intermediate once more, by the name by which openssl finds what it trusts.
        yield Row("roots: trusted part", forged, "SHA256SUMS names a file that no evidence has", shells=BOTH)
        # The same where names are not asked: nothing of the evidence stands in that folder.
        yield Row("roots: trusted part of any name", forged, "the chain does not hold",
                  edit=lambda script: script.replace(b"\n# --- The manifest.\n", b"\nis_part() { :; }\nis_ours() { :; }\n"))

    def fronts(self):
        """What stands in the verdict before the digest of what came: the name that somebody gave to it."""
        verdict = self.plain["verdict.json"]
        rest = verdict[verdict.index(b',"sha256":'):]
        yield Row("fronts: none", self.plain, options=self.own)
        lie = {**json.loads(verdict), "environment": "Sandbox"}
        for title, front in (
                # A verdict on something else, in a line before the true one.
                ("a line", json.dumps(lie).encode() + b"\n" + verdict[:-len(rest)]),
                # Members that the true one has not, or has too; a reader may take the first or the last.
                ("members", b'{"source":"x","status":"refused","in_app":{"product_id":"p"}'),
                ("a member", b'{"source":"x","realm":"app_store"'),
                ("another digest", b'{"source":"x","sha256":"%s"' % (b"0" * 64)),
                ("the digest twice", b'{"source":"x"' + rest[:rest.index(b',"status"')]),
                ("names twice", b'{"source":"x","source":"y"'),
                ("no name", b"{"),
                # Names as JSON may spell them, and other values than texts.
                ("an escaped name", b'{"\\u0073ource":"x"'),
                ("an object", b'{"source":{"status":"refused"}'),
                ("a word", b'{"source":genuine'),
                # White space, and what steers a terminal: a control, DEL, CSI as one byte of C1, right to left.
                ("blanks", b'{"source" : "x"'),
                ("ESC", b'{"source":"\x1b[2J"'),
                ("DEL", b'{"source":"\x7f"'),
                ("CSI", b'{"source":"\xc2\x9b2J"'),
                ("right to left", b'{"source":"\xe2\x80\xae"')):
            yield Row(f"fronts: {title}", {**self.plain, "verdict.json": front + rest}, "^verdict.json", options=self.own)

    def kinds(self):
        """What Apple signed as one kind, said to be another."""
        telltales = {"transaction": {"transactionId": "1"}, "renewal_info": {"autoRenewStatus": 1},
                     "app_transaction": {"receiptType": "Production"},
                     "notification": {"notificationType": "TEST", "notificationUUID": "1"},
                     "realtime_request": {"userLocale": "en-US"}}
        dates = {"signedDate": SIGNED, "receiptCreationDate": SIGNED, "environment": "Production"}
        nothing = ",".join(f'"{key}":{value}' for key, value in dict(
            quantity="null", product_id="null", product_type="null", transaction_id="null", original_transaction_id="null",
            purchase_date="null", original_purchase_date="null", expires_date="null", cancellation_date="null",
            cancellation_reason="null", is_trial_period="false", is_in_intro_offer_period="false",
            promotional_offer_identifier="null", web_order_line_item_id="null", subscription_group_identifier="null").items())
        for kind, telltale in telltales.items():
            content = json.dumps({**telltale, **dates}, separators=(",", ":")).encode()
            honest = self.make.signed(self.authority, content)
            assert b'"status":"genuine"' in honest["verdict.json"], honest["verdict.json"]
            for other in telltales:
                if other == kind:
                    yield Row(f"kinds: {kind}", honest, options=self.own)
                    continue
                lie = changed(honest, "facts", f"kind {kind}", f"kind {other}")
                lie = changed(lie, "citations.json", f'"path":"{kind}.', f'"path":"{other}.')
                verdict = re.sub(r',"in_app":.*', "}", lie["verdict.json"].decode())
                verdict = verdict.replace(f'"kind":"{kind}"', f'"kind":"{other}"').replace(f',"{kind}":', f',"{other}":')
                environment = "null" if other in ("app_transaction", "notification") else '"Production"'
                verdict = re.sub(r'("realm":"custom","environment":)[^,]*', rf"\1{environment}", verdict).rstrip("\n")
                if other == "transaction":
                    verdict = verdict[:-1] + f',"in_app":{{{nothing}}}}}'
                lie["verdict.json"] = verdict.encode() + b"\n"
                yield Row(f"kinds: {kind} as {other}", lie, f"^facts: a {other}, and what was signed is none", options=self.own)
        # Without a kind, the paths of its citations have no beginning.
        lie = changed(self.plain, "facts", "kind transaction\n", "")
        lie = changed(lie, "citations.json", '"path":"transaction.', '"path":".')
        yield Row("kinds: none", lie, "^facts: ", options=self.own)

    def refusals(self):
        """What is genuine, said to be refused."""
        digest = hashlib.sha256(self.genuine["container"]).hexdigest()
        intermediate = re.search(r"part intermediate.pem .*\n", self.genuine["facts"].decode())[0]
        content = re.search(r"part content.der bytes container (\d+) (\d+)", self.genuine["facts"].decode())

        def refused(code, stage, roots=self.genuine["root.pem"], **more):
            bundle = {file: text for file, text in self.genuine.items() if file not in ("citations.json", "root.pem")}
            bundle |= {"roots.pem": roots} if roots is not None else {}
            return {**changed(bundle, "facts", "genuine app_store", f"refused {code} {stage} none"), **more, "verdict.json": (
                f'{{"source":"x","sha256":"{digest}","status":"refused","refusal":{{"code":"{code}","message":"forged",'
                '"offset":null,"field":null}}\n').encode()}

        # The code of another step, or one that there is not.
        for code, stage in (("untrusted_chain", "signature"), ("bad_signature", "chain"), ("wrong_purpose", "chain"),
                            ("untrusted_chain", "marker"), ("certificate_expired", "chain"), ("anything", "own"),
                            ("GENUINE", "signed"), ("signature_invalid", "read"), ("bad_signature", "nowhere"), ("wrong_device", "signature")):
            yield Row(f"refusals: {code} {stage}", refused(code, stage), "^facts: a refusal that no evidence has")
        # No roots, or what is none.
        yield Row("refusals: empty roots", refused("untrusted_chain", "chain", b""), "^roots.pem: not certificates")
        yield Row("refusals: roots of words", refused("untrusted_chain", "chain", b"Apple Root CA\n"),
                  "^roots.pem: not certificates")
        yield Row("refusals: no roots", refused("untrusted_chain", "chain", None), "^roots.pem is missing")
        # A step holds which is said not to.
        yield Row("refusals: chain", refused("untrusted_chain", "chain"), "^refused, says the verdict, but: the chain holds")
        yield Row("refusals: signature", refused("bad_signature", "signature"),
                  "^refused, says the verdict, but: the signature holds")
        # What check.sh cannot know it says, and --check does: rules of the program's, a content cut short, another date, an
        # intermediate left away, and somebody else's root.
        hedged = r"^It is what it claims to be: REFUSED \(\w+\), as far as a step here can show it\.$"
        cut = refused("bad_signature", "signature")
        cut = changed(cut, "facts", content[0], f"part content.der bytes container {int(content[1]) + 1} {int(content[2]) - 1}")
        cut["content.der"] = cut["content.der"][1:]
        without = changed(refused("wrong_purpose", "marker", self.genuine["intermediate.pem"]), "facts", intermediate, "")
        del without["intermediate.pem"]
        early = refused("untrusted_chain", "chain")
        early["facts"] = re.sub(rb"instant \d+", b"instant 1", early["facts"])
        for title, lie in (("rule", refused("malformed", "read", None)),
                           ("rule behind the signature", refused("malformed", "signed")),
                           ("content cut", cut), ("date", early), ("no intermediate", without),
                           ("somebody's root", refused("untrusted_chain", "chain", pem(self.authority.root)))):
            yield Row(f"refusals: {title}", lie, last=hedged, is_taken=False)

    def doubles(self):
        """Parts that are taken from themselves: a few lines of facts would fill the disk."""
        lines = "part list bytes received 0 8\n" + "".join(f"part list bytes list 0 {8 << i}\n" for i in range(24))
        lie = {**self.plain, "list": b"x", "facts": self.plain["facts"] + lines.encode()}
        yield Row("doubles: of itself", {**lie, "list": lie["received"][:8]}, "^facts: list is taken from itself",
                  options=self.own, shells=BOTH)
        # By way of another one.
        lines, ours, others = "part list bytes received 0 8\n", 8, 0
        for _ in range(18):
            lines += f"part unwrapped bytes list 0 {ours}\n"
            others += ours
            lines += f"part list bytes unwrapped 0 {others}\n"
            ours += others
        few = lie["received"][:8]
        lie = {**self.plain, "list": few, "unwrapped": few, "facts": self.plain["facts"] + lines.encode()}
        yield Row("doubles: of each other", lie, "^list: not the bytes", options=self.own)

    def inclusions(self):
        """What is named as the folder of an audit's proof, and is none."""
        found = "no evidence has|does not name|no such file"
        yield Row("inclusions: file", self.plain, found, options=self.own,
                  place=lambda folder: (folder / "inclusion").write_text("x"))
        yield Row("inclusions: empty folder", self.plain, found, options=self.own,
                  place=lambda folder: (folder / "inclusion").mkdir())
        yield Row("inclusions: dangling link", self.plain, found, options=self.own,
                  place=lambda folder: (folder / "inclusion").symlink_to("nowhere"))
        source = self.folder / "audited"
        source.mkdir()
        for index in range(3):
            (source / f"{index}.jws").write_bytes(self.authority.jws(payload(transactionId=str(index))))
        database = self.folder / "audit.sqlite"
        done = self.make.run("audit", source, "--output", database, "--as-of", "2026-01-01T00:00:00Z", *self.own)
        assert done.returncode in (0, 1), done.stderr
        done = self.make.run("audit", source, "--prove", "number:2", "--database", database,
                             "--output", self.folder / "proven", *self.own)
        assert done.returncode == 0, done.stderr
        honest = files(self.folder / "proven")
        yield Row("inclusions: none", honest, options=self.own)

        def link(folder):
            (folder / "inclusion").rename(folder.parent / "elsewhere")
            (folder / "inclusion").symlink_to("../elsewhere")
        yield Row("inclusions: link", honest, found, options=self.own, place=link)
        # More in the folder than the manifest names.
        yield Row("inclusions: more", honest, found, options=self.own,
                  place=lambda folder: (folder / "inclusion/.x").write_text("x"))
        # Of no other leaf, and of no other place.
        for file, old, new, found in (("inclusion/place", "1 3", "0 3", "^inclusion/root"),
                                      ("inclusion/place", "1 3", "1 9", "^inclusion/path"),
                                      ("inclusion/leaf", '"genuine"', '"refused"', "^inclusion/leaf"),
                                      ("inclusion/leaf", "record 1", "record 2", "^inclusion/leaf")):
            yield Row(f"inclusions: {file} {new}", changed(honest, file, old, new), found, options=self.own)

    def own_names(self):
        """Under a root of one's own, certificates' names are whatever somebody wrote: texts, and no members."""
        verdict = self.plain["verdict.json"].decode()
        start = verdict.index('"subject":"') + 11
        end = verdict.index('","issuer":"')
        issuer = verdict.index('"issuer":"') + 10
        behind = verdict.index('","serial":"')
        members = ('x"}]},"realm":"app_store","environment":"Production","signature":{"digest":"sha256",'
                   '"verified_at":"2025-12-26T18:39:47Z","chain":[{"subject":"CN=Apple')
        for title, text, (front, back) in (
                ("members of a subject", members, (start, end)), ("a member of an issuer", 'x","x":"y', (issuer, behind)),
                ("a backslash before the quote", 'x\\\\","realm":"app_store","x":"', (start, end)),
                ("a line", "x\ny", (start, end)), ("ESC", "x\x1b[2J", (issuer, behind))):
            lie = {**self.plain, "verdict.json": (verdict[:front] + text + verdict[back:]).encode()}
            yield Row(f"own names: {title}", lie, "^verdict.json", options=self.own)
        # Honest: names with what JSON escapes.
        authority = Authority(self.folder, self.keys, signer=name(O='a"b\\c\n\x7f\u202e', CN="x,+=;<>#"),
                              intermediate=name(O="\\", CN='"'))
        yield Row("own names: escaped", self.make.signed(authority, payload()), options=("--root", authority.root_file))

    def within(self):
        """Evidence within the folder that it is made of would be read itself, and be called refused."""
        source = self.folder / "within"
        source.mkdir()
        (source / "1.jws").write_bytes(self.authority.jws(payload()))
        done = self.make.run("evidence", source, *self.own, "--output", source / "out")
        if done.returncode != 2 or (source / "out").exists() or "would be one of the files of" not in done.stderr:
            yield f"within: exits {done.returncode}: {done.stdout}{done.stderr}"


def judge(tool, folder, script=None, only=""):
    """Prints and returns what is not as a row says."""
    started = time.monotonic()
    folder = pathlib.Path(folder)
    lies, court = Lies(tool, folder), Court(tool, folder, script)
    rows = [row for row in lies.rows(only) if only in row.title]
    for index, row in enumerate(rows):
        row.shells = row.shells or BOTH[index % 2:][:1]
    made = time.monotonic() - started
    assert len({row.title for row in rows}) == len(rows)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        faults = [fault for found in pool.map(lambda row: list(court.judge(row)), rows) for fault in found]
    faults += lies.within()
    for fault in faults:
        print(f"FAULT {fault}", flush=True)
    honest = sum(row.finds is None for row in rows)
    judged = time.monotonic() - started - made
    print(f"{len(rows) - honest} lies and {honest} that are none, {len(faults)} faults, {made:.0f} + {judged:.0f} s", flush=True)
    return faults


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--script", type=pathlib.Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(1 if judge(options.tool, folder, options.script and options.script.read_bytes(), options.only) else 0)
