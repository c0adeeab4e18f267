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

from authority import (
    INTERMEDIATE_MARKER, NAMES, SIGNER_MARKER, Authority, Key, base64url, extension, name, oid, pem, tlv)
from lie import DASH, BASH, POSIX, Court, Maker, Row, by_hand, files, jws_by_hand, resigned, transaction_receipt_by_hand

TOP = pathlib.Path(__file__).resolve().parents[2]
GENUINE = TOP / "Fixtures/genuine/receipts/tikhop-ios-sandbox-g5-2025.b64"
# Under an own root, what nobody published anew is refused by.
SIGNED = 1766774387000
PAYLOAD = {"transactionId": "1", "productId": "com.example.p", "bundleId": "com.example", "signedDate": SIGNED,
           "environment": "Production", "quantity": 1}
# As bash takes it in arithmetic, where a word is a variable's name, and its text an expression once more.
COMMAND = b"number[$(id>pwned)]+0"
BOTH, ALL_SHELLS = (DASH, BASH), (DASH, BASH, POSIX)


def payload(**members):
    return json.dumps({**PAYLOAD, **members}, separators=(",", ":")).encode()


def changed(bundle, file, old, new):
    old, new = (text.encode() if isinstance(text, str) else text for text in (old, new))
    assert old in bundle[file], (file, old, bundle[file][:400])
    return {**bundle, file: bundle[file].replace(old, new)}


