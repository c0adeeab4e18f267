#!/usr/bin/env python3
"""Checks the values of evidence of "appreceipt evidence", with Python 3.8 or later and check.sh, which needs sh and openssl.

    python3 check.py FOLDER...        without a folder: the one that holds this script

Lets the check.sh beside this script check files, chain and signature first. Then writes every value of verdict.json and
citations.json anew from the signed bytes and compares them, and checks the proof that a record is in an audit and the introductory
answers of eligibility.json. Names and texts of the author's stay unchecked. Exit status: that of check.sh.
"""

import base64
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

TEXT, DATE, IDENTIFIER, BYTES, INTEGER, FLAG, TYPE = range(7)
APP = {0: ("receipt_type", TEXT), 1: ("app_item_id", IDENTIFIER), 2: ("bundle_id", TEXT), 3: ("application_version", TEXT),
       4: ("opaque_value", BYTES), 5: ("sha1_hash", BYTES), 12: ("receipt_creation_date", DATE), 15: ("download_id", IDENTIFIER),
       16: ("version_external_identifier", IDENTIFIER), 18: ("original_purchase_date", DATE),
       19: ("original_application_version", TEXT), 21: ("expiration_date", DATE)}
PURCHASE = {1701: ("quantity", INTEGER), 1702: ("product_id", TEXT), 1703: ("transaction_id", TEXT), 1704: ("purchase_date", DATE),
            1705: ("original_transaction_id", TEXT), 1706: ("original_purchase_date", DATE), 1707: ("product_type", TYPE),
            1708: ("expires_date", DATE), 1711: ("web_order_line_item_id", IDENTIFIER), 1712: ("cancellation_date", DATE),
            1713: ("is_trial_period", FLAG), 1719: ("is_in_intro_offer_period", FLAG), 1720: ("cancellation_reason", INTEGER),
            1721: ("promotional_offer_identifier", TEXT)}
TYPES = ["non_consumable", "consumable", "non_renewing_subscription", "auto_renewable_subscription", "free_subscription"]
JWS_TYPES = {"Non-Consumable": 0, "Consumable": 1, "Non-Renewing Subscription": 2, "Auto-Renewable Subscription": 3}
KINDS = {"transactionId": "transaction", "autoRenewStatus": "renewal_info", "receiptType": "app_transaction",
         "notificationType": "notification", "userLocale": "realtime_request"}


class Outcome(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def require(condition, message):
    if not condition:
        raise Outcome(1, "NOT CONFIRMED: " + message)


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def run(*command, given=None):
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "OPENSSL_CONF": os.devnull, "TMPDIR": os.environ.get("TMPDIR", "/tmp")}
    try:
        return subprocess.run(command, input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    except OSError as error:
        raise Outcome(2, f"NOT CHECKED: {command[0]}: {error.strerror}")


def read_json(content, name):
    def unique(pairs):
        members = dict(pairs)
        require(len(members) == len(pairs), f"{name}: a member twice")
        return members
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=unique, parse_constant=lambda _: 1 / 0)
    except (ValueError, ZeroDivisionError, RecursionError):
        raise Outcome(1, f"NOT CONFIRMED: {name}: not JSON")


# --- DER: elements as (tag, start of the content, its end).

def element(content, at, end):
    require(at + 2 <= end, "DER ends too early")
    tag, length, at = content[at], content[at + 1], at + 2
    if length > 127:
        count = length - 128
        require(0 < count <= 4 and at + count <= end, "DER with a length that is none")
        length, at = int.from_bytes(content[at:at + count], "big"), at + count
    require(at + length <= end, "DER ends too early")
    return tag, at, at + length


def elements(content, at, end):
    found = []
    while at < end:
        found.append(element(content, at, end))
        at = found[-1][2]
    return found


# --- Values.

def rfc3339(milliseconds):
    date = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=milliseconds)
    fraction = f".{milliseconds % 1000:03}" if milliseconds % 1000 else ""
    return f"{date.year:04}" + date.strftime("-%m-%dT%H:%M:%S") + fraction + "Z"


