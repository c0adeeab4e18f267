"""Checks that Parquet files give the answers of the same records as NDJSON, and that the audit of a damaged file does not succeed."""

import base64
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import pyarrow
from pyarrow import parquet

import given

RECEIPT = given.RECEIPT.read_bytes()
JWS = (given.FIXTURES / "jws/transaction.jws").read_text().strip()
ROWS = {
    "id": ["a", "b", None, "d"], "receipt": [base64.b64encode(RECEIPT).decode(), JWS, "MAA=", None],
    "subject": ["s", None, "s", "t"], "note": [1, 2, 3, 4]}


def records(*words):
    return subprocess.run([sys.executable, "-m", "appreceipt.records", *map(str, words)], capture_output=True)


def audit(lines, *options):
    command = [given.TOOL, "audit", "-", "--ndjson", "-", *given.tool_options(given.RECEIPT), *options]
    return subprocess.run(command, input=lines, capture_output=True)


class ParquetTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "export.parquet"

    def write(self, columns, path=None):
        parquet.write_table(pyarrow.table(columns), path or self.path, row_group_size=2)

    def test_answers_of_the_same_ndjson(self):
        self.write(ROWS)
        rows = [dict(zip(ROWS, row)) for row in zip(*ROWS.values())]
        expected = "".join(json.dumps({name: row[name] for name in ("id", "receipt", "subject")}) + "\n" for row in rows)
        piped = records(self.path)
        self.assertEqual(piped.returncode, 0)
        self.assertEqual(piped.stdout.decode(), expected)
        answer = audit(piped.stdout)
        self.assertEqual(answer.returncode, 1)
        self.assertEqual(answer.stdout, audit(expected.encode()).stdout)
        self.assertEqual(
            [json.loads(line)["status"] for line in answer.stdout.splitlines()], ["genuine", "genuine", "refused", "absent"])

    def test_bytes_are_base64(self):
        self.write({"receipt": [RECEIPT]})
        answer = audit(records(self.path).stdout)
        self.assertEqual(answer.returncode, 0)
        self.assertEqual(json.loads(answer.stdout)["status"], "genuine")

    def test_other_column_names(self):
        """Checks that the audit finds a receipt among all columns if none is named `receipt`, and that options name it."""
        self.write({"user": ["s"], "data": [ROWS["receipt"][0]]})
        for words, options in (([], []), (["--columns", "data,user"], ["--receipt-field", "data", "--subject-field", "user"])):
            answer = audit(records(self.path, *words).stdout, *options)
            self.assertEqual(answer.returncode, 0)
            self.assertEqual(json.loads(answer.stdout)["status"], "genuine")

    def test_files_of_a_folder_in_order(self):
        for name in ("part-1.parquet", "part-0.parquet"):
            self.write({"id": [name], "receipt": ["MAA="]}, self.path.with_name(name))
        self.path.with_name("_SUCCESS").touch()
        written = [json.loads(line)["id"] for line in records(self.path.parent).stdout.splitlines()]
        self.assertEqual(written, ["part-0.parquet", "part-1.parquet"])

    def test_damage_is_an_unreadable_record(self):
        self.write(ROWS)
        whole = self.path.read_bytes()
        middle = whole.index(b"PAR1", 0) + 40
        for damaged in (whole[:-9], whole[:middle] + bytes(len(whole) // 3) + whole[middle + len(whole) // 3:], b""):
            self.path.write_bytes(damaged)
            piped = records(self.path)
            self.assertEqual(piped.returncode, 2)
            self.assertIn(b"export.parquet", piped.stderr)
            self.assertEqual(audit(piped.stdout).returncode, 2)

    def test_missing_file_and_column(self):
        self.write(ROWS)
        for words in ([self.path.with_name("missing.parquet")], [self.path, "--columns", "id,other"]):
            piped = records(*words)
            self.assertEqual(piped.returncode, 2)
            self.assertEqual(audit(piped.stdout).returncode, 2)


if __name__ == "__main__":
    unittest.main()
