"""Checks that snapshots give the audit's verdicts on their customers."""

import json
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

import appreceipt
import given
from eligibility_test import offers_of

sys.path.insert(0, str(given.PACKAGE / "Tests/Differential"))
import customers as differential  # noqa: E402

CATALOG = given.FIXTURES / "eligibility/Store.storekit"
AS_OF = "2026-06-01T00:00:00Z"
RECEIPTS = sorted((given.FIXTURES / "eligibility/receipts").glob("*.der"))


class CustomersTest(unittest.TestCase):
    def verifier(self, **settings):
        return given.forged_verifier(catalog=CATALOG, records_as_of=AS_OF, records_evidence=True, **settings)

    def test_one_customer(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            # The same receipts twice, for a subject with characters of every kind.
            records = [json.dumps({"id": path.name, "subject": "ánna\0\u2400\"", "receipt": path.read_bytes().hex()})
                       for path in RECEIPTS + RECEIPTS[:2]]
            (folder / "export.ndjson").write_text("\n".join(records) + "\n")
            subprocess.run(
                [given.TOOL, "audit", folder / "export.ndjson", "--root", given.ROOT, "--catalog", CATALOG, "--as-of", AS_OF,
                 "--subject-verdicts", folder / "lines"], stderr=subprocess.DEVNULL, check=True)
            wanted = (folder / "lines").read_text().splitlines()
        verifier = pickle.loads(pickle.dumps(self.verifier()))
        pairs = [pair for number, record in enumerate(records, 1) for pair in verifier.answer_and_keep(record, number)]
        plain = given.forged_verifier(catalog=CATALOG, records_as_of=AS_OF)
        for each in (verifier, plain):
            self.assertEqual([line for line, _ in pairs],
                             [line for number, record in enumerate(records, 1) for line in each.answer_record(record, number)])
        kept = [(number, text, json.loads(text)) for number, (_, text) in enumerate(pairs, 1)]
        whose = ("subject", "environment", "bundle_id", "realm")
        customers = sorted({tuple(each[name] for name in whose) for _, _, each in kept})
        found = []
        for number, key in enumerate(customers, 1):
            own = [(place, text, each) for place, text, each in kept if tuple(each[name] for name in whose) == key]
            own.sort(key=lambda piece: (-piece[2]["created_at"], piece[0]))
            evidence = [(place, text) for place, text, _ in own]
            found += verifier.answer_customer(number, evidence, **dict(zip(whose, key)))
            # Omitted records still count.
            more = verifier.answer_customer(number, evidence[:1], **dict(zip(whose, key)), receipts=7)
            self.assertIn('"receipts":7,', more[0])
        self.assertEqual(found, wanted)

    def test_same_answers_as_the_audit(self):
        with tempfile.TemporaryDirectory() as name:
            evidence = pathlib.Path(name) / "evidence"
            for number, question in enumerate(differential.questions(differential.customers(given.TOOL, evidence))):
                as_of, some = question.as_of, question.customers
                folder = pathlib.Path(name) / str(number)
                folder.mkdir()
                records = [(each, record) for each in some for record in each.records]
                (folder / "export.ndjson").write_text("".join(record + "\n" for _, record in records))
                subprocess.run(
                    [given.TOOL, "audit", folder / "export.ndjson", "--root", given.ROOT, "--catalog", CATALOG, "--as-of", as_of,
                     "--subject-verdicts", folder / "lines", *question.options], stderr=subprocess.DEVNULL, check=number < 2)
                lines = (folder / "lines").read_text().splitlines()
                audited = differential.audited(lines)
                verifier = given.forged_verifier(
                    catalog=CATALOG, records_as_of=as_of, records_evidence=True, bundle_ids=question.bundle_id or "any")
                for each in some:
                    try:
                        verdicts = verifier.eligibility(each.texts, CATALOG, as_of=as_of, refused_evidence="caveat")
                    except appreceipt.EvidenceRefused:
                        verdicts = []  # no genuine evidence is left
                    answers = [offers_of(given.plain(verdict)) for verdict in verdicts]
                    wanted = [offers_of(json.loads("{" + line)) for line in audited.get(each.subject, [])]
                    self.assertEqual(answers, wanted, each.subject)
                self.assertEqual(self.answered(verifier, records), sorted(lines))

    def answered(self, verifier, records):
        """Returns the sorted lines about the customers of these snapshots."""
        kept, refusing, number = {}, set(), 0
        for customer, record in records:
            for line, text in verifier.answer_and_keep(record, number + 1):
                number += 1
                if text:
                    kept.setdefault(customer.subject, []).append((number, text, json.loads(text)))
                elif json.loads(line)["status"] == "refused":
                    refusing.add(customer.subject)
        lines = []
        # Refused renewal information belongs to no customer without its transaction.
        answered = (subject for subject, own in kept.items() if not all("refused" in each for _, _, each in own))
        for place, subject in enumerate(sorted(answered), 1):
            own = sorted(kept[subject], key=lambda piece: (-piece[2]["created_at"], piece[0]))
            named = next((each for _, _, each in own if each.get("bundle_id")), own[0][2])
            key = {name: named.get(name) for name in ("subject", "environment", "bundle_id", "realm")}
            lines += verifier.answer_customer(
                place, [(number, text) for number, text, _ in own], **key, evidence_refused=subject in refusing)
        return sorted(lines)

    def test_records_without_a_snapshot(self):
        verifier = self.verifier()
        (line, kept), = verifier.answer_and_keep('{"receipt": "MAA="}', 3)
        self.assertEqual((json.loads(line)["id"], kept), (3, None))
        self.assertTrue(verifier.keeps_evidence)
        plain = given.forged_verifier()
        self.assertFalse(plain.keeps_evidence)
        with self.assertRaises(ValueError):
            plain.answer_and_keep('{"receipt": null}', 1)

    def test_invalid_requests(self):
        kept = self.verifier().answer_and_keep(json.dumps({"receipt": given.RECEIPT.read_bytes().hex()}), 1)[0][1]
        whose = {name: json.loads(kept)[name] for name in ("environment", "bundle_id", "realm")}
        self.assertEqual(len(self.verifier().answer_customer(1, [(1, kept)], **whose)), 3)
        linked = self.verifier().answer_customer(1, [(1, kept), (2, kept)], **whose, linked_by=("original_transaction_id",))
        self.assertIn('"receipts":2,"linked_by":["original_transaction_id"],', linked[0])
        for verifier, number, evidence, key in (
            (self.verifier(), 1, [(1, kept)], {}),
            (self.verifier(), 1, [(1, kept)], {**whose, "subject": "another"}),
            (self.verifier(), 0, [(1, kept)], whose),
            (self.verifier(), 1, [], whose),
            (self.verifier(), 1, [(2, kept), (1, kept)], whose),
            (self.verifier(), 1, [(1, "null")], whose),
            (self.verifier(), 1, [(1, kept + "}")], whose),
            (self.verifier(), 1, [(1, kept)], {**whose, "receipts": 0}),
            (self.verifier(), 1, [(1, kept), (2, kept)], whose),  # names of linking identifiers
            (self.verifier(), 1, [(1, kept), (2, kept)], {**whose, "linked_by": ["name"]}),
            (self.verifier(), 1, [(1, kept)], {**whose, "linked_by": ["app_account_token"]}),
            (given.forged_verifier(), 1, [(1, kept)], whose),  # without a catalog
        ):
            with self.subTest(number=number, evidence=len(evidence), **key), self.assertRaises(appreceipt.BadRequest) as raised:
                verifier.answer_customer(number, evidence, **key)
            self.assertEqual(len(str(raised.exception).splitlines()), 1)