def milliseconds(text):
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:?\d\d| Etc/GMT)", text)
    require(found, f"a date that this script does not read: {text!a}")
    try:
        instant = datetime.datetime.strptime(found[1].replace(" ", "T"), "%Y-%m-%dT%H:%M:%S") - datetime.datetime(1970, 1, 1)
    except ValueError:
        raise Outcome(1, "NOT CONFIRMED: a date that is none")
    zone = found[3].replace(":", "")
    offset = (int(zone[1:3]) * 60 + int(zone[3:])) * (-1 if zone[0] == "-" else 1) if zone[0] in "+-" else 0
    fraction = int((found[2] or ".0")[1:4].ljust(3, "0"))
    return instant // datetime.timedelta(milliseconds=1) - offset * 60000 + fraction


def attributes(content, at, end):
    for tag, at, stop in elements(content, at, end):
        (_, *kind), (_, *version), (tag, *value) = elements(content, at, stop)
        require(tag == 4, "content.der: an attribute without a value")
        yield int.from_bytes(content[slice(*kind)], "big"), int.from_bytes(content[slice(*version)], "big"), value


def record(content, at, end, rows, path, citations):
    """The values of an attribute set as the verdict has them."""
    values, unknown, purchases = {name: None for name, _ in rows.values()}, [], []
    for number, version, (at, stop) in attributes(content, at, end):
        if number == 17 and rows is APP:
            _, start, stop = element(content, at, stop)
            purchases.append(record(content, start, stop, PURCHASE, f"receipt.in_app[{len(purchases)}]", citations))
            continue
        if number not in rows:
            unknown.append({"type": number, "version": version, "value": content[at:stop].hex()})
            continue
        name, kind = rows[number]
        if kind != BYTES:
            _, at, stop = element(content, at, stop)
        raw = content[at:stop]
        whole = int.from_bytes(raw, "big", signed=True)
        if kind == TEXT:
            value = raw.decode()
        elif kind == DATE:
            value = rfc3339(milliseconds(raw.decode())) if raw else None
        else:
            value = {BYTES: raw.hex(), INTEGER: whole, FLAG: whole != 0, IDENTIFIER: str(whole % (1 << 64)),
                     TYPE: TYPES[whole] if 0 <= whole < len(TYPES) else f"unknown_{whole}"}[kind]
        values[name] = value
        if value is not None:
            citations.append({"path": f"{path}.{name}", "attribute": number, "offset": at, "length": stop - at, "value": value})
    return {**values, **({"in_app": purchases} if rows is APP else {}), "unknown": unknown}


def purchase(members, names, milliseconds_of, **more):
    """A transaction in the words of a receipt. names: ours=theirs. milliseconds_of: the dates, by our names."""
    own = {name: None for name, _ in PURCHASE.values()}
    own.update((ours, members.get(theirs)) for ours, theirs in (pair.split("=") for pair in names.split()))
    own.update((name, None if value is None else rfc3339(int(value))) for name, value in milliseconds_of.items())
    return {**own, **more}


def new_purchase(members):
    offer, discount, quantity, kind = map(members.get, ("offerType", "offerDiscountType", "quantity", "type"))
    dates = {name: members.get(theirs) for name, theirs in (
        ("purchase_date", "purchaseDate"), ("original_purchase_date", "originalPurchaseDate"), ("expires_date", "expiresDate"),
        ("cancellation_date", "revocationDate"))}
    return purchase(
        members, """product_id=productId transaction_id=transactionId original_transaction_id=originalTransactionId
        cancellation_reason=revocationReason web_order_line_item_id=webOrderLineItemId
        subscription_group_identifier=subscriptionGroupIdentifier""", dates,
        quantity=quantity if isinstance(quantity, int) and 0 <= quantity < 1 << 32 else None,
        product_type=None if kind is None else TYPES[JWS_TYPES[kind]] if kind in JWS_TYPES else "unknown",
        is_trial_period=None if offer == 1 and discount is None else offer == 1 and discount == "FREE_TRIAL",
        is_in_intro_offer_period=offer == 1 and discount != "FREE_TRIAL",
        promotional_offer_identifier=members.get("offerIdentifier") if offer == 2 else None)


def old_purchase(members):
    dates = {name: members.get(number) or members.get(words) and milliseconds(members[words]) for name, number, words in (
        ("purchase_date", "purchase-date-ms", "purchase-date"), ("expires_date", "expires-date", "expires-date-formatted"),
        ("original_purchase_date", "original-purchase-date-ms", "original-purchase-date"))}
    flags = {name: members[theirs] == "true" for name, theirs in (
        ("is_trial_period", "is-trial-period"), ("is_in_intro_offer_period", "is-in-intro-offer-period")) if theirs in members}
    return purchase(
        members, """product_id=product-id transaction_id=transaction-id original_transaction_id=original-transaction-id
        web_order_line_item_id=web-order-line-item-id subscription_group_identifier=subscription-group-identifier""", dates,
        quantity=int(members["quantity"]) if "quantity" in members else None, **flags)