class Lies:
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

    def commands(self):
        """Words where arithmetic expects numbers."""
        # The place of a refusal, which names the verdict's text.
        container = self.plain["container"]
        read = by_hand(self.plain, "form jws\nkind transaction\nrefused malformed read rest", {"container": container},
                       (), b',"status":"refused","format":"jws","refusal":{"code":"malformed","message":"%s","offset":rest,"field":null}}\n'
                       % COMMAND)
        yield Row("commands: refusal's place", read, "facts: a refusal", is_taken=False, shells=ALL_SHELLS)
        # Likewise with a zero before it, or more digits than a file has bytes.
        for place in ("07", "1" * 30, "-1", "0x1", "none.", "1/1"):
            yield Row(f"commands: refusal's place {place}", changed(read, "facts", "read rest", f"read {place}"),
                      "facts: a refusal", shells=(BASH,))
        # The instant, and a part's place and length.
        facts = self.plain["facts"].decode()
        place = re.search(r"^part payload.json base64url container (\d+) (\d+)$", facts, re.MULTILINE)
        for word, old, new, found in (
                ("instant", f"instant {SIGNED}", "instant line", "facts: no date"),
                ("instant with a zero", f"instant {SIGNED}", f"instant 0{SIGNED}", "facts: no date"),
                ("instant of 30 digits", f"instant {SIGNED}", "instant " + "9" * 30, "facts: no date"),
                ("part's place", place[0], place[0].replace(place[1], "line", 1), "facts: a part that no evidence has"),
                ("part's length", place[0], place[0][:-len(place[2])] + "names", "facts: a part that no evidence has")):
            yield Row(f"commands: {word}", changed(self.plain, "facts", old, new), found, shells=(BASH,))
        # What is demanded is digits, in pairs.
        for demanded in ("line", "abc", "0g"):
            lie = changed(self.plain, "facts", "genuine custom",
                          f"refused wrong_device demand none\nrealm custom\ndemand device {demanded}")
            yield Row(f"commands: demanded {demanded}", lie, "facts: a demand that no evidence has", shells=(BASH,))
        # Dates of a payload that nobody signed, in a header that is a command.
        unsigned = by_hand(
            self.plain, f"form jws\nkind transaction\ninstant {SIGNED}\ngenuine custom",
            {"signing-input": COMMAND + b"." + base64url(b'{"signedDate":text}'), "payload.json": b'{"signedDate":text}',
             "signature": b"x" * 64, "signer.pem": self.authority.signer, "intermediate.pem": self.authority.intermediate})
        yield Row("commands: unsigned date", unsigned, "the signature does not hold", shells=ALL_SHELLS)
        # The same, signed by a root of one's own; a text, and a number that is none, in each place of a number.
        for kind, member in (
                ("transaction", "signedDate"), ("transaction", "purchaseDate"), ("transaction", "originalPurchaseDate"),
                ("transaction", "expiresDate"), ("transaction", "revocationDate"), ("transaction", "quantity"),
                ("transaction", "price"), ("app_transaction", "receiptCreationDate")):
            # Names of variables that hold the header, or the verdict; and what bash takes for numbers.
            for value in (b"text", b"1-text", b"0x1") if member == "signedDate" else (b"rest",):
                content = payload() if kind == "transaction" else b'{"receiptType":"Production","receiptCreationDate":1}'
                content = re.sub(rb'"%s":\d+' % member.encode(), b"", content).replace(b",,", b",").replace(b",}", b"}")
                content = content[:-1] + b',"%s":%s}' % (member.encode(), value)
                lie = jws_by_hand(self.plain, self.authority, content, COMMAND, kind, COMMAND)
                yield Row(f"commands: {member} {value.decode()}", lie, "^payload.json: byte", shells=(BASH,))
        # Dates as texts, which are no dates.
        for member in ("purchaseDate", "expiresDate"):
            lie = jws_by_hand(self.plain, self.authority, payload(**{member: "rest"}), COMMAND, "transaction", COMMAND)
            yield Row(f"commands: {member} as text", lie, "^payload.json: byte", shells=(BASH,))
        # A receipt's dates.
        date = b"2025-12-26T18:39:47Z"
        authority = self.rsa
        receipt = self.make.evidence(
            authority.receipt([(0, tlv(12, b"Production")), (2, tlv(12, b"com.example")), (12, tlv(22, date)),
                               (21, tlv(22, b"2026-01-01T00:00:00+00:00"))]), "--root", authority.root_file)
        for old, new in ((date, b"rest-12-26T18:39:47Z"), (date, b"2025-na-26T18:39:47Z"), (date, b"2025-12-26T18:39:abZ"),
                         (b"2026-01-01T00:00:00+00:00", b"text-01-01T00:00:00+00:00"),
                         (b"2026-01-01T00:00:00+00:00", b"2026-01-01T00:00:00+ab:00"),
                         (b"2026-01-01T00:00:00+00:00", b"2026-01-01Ttext:00+00:000")):
            yield Row(f"commands: receipt's date {new.decode()}", resigned(receipt, authority, old, new), "content.der: byte",
                      shells=(BASH,))
        # Of an old transaction receipt, all values are texts.
        for member, value in (("purchase-date-ms", "rest"), ("original-purchase-date-ms", "rest"), ("expires-date", "rest"),
                              ("quantity", "rest"), ("quantity", "99999999999999999999")):
            members = {"transaction-id": "1", "purchase-date-ms": str(SIGNED), "product-id": "p", member: value}
            lie = transaction_receipt_by_hand(receipt, authority, members, COMMAND)
            yield Row(f"commands: old receipt's {member} {value[:9]}", lie, "^content: byte", shells=(BASH,))
        # A record's place in an audit.
        for place in ("text 2", "0 text", "00 1", "0 1 1", "-1 1", "1 1", "0 01"):
            lie = self.with_leaf(self.plain, place)
            yield Row(f"commands: leaf {place}", lie, "inclusion/place", shells=(BASH,))

    def with_leaf(self, bundle, place="0 1"):
        """The one record of an audit, as check.sh reads it."""
        leaf = b'appreceipt record 1\nx\ny\n{"status":"genuine","sha256":"%s"}\n' % hashlib.sha256(bundle["container"]).hexdigest().encode()
        root = hashlib.sha256(b"\0" + leaf).hexdigest().encode() + b"\n"
        return {**bundle, "inclusion/leaf": leaf, "inclusion/place": place.encode() + b"\n", "inclusion/path": b"",
                "inclusion/root": root}

    def fronts(self):
        """What stands in the verdict before the digest of what came: the name that somebody gave to it."""
        verdict = self.plain["verdict.json"]
        rest = verdict[verdict.index(b',"sha256":'):]
        yield Row("fronts: none", self.plain, options=self.own)
        lie = {**json.loads(verdict), "environment": "Sandbox"}
        for title, front in (
                # A verdict on something else, in a line before the true one.
                ("a line", json.dumps(lie).encode() + b"\n" + verdict[:-len(rest)]),
                ("a line of names alone", b'{"source":"x"}\n{"source":"x"'),
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
                ("a list", b'{"source":["x"]'),
                ("a word", b'{"source":genuine'),
                # White space, and what steers a terminal: a control, DEL, CSI as one byte of C1, right to left.
                ("blanks", b'{"source" : "x"'),
                ("line feeds", b'{"source":"x"\n\n'),
                ("ESC", b'{"source":"\x1b[2J"'),
                ("DEL", b'{"source":"\x7f"'),
                ("CSI", b'{"source":"\xc2\x9b2J"'),
                ("right to left", b'{"source":"\xe2\x80\xae"')):
            yield Row(f"fronts: {title}", {**self.plain, "verdict.json": front + rest}, "^verdict.json", options=self.own)

    def kinds(self):
        """What Apple signed as one kind, said to be another."""
        telltales = {"transaction": {"transactionId": "1"}, "renewal_info": {"autoRenewStatus": 1},
                     "app_transaction": {"receiptType": "Production"}, "notification": {"notificationType": "TEST", "notificationUUID": "1"}}
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
        lie = changed(changed(self.plain, "facts", "kind transaction\n", ""), "citations.json", '"path":"transaction.', '"path":".')
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
                f'{{"source":"x","sha256":"{digest}","status":"refused","refusal":{{"code":"{code}","message":"forged","offset":null,'
                '"field":null}}\n').encode()}

        # The code of another step, or one that there is not.
        for code, stage in (("untrusted_chain", "signature"), ("bad_signature", "chain"), ("wrong_purpose", "chain"),
                            ("untrusted_chain", "marker"), ("certificate_expired", "chain"), ("anything", "own"), ("GENUINE", "signed"),
                            ("signature_invalid", "read"), ("bad_signature", "nowhere"), ("wrong_device", "signature")):
            yield Row(f"refusals: {code} {stage}", refused(code, stage), "^facts: a refusal that no evidence has")
        # No roots, or what is none.
        yield Row("refusals: empty roots", refused("untrusted_chain", "chain", b""), "^roots.pem: not certificates")
        yield Row("refusals: roots of words", refused("untrusted_chain", "chain", b"Apple Root CA\n"), "^roots.pem: not certificates")
        yield Row("refusals: no roots", refused("untrusted_chain", "chain", None), "^roots.pem is missing")
        # A step holds which is said not to.
        yield Row("refusals: chain", refused("untrusted_chain", "chain"), "^refused, says the verdict, but: the chain holds")
        yield Row("refusals: signature", refused("bad_signature", "signature"), "^refused, says the verdict, but: the signature holds")
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
        for title, lie in (("rule", refused("malformed", "read", None)), ("rule behind the signature", refused("malformed", "signed")),
                           ("content cut", cut), ("date", early), ("no intermediate", without),
                           ("somebody's root", refused("untrusted_chain", "chain", pem(self.authority.root)))):
            yield Row(f"refusals: {title}", lie, last=hedged, is_taken=False)

    def doubles(self):
        """Parts that are taken from themselves: a few lines of facts would fill the disk."""
        lines = "part list bytes received 0 8\n" + "".join(f"part list bytes list 0 {8 << i}\n" for i in range(24))
        lie = {**self.plain, "list": b"x", "facts": self.plain["facts"] + lines.encode()}
        yield Row("doubles: of itself", {**lie, "list": lie["received"][:8]}, "^facts: list is taken from itself", options=self.own, shells=BOTH)
        # By way of another one.
        lines, ours, others = "part list bytes received 0 8\n", 8, 0
        for _ in range(18):
            lines += f"part unwrapped bytes list 0 {ours}\n"
            others += ours
            lines += f"part list bytes unwrapped 0 {others}\n"
            ours += others
        lie = {**self.plain, "list": lie["received"][:8], "unwrapped": lie["received"][:8], "facts": self.plain["facts"] + lines.encode()}
        yield Row("doubles: of each other", lie, "^list: not the bytes", options=self.own)

    def markers(self):
        """Apple's markers where they are none: honest evidence of a refusal, and the lie that it is genuine."""
        words = "x\nOBJECT            :%s\n"
        names = {"signer": name(O=words % SIGNER_MARKER), "intermediate": name(O=words % INTERMEDIATE_MARKER)}
        NAMES["marker"] = SIGNER_MARKER
        usage = lambda marker: (extension("2.5.29.37", tlv(0x30, oid(marker))),)
        inner = lambda marker: (extension("1.2.3.4", tlv(0x30, extension(marker))),)
        none = {"signer_extensions": (), "intermediate_extensions": ()}
        for title, made in (
                # In the words of asn1parse, behind a line feed in a name; as the type of a name's attribute.
                ("name", {**none, **names}), ("attribute", {"signer_extensions": (), "signer": name(O="x", marker="x")}),
                # As a purpose, and within another extension.
                ("extended key usage", {"signer_extensions": usage(SIGNER_MARKER), "intermediate_extensions": usage(INTERMEDIATE_MARKER)}),
                ("another extension", {"signer_extensions": inner(SIGNER_MARKER)}),
                # Another one of Apple's, whose beginning is the same; the other's.
                ("longer", {"signer_extensions": (extension(SIGNER_MARKER + ".1"),)}),
                ("other", {"signer_extensions": (extension(INTERMEDIATE_MARKER),), "intermediate_extensions": (extension(SIGNER_MARKER),)})):
            authority = Authority(self.folder, self.keys, **made)
            own = ("--root", authority.root_file)
            honest = self.make.signed(authority, payload())
            assert b'"code":"wrong_purpose"' in honest["verdict.json"], honest["verdict.json"]
            yield Row(f"markers: {title}", honest, options=own)
            lie = changed(honest, "facts", "refused wrong_purpose marker none", "genuine custom")
            del lie["roots.pem"]
            yield Row(f"markers: {title}, as genuine", {**lie, "root.pem": pem(authority.root)}, "^the markers does not hold",
                      options=own)
        # Where they are: critical, behind others, and in a certificate of many bytes.
        for title, extensions in (("critical", (extension(SIGNER_MARKER, is_critical=True),)),
                                  ("last", (extension("1.2.3.4", b"x" * 300), extension(SIGNER_MARKER))),
                                  ("long", (extension(SIGNER_MARKER, tlv(4, b"x" * 300)),))):
            authority = Authority(self.folder, self.keys, signer_extensions=extensions)
            yield Row(f"markers: {title}", self.make.signed(authority, payload()), options=("--root", authority.root_file))

    def escapes(self):
        """Honest: a text as JSON may spell it, in members that the verdict says once more in a receipt's words."""
        identifier = lambda text: payload(offerType=2, offerIdentifier="@").replace(b"@", text)
        for title, content in (
                ("letter", payload().replace(b"example.p", rb"example\u002ep")), ("slash", identifier(rb"a\/b")),
                ("surrogates", identifier(rb"\ud83d\uDE00\u00e9\u20AC")), ("short ones", identifier(rb"\"\\\b\f\n\r\t")),
                ("nothing", identifier(rb"a\u0000b")), ("what steers a terminal", identifier(rb"\u007f\u009b\u202e\u061c\u2066")),
                ("text of a command", identifier(rb"$(id>pwned)`id>pwned`%s%n\\045\\u0041")),
                ("kind", payload(type="Consumable").replace(b"Consumable", rb"Consum\u0061ble")),
                ("date in the environment", payload().replace(b"Production", rb"Produ\u0063tion")),
                # Numbers as JSON may spell them.
                ("quantity with a fraction", payload().replace(b'"quantity":1', b'"quantity":1.0')),
                ("quantity with an exponent", payload().replace(b'"quantity":1', b'"quantity":1e3')),
                ("quantity of nobody", payload(quantity=4294967296)), ("quantity below zero", payload(quantity=-1)),
                ("dates", payload(purchaseDate=-1, originalPurchaseDate=-62135596800000, expiresDate=253402300799999))):
            yield Row(f"escapes: {title}", self.make.signed(self.authority, content), options=self.own)
        # Of a member's name check.sh says that only the program reads it.
        yield Row("escapes: name", self.make.signed(self.authority, payload().replace(b"quantity", rb"\u0071uantity")),
                  "^payload.json: byte .* of a form that only the program reads", is_taken=True, options=self.own)
        # What is no text: too few digits, half a pair. Signed, and not as a verdict says.
        for text in (rb"\u12", rb"\u12g4", rb"\ud83d", rb"\ud83d\n", rb"\ude00", rb"\ud83d\u0041"):
            lie = jws_by_hand(self.plain, self.authority, identifier(text))
            yield Row(f"escapes: {text.decode()}", lie, ".")

    def long_names(self):
        """Honest: a name whose JSON has more than 20,000 bytes."""
        place = self.folder.joinpath("long", *["\x01" * 240] * 14)
        place.mkdir(parents=True)
        (place / "x").write_bytes(self.authority.jws(payload()))
        bundle = self.make.evidence(self.folder / "long", *self.own)
        assert len(bundle["verdict.json"]) > 20000
        yield Row("long names: path", bundle, options=self.own)

    def inclusions(self):
        """What is named as the folder of an audit's proof, and is none."""
        found = "no evidence has|does not name|no such file"
        yield Row("inclusions: file", self.plain, found, options=self.own, place=lambda folder: (folder / "inclusion").write_text("x"))
        yield Row("inclusions: empty folder", self.plain, found, options=self.own, place=lambda folder: (folder / "inclusion").mkdir())
        yield Row("inclusions: dangling link", self.plain, found, options=self.own,
                  place=lambda folder: (folder / "inclusion").symlink_to("nowhere"))
        source = self.folder / "audited"
        source.mkdir()
        for index in range(3):
            (source / f"{index}.jws").write_bytes(self.authority.jws(payload(transactionId=str(index))))
        database = self.folder / "audit.sqlite"
        done = self.make.run("audit", source, "--output", database, "--as-of", "2026-01-01T00:00:00Z", *self.own)
        assert done.returncode in (0, 1), done.stderr
        done = self.make.run("audit", source, "--prove", "number:2", "--database", database, "--output", self.folder / "proven", *self.own)
        assert done.returncode == 0, done.stderr
        honest = files(self.folder / "proven")
        yield Row("inclusions: none", honest, options=self.own)

        def link(folder):
            (folder / "inclusion").rename(folder.parent / "elsewhere")
            (folder / "inclusion").symlink_to("../elsewhere")
        yield Row("inclusions: link", honest, found, options=self.own, place=link)
        # More in the folder than the manifest names.
        yield Row("inclusions: more", honest, found, options=self.own, place=lambda folder: (folder / "inclusion/.x").write_text("x"))
        # Of no other leaf, and of no other place.
        for file, old, new, found in (("inclusion/place", "1 3", "0 3", "^inclusion/root"), ("inclusion/place", "1 3", "1 9", "^inclusion/path"),
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
        authority = Authority(self.folder, self.keys, signer=name(O='a"b\\c\n\x7f\u202e', CN="x,+=;<>#"), intermediate=name(O="\\", CN='"'))
        yield Row("own names: escaped", self.make.signed(authority, payload()), options=("--root", authority.root_file))

    def environments(self):
        """Honest, on a machine whose variables have names that the script uses."""
        # All that it assigns, and the members that it keeps by their names.
        script = self.plain["check.sh"].decode()
        variables = set(re.findall(r"\b([a-z_][a-z0-9_]*)=", script)) | set(re.findall(r"\$\{?([a-z_][a-z0-9_]*)", script))
        variables |= {"j_" + member for member in re.findall(r'"\$kind"\.(\w+)', script)} | {"j_absent", "is_escaped", "has_escapes"}
        variables |= {f"v_{kind}" for kind in re.findall(r"(?:app|in_app)(\d+)\)", script)}
        assert {"trial", "intro", "j_offerType", "j_quantity", "v_12", "held_up"} <= variables
        variables = dict.fromkeys(variables, "1")
        bundles = {"transaction": (self.plain, self.own), "receipt": (self.genuine, ())}
        old = TOP.parent / "shared/corpus/genuine/so-mbaasy-old-style-transaction-sandbox.b64"
        if old.exists():
            bundles["old receipt"] = (self.make.evidence(old), ())
        for title, (bundle, options) in bundles.items():
            yield Row(f"environments: names in a {title}", bundle, options=options, environment=variables)
        # What coreutils, mktemp, openssl and bash read.
        for title, environment in (
                ("_POSIX2_VERSION", {"_POSIX2_VERSION": "199209"}), ("POSIXLY_CORRECT", {"POSIXLY_CORRECT": "1"}),
                ("relative TMPDIR", {"TMPDIR": "."}), ("no TMPDIR", {"TMPDIR": ""}), ("noglob", {"SHELLOPTS": "noglob"}),
                ("openssl", {"OPENSSL_CONF": "/nonexistent", "SSL_CERT_DIR": "/", "SSL_CERT_FILE": "/nonexistent"}),
                ("IFS", {"IFS": "0123456789abcdef"}), ("bash", {"GLOBIGNORE": "*", "BASHOPTS": "nullglob", "CDPATH": "/", "PS4": "$(id>pwned)"}),
                ("time zone", {"TZ": "Asia/Tokyo"})):
            shells = (BASH,) if title in ("noglob", "bash") else ()
            yield Row(f"environments: {title}", self.plain, options=self.own, environment=environment, shells=shells)
        # A file that the manifest does not name is seen all the same.
        for environment in ({}, {"SHELLOPTS": "noglob"}, {"GLOBIGNORE": "*"}):
            yield Row(f"environments: one file more {environment}", self.plain, "there is a file that the manifest does not name",
                      options=self.own, environment=environment, shells=(BASH,), place=lambda folder: (folder / "more").write_text("x"))

    def empty_values(self):
        """Honest: attributes 4 and 5, and texts, of no bytes."""
        receipt = self.rsa.receipt([(0, tlv(12, b"Production")), (2, tlv(12, b"com.example")), (3, tlv(12)), (4, b""), (5, b""),
                                     (12, tlv(22, b"2025-12-26T18:39:47Z")), (19, tlv(12)), (21, tlv(22))])
        own = ("--root", self.rsa.root_file)
        yield Row("empty values", self.make.evidence(receipt, *own), options=own)


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
    for fault in faults:
        print(f"FAULT {fault}", flush=True)
    honest = sum(row.finds is None for row in rows)
    print(f"{len(rows) - honest} lies and {honest} that are none, {len(faults)} faults, {made:.0f} + {time.monotonic() - started - made:.0f} s", flush=True)
    return faults


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--script", type=pathlib.Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(1 if judge(options.tool, folder, options.script and options.script.read_bytes(), options.only) else 0)
