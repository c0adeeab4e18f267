#!/usr/bin/env python3
"""Checks the values of evidence of "appreceipt evidence", with Python 3.8 or later and check.sh, which needs sh and openssl.

    python3 -I check.py [FOLDER...]        By default, checks the folder of this script.

Runs check.sh in this script's folder, which checks files, chain and signature. Then checks the container's form. Derives every value of
verdict.json and citations.json from the signed bytes and compares them. Checks the proof that a record is in an audit, and introductory
answers of eligibility.json. Does not check names and texts of the author. The exit status is that of check.sh.
"""

import sys
if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
    del sys.path[0]  # The folder of this script may contain a hostile json.py.
import base64, datetime, hashlib, json, os, pathlib, re, subprocess

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
# Digest algorithms, each with the last bytes of its combined identifiers under RSA and ECDSA (RFC 3370, 3.2; RFC 5758, 3.2).
DIGESTS = {"06052b0e03021a": ("sha1", "05", "none"), "0609608648016503040201": ("sha256", "0b", "02"),
           "0609608648016503040202": ("sha384", "0c", "03"), "0609608648016503040203": ("sha512", "0d", "04")}
SIGNATURE = "06092a864886f70d0101(01|%s)(0500)?|06082a8648ce3d0403%s"  # rsaEncryption or a combined one
# Places of signed objects in JSON of the App Store Server API.
SIGNED = r"#(\w*(\[\d+\])*\.)*(signedTransactions\[\d+\]|signedTransactionInfo|signedRenewalInfo|signedAppTransactionInfo|signedPayload)"
KINDS = {"transactionId": "transaction", "autoRenewStatus": "renewal_info", "receiptType": "app_transaction",
         "notificationType": "notification", "userLocale": "realtime_request"}

class Outcome(Exception): """An exit status and a message."""

def require(condition, message, status=1):
    if not condition:
        raise Outcome(status, ("NOT CONFIRMED: ", "NOT CHECKED: ")[status - 1] + message)

def sha256(content): return hashlib.sha256(content).hexdigest()

def run(*command, given=None):
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "OPENSSL_CONF": os.devnull, "TMPDIR": os.environ.get("TMPDIR", "/tmp")}
    try:
        return subprocess.run(command, input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    except OSError as error:
        raise Outcome(2, f"NOT CHECKED: {command[0]}: {error.strerror}")

def read_json(content, name):
    def unique(pairs):
        members = dict(pairs)
        require(len(members) == len(pairs), f"{name}: duplicate member")
        return members
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=unique, parse_constant=lambda _: 1 / 0)
    except (ValueError, ZeroDivisionError, RecursionError):
        raise Outcome(1, f"NOT CONFIRMED: {name}: not JSON")

def element(content, at, end):
    """Returns a DER element: its tag, and the start and end of its content."""
    require(at + 2 <= end, "DER: truncated")
    tag, length, at = content[at], content[at + 1], at + 2
    if length > 127:
        count = length - 128
        require(0 < count <= 4, "BER length that this script does not support: use appreceipt evidence --check", 2)
        length, at = int.from_bytes(content[at:at + count], "big"), at + count
    require(at + length <= end, "DER: truncated")
    return tag, at, at + length

def elements(content, at, end, tags=None):
    """Returns all DER elements. Their tags must match a regular expression."""
    found = []
    while at < end:
        found.append(element(content, at, end))
        at = found[-1][2]
    require(tags is None or re.fullmatch(tags, bytes(tag for tag, _, _ in found)), "DER: structure that receipts do not have")
    return found

def digest_of_container(der, content):
    """Returns the digest algorithm. Requires version 1, X.509 certificates, one signer and no unsigned attributes (RFC 5652, 5)."""
    inside = lambda span, tags: elements(der, span[1], span[2], tags)
    raw = lambda span: der[span[1]:span[2]].hex()
    kind, wrapped = inside(elements(der, 0, len(der), b"0")[0], b"\x06\xa0")
    version, digests, signed, *certificates, signers = inside(inside(wrapped, b"0")[0], b"\x02\x310\xa0?\x31")
    data, octets = inside(signed, b"\x06\xa0")
    signer = inside(inside(signers, b"0")[0], b"\x0200\xa0?0\x04")
    require(["2a864886f70d010702", "01", "2a864886f70d010701", "01"] == [raw(each) for each in (kind, version, data, signer[0])]
            and all(inside(each, b"0*") for each in certificates), "container: structure that receipts do not have")
    require(raw(inside(octets, b"\x04")[0]) == content.hex(), "container: its content is not the signed content in the folder")
    used, *named = [DIGESTS.get(re.sub("0500$", "", raw(each))) for each in [signer[2], *inside(digests, b"0*")]]
    require(used in named and None not in named and re.fullmatch(SIGNATURE % used[1:], raw(signer[-2])), "container: unsupported algorithms")
    return used[0]

