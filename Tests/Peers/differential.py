"""Compares two verifiers on the same receipts. See `run`."""

import base64
import json
import pathlib
import subprocess
import sys
import tempfile
from datetime import datetime

from apple_purchase_receipt_verifier import Config, Verifier

import cases
import rules

TOOL, COUNT, SEED = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
PRODUCT_TYPES = ["non_consumable", "consumable", "non_renewing_subscription", "auto_renewable_subscription", "free_subscription"]
DATES = ["receipt_creation_date", "original_purchase_date", "expiration_date", "purchase_date", "expires_date",
         "cancellation_date"]


def our_answers(asked, options):
    lines = "".join(json.dumps({"id": name, "receipt": base64.b64encode(data).decode()}) + "\n" for name, data in asked)
    command = [TOOL, "audit", "-", "--ndjson", "-", *options]
    answers = subprocess.run(command, input=lines, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    assert len(answers) == len(asked), f"{len(asked)} inputs, but {len(answers)} answers"
    return map(json.loads, answers)


def in_its_words(ours):
    """Returns an object of this package's contract with the peer's names and types."""
    told = {}
    for name, value in ours.items():
        if name in DATES:
            told[f"{name}_ms"] = value and round(datetime.fromisoformat(value).timestamp() * 1000)
        elif name in ("opaque_value", "sha1_hash"):
            told[name] = value and base64.b64encode(bytes.fromhex(value)).decode()
        elif name == "in_app":
            told[name] = [in_its_words(purchase) for purchase in value]
        elif name == "unknown":
            told["unknown_attributes"] = {}
            for each in value:
                text = base64.b64encode(bytes.fromhex(each["value"])).decode()
                told["unknown_attributes"].setdefault(str(each["type"]), []).append(text)
        else:
            told[name] = value
    return told


def in_our_words(theirs):
    """Returns the peer's object with this package's names for attributes, and without duplicate values."""
    theirs = {name: value for name, value in theirs.items() if name not in ("bundle_id_bytes", "preorder_date_ms")}
    unknown = theirs["unknown_attributes"]
    if "in_app" in theirs:
        theirs["in_app"] = [in_our_words(purchase) for purchase in theirs["in_app"]]
        return theirs

    def one(kind):
        value = [base64.b64decode(text) for text in unknown.pop(kind, [])]
        return value[0][2:] if value else None

    kind, offer = one("1707"), one("1721")
    number = None if kind is None else int.from_bytes(kind, "big", signed=True)
    theirs["product_type"] = number if number is None else \
        PRODUCT_TYPES[number] if 0 <= number < len(PRODUCT_TYPES) else f"unknown_{number}"
    theirs["promotional_offer_identifier"] = offer.decode() if offer else None
    return theirs


def differences(ours, theirs, path=""):
    """Yields the leaves that differ, as (path, this package's value, the peer's value)."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in sorted(ours.keys() | theirs.keys()):
            yield from differences(ours.get(name), theirs.get(name), f"{path}.{name}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for index, pair in enumerate(zip(ours, theirs)):
            yield from differences(*pair, f"{path}[{index}]")
    elif ours != theirs:
        yield path, ours, theirs


class Comparison:
    def __init__(self):
        self.unexplained, self.counts = [], {"both accept": 0, "both refuse": 0, "explained": 0}

    def explain(self, name, table, *facts):
        for rule in table:
            if rule.explains(*facts):
                rule.count += 1
                rule.example = rule.example or name
                return True
        return False

    def compare(self, asked, options, verifier):
        def ask(data):
            return verifier.verify_receipt(base64.b64encode(data).decode())

        for (name, data), ours in zip(asked, our_answers(asked, options)):
            theirs, accepted = ask(data), ours["status"] == "genuine"
            if accepted and theirs.verified:
                self.counts["both accept"] += 1
                self.compare_fields(name, ours, theirs.payload)
            elif accepted == theirs.verified:
                self.counts["both refuse"] += 1
            elif self.explain(name, rules.PEER_REFUSES, ours, data, theirs.failure, lambda data: ask(data).verified) \
                    if accepted else self.explain(name, rules.WE_REFUSE, ours):
                self.counts["explained"] += 1
            else:
                self.unexplained.append(f"{name}: here {ours.get('refusal') or 'genuine'}, the peer {theirs.failure or 'genuine'}")

    def compare_fields(self, name, ours, payload):
        told, said = in_its_words(ours["receipt"]), in_our_words(json.loads(payload.to_json()))
        told["unknown_attributes"].pop("32", None)  # the preorder date has a name in the peer only
        environment = payload.environment and payload.environment.name.title()
        told["environment"] = None if ours["environment"] == "Xcode" else ours["environment"]
        said["environment"] = environment
        for difference in differences(told, said):
            if not self.explain(name, rules.FIELDS, *difference):
                self.unexplained.append(f"{name}: {difference[0]} is {difference[1]!r} here, {difference[2]!r} there")


def main():
    comparison = Comparison()
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        genuine = cases.folder("genuine/receipts")
        asked = genuine + list(cases.mutants(genuine, COUNT * 4, SEED))
        comparison.compare(asked, [], Verifier(Config()))
        assert comparison.counts["both accept"] >= len(genuine), "not every genuine receipt is accepted by both"

        forged = cases.folder("receipts") + cases.folder("eligibility/receipts")
        variants = cases.hostile(TOOL, work)
        small = [(name, data) for name, data in forged + variants if 0 < len(data) < 100_000]
        asked = forged + variants + list(cases.mutants(small, COUNT, SEED))
        root = work / "root.cer"
        comparison.compare(asked, ["--root", root], Verifier(Config(roots=[root.read_bytes()])))

    print(", ".join(f"{name}: {count}" for name, count in comparison.counts.items()))
    for title, table in (("we refuse", rules.WE_REFUSE), ("the peer refuses", rules.PEER_REFUSES), ("fields", rules.FIELDS)):
        for rule in table:
            print(f"{title:16} {rule.count:5}  {rule.name}: {rule.reason}" if rule.count
                  else f"{title:16}     -  {rule.name}: not needed in this run")
    for text in comparison.unexplained[:40]:
        print(f"unexplained: {text}", file=sys.stderr)
    sys.exit(f"{len(comparison.unexplained)} differences that no rule explains" if comparison.unexplained else 0)


if __name__ == "__main__":
    main()