def leaves(value, path):
    """Every text, number, flag and null of JSON, with its path."""
    if isinstance(value, (dict, list)):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for name, inner in pairs:
            yield from leaves(inner, f"{path}.{name}" if isinstance(value, dict) else f"{path}[{name}]")
    else:
        yield path, value


def same(one, other):
    """Equal as JSON: true is no 1, and 1.0 is 1."""
    return one is other or json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


# --- One folder.

class Evidence:
    def __init__(self, folder):
        self.folder, here = pathlib.Path(folder), pathlib.Path(__file__).resolve().parent
        done = run("sh", str(here / "check.sh"), folder)
        if done.returncode:
            raise Outcome(done.returncode, (done.stderr or done.stdout.splitlines()[-1]).decode(errors="replace").strip())
        if self.file("check.py") != pathlib.Path(__file__).read_bytes():
            raise Outcome(2, "NOT CHECKED: made with another check.py, of SHA-256 " + sha256(self.file("check.py")) + ": take that")
        self.citations = []

    def has(self, name):
        return (self.folder / name).exists()

    def file(self, name):
        require(self.has(name), f"{name} is missing")
        return (self.folder / name).read_bytes()

    def json(self, name):
        return read_json(self.file(name), name)

    def check(self):
        verdict = self.json("verdict.json")
        self.content = next(name for name in ("content.der", "payload.json", "content") if self.has(name))
        expected = {"sha256": sha256(self.file("container")), "status": "genuine", "realm": "app_store"}
        content = self.file(self.content)
        expected.update({"content.der": self.receipt, "payload.json": self.jws, "content": self.transaction_receipt}[self.content](content))
        expected["signature"]["chain"] = [self.certificate(name) for name in ("signer.pem", "intermediate.pem", "root.pem")]
        names = {name: verdict.pop(name) for name in ("source", "id", "subject", "path") if name in verdict}
        wrapping = verdict.pop("wrapping", [])
        require(isinstance(wrapping, list) and all(isinstance(text, str) for text in wrapping), "verdict.json: a wrapping")
        for name in sorted(verdict.keys() | expected.keys()):
            require(name in verdict and name in expected and same(verdict[name], expected[name]),
                    f"verdict.json: {name} is not what was signed")
        require(same(self.json("citations.json"), {"content": self.content, "citations": self.citations}),
                "citations.json: not what was signed")
        notes = [f"{self.content}: {len(self.citations)} values are those of verdict.json and citations.json"]
        notes.append(self.inclusion(names, verdict) if self.has("inclusion/leaf") else "names are the author's word: " + ", ".join(names))
        return notes + ([self.eligibility(verdict)] if self.has("eligibility.json") else [])

    def certificate(self, name):
        """A certificate as the verdict has it."""
        der = run("openssl", "x509", "-outform", "DER", given=self.file(name)).stdout
        shown = run("openssl", "x509", "-noout", "-serial", "-dates", "-subject", "-issuer", "-nameopt", "sep_comma_plus,sname,utf8,esc_2253",
                    given=self.file(name)).stdout.decode()
        found = {line.split("=", 1)[0]: line.split("=", 1)[1].strip() for line in shown.splitlines()}
        day = lambda text: datetime.datetime.strptime(text, "%b %d %H:%M:%S %Y GMT").strftime("%Y-%m-%dT%H:%M:%SZ")
        return {"subject": found["subject"], "issuer": found["issuer"], "serial": found["serial"].lower(),
                "not_before": day(found["notBefore"]), "not_after": day(found["notAfter"]), "sha256": sha256(der)}

    def receipt(self, content):
        (tag, at, end), = elements(content, 0, len(content))
        require(tag == 0x31, "content.der: not a set of attributes")
        receipt = record(content, at, end, APP, "receipt", self.citations)
        shown = run("openssl", "cms", "-cmsout", "-print", "-inform", "DER", given=self.file("container")).stdout
        digest = re.search(rb"digestAlgorithms?:.*?algorithm: (sha\d+)", shown, re.DOTALL)
        environment = {"Production": "Production", "ProductionVPP": "Production", "ProductionSandbox": "Sandbox",
                       "ProductionVPPSandbox": "Sandbox", "Xcode": "Xcode"}.get(receipt["receipt_type"])
        return {"content_sha256": sha256(content), "environment": environment, "receipt": receipt,
                "signature": {"digest": digest[1].decode(), "verified_at": receipt["receipt_creation_date"]}}

    def jws(self, content):
        members = read_json(content, self.content)
        kind, = [kind for name, kind in KINDS.items() if name in members]
        signed = members["receiptCreationDate" if kind == "app_transaction" else "signedDate"]
        claims = self.json("citations.json")["citations"]
        for (path, value), claim in zip(leaves(members, kind), claims):
            at, length = claim["offset"], claim["length"]
            require(type(at) is type(length) is int and 0 <= at and same(read_json(content[at:at + length], "citations.json"), value),
                    "citations.json: another place")
            self.citations.append({"path": path, "offset": at, "length": length, "value": value})
        require(len(claims) == len(list(leaves(members, kind))), "citations.json: not every value")
        environment = members.get("receiptType" if kind == "app_transaction" else "environment")
        if kind == "notification":
            bodies = [body for body in members.values() if isinstance(body, dict)]
            found = [body["environment"] for body in bodies if "environment" in body]
            tokens = [body["externalPurchaseId"] for body in bodies if body.get("externalPurchaseId")]
            environment = (found + ["Sandbox" if text.startswith("SANDBOX") else "Production" for text in tokens] + [None])[0]
        if environment not in ("Production", "Sandbox", "Xcode", "LocalTesting"):
            environment = None
        more = {"in_app": new_purchase(members)} if kind == "transaction" else {}
        return {"format": "jws", "kind": kind, "environment": environment, kind: members, **more,
                "signature": {"algorithm": "ES256", "digest": "sha256", "verified_at": rfc3339(int(signed))}}

    def transaction_receipt(self, content):
        pairs = [(match[1].decode(), match[2].decode(), match.start(2), match.end(2) - match.start(2))
                 for match in re.finditer(rb'"([^"]*)"\s*=\s*"([^"]*)"\s*;', content)]
        members = {name: text for name, text, _, _ in pairs}
        require(len(members) == len(pairs), "content: a member twice")
        self.citations = [{"path": f"transaction.{name}", "offset": at, "length": length, "value": text} for name, text, at, length in pairs]
        digest, made = "sha256" if content[0] == 4 else "sha1", old_purchase(members)
        return {"format": "transaction_receipt", "kind": "transaction", "environment": None, "transaction": members, "in_app": made,
                "caveats": ["rsa-1024"] if content[0] == 2 else [],
                "signature": {"algorithm": digest + "WithRSAEncryption", "digest": digest, "verified_at": made["purchase_date"]}}

    def inclusion(self, names, verdict):
        """RFC 9162, 2.1.3.2: the leaf is this record's, and leads to the root."""
        leaf, path, place, root = (self.file(f"inclusion/{name}") for name in ("leaf", "path", "place", "root"))
        found = re.fullmatch(rb"(0|[1-9]\d{0,18}) ([1-9]\d{0,18})\n", place)
        lines = leaf.split(b"\n")
        require(found and len(lines) == 6 and lines[0] == b"appreceipt record 2", "inclusion: no proof")
        received, container = self.file("received"), self.file("container")
        is_base64 = lines[3] == b"received base64" and received == base64.b64encode(container)
        require(is_base64 or lines[3] == b"received " + sha256(received).encode(), "inclusion/leaf: other bytes were received")
        stated = read_json(lines[4], "inclusion/leaf")
        stated.pop("eligibility", None)
        stated.pop("path", None)  # in its record, of which this is a part
        stated.pop("wrapping", None)
        claimed = {name: value for name, value in names.items() if name != "path"}
        members = ("sha256", "content_sha256", "status", "format", "kind", "realm", "environment")
        is_unnamed = stated.get("source", "/")[:1] in ("", "#")  # The record is the source, which the audit's manifest names.
        if is_unnamed and claimed.get("source", "").endswith(stated["source"]):
            claimed["source"] = stated["source"]
        claimed.update((name, verdict[name]) for name in members if name in verdict)
        require(same(stated, claimed), "inclusion/leaf: of another record, or with another verdict")
        node, last, digest = int(found[1]), int(found[2]) - 1, hashlib.sha256(b"\0" + leaf).digest()
        require(node <= last and len(path) % 32 == 0, "inclusion/place: no such leaf")
        for at in range(0, len(path), 32):
            require(last > 0, "inclusion/path: too long")
            if node % 2 or node == last:
                digest = hashlib.sha256(b"\1" + path[at:at + 32] + digest).digest()
                while node and not node % 2:
                    node, last = node >> 1, last >> 1
            else:
                digest = hashlib.sha256(b"\1" + digest + path[at:at + 32]).digest()
            node, last = node >> 1, last >> 1
        require(last == 0 and root == digest.hex().encode() + b"\n", "inclusion/root: another root follows")
        return f"record {int(found[1]) + 1} of {int(found[2])}: compare the root that the audit told: {digest.hex()}" + (
            "; names are the author's word: source" if is_unnamed else "")

    def eligibility(self, verdict):
        """The introductory answers of a receipt, by the rules that "appreceipt rules" lists."""
        if "receipt" not in verdict:
            return "eligibility.json: of a receipt alone it is checked here; see appreceipt evidence --check"
        question = self.json("request.json")["question"]
        as_of, is_single = milliseconds(question["as_of"]), question["single_group"]
        catalog = {} if is_single else self.json("catalog.json")
        catalog = catalog.get("apps", {}).get(verdict["receipt"]["bundle_id"], catalog)
        groups = {product: name for name, products in catalog.get("groups", {}).items() for product in products}
        for group in catalog.get("subscriptionGroups", []):
            groups.update((product["productID"], group["id"]) for product in group["subscriptions"])
        date = lambda each, name: milliseconds(each[name]) if each[name] else None
        then = [each for each in verdict["receipt"]["in_app"] if (date(each, "purchase_date") or 0) <= as_of and (
            each["product_type"] == TYPES[3] or each["product_type"] is None and each["expires_date"])]
        answers = [read_json(line, "eligibility.json") for line in self.file("eligibility.json").splitlines()]
        for answer in answers:
            group, offer = groups.get(answer["product_id"]), answer["introductory_offer"]
            mine = [each for each in then if is_single or groups.get(each["product_id"]) == group]
            over = [each for each in mine if each["cancellation_date"] and date(each, "cancellation_date") <= as_of]
            if group is None and not is_single:
                rules = ["unknown-product"]
            elif question["is_clock"] and as_of < milliseconds(verdict["signature"]["verified_at"]):
                rules = ["clock-before-receipt"]
            elif any(each["is_trial_period"] or each["is_in_intro_offer_period"] for each in mine):
                rules = ["offer-used"]
            elif any(as_of < (date(each, "expires_date") or 0) and each not in over for each in mine):
                rules = ["subscribed"]
            else:  # A purchase that was cancelled by a switch within the group is no refund.
                unlisted = not is_single and any(each["product_id"] not in groups for each in then)
                rules = ["refunded"] * bool(over) + ["uncatalogued-history" if unlisted else "lapsed" if mine else "never-subscribed"]
            outcome = {"offer-used": "ineligible", "subscribed": "ineligible", "refunded": "ineligible", "never-subscribed": "eligible",
                       "lapsed": "eligible"}.get(offer["rule"], "undetermined")
            is_strict = outcome == "eligible" and "undetermined" in (question["stale_evidence"], question["partial_evidence"])
            require(offer["rule"] in rules and milliseconds(answer["as_of"]) == as_of and (offer["outcome"] == outcome or is_strict),
                    f"eligibility.json: expected {' or '.join(rules)} of {answer['product_id']!a}")
            ids = {each["transaction_id"] for each in verdict["receipt"]["in_app"]}
            require(set(offer["transactions"]) <= ids, "eligibility.json: rests on a transaction that was not signed")
        return f"eligibility.json: {len(answers)} introductory answers as of {question['as_of']}; catalog and date are the author's word"


def check(folder):
    try:
        notes = Evidence(folder).check()
    except Outcome as outcome:
        return outcome.status, [str(outcome)]
    except OSError as error:
        return 2, [f"NOT CHECKED: {error.strerror}"]
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        return 1, [f"NOT CONFIRMED: of a form that no evidence has: {type(error).__name__}"]
    return 0, ["CONFIRMED: Apple signed this, and verdict.json says what was signed", *notes]


def main(folders):
    worst = 0
    for folder in folders or [str(pathlib.Path(__file__).resolve().parent)]:
        status, lines = check(folder)
        print(f"{folder}:", *lines, sep="\n   ")
        worst = next(each for each in (1, 2, 3, 4, 0) if each in (worst, status))
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