def rfc3339(milliseconds):
    date = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=milliseconds)
    fraction = f".{milliseconds % 1000:03}" if milliseconds % 1000 else ""
    return f"{date.year:04}" + date.strftime("-%m-%dT%H:%M:%S") + fraction + "Z"

def milliseconds(text):
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:?\d\d| Etc/GMT)", text)
    require(found, f"unsupported date: {text!a}")
    try:
        instant = datetime.datetime.strptime(found[1].replace(" ", "T"), "%Y-%m-%dT%H:%M:%S") - datetime.datetime(1970, 1, 1)
    except ValueError:
        raise Outcome(1, "NOT CONFIRMED: invalid date")
    zone = found[3].replace(":", "")
    offset = (int(zone[1:3]) * 60 + int(zone[3:])) * (-1 if zone[0] == "-" else 1) if zone[0] in "+-" else 0
    fraction = int((found[2] or ".0")[1:4].ljust(3, "0"))
    return instant // datetime.timedelta(milliseconds=1) - offset * 60000 + fraction

def record(content, at, end, rows, path, citations):
    """Returns the values of an attribute set in the verdict's format."""
    values, unknown, purchases = {name: None for name, _ in rows.values()}, [], []
    for _, at, stop in elements(content, at, end):
        fields = elements(content, at, stop, b"\x02\x02\x04")
        number, version = (int.from_bytes(content[start:stop], "big") for _, start, stop in fields[:2])
        _, at, stop = fields[2]
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
    """Returns a transaction with a receipt's names. names: receipt=transaction. milliseconds_of: the dates, by receipt names."""
    own = {name: None for name, _ in PURCHASE.values()}
    own.update((ours, members.get(theirs)) for ours, theirs in (pair.split("=") for pair in names.split()))
    own.update((name, None if value is None else rfc3339(int(value))) for name, value in milliseconds_of.items())
    return {**own, **more}

def new_purchase(members):
    offer, discount, quantity, kind = map(members.get, ("offerType", "offerDiscountType", "quantity", "type"))
    dates = {"purchase_date": "purchaseDate", "original_purchase_date": "originalPurchaseDate", "expires_date": "expiresDate",
             "cancellation_date": "revocationDate"}
    return purchase(
        members, """product_id=productId transaction_id=transactionId original_transaction_id=originalTransactionId
        cancellation_reason=revocationReason web_order_line_item_id=webOrderLineItemId
        subscription_group_identifier=subscriptionGroupIdentifier""", {ours: members.get(theirs) for ours, theirs in dates.items()},
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
    """Yields every string, number, Boolean and null of JSON with its path."""
    if isinstance(value, (dict, list)):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, f"{path}.{name}" if isinstance(value, dict) else f"{path}[{name}]")
    else:
        yield path, value

