"""Checks the questions of Fixtures/eligibility, and refusals."""

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
    """Returns a contract's line without the names of files, with default values of offers."""
    line = {name: value for name, value in line.items() if name not in ("source", "sources", "signed")}
    for offer in ("introductory_offer", "promotional_offer", "win_back_offer"):
        line[offer] = {"offers": [], **line[offer]}
    return line


def listed(paths):
    """Returns the paths as a list."""
    return [paths] if isinstance(paths, str) else paths


class EligibilityTest(unittest.TestCase):
    def test_questions(self):
        asked = 0
        for question in json.loads((FOLDER / "questions.json").read_text()):
            flags = question.get("flags", [])
            if "as_of" not in question or set(flags[::2]) - set(POLICIES) or question["receipt"].endswith(".json"):
                continue  # skips saved answers, which `eligibility` does not accept, and questions about the current time
            renewals = [FOLDER / path for path in listed(question.get("renewal_info", []))]
            policies = {POLICIES[name]: value for name, value in zip(flags[::2], flags[1::2])}
            with self.subTest(question["name"]):
                verifier = given.forged_verifier(**({"policies": policies} if policies else {}))
                evidence = [(FOLDER / path).read_bytes() for path in [question["receipt"], *question.get("evidence", [])]]
                verdicts = verifier.eligibility(
                    evidence, CATALOG, question.get("products"), question["as_of"],
                    [path.read_bytes() for path in renewals if path.suffix == ".jws"],
                    unsigned_renewal_info=[path.read_bytes() for path in renewals if path.suffix != ".jws"])
                self.assertEqual([offers_of(given.plain(each)) for each in verdicts],
                                 [offers_of(each) for each in question["answers"]])
                self.assertEqual(verdicts[0].sources[0], "evidence[0]")
                asked += 1
        self.assertGreater(asked, 23)

    def test_ways_to_ask(self):
        verifier, receipt = given.forged_verifier(), (FOLDER / "receipts/trial-then-left.der").read_bytes()
        instant = datetime.datetime(2026, 3, 2, 5, tzinfo=datetime.timezone(datetime.timedelta(hours=5)))
        catalogs = [CATALOG, CATALOG.read_bytes(), CATALOG.read_text(), json.loads(CATALOG.read_text())]
        answers = [verifier.eligibility([receipt], catalog, as_of=instant) for catalog in catalogs]
        self.assertEqual(answers, answers[:1] * 4)
        self.assertEqual(answers[0][0].as_of, instant)
        self.assertIn("offer-used", answers[0][0].introductory_offer.findings)
        # The current time of this machine, after the receipt's creation.
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

    def test_without_a_catalog(self):
        """Checks a single group, and groups named by signed transactions."""
        verifier, receipt = given.forged_verifier(), (FOLDER / "receipts/trial-then-left.der").read_bytes()
        question = {"products": ["com.example.tides.monthly"], "as_of": "2026-06-01T00:00:00Z"}
        one, = verifier.eligibility([receipt], single_group=True, **question)
        self.assertEqual((one.introductory_offer.rule, one.subscription_group), ("offer-used", None))
        unknown, = verifier.eligibility([receipt], **question)
        self.assertEqual(unknown.introductory_offer.rule, "unknown-product")
        signed, = verifier.eligibility([(given.FIXTURES / "jws/history.json").read_text()], **question)
        self.assertEqual((signed.introductory_offer.rule, signed.subscription_group), ("offer-used", "21590001"))
        self.assertRaisesRegex(appreceipt.BadRequest, "cannot be combined with catalog", verifier.eligibility, [receipt], CATALOG, single_group=True)
        self.assertRaisesRegex(appreceipt.BadRequest, "products", verifier.eligibility, [receipt], single_group=True)
        self.assertRaises(TypeError, verifier.eligibility, [receipt], single_group="no", **question)

    def test_unsigned_renewal_information(self):
        """Checks text, bytes or parsed JSON, whole or only its entries. The answer states what it rests on."""
        verifier, receipt = given.forged_verifier(), (FOLDER / "receipts/half-a-year-then-left.der").read_bytes()
        path = FOLDER / "renewals/set-to-renew.json"
        row = next(row for row in json.loads((FOLDER / "questions.json").read_text()) if row["name"] == "auto-renew-on")
        read = json.loads(path.read_text())
        for information in (path.read_bytes(), path.read_text(), read, read["pending_renewal_info"] if isinstance(read, dict) else read):
            verdict = verifier.eligibility([receipt], CATALOG, row.get("products"), row["as_of"], unsigned_renewal_info=[information])[0]
            self.assertEqual((verdict.win_back_offer.rule, verdict.win_back_offer.certainty), ("auto-renew-on", "as_of_renewal_info"))
        for information in ({}, [5], "x"):
            self.assertRaisesRegex(appreceipt.BadRequest, "unsigned_renewal_info", verifier.eligibility, [receipt], CATALOG,
                                   unsigned_renewal_info=[information])
        # Unsigned text is not accepted as signed renewal information.
        self.assertRaises(appreceipt.EvidenceRefused, verifier.eligibility, [receipt], CATALOG, renewal_info=[path.read_text()])

    def test_refused_evidence_as_a_caveat(self):
        verifier, receipt = given.forged_verifier(), (FOLDER / "receipts/trial-then-left.der").read_bytes()
        question = {"catalog": CATALOG, "as_of": "2026-06-01T00:00:00Z", "refused_evidence": "caveat"}
        whole = verifier.eligibility([receipt], **question)
        self.assertEqual(whole.refusals, ())
        verdicts = verifier.eligibility([receipt[:-1], receipt], **question)
        self.assertEqual([(each.argument, each.index, each.refusal.code) for each in verdicts.refusals], [("evidence", 0, "malformed")])
        self.assertEqual(verdicts[0].sources, ("evidence[1]",))
        for before, after in zip(whole, verdicts):
            for offer in ("introductory_offer", "promotional_offer", "win_back_offer"):
                self.assertEqual(getattr(after, offer).outcome, getattr(before, offer).outcome)
                self.assertIn("evidence-refused", getattr(after, offer).caveats)
                self.assertNotIn("evidence-refused", getattr(before, offer).caveats)
        self.assertRaises(appreceipt.EvidenceRefused, verifier.eligibility, [receipt[:-1]], **question)
        self.assertRaises(appreceipt.BadRequest, verifier.eligibility, [receipt], CATALOG, refused_evidence="ignore")

    def test_invalid_requests(self):
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
