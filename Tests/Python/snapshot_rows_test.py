"""Checks that the rows for Spark's findings equal the lines, even for hostile input."""

import base64
import json
import unittest

import given
from appreceipt.spark.snapshot_rows import BATCH, SnapshotRows

RECEIPT = base64.b64encode((given.FIXTURES / "receipts/never-subscribed.der").read_bytes()).decode()
LONG = "7" * 5000
# (other members of the record, the identifier, the subject)
RECORDS = {
    "texts": ('"id": "a", "subject": "b", ', "a", "b"),
    "no subject": ('"id": "a", ', "a", None),
    "no id": ("", "5", None),
    "numbers": ('"id": 1.50, "subject": 1e400, ', "1.50", "1e400"),
    # Python's int and Spark's JSON cannot represent numbers of so many digits.
    "numbers of thousands of digits": (f'"id": {LONG}, "subject": -{LONG}, ', LONG, f"-{LONG}"),
    "text that looks like members": (r'"id": "\",\"signature\":{", "subject": "\"chain\":[", ', '","signature":{', '"chain":['),
    "characters that end texts elsewhere": (r'"id": "\u0000␀", "subject": "\n", ', "\0␀", "\n"),
}


class SnapshotRowsTest(unittest.TestCase):
    def rows(self, records, number=5):
        verifier, tables = given.forged_verifier(records_evidence=True), []
        kept = SnapshotRows(is_asked=True, take=tables.append)
        for place, record in enumerate(records):
            (line, part), = verifier.answers(record.encode(), number).pairs
            kept.add(1, place, line, part)
        kept.end()
        return [row for table in tables for row in table.to_pylist()]

    def test_genuine_and_refused(self):
        for name, (members, id, subject) in RECORDS.items():
            for text, status in ((RECEIPT, "genuine"), ("MAA=", "refused"), ("", "absent")):
                with self.subTest(name, status=status):
                    row, = self.rows([f'{{{members}"receipt": "{text}"}}'])
                    self.assertEqual((row["id"], row["subject"], row["status"]), (id, subject, status))
                    is_genuine = status == "genuine"
                    self.assertEqual([row[each] is not None for each in ("kept", "chain", "bundle_id", "purchases")], [is_genuine] * 4)
                    if is_genuine:
                        self.assertEqual(len(json.loads(row["chain"])), 3)
                        self.assertEqual(json.loads(row["kept"])["bundle_id"], row["bundle_id"])

    def test_many(self):
        records = [f'{{"id": "{number}", "receipt": "{RECEIPT if number % 3 else ""}"}}' for number in range(BATCH + 2)]
        found = self.rows(records)
        self.assertEqual([(row["number"], row["id"]) for row in found], [(number, str(number)) for number in range(BATCH + 2)])
        self.assertEqual([row["kept"] is not None for row in found], [number % 3 > 0 for number in range(BATCH + 2)])

    def test_nothing(self):
        self.assertEqual(self.rows([]), [])
