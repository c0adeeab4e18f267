"""Checks that the results for exports equal the one-machine audit's, without omissions."""

import base64
import csv
import io
import json
import pathlib
import random
import subprocess
import tempfile
import unittest
import urllib.parse
from decimal import Decimal

import appreceipt
import given
from appreceipt import exports

RECEIPT = base64.b64encode(given.RECEIPT.read_bytes()).decode()
REFUSED = base64.b64encode((given.FIXTURES / "receipts/tampered.der").read_bytes()).decode()
JWS = (given.FIXTURES / "jws/transaction.jws").read_text().strip()
HISTORY = (given.FIXTURES / "jws/history.json").read_text()
NOTIFICATION = (given.FIXTURES / "jws/notification.jws").read_text().strip()

NDJSON = [
    json.dumps({"id": "a", "receipt": RECEIPT, "subject": "s"}).encode(),
    json.dumps({"id": 7, "receipt": REFUSED}).encode(),
    b"",
    b" \t\r",
    json.dumps({"receipt": JWS}).encode(),  # no identifier
    json.dumps({"id": "null", "receipt": None}).encode(),
    json.dumps({"id": "empty", "receipt": ""}).encode(),
    json.dumps({"id": "Stripe", "receipt": "sub_1MowQVLkdIwHu7ixeraBm864", "subject": "s"}).encode(),
    json.dumps({"id": "Google", "receipt": {"packageName": "com.example", "purchaseToken": "x"}}).encode(),
    json.dumps({"id": "several", "receipt": HISTORY}).encode(),
    json.dumps({"id": "members", "receipt": RECEIPT, "body": {"signedPayload": NOTIFICATION}}).encode(),
    json.dumps({"id": "only members", "signedTransactionInfo": JWS}).encode(),
    json.dumps({"id": "null members", "signedTransactionInfo": None}).encode(),
    # receipts beside signed members
    json.dumps({"id": "beside null", "receipt-data": RECEIPT, "signedTransactionInfo": None}).encode(),
    json.dumps({"id": "without text", "receipt": None, "latest_receipt": RECEIPT, "signedTransactionInfo": None}).encode(),
    json.dumps({"id": "below", "old": {"receipt": RECEIPT}, "signedTransactionInfo": JWS}).encode(),
    json.dumps({"id": "own text", "receipt": RECEIPT, "latest_receipt": REFUSED, "signedTransactionInfo": JWS}).encode(),
    json.dumps({"id": "an object", "receipt": {"latest_receipt": RECEIPT}, "signedTransactionInfo": JWS}).encode(),
    json.dumps({"id": "an object beside null", "receipt": {"latest_receipt": RECEIPT}, "signedTransactionInfo": None}).encode(),
    json.dumps({"id": "no receipt beside null", "receipt": {"status": 21002}, "signedTransactionInfo": None}).encode(),
    json.dumps({"id": "Google beside null", "receipt": {"packageName": "com.example", "purchaseToken": "x"},
                "signedTransactionInfo": None}).encode(),
    json.dumps({"id": "no receipt beside a JWS", "receipt": {"status": 0}, "signedTransactionInfo": JWS}).encode(),
    json.dumps({"id": "an address", "latest_receipt": "https://example.com/" + "a" * 64, "signedTransactionInfo": None}).encode(),
    # values without an object that are not absent
    b'{"signedPayload": ""}',
    b'{"receipt": null, "signedPayload": 5}',
    b'{"receipt": {"signedTransactions": []}}',
    b'{"receipt": {"signedPayload": null}}',
    b'{"receipt": []}',
    b'{"receipt": {}}',
    json.dumps({"receipt": [RECEIPT]}).encode(),
    json.dumps({"receipt": [{"signedTransactionInfo": JWS}]}).encode(),
    json.dumps({"receipt": {"receipt-data": RECEIPT}}).encode(),
    b'{"id": " ", "receipt": " NULL ", "subject": "null\\t"}',
    b"{",  # invalid JSON
    b"[" * 100_000,
    b'{"id": "twice", "receipt": "MAA=", "receipt": "MAA="}',
    b'{"id": "no receipt"}',
    b'{"id": "a number", "receipt": 5}',
    b'{"id": true, "receipt": "MAA="}',
    b'{"id": "\xff", "receipt": "MAA="}',
    b'{"id": "\\ud800", "receipt": "MAA="}',
    b'{"id": 1.50, "receipt": "MAA="}',
    # wrapped as in exports
    json.dumps({"id": "wrapped", "receipt": f"'{urllib.parse.quote(RECEIPT, safe='')}'"}).encode(),
    json.dumps({"id": "wrapped text", "receipt": json.dumps({"transactions": [JWS, REFUSED]})}).encode(),
]


