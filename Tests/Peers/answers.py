"""Compares the expected verifyReceipt answers in Fixtures/answers with the peer's. See `run`.

The peer answers for every receipt in both environments, and for every request of requests.json. Members are
compared without their order, because the peer sorts them. A difference that no rule explains is a defect of one of
them.
"""

import base64
import json
import sys

from apple_purchase_receipt_verifier import Config, Environment, Verifier

from cases import FIXTURES, der
from rules import Rule

ANSWERS = FIXTURES / "answers"
RECEIPT = FIXTURES / "genuine/receipts/tikhop-ios-sandbox-g5-2025.b64"
# The same date as in VerifyReceiptFixtureTests.
REQUEST_DATE = 1_700_000_000_123
ABSENT = "nothing"


def refused(*names):
    """Returns a rule's condition: only this package refuses these fixtures, as malformed."""
    return lambda path, ours, theirs, fixture: path == ".status" and ours == 21002 and fixture in names


# (path, this package's value, the peer's, the fixture). A rule that explains nothing is an error.
DIFFERENCES = [
    Rule("valid dates", "an invalid date is an error; the peer omits it, or uses the clock",
         refused("receipts/bad-creation-date.der", "receipts/bad-expiry.der")),
    Rule("duplicate attributes", "an attribute with two values is an error; the peer takes one of them",
         refused("receipts/two-bundle-ids.der")),
    Rule("promotional offers", "attribute 1721 is promotional_offer_id; the peer omits it",
         lambda path, ours, theirs, fixture: path.endswith(".promotional_offer_id") and theirs == ABSENT),
]


def leaves(value, path=""):
    if isinstance(value, dict):
        for name, member in value.items():
            yield from leaves(member, f"{path}.{name}")
    elif isinstance(value, list):
        yield f"{path}.count", ("int", len(value))
        for index, element in enumerate(value):
            yield from leaves(element, f"{path}[{index}]")
    else:
        yield path, (type(value).__name__, value)


def differences(ours, theirs):
    """Yields (path, this package's value, the peer's value). Types count. If the statuses differ, only they are
    compared.
    """
    if ours["status"] != theirs["status"]:
        ours, theirs = ({"status": each["status"]} for each in (ours, theirs))
    ours, theirs = dict(leaves(ours)), dict(leaves(theirs))
    for path in sorted(ours.keys() | theirs.keys()):
        mine, other = (each.get(path, (None, ABSENT)) for each in (ours, theirs))
        if mine != other:
            yield path, mine[1], other[1]


def placeholders():
    """Returns the values of names in requests.json, as VerifyReceiptFixtureTests does."""
    data = der(RECEIPT)
    text = base64.b64encode(data).decode()
    tampered = bytearray(data)
    tampered[-1] ^= 1
    return {
        "$RECEIPT": text, "$ESCAPED": text.replace("/", "\\/"), "$UNPADDED": text.rstrip("="),
        "$URLSAFE": text.replace("+", "-").replace("/", "_"),
        "$TRUNCATED": base64.b64encode(data[:-1]).decode(), "$TRAILING": base64.b64encode(data + b"\0\0").decode(),
        "$TAMPERED": base64.b64encode(tampered).decode(),
    }


class Comparison:
    """Counts equal answers, and collects differences that no rule explains."""

    def __init__(self):
        self.verifiers = {
            "genuine": Verifier(Config(clock=lambda: self.now)),
            "receipts": Verifier(Config(roots=[(FIXTURES / "roots/root.cer").read_bytes()], clock=lambda: self.now)),
        }
        self.now, self.unexplained, self.accepted, self.rejected = REQUEST_DATE, [], 0, 0

    def peer(self, folder, environment, request):
        return json.loads(self.verifiers[folder].verify_receipt_endpoint(Environment[environment.upper()], request))

    def compare(self, name, environment, ours, folder=FIXTURES):
        """Compares the answer to a receipt, in "Production" or "Sandbox", with the peer's."""
        self.now = int(ours.get("receipt", {}).get("request_date_ms", REQUEST_DATE))
        found = list(differences(ours, self.peer(name.split("/")[0], environment, request_of(folder / name))))
        for path, mine, other in found:
            rule = next((rule for rule in DIFFERENCES if rule.explains(path, mine, other, name)), None)
            if rule:
                rule.count += 1
            else:
                self.unexplained.append(f"{name} in {environment}: {path} is {mine!r} here, {other!r} there")
        self.accepted += not found and ours["status"] == 0
        self.rejected += not found and ours["status"] != 0

    def compare_requests(self, ask):
        """Compares the statuses for requests.json. `ask` returns this package's answer to a request's text."""
        reasons = {}
        rows = list(requests())
        for row, request in rows:
            ours, theirs = ask(request)["status"], self.peer("genuine", "Sandbox", request)["status"]
            status, reason = row.get("peer", [row["status"], None])
            if (ours, theirs) != (row["status"], status):
                self.unexplained.append(f"{row['why']}: {ours} here, {theirs} there, "
                                        f"expected {row['status']} and {status}")
            if reason:
                reasons[reason] = reasons.get(reason, 0) + 1
        print(f"verifyReceipt: {self.accepted} answers and {self.rejected} refusals are the same; {len(rows)} requests")
        for reason, count in reasons.items():
            print(f"requests {count:5}  {reason}")

    def end(self):
        """Prints the rules. Returns unexplained differences and rules that explain nothing."""
        for rule in DIFFERENCES:
            print(f"answers  {rule.count:5}  {rule.name}: {rule.reason}")
            if not rule.count:
                self.unexplained.append(f"the rule {rule.name} explains nothing")
        return self.unexplained


def request_of(path):
    return json.dumps({"receipt-data": base64.b64encode(der(path)).decode()})


def recorded():
    """Returns the rows of answers.ndjson without those with renewal information, which the peer does not support."""
    rows = map(json.loads, (ANSWERS / "answers.ndjson").read_text().splitlines())
    return [row for row in rows if "signed_renewal_info" not in row]


def requests():
    """Yields (row, request) for requests.json, with names replaced by values."""
    names = placeholders()
    for row in json.loads((ANSWERS / "requests.json").read_text()):
        request = row["request"]
        for name, text in names.items():
            request = request.replace(name, text)
        yield row, request


def main():
    comparison = Comparison()
    for row in recorded():
        comparison.compare(row["receipt"], row["environment"], row["answer"])
    known = {request: row["status"] for row, request in requests()}
    comparison.compare_requests(lambda request: {"status": known[request]})
    unexplained = comparison.end()
    for text in unexplained[:60]:
        print(f"unexplained: {text}", file=sys.stderr)
    sys.exit(f"{len(unexplained)} differences that no rule explains" if unexplained else 0)


if __name__ == "__main__":
    main()
