"""Honest evidence that check.sh took for a lie, and what stands close to it."""

import pathlib
import re

from authority import INTERMEDIATE_MARKER, NAMES, SIGNER_MARKER, Authority, extension, name, oid, tlv, pem
from lie import BASH, Row, changed, jws_by_hand, payload

TOP = pathlib.Path(__file__).resolve().parents[2]


class FalseAlarms:
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
                ("extended key usage", {"signer_extensions": usage(SIGNER_MARKER),
                                        "intermediate_extensions": usage(INTERMEDIATE_MARKER)}),
                ("another extension", {"signer_extensions": inner(SIGNER_MARKER)}),
                # Another one of Apple's, whose beginning is the same; the other's.
                ("longer", {"signer_extensions": (extension(SIGNER_MARKER + ".1"),)}),
                ("other", {"signer_extensions": (extension(INTERMEDIATE_MARKER),),
                           "intermediate_extensions": (extension(SIGNER_MARKER),)})):
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
                ("letter", payload().replace(b"example.p", rb"example\u002ep")),
                ("surrogates", identifier(rb"\ud83d\uDE00\u00e9\u20AC")),
                ("short ones", identifier(rb"a\/b\"\\\b\f\n\r\t")),
                ("nothing", identifier(rb"a\u0000b")), ("what steers a terminal", identifier(rb"\u007f\u009b\u202e\u061c\u2066")),
                ("text of a command", identifier(rb"$(id>pwned)`id>pwned`%s%n\\045\\u0041")),
                ("kind", payload(type="Consumable").replace(b"Consumable", rb"Consum\u0061ble")),
                ("environment", payload().replace(b"Production", rb"Produ\u0063tion")),
                # Numbers as JSON may spell them.
                ("quantity with a fraction", payload().replace(b'"quantity":1', b'"quantity":1.0')),
                ("quantity with an exponent", payload().replace(b'"quantity":1', b'"quantity":1e3')),
                ("quantity of nobody", payload(quantity=4294967296)),
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

    def environments(self):
        """Honest, on a machine whose variables have names that the script uses."""
        # All that it assigns, and the members that it keeps by their names.
        script = self.plain["check.sh"].decode()
        variables = set(re.findall(r"\b([a-z_][a-z0-9_]*)=", script)) | set(re.findall(r"\$\{?([a-z_][a-z0-9_]*)", script))
        variables |= {"j_" + member for member in re.findall(r'"\$kind"\.(\w+)', script)}
        variables |= {"j_absent", "is_escaped"}
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
                ("IFS", {"IFS": "0123456789abcdef"}),
                ("bash", {"GLOBIGNORE": "*", "BASHOPTS": "nullglob", "CDPATH": "/", "PS4": "$(id>pwned)"}),
                ("time zone", {"TZ": "Asia/Tokyo"})):
            shells = (BASH,) if title in ("noglob", "bash") else ()
            yield Row(f"environments: {title}", self.plain, options=self.own, environment=environment, shells=shells)
        # A file that the manifest does not name is seen all the same.
        for environment in ({}, {"SHELLOPTS": "noglob"}, {"GLOBIGNORE": "*"}):
            yield Row(f"environments: one file more {environment}", self.plain, "there is a file that the manifest does not name",
                      options=self.own, environment=environment, shells=(BASH,),
                      place=lambda folder: (folder / "more").write_text("x"))

    def empty_values(self):
        """Honest: attributes 4 and 5, and texts, of no bytes."""
        receipt = self.rsa.receipt([(0, tlv(12, b"Production")), (2, tlv(12, b"com.example")), (3, tlv(12)), (4, b""), (5, b""),
                                     (12, tlv(22, b"2025-12-26T18:39:47Z")), (19, tlv(12)), (21, tlv(22))])
        own = ("--root", self.rsa.root_file)
        yield Row("empty values", self.make.evidence(receipt, *own), options=own)
