"""The questions of Fixtures/eligibility, and what is refused."""

import datetime
import json
import unittest

import appreceipt
import given

FOLDER = given.FIXTURES / "eligibility"
CATALOG = FOLDER / "Store.storekit"
POLICIES = {"--refunds": "refunds", "--stale-evidence": "stale_evidence", "--partial-evidence": "partial_evidence",
            "--promotional-scope": "promotional_scope"}


def offers_of(line):
    """A contract's line without what names the file, offers filled up."""
    line = {name: value for name, value in line.items() if name not in ("source", "sources", "signed")}
    for offer in ("introductory_offer", "promotional_offer", "win_back_offer"):
        line[offer] = {"offers": [], **line[offer]}
    return line


class EligibilityTest(unittest.TestCase):
    def test_questions(self):
        asked = 0
        for question in json.loads((FOLDER / "questions.json").read_text()):
            flags = question.get("flags", [])
            if "as_of" not in question or set(flags[::2]) - set(POLICIES) or question["receipt"].endswith(".json") \
                    or any(not each.endswith(".jws") for each in question.get("renewal_info", [])):
                continue  # unsigned evidence, which `eligibility` does not take, and the present time
            policies = {POLICIES[name]: value for name, value in zip(flags[::2], flags[1::2])}
            with self.subTest(question["name"]):
                verifier = given.forged_verifier(**({"policies": policies} if policies else {}))
                evidence = [(FOLDER / path).read_bytes() for path in [question["receipt"], *question.get("evidence", [])]]
                verdicts = verifier.eligibility(
                    evidence, CATALOG, question.get("products"), question["as_of"],
                    [(FOLDER / path).read_bytes() for path in question.get("renewal_info", [])])
                self.assertEqual([offers_of(given.plain(each)) for each in verdicts],
                                 [offers_of(each) for each in question["answers"]])
                self.assertEqual(verdicts[0].sources[0], "evidence[0]")
                asked += 1
        self.assertGreater(asked, 15)

    def test_ways_to_ask(self):
        verifier, receipt = given.forged_verifier(), (FOLDER / "receipts/trial-then-left.der").read_bytes()
        instant = datetime.datetime(2026, 3, 2, 5, tzinfo=datetime.timezone(datetime.timedelta(hours=5)))
        catalogs = [CATALOG, CATALOG.read_bytes(), CATALOG.read_text(), json.loads(CATALOG.read_text())]
        answers = [verifier.eligibility([receipt], catalog, as_of=instant) for catalog in catalogs]
        self.assertEqual(answers, answers[:1] * 4)
        self.assertEqual(answers[0][0].as_of, instant)
        self.assertIn("offer-used", answers[0][0].introductory_offer.findings)
        # Now, by this machine's clock: after the receipt was made.
        now = datetime.datetime.now(datetime.timezone.utc)
        self.assertLess(abs(verifier.eligibility([receipt], CATALOG)[0].as_of - now), datetime.timedelta(minutes=10))

    def test_refused(self):
        receipt = (FOLDER / "receipts/trial-then-left.der").read_bytes()
        verifier = given.forged_verifier()
        with self.assertRaises(appreceipt.EvidenceRefused) as raised:
            verifier.eligibility([receipt, receipt[:-1]], CATALOG)
        error = raised.exception
        self.assertEqual((error.code, [(each.argument, each.index, each.refusal.code) for each in error.refusals]),
                         ("refused", [("evidence", 1, "malformed")]))
        self.assertIn("evidence[1]", str(error))
        self.assertEqual(len(str(error).splitlines()), 1)
        with self.assertRaises(appreceipt.EvidenceRefused) as raised:
            verifier.eligibility([receipt, (given.FIXTURES / "receipts/sandbox.der").read_bytes()], CATALOG)
        self.assertEqual(raised.exception.code, "not_merged")

    def test_requests_that_are_not_understood(self):
        verifier, receipt = given.forged_verifier(), given.RECEIPT.read_bytes()
        for catalog, arguments, error in (
            ({}, {}, appreceipt.BadRequest),
            ({"groups": {}}, {}, appreceipt.BadRequest),
            ('{"groups": {"a": ["b"]}, "groups": {"a": ["c"]}}', {}, appreceipt.BadRequest),
            ('{"groups": {"a": ["b"]}}, "as_of": "2026-01-01T00:00:00Z"', {}, ValueError),
            (CATALOG, {"as_of": datetime.datetime(2026, 1, 1)}, ValueError),
            (CATALOG, {"as_of": datetime.date(2026, 1, 1)}, TypeError),
            (CATALOG, {"as_of": 1767225600}, TypeError),
            (CATALOG, {"as_of": "yesterday"}, appreceipt.BadRequest),
            (CATALOG, {"products": []}, appreceipt.BadRequest),
        ):
            with self.subTest(catalog=str(catalog)[:40], **arguments), self.assertRaises(error):
                verifier.eligibility([receipt], catalog, **arguments)
        with self.assertRaises(appreceipt.BadRequest):
            verifier.eligibility([], CATALOG)