def same(one, other):
    """Compares as JSON: neither true nor 1.0 equals 1."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)

class Purchase:  # as of a date
    def __init__(self, each, as_of):
        self.id, self.product, self.type = each["transaction_id"], each["product_id"], each["product_type"]
        self.is_offer = each["is_trial_period"] or each["is_in_intro_offer_period"]
        self.start, self.expiry, self.cancelled = (
            milliseconds(each[name] or "1970-01-01T00:00:00Z") for name in ("purchase_date", "expires_date", "cancellation_date"))
        if self.cancelled > as_of:
            self.cancelled = 0
        self.end = min((date for date in (self.expiry, self.cancelled) if date), default=self.start)

class Evidence:
    def __init__(self, folder):
        self.folder, here = pathlib.Path(folder), pathlib.Path(__file__).resolve().parent
        done = run("sh", str(here / "check.sh"), folder)
        if done.returncode or b"\nCONFIRMED: " not in done.stdout:
            words = (done.stderr.strip() or b"NOT CHECKED: check.sh ended early" if done.returncode not in (3, 4) else done.stdout.strip())
            raise Outcome(done.returncode if done.returncode in (1, 3, 4) else 2, words.decode(errors="replace").splitlines()[-1])
        own = sha256(self.file("check.py"))
        require(own == sha256(pathlib.Path(__file__).read_bytes()), f"made for another check.py, {own}: get that version from a release", 2)
        self.citations = []

    def has(self, name): return (self.folder / name).exists()

    def file(self, name):
        require(self.has(name), f"{name} is missing")
        return (self.folder / name).read_bytes()

    def json(self, name): return read_json(self.file(name), name)

    def check(self):
        verdict = self.json("verdict.json")
        readers = {"content.der": self.receipt, "payload.json": self.jws, "content": self.transaction_receipt}
        self.content = next(name for name in readers if self.has(name))
        expected = {"sha256": sha256(self.file("container")), "status": "genuine", "realm": "app_store", "revocation": {"status": "not_checked", "as_of": None, "caveats": []}}
        expected.update(readers[self.content](self.file(self.content)))
        expected["signature"]["chain"] = [self.certificate(name) for name in ("signer.pem", "intermediate.pem", "root.pem")]
        place = self.json("request.json")["place"]
        self.received(place)
        names = {name: verdict.pop(name) for name in ("source", "id", "subject") if name in verdict}
        if place and "source" not in names: expected["path"] = place[1:]
        require(not place or names.get("source", place).endswith(place), "verdict.json: source names another place than request.json")
        revocation = verdict["revocation"].get("status") if isinstance(verdict.get("revocation"), dict) else None
        require("wrapping" not in verdict and revocation not in ("good", "no_information"), "further encodings or revocation lists: use appreceipt evidence --check", 2)
        for name in sorted(verdict.keys() | expected.keys()):
            require(name in verdict and name in expected and same(verdict[name], expected[name]),
                    f"verdict.json: {name!a} differs from the signed content")
        require(same(self.json("citations.json"), {"content": self.content, "citations": self.citations}),
                "citations.json: differs from the signed content")
        notes = [f"{self.content}: {len(self.citations)} values match verdict.json and citations.json"]
        lines = self.file("eligibility.json").splitlines() if self.has("eligibility.json") else None
        self.answers = None if lines is None else [read_json(line, "eligibility.json") for line in lines]
        notes.append(self.inclusion(names, verdict) if self.has("inclusion/leaf") else "stated by the author, not proven: " + ", ".join(names))
        return notes + ([] if lines is None else [self.eligibility(verdict)])

    def received(self, place):
        """Checks that `received` is the container, which check.sh checked, or JSON with the container at this place."""
        received, container = self.file("received").lstrip(b"\xef\xbb\xbf \t\r\n"), self.file("container")
        if received[:1] not in (b"{", b"[") or received == container:
            return require(not place, "request.json: names a place, but received is the signed object itself")
        require(re.fullmatch(SIGNED, place), "request.json: the place is not one of a signed object")
        found = read_json(received, "received")
        for name, index in re.findall(r"(\w+)|\[(\d+)\]", place):
            found = found[name or int(index)]
        require(found == container.decode(), "received: the container is not at the place of request.json")

    def certificate(self, name):
        """Returns a certificate in the verdict's format."""
        shown = run("openssl", "x509", "-noout", "-serial", "-dates", "-subject", "-issuer", "-nameopt", "sep_comma_plus,sname,utf8,esc_2253",
                    given=self.file(name)).stdout.decode()
        found = {line.split("=", 1)[0]: line.split("=", 1)[1].strip() for line in shown.splitlines()}
        day = lambda text: datetime.datetime.strptime(text, "%b %d %H:%M:%S %Y GMT").strftime("%Y-%m-%dT%H:%M:%SZ")
        return {"subject": found["subject"], "issuer": found["issuer"], "serial": found["serial"].lower(),
                "not_before": day(found["notBefore"]), "not_after": day(found["notAfter"]),
                "sha256": sha256(run("openssl", "x509", "-outform", "DER", given=self.file(name)).stdout)}

    def receipt(self, content):
        (_, at, end), = elements(content, 0, len(content), b"1")
        receipt = record(content, at, end, APP, "receipt", self.citations)
        environment = {"Production": "Production", "ProductionVPP": "Production", "ProductionSandbox": "Sandbox",
                       "ProductionVPPSandbox": "Sandbox", "Xcode": "Xcode"}.get(receipt["receipt_type"])
        return {"content_sha256": sha256(content), "environment": environment, "receipt": receipt,
                "signature": {"digest": digest_of_container(self.file("container"), content), "verified_at": receipt["receipt_creation_date"]}}

    def jws(self, content):
        members = read_json(content, self.content)
        kind, = [kind for name, kind in KINDS.items() if name in members]
        signed = members["receiptCreationDate" if kind == "app_transaction" else "signedDate"]
        claims, last = self.json("citations.json")["citations"], 0
        for (path, value), claim in zip(leaves(members, kind), claims):
            at, length = claim["offset"], claim["length"]
            require(type(at) is type(length) is int and last <= at and same(read_json(content[at:at + length], "citations.json"), value)
                    and content[at + length:][:1] in (b",", b"}", b"]", b" ", b"\t", b"\r", b"\n"), "citations.json: wrong offset or length")
            last = at + length
            self.citations.append({"path": path, "offset": at, "length": length, "value": value})
        require(len(claims) == len(list(leaves(members, kind))), "citations.json: a value is missing")
        environment = members.get("receiptType" if kind == "app_transaction" else "environment")
        if kind == "notification":
            bodies = [body for body in members.values() if isinstance(body, dict)]
            found = [body["environment"] for body in bodies if "environment" in body]
            tokens = [body["externalPurchaseId"] for body in bodies if body.get("externalPurchaseId")]
            environment = (found + ["Sandbox" if text.startswith("SANDBOX") else "Production" for text in tokens] + [None])[0]
        environment = environment if environment in ("Production", "Sandbox", "Xcode", "LocalTesting") else None
        more = {"in_app": new_purchase(members)} if kind == "transaction" else {}
        return {"format": "jws", "kind": kind, "environment": environment, kind: members, **more,
                "signature": {"algorithm": "ES256", "digest": "sha256", "verified_at": rfc3339(int(signed))}}

    def transaction_receipt(self, content):
        pairs = [(match[1].decode(), match[2].decode(), match.start(2), match.end(2) - match.start(2))
                 for match in re.finditer(rb'"([^"]*)"\s*=\s*"([^"]*)"\s*;', content)]
        members = {name: text for name, text, _, _ in pairs}
        require(len(members) == len(pairs), "content: duplicate member")
        self.citations = [{"path": f"transaction.{name}", "offset": at, "length": length, "value": text} for name, text, at, length in pairs]
        digest, made = "sha256" if content[0] == 4 else "sha1", old_purchase(members)
        return {"format": "transaction_receipt", "kind": "transaction", "environment": None, "transaction": members, "in_app": made,
                "caveats": ["rsa-1024"] if content[0] == 2 else [],
                "signature": {"algorithm": digest + "WithRSAEncryption", "digest": digest, "verified_at": made["purchase_date"]}}

    def inclusion(self, names, verdict):
        """Checks that the leaf is about this record and leads to the root (RFC 9162, 2.1.3.2)."""
        leaf, path, place, root = (self.file(f"inclusion/{name}") for name in ("leaf", "path", "place", "root"))
        found = re.fullmatch(rb"(0|[1-9]\d{0,18}) ([1-9]\d{0,18})\n", place)
        lines = leaf.split(b"\n")
        require(found and len(lines) == 6 and lines[0] == b"appreceipt record 2", "inclusion: malformed proof")
        received, encoded = self.file("received"), base64.b64encode(self.file("container"))
        require(lines[3] == b"received " + (b"base64" if received == encoded else sha256(received).encode()), "inclusion/leaf: other digest")
        stated = read_json(lines[4], "inclusion/leaf")
        require(same(stated.pop("eligibility", None), self.answers), "inclusion/leaf: its answers are not those of eligibility.json")
        require(stated.pop("path", "").endswith(verdict.get("path", "")), "inclusion/leaf: is for another object of the record")
        claimed, members = dict(names), ("sha256", "content_sha256", "status", "format", "kind", "realm", "environment", "revocation")
        is_unnamed = stated.get("source", "/")[:1] in ("", "#")  # The record is the source, which the audit's manifest names.
        if is_unnamed and claimed.get("source", "").endswith(stated["source"]): claimed["source"] = stated["source"]
        claimed.update((name, verdict[name]) for name in members if name in verdict)
        require(same(stated, claimed), "inclusion/leaf: is for another record, or has another verdict")
        node, last, digest = int(found[1]), int(found[2]) - 1, hashlib.sha256(b"\0" + leaf).digest()
        require(node <= last and len(path) % 32 == 0, "inclusion/place: no such leaf in the tree")
        for at in range(0, len(path), 32):
            require(last > 0, "inclusion/path: too long")
            if node % 2 or node == last:
                digest = hashlib.sha256(b"\1" + path[at:at + 32] + digest).digest()
                while node and not node % 2:
                    node, last = node >> 1, last >> 1
            else:
                digest = hashlib.sha256(b"\1" + digest + path[at:at + 32]).digest()
            node, last = node >> 1, last >> 1
        require(last == 0 and root == digest.hex().encode() + b"\n", "inclusion/root: the path leads to another root")
        word = "; stated by the author, not proven: source" if is_unnamed else ""
        return f"record {int(found[1]) + 1} of {int(found[2])}: compare with the Merkle root of the audit: {digest.hex()}{word}"

    def eligibility(self, verdict):
        """Checks a receipt's introductory answers with the rules that "appreceipt rules" lists."""
        if "receipt" not in verdict:
            return "NOT CHECKED HERE: eligibility.json, because it is not about a receipt alone: use appreceipt evidence --check"
        question, answers, undecided = self.json("request.json")["question"], self.answers, 0
        require(question["products"] in (None, [answer["product_id"] for answer in answers]), "eligibility.json: wrong products")
        as_of, is_single, created = milliseconds(question["as_of"]), question["single_group"], milliseconds(verdict["signature"]["verified_at"])
        catalog = {} if is_single else self.json("catalog.json")
        catalog = catalog.get("apps", {}).get(verdict["receipt"]["bundle_id"], catalog)
        groups = {product: name for name, products in catalog.get("groups", {}).items() for product in products}
        for group in catalog.get("subscriptionGroups", []):
            groups.update((product["productID"], group["id"]) for product in group["subscriptions"])
        bought = [each for each in (Purchase(row, as_of) for row in verdict["receipt"]["in_app"]) if each.start <= as_of]
        then = [each for each in bought if each.type == TYPES[3] or each.type is None and each.expiry]
        is_open = any(each.expiry and (each.type or "").startswith("unknown_") for each in bought) or (
            not is_single and any(each.product not in groups for each in then))
        for answer in answers:
            group, offer = groups.get(answer["product_id"]), answer["introductory_offer"]
            mine = [each for each in then if is_single or groups.get(each.product) == group]
            over = [each for each in mine if each.cancelled] if question["refunds"] == "block" else []
            is_refunded = not all(any(each.product != other.product and abs(each.cancelled - other.start) <= 60_000 for other in mine)
                                  for each in over)
            is_stale = question["stale_evidence"] == "undetermined" and created < max((each.end for each in mine), default=0)
            rule, outcome = next((rule, outcome) for applies, rule, outcome in (
                (group is None and not is_single, "unknown-product", "undetermined"),
                (question["is_clock"] and as_of < created, "clock-before-receipt", "undetermined"),
                (any(each.is_offer for each in mine), "offer-used", "ineligible"),
                (any(as_of < (each.expiry or 0) and not each.cancelled for each in mine), "subscribed", "ineligible"),
                (is_refunded, "refunded", "ineligible"),
                (over, None, None),  # A switch, perhaps: that depends on ranks in the catalog.
                (is_open, "uncatalogued-history", "undetermined"),
                (not mine, "never-subscribed", "eligible"),
                (True, "lapsed", "undetermined" if is_stale else "eligible")) if applies)
            undecided += rule is None
            require(rule is None or milliseconds(answer["as_of"]) == as_of and (offer["rule"], offer["outcome"]) == (rule, outcome),
                    f"eligibility.json: expected {outcome} by {rule} of {answer['product_id']!a}")
            require(set(offer["transactions"]) <= {each.id for each in bought}, "eligibility.json: names an unsigned transaction")
        return (f"eligibility.json: {len(answers) - undecided} introductory answers as of {question['as_of']}, with catalog and date as "
                f"stated by the author; NOT CHECKED HERE: {undecided} after a cancellation that may be a switch, and other offers")

def check(folder):
    try:
        notes = Evidence(folder).check()
    except Outcome as outcome:
        return outcome.args[0], [outcome.args[1]]
    except (OSError, MemoryError) as error:
        return 2, [f"NOT CHECKED: {type(error).__name__}"]
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        return 1, [f"NOT CONFIRMED: malformed evidence: {type(error).__name__}"]
    return 0, ["CONFIRMED: Apple signed this, and verdict.json says what was signed", *notes]

def main(folders):
    worst = 0
    for folder in folders or [str(pathlib.Path(__file__).resolve().parent)]:
        status, lines = check(folder)
        try:
            os.write(1, ("\n   ".join([f"{folder}:", *lines]) + "\n").encode(errors="backslashreplace"))
        except OSError:
            return 2
        worst = next(each for each in (1, 2, 3, 4, 0) if each in (worst, status))
    return worst

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
