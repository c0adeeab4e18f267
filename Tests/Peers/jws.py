"""Compares three verifiers on the same JWS. See `run`."""

import base64
import json
import pathlib
import subprocess
import sys
import tempfile

import apple_purchase_receipt_verifier as other
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException

import jws_cases
import jws_rules
from differential import Comparison, differences

TOOL, COUNT, SEED = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
KINDS = {"transactionId": "transaction", "autoRenewStatus": "renewal_info", "receiptType": "app_transaction",
         "notificationType": "notification", "userLocale": "realtime_request"}


def our_answers(asked, root):
    """Returns the line of each text. Objects in notifications are separate inputs."""
    with tempfile.TemporaryDirectory() as folder:
        for index, (_, text) in enumerate(asked):
            (pathlib.Path(folder) / f"{index:07}.jws").write_text(text, newline="")
        options = ["--root", root] if root else []
        lines = subprocess.run([TOOL, "verify", "--json", *options, folder], stdout=subprocess.PIPE, text=True).stdout
    answers = [answer for answer in map(json.loads, lines.rstrip("\n").split("\n")) if "#" not in answer["source"]]
    assert len(answers) == len(asked), f"{len(asked)} inputs, but {len(answers)} answers"
    return answers


def unverified(text):
    """Returns the payload as a lenient reader sees it, to ask the peers for the right kind."""
    try:
        part = text.split(".")[1]
        payload = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
        return payload if isinstance(payload, dict) else {}
    except (ValueError, IndexError, RecursionError):
        return {}


def apples_library(root):
    """Returns Apple's library. Its caller names app, environment and kind, so these come from the payload."""

    def verify(text, kind):
        payload = unverified(text)
        body = next((payload[name] for name in ("data", "summary", "externalPurchaseToken", "appData")
                     if isinstance(payload.get(name), dict)), payload) if kind == "notification" else payload
        named = body.get("receiptType" if kind == "app_transaction" else "environment")
        if "externalPurchaseId" in body:  # Its prefix names the environment.
            named = "Sandbox" if str(body["externalPurchaseId"]).startswith("SANDBOX") else "Production"
        # With Xcode's environment it verifies nothing.
        environment = Environment.PRODUCTION if named == "Production" else Environment.SANDBOX
        verifier = SignedDataVerifier([root], False, environment, body.get("bundleId"), body.get("appAppleId", 1))
        ask = {"renewal_info": verifier.verify_and_decode_renewal_info,
               "app_transaction": verifier.verify_and_decode_app_transaction,
               "notification": verifier.verify_and_decode_notification,
               "realtime_request": verifier.verify_and_decode_realtime_request,
               }.get(kind, verifier.verify_and_decode_signed_transaction)
        try:
            return ask(text), None
        except VerificationException as error:
            verifier._chain_verifier.enable_strict_checks = False
            try:
                return ask(text) and None, "X509_STRICT"
            except Exception:
                return None, error.status.name
        except Exception as error:  # any other exception is a refusal, too
            return None, type(error).__name__

    def said(model):
        return {name: said(value) if hasattr(value, "__attrs_attrs__") else getattr(value, "value", value)
                for name, value in vars(model).items() if value is not None and not name.startswith("raw")}

    return verify, said


def other_verifier(root):
    verifier = other.Verifier(other.Config(roots=[root]))

    def verify(text, kind):
        result = verifier.verify_signed_data(text)
        return result.payload, result.failure and result.failure.reason.name

    return verify, lambda payload: json.loads(payload.json)


class JWSComparison(Comparison):
    def __init__(self, name, make, tables):
        super().__init__()
        self.name, self.make, self.tables = name, make, tables

    def compare(self, asked, answers, root):
        verify, said = self.make(root)
        for (name, text), ours in zip(asked, answers):
            kind = ours.get("kind") or next((kind for member, kind in KINDS.items() if member in unverified(text)), None)
            theirs, failure = verify(text, kind)
            accepted = ours["status"] == "genuine"
            if accepted and theirs is not None:
                self.counts["both accept"] += 1
                self.compare_members(name, ours[ours["kind"]], said(theirs))
            elif accepted == (theirs is not None):
                self.counts["both refuse"] += 1
            elif self.explain(name, self.tables.refuses, ours, text, failure) if accepted \
                    else self.explain(name, jws_rules.WE_REFUSE, ours, text):
                self.counts["explained"] += 1
            else:
                self.unexplained.append(f"{self.name}: {name}: here {ours.get('refusal') or 'genuine'}, there {failure or 'genuine'}")

    def compare_members(self, name, ours, theirs):
        # Members without a name in the peer are not compared.
        for difference in differences({key: value for key, value in ours.items() if key in theirs}, theirs):
            if not self.explain(name, self.tables.members, *difference):
                self.unexplained.append(f"{self.name}: {name}: {difference[0]} is {difference[1]!r} here, {difference[2]!r} there")


def main():
    comparisons = [JWSComparison("app-store-server-library", apples_library, jws_rules.APPLES),
                   JWSComparison("apple-purchase-receipt-verifier", other_verifier, jws_rules.OTHERS)]
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        fixtures = list(jws_cases.fixtures())
        forged = fixtures + list(jws_cases.hostile(TOOL, work))
        forged += list(jws_cases.mutants(fixtures, COUNT, SEED))
        sets = {work / "root.cer": forged}
        authority = jws_cases.Authority()
        (work / "signed.cer").write_bytes(authority.root)
        sets[work / "signed.cer"] = list(jws_cases.signed_mutants(authority, COUNT * 50, SEED))
        apple = jws_cases.cases.FIXTURES.parent / "Certificates/AppleRootCA-G3.cer"
        for case, text, root in jws_cases.corpus():
            sets.setdefault(root or apple, []).append((case, text))
        for root, asked in sets.items():
            answers = our_answers(asked, None if root == apple else root)
            for comparison in comparisons:
                comparison.compare(asked, answers, root.read_bytes())
    unexplained = []
    for comparison in comparisons:
        print(f"{comparison.name}: " + ", ".join(f"{what}: {count}" for what, count in comparison.counts.items()))
        assert comparison.counts["both accept"] >= len(fixtures), "both accept too few"
        for title, table in (("it refuses", comparison.tables.refuses), ("members", comparison.tables.members)):
            for rule in table:
                print(f"{title:11} {rule.count or '-':>5}  {rule.name}: {rule.reason}")
        unexplained += comparison.unexplained
    for rule in jws_rules.WE_REFUSE:
        print(f"we refuse   {rule.count or '-':>5}  {rule.name}: {rule.reason}")
    for text in unexplained[:40]:
        print(f"unexplained: {text[:300]}", file=sys.stderr)
    sys.exit(f"{len(unexplained)} differences that no rule explains" if unexplained else 0)


main()
