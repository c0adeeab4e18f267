"""Lies in places where check.sh counts: words where arithmetic expects numbers, which bash would run."""

import hashlib
import re

from authority import base64url, tlv
from lie import (
    ALL_SHELLS, BASH, COMMAND, SIGNED, Row, by_hand, changed, jws_by_hand, payload, resigned, transaction_receipt_by_hand)


class Commands:
    def commands(self):
        """Words where arithmetic expects numbers."""
        # The place of a refusal, which names the verdict's text.
        container = self.plain["container"]
        read = by_hand(self.plain, "form jws\nkind transaction\nrefused malformed read rest", {"container": container},
                       (), b',"status":"refused","format":"jws","refusal":{"code":"malformed","message":"%s",'
                       b'"offset":rest,"field":null}}\n'
                       % COMMAND)
        yield Row("commands: refusal's place", read, "facts: a refusal", is_taken=False, shells=ALL_SHELLS)
        # Likewise with a zero before it, or more digits than a file has bytes.
        for place in ("07", "1" * 30, "-1"):
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
        for demanded in ("line", "abc"):
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
        # A date as text, which is none.
        lie = jws_by_hand(self.plain, self.authority, payload(purchaseDate="rest"), COMMAND, "transaction", COMMAND)
        yield Row("commands: purchaseDate as text", lie, "^payload.json: byte", shells=(BASH,))
        # A receipt's dates.
        date = b"2025-12-26T18:39:47Z"
        authority = self.rsa
        receipt = self.make.evidence(
            authority.receipt([(0, tlv(12, b"Production")), (2, tlv(12, b"com.example")), (12, tlv(22, date)),
                               (21, tlv(22, b"2026-01-01T00:00:00+00:00"))]), "--root", authority.root_file)
        for old, new in ((date, b"rest-12-26T18:39:47Z"), (b"2026-01-01T00:00:00+00:00", b"text-01-01T00:00:00+00:00"),
                         (b"2026-01-01T00:00:00+00:00", b"2026-01-01T00:00:00+ab:00")):
            yield Row(f"commands: receipt's date {new.decode()}", resigned(receipt, authority, old, new), "content.der: byte",
                      shells=(BASH,))
        # Of a transaction receipt, all values are texts.
        for member, value in (("purchase-date-ms", "rest"), ("original-purchase-date-ms", "rest"), ("expires-date", "rest"),
                              ("quantity", "rest"), ("quantity", "99999999999999999999")):
            members = {"transaction-id": "1", "purchase-date-ms": str(SIGNED), "product-id": "p", member: value}
            lie = transaction_receipt_by_hand(receipt, authority, members, COMMAND)
            yield Row(f"commands: old receipt's {member} {value[:9]}", lie, "^content: byte", shells=(BASH,))
        # A record's place in an audit.
        for place in ("text 2", "0 text", "0 1 1", "0 01"):
            lie = self.with_leaf(self.plain, place)
            yield Row(f"commands: leaf {place}", lie, "inclusion/place", shells=(BASH,))

    def with_leaf(self, bundle, place="0 1"):
        """The one record of an audit, as check.sh reads it."""
        digest = hashlib.sha256(bundle["container"]).hexdigest()
        leaf = f'appreceipt record 1\nx\ny\n{{"status":"genuine","sha256":"{digest}"}}\n'.encode()
        root = hashlib.sha256(b"\0" + leaf).hexdigest().encode() + b"\n"
        return {**bundle, "inclusion/leaf": leaf, "inclusion/place": place.encode() + b"\n", "inclusion/path": b"",
                "inclusion/root": root}