def told(record, result):
    """Returns the audit's values for a record. The audit names a record without an identifier by its line."""
    name = record.place if record.id is None and getattr(result, "code", None) != "unreadable" else record.id
    if result is None:
        return name, record.subject, "absent", None, None
    if isinstance(result, appreceipt.Foreign):
        return name, record.subject, "foreign", None, None
    code = result.code if isinstance(result, appreceipt.Refused) else None
    return name, record.subject, "refused" if code else "genuine", code, result.sha256


class ExportsTest(unittest.TestCase):
    def test_like_the_audit(self):
        command = [given.TOOL, "audit", "-", "--ndjson", "-", "--format", "ndjson", *given.tool_options(given.RECEIPT)]
        lines = subprocess.run(command, input=b"\n".join(NDJSON) + b"\n", stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL).stdout.decode().split("\n")[:-1]
        expected = []
        for line in (json.loads(line, parse_float=Decimal) for line in lines):
            code = line["refusal"]["code"] if line["status"] == "refused" else None
            expected.append((line["id"], line.get("subject"), line["status"], code, line.get("sha256")))
        found = [told(*each) for each in given.forged_verifier().verify_export(NDJSON)]
        self.assertEqual(found, expected)
        self.assertGreater(len(found), len(NDJSON) - 2)

    def test_renamed_members(self):
        """Checks that other names give the same results, and that members with the usual names do not matter."""
        verifier, lines = given.forged_verifier(), [line for line in NDJSON if line.count(b'"receipt":') < 2 and b'"old"' not in line]
        renamed = (line.replace(b'"id":', b'"key":').replace(b'"receipt":', b'"blob":').replace(b'"subject":', b'"user":')
                   for line in lines)
        found = verifier.verify_export(renamed, id="key", receipt="blob", subject="user")
        self.assertEqual([told(*each)[:4] for each in found], [told(*each)[:4] for each in verifier.verify_export(lines)])
        line = json.dumps({"key": 1, "blob": "", "receipt": {"signedPayload": "x", "n": 1.5}, "id": {}})
        (record, result), = verifier.verify_export([line], id="key", receipt="blob")
        self.assertEqual((record.id, result.code, result.path), (1, "malformed", "receipt.signedPayload"))

    def test_lines_like_the_audit(self):
        """Checks the lines that Spark's executors write, byte for byte."""
        catalog, as_of = given.FIXTURES / "eligibility/Store.storekit", "2026-03-02T00:00:00Z"
        jws = (given.FIXTURES / "eligibility/evidence").glob("*.jws")
        lines = NDJSON + [json.dumps({"id": f"{path.name}\0\u2400\u2028\x7f", "receipt": path.read_text()}).encode() for path in jws]
        lines += [json.dumps({"id": path.name, "subject": 5, "receipt": base64.b64encode(path.read_bytes()).decode()}).encode()
                  for path in (given.FIXTURES / "eligibility/receipts").iterdir()]
        command = [given.TOOL, "audit", "-", "--ndjson", "-", "--format", "ndjson", *given.tool_options(given.RECEIPT)]
        for options, settings in (
            ([], {}), (["--catalog", catalog, "--as-of", as_of], {"catalog": catalog, "records_as_of": as_of})
        ):
            expected = subprocess.run(command + options, input=b"\n".join(lines) + b"\n", stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL).stdout.decode().split("\n")[:-1]
            verifier = given.forged_verifier(**settings)
            found = [answer for place, line in enumerate(lines, 1) if line.strip()
                     for answer in verifier.answer_record(line, place)]
            self.assertEqual(found, expected)

    def test_files_and_lines(self):
        verifier = given.forged_verifier()
        expected = [told(*each) for each in verifier.verify_export(NDJSON)]
        with tempfile.NamedTemporaryFile(suffix=".ndjson") as file:
            file.write(b"\xef\xbb\xbf" + b"\r\n".join(NDJSON))
            file.flush()
            self.assertEqual([told(*each) for each in verifier.verify_export(file.name)], expected)
        self.assertRaisesRegex(ValueError, "^source: contains no line$", list, verifier.verify_export([]))
        with tempfile.NamedTemporaryFile(suffix=".csv") as empty:  # like the tool, because no record was read
            self.assertRaisesRegex(ValueError, "empty file", list, verifier.verify_export(empty.name))
        self.assertRaises(FileNotFoundError, list, verifier.verify_export("/nonexistent"))

    def test_csv(self):
        rows = [["key", "blob", "account", "signedTransactionInfo"], ["a", RECEIPT, "s", ""], ["b,\n\"", REFUSED, "", JWS],
                ["none", "", "", ""], ["null", "NULL", "\\N", ""], ["short", RECEIPT], ["c", "", "", JWS]]
        for delimiter in ",;\t":
            text = io.StringIO()
            csv.writer(text, delimiter=delimiter).writerows(rows)
            found = [(record.place, record.id, record.subject, getattr(result, "code", type(result).__name__))
                     for record, result in given.forged_verifier().verify_export(
                         text.getvalue().encode().splitlines(keepends=True), id="key", receipt="blob", subject="account")]
            self.assertEqual(found, [
                (1, "a", "s", "Receipt"), (2, "b,\n\"", None, "bad_signature"), (2, "b,\n\"", None, "Transaction"),
                (3, "none", None, "NoneType"), (4, None, None, "NoneType"),
                (5, None, None, "unreadable"), (6, "c", None, "Transaction")])

    def test_stray_quotation_mark_damages_one_row(self):
        verifier = given.forged_verifier()
        for damaged in (f'2,"{RECEIPT}', f'2,{RECEIPT}"', f'2"3,{RECEIPT}', f'2,"MAA="{RECEIPT}', '"2","'):
            lines = ["id,receipt", f"1,{RECEIPT}", damaged, f"3,{RECEIPT}", '4,"MAA=\r\n', 'MAA="', f'5,"{RECEIPT}"']
            found = [(record.place, record.id, getattr(result, "code", None)) for record, result in
                     verifier.verify_export(line + "\n" for line in lines)]
            self.assertEqual(found, [
                (1, "1", None), (2, None, "unreadable"), (3, "3", None), (4, "4", "malformed"), (5, "5", None)])

    def test_rows_as_in_the_audit(self):
        """Checks the places and the readable rows of damaged tables against the audit."""
        source, tables = random.Random(1), []
        for delimiter in ",\t":
            for _ in range(60):
                rows = [[source.choice(cells) for cells in (["1", '"2"', 'x"y', '"a\r\nb"'], ["MAA=", '"MAA="', '"MA\nA="', ""])]
                        for _ in range(5)]
                text = source.choice(["\n", "\r\n"]).join(map(delimiter.join, [["id", "receipt"], *rows]))
                place = source.randrange(11, len(text))
                tables.append(text[:place] + source.choice(['"', delimiter, '""', "\n", '"\r']) + text[place:])
        with tempfile.TemporaryDirectory() as folder:
            for number, text in enumerate(tables):
                pathlib.Path(folder, f"{number}.csv").write_bytes(text.encode())
                done = subprocess.run([given.TOOL, "audit", f"{folder}/{number}.csv"], capture_output=True)
                audited = [json.loads(line) for line in done.stdout.splitlines()]
                wanted = [None if (line.get("refusal") or {}).get("code") == "unreadable" else line["id"] for line in audited]
                found = [None if isinstance(content, appreceipt.Refused) else record.id or record.place
                         for record, content in exports.records(
                             f"{folder}/{number}.csv", None, exports.Names())]
                self.assertEqual(found, wanted, text)

    def test_cost_of_stray_quotation_marks(self):
        """Checks that no line is read much more than twice."""
        for delimiter in ",\t":
            lines = (line for line in [f"id{delimiter}receipt\n"] + [f'a"{delimiter}"\n'] * 200_000)
            found = [result.code for _, result in given.forged_verifier().verify_export(lines)]
            self.assertEqual(found, ["unreadable"] * 200_000)

    def test_several_lines_in_one_element(self):
        """Checks that a CSV file in one element loses no row, whatever its line ends."""
        for end in ("\n", "\r\n", "\r", "\r\r\n"):
            text = end.join(["id,receipt", f"1,{RECEIPT}", f"2,{RECEIPT}", ""])
            found = [(record.place, record.id) for record, _ in given.forged_verifier().verify_export([text])]
            self.assertEqual(found, [(1, "1"), (2, "2")])

    def test_blank_lines_before_the_header(self):
        for start in ("\n", "\r\n\r\n", "\ufeff\n\n"):
            text = f"{start}id,receipt\n1,{RECEIPT}\n\n2, NULL\n"
            for source in (text.splitlines(True), [text]):
                found = [told(*each)[:3] for each in given.forged_verifier().verify_export(source)]
                self.assertEqual(found, [("1", None, "genuine"), ("2", None, "absent")])
            with tempfile.NamedTemporaryFile(suffix=".csv") as file:
                file.write(text.encode())
                file.flush()
                done = subprocess.run([given.TOOL, "audit", file.name, "--root", given.ROOT], capture_output=True)
                self.assertEqual([json.loads(line)["status"] for line in done.stdout.splitlines()], ["genuine", "absent"])
        self.assertEqual([told(*each)[:3] for each in given.forged_verifier().verify_export(["\n", "  \n", NDJSON[0].decode()])],
                         [("a", "s", "genuine")])

    def test_objects_of_records(self):
        """Checks that each object has the result of `verify` for the same bytes, and the path in its record."""
        verifier = given.forged_verifier()
        lines = [json.dumps({"id": "\"sha256\":", "receipt": text}) for text in (HISTORY, RECEIPT, REFUSED)]
        found = [result for _, result in verifier.verify_export(lines)]
        for result, wanted in zip(found, [each for text in (HISTORY, RECEIPT, REFUSED) for each in verifier.verify_all(text)],
                                  strict=True):
            self.assertEqual(given.line(result), given.line(wanted))

    def test_sources_that_are_not_exports(self):
        for lines in ([b"a,b\n", b"1,2\n"], [b"receipt,receipt\n"]):
            self.assertRaises(ValueError, list, given.forged_verifier().verify_export(lines))
        self.assertRaises(ValueError, list, given.forged_verifier().verify_export([], format="parquet"))
        for lines, code in (([b"receipt\n", b'"MAA=\n'], "unreadable"), ([b"receipt\n", b"\xff\n"], "unreadable"),
                            ([b"receipt\n", b'"a"b\n'], "unreadable"), ([b"receipt\n", b"MAA=\n"], "malformed")):
            (_, result), = given.forged_verifier().verify_export(lines)
            self.assertEqual(result.code, code)

    def test_sources_that_are_neither_path_nor_lines(self):
        for source in (b"{}", {"receipt": ""}, None, 5):
            with self.subTest(source), self.assertRaisesRegex(TypeError, "^source: must be a path or an iterable of lines, not "):
                given.forged_verifier().verify_export(source)

    def test_long_records(self):
        long = b'{"receipt": "' + b"A" * (25 << 20) + b'"}'
        with tempfile.NamedTemporaryFile() as file:
            file.write(long + b"\n" + NDJSON[0])
            file.flush()
            codes = [getattr(result, "code", None) for _, result in given.forged_verifier().verify_export(file.name)]
        self.assertEqual(codes, ["unreadable", None])
