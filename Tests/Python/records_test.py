"""Checks that records answered together have the same answers as each alone."""

import base64
import hashlib
import json
import pathlib
import pickle
import random
import subprocess
import tempfile
import unittest

import given
from appreceipt import BadRequest
from appreceipt.spark.tree import Stretch, root

RECEIPT = base64.b64encode((given.FIXTURES / "receipts/never-subscribed.der").read_bytes()).decode()
SIGNED = json.dumps({"id": "s", "signedTransactions": [(given.FIXTURES / "jws/transaction.jws").read_text().strip()] * 2})
LINES = [
    '{"id": "a", "subject": "b", "receipt": "%s"}' % RECEIPT,
    '{"receipt": "MAA="}', "", '{"receipt": null}', " \t\r", SIGNED, "no JSON", '{"id": 7, "receipt": "%s"}\r' % RECEIPT]
LONGEST = (24 << 20) + (1 << 16)


class RecordsTest(unittest.TestCase):
    def test_same_answers_as_each_alone(self):
        for keeps in (False, True):
            for source in (None, 1):
                verifier = pickle.loads(pickle.dumps(given.forged_verifier(records_evidence=keeps, records_source=source)))
                for end in ("", "\n"):
                    with self.subTest(keeps=keeps, source=source, end=end):
                        answers, number = verifier.answer_records(("\n".join(LINES) + end).encode(), 5)
                        alone = [verifier.answers(line.encode(), place) for place, line in enumerate(LINES, 5) if line.strip()]
                        self.assertEqual(number, 5 + len(LINES))
                        self.assertEqual(answers.pairs, [pair for each in alone for pair in each.pairs])
                        self.assertEqual(answers.leaves, [leaf for each in alone for leaf in each.leaves])
                        self.assertEqual(len(answers.leaves), 7 if source else 0)
                        self.assertEqual([kept is not None for _, kept in answers.pairs], [keeps and n in (0, 3, 4, 6) for n in range(7)])
                        self.assertEqual(bytes(answers.lines).count(b"\n"), 14 if keeps else 7)

    def test_leaf_covers_the_statement(self):
        (line, _), = given.forged_verifier().answers(LINES[0].encode(), 9).pairs
        text = line[:line.index(b',"signature":')] + b"}"
        wanted = hashlib.sha256(b"\0appreceipt record 2\nsource 3\nplace 9\nreceived base64\n%b\n" % text).digest()
        self.assertEqual(given.forged_verifier(records_source=3).answers(LINES[0].encode(), 9).leaves, [wanted])

    def test_leaf_covers_the_received_bytes(self):
        verifier = given.forged_verifier(records_source=1)
        for line, received in (
            ('{"receipt":"!!!c"}', b"!!!c"), ('{"receipt":"!!!e"}', b"!!!e"), (" no JSON\r", b"no JSON"), ('{"receipt":null}', None),
            ('{"receipt":"%s\\n"}' % RECEIPT, RECEIPT.encode() + b"\n"),
        ):
            with self.subTest(line=line[:40]):
                answers = verifier.answers(line.encode(), 1)
                text = answers.pairs[0][0]
                text = text[:text.index(b',"signature":')] + b"}" if b'"genuine"' in text else text
                name = b"nothing" if received is None else hashlib.sha256(received).hexdigest().encode()
                leaf = b"\0appreceipt record 2\nsource 1\nplace 1\nreceived %b\n%b\n" % (name, text)
                self.assertEqual(answers.leaves, [hashlib.sha256(leaf).digest()])

    def test_root_equals_the_audits(self):
        lines = LINES + [
            " \tno JSON\r", '{"receipt":"!!!c"}\r', '{"signedTransactions":[5,null]}', '{"receipt":"%s\\n"}' % RECEIPT,
            '{"receipt":"data:;base64,%s"}' % RECEIPT]
        text = "\n".join(lines).encode() + b"\n"
        answers, _ = given.forged_verifier(records_source=1).answer_records(text, 1)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "export.ndjson")
            path.write_bytes(text)
            told = subprocess.run(
                [given.TOOL, "audit", path, "--ndjson", path.with_name("lines"), "--root", given.ROOT, "--as-of", "2026-01-01T00:00:00Z"],
                stderr=subprocess.PIPE).stderr.decode()
        self.assertIn("Merkle root of the audit: " + root([Stretch.of(0, answers.leaves)]), told)

    def test_nothing(self):
        for source in (None, 1):
            for text, number in (("", 1), ("\n", 2), ("\n \n", 3)):
                answers, behind = given.forged_verifier(records_source=source).answer_records(text.encode(), 1)
                self.assertEqual((bytes(answers.lines), answers.leaves, answers.pairs, behind), (b"", [], [], number))

    def test_input_above_the_limits(self):
        verifier = given.forged_verifier(records_source=1)
        # (bytes, result)
        for text, wanted in (
            (b"7\n" * (1 << 19), None), (b"7\n" * (1 << 19) + b"\n", BadRequest), (b" " * (1 << 20), 0), (b" " * (2 << 20), 0),
            (b" " * LONGEST + b"\n", 0), (b" " * (LONGEST + 1), 1), (b"\n" + b" " * (1 << 20), BadRequest),
            (b"7" * (32 << 20), 1), (b"7" * ((32 << 20) + 1), BadRequest),
        ):
            with self.subTest(length=len(text)):
                if wanted is BadRequest:
                    self.assertRaises(BadRequest, verifier.answer_records, text, 1)
                    continue
                answers, _ = verifier.answer_records(text, 1)
                self.assertEqual(len(answers.leaves), 1 << 19 if wanted is None else wanted)
                if wanted == 1:
                    self.assertEqual(json.loads(bytes(answers.lines))["refusal"]["message"], "longer than the limit of a record")

    def test_line_limit_equals_the_audits(self):
        verifier = given.forged_verifier(records_source=1)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "export.ndjson")
            for length in (LONGEST - 1, LONGEST, LONGEST + 1, LONGEST + 60_000):
                for end in (b"\n", b"\r\n", b""):
                    for text in (b"", b'{"receipt":null}'):
                        line = text + b" " * (length - len(text)) + end
                        path.write_bytes(line)
                        told = [subprocess.run([given.TOOL, "audit", path, "--ndjson", "-", "--as-of", "2026-01-01T00:00:00Z", "--jobs", jobs],
                                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout for jobs in ("1", "64")]
                        with self.subTest(length=length - LONGEST, end=end, text=text):
                            self.assertEqual(told, [bytes(verifier.answer_records(line, 1)[0].lines)] * 2)

    def test_invalid_record_numbers(self):
        for number in (-1, 0, 1 << 62, (1 << 64) + 1):
            self.assertRaises(ValueError, given.forged_verifier().answer_records, b"7", number)
            self.assertRaises(ValueError, given.forged_verifier().answer_record, b"7", number)

    def test_records_as_text(self):
        verifier = given.forged_verifier()
        for data in (LINES[0], bytearray(LINES[0].encode()), memoryview(LINES[0].encode())):
            self.assertEqual(verifier.answer_records(data, 1)[0].pairs, verifier.answers(LINES[0].encode(), 1).pairs)


class StretchTest(unittest.TestCase):
    def test_every_cut(self):
        draw = random.Random(15)
        leaves = [draw.randbytes(32) for _ in range(70)]
        for count in range(len(leaves) + 1):
            cuts = [0, *sorted(draw.randrange(count + 1) for _ in range(4)), count]
            stretches = [Stretch.of(start, leaves[start:end]) for start, end in zip(cuts, cuts[1:])]
            for stretch, start, end in zip(stretches, cuts, cuts[1:]):
                one_by_one = Stretch()
                for place in range(start, end):
                    one_by_one.append(0, place, leaves[place])
                self.assertEqual(stretch.nodes, one_by_one.nodes)
            self.assertEqual(root(stretches), merkle(leaves[:count]).hex())


def merkle(leaves):
    """Returns the Merkle root by RFC 6962, 2.1."""
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256().digest()
    left = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + merkle(leaves[:left]) + merkle(leaves[left:])).digest()
