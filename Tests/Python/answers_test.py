"""Checks that each answer equals the tool's, for Fixtures and for damaged inputs."""

import base64
import itertools
import json
import random
import unittest

import appreceipt
import given


class AnswersTest(unittest.TestCase):
    def test_fixtures(self):
        verifiers = {False: given.forged_verifier(), True: appreceipt.Verifier(**given.ANY)}
        kinds = set()
        for path in given.FORGED + given.GENUINE:
            with self.subTest(path.name):
                data = path.read_bytes()
                expected = given.tool_lines(data, *given.tool_options(path))
                verifier = verifiers[path in given.GENUINE]
                results = verifier.verify_all(data)
                self.assertEqual([given.line(each) for each in results], [json.loads(line) for line in expected])
                self.assertEqual([each.json for each in results if not isinstance(each, appreceipt.Refused)],
                                 [line for line in expected if '"status":"genuine"' in line])
                self.assert_one(verifier, data, results)
                kinds |= {type(each) for each in results}
        self.assertEqual(kinds, {appreceipt.Receipt, appreceipt.Refused, *given.KINDS})

    def assert_one(self, verifier, data, results):
        """Checks that `verify` gives the same result for a single object, and an error for any other number."""
        if len(results) != 1:
            with self.assertRaises(appreceipt.NotOneObject) as raised:
                verifier.verify(data)
            self.assertEqual(raised.exception.count, len(results))
        elif isinstance(results[0], appreceipt.Refused):
            with self.assertRaises(appreceipt.Refused) as raised:
                verifier.verify(data)
            self.assertEqual(given.line(raised.exception), given.line(results[0]))
            self.assertEqual(len(str(raised.exception).splitlines()), 1)
        else:
            found = verifier.verify(data)
            self.assertEqual(found, results[0])
            self.assertEqual((type(found), found.path, given.line(found)),
                             (type(results[0]), results[0].path, given.line(results[0])))

    def test_data_next_to_a_receipt(self):
        """Checks data next to a receipt: a single object only if the receipt is the whole input."""
        data, jws = given.RECEIPT.read_bytes(), (given.FIXTURES / "jws/transaction.jws").read_bytes()
        text = base64.b64encode(data)
        verifier = given.forged_verifier()
        for whole in (data + data, text + b"\n" + text, text + b"\n" + jws, jws + b"\n" + text, text + b"." + jws,
                      b'{"receipt":"%s","signedTransactions":["%s"]}' % (text, jws.strip()),
                      b'{"signedTransactions":["%s","%s"]}' % (jws.strip(), text), b'["%s","%s"]' % (text, jws.strip())):
            with self.subTest(whole[:40]):
                self.assert_one(verifier, whole, verifier.verify_all(whole))

    def test_each_of_many(self):
        """Checks that `verify_each` gives each input the same results as `verify_all`, in order."""
        verifier, data = given.forged_verifier(), given.RECEIPT.read_bytes()
        inputs = [path.read_bytes() for path in given.FORGED]
        # An empty input, text like the end of an answer, inputs above the limit of a batch, and another type.
        for place, each in ((0, b""), (31, b'"}\n{"results":[]}\n'), (40, bytes(2 << 20)), (41, base64.b64encode(data).decode()),
                            (50, bytearray(data))):
            inputs.insert(place, each)
        inputs += [data + bytes(600 << 10)] * 3
        wanted = [[given.line(result) for result in verifier.verify_all(each)] for each in inputs]
        self.assertGreater(len({len(results) for results in wanted}), 2)
        self.assertEqual([[given.line(result) for result in results] for results in verifier.verify_each(inputs)], wanted)
        for count in (0, 1, 31, 32, 33, 64, 65):
            some = list(verifier.verify_each(inputs[:count]))
            self.assertEqual([[given.line(result) for result in results] for results in some], wanted[:count])

    def test_each_of_an_endless_iterator(self):
        taken = itertools.count()
        endless = (given.RECEIPT.read_bytes() for _ in taken)
        [receipt], = itertools.islice(given.forged_verifier().verify_each(endless), 1)
        self.assertEqual(receipt, given.forged_verifier().verify(given.RECEIPT.read_bytes()))
        self.assertLess(next(taken), 40)

    def test_single_input_is_not_a_list(self):
        for inputs in ("text", b"bytes", {"a": 1}, None, 5, given.RECEIPT):
            with self.subTest(inputs), self.assertRaisesRegex(TypeError, "^inputs: must be a list, not "):
                given.forged_verifier().verify_each(inputs)

    def test_results_before_a_failing_input(self):
        for count in (0, 1, 32, 40):
            answers = given.forged_verifier().verify_each([b""] * count + [5])
            self.assertEqual([given.line(refused)["refusal"]["code"] for refused, in itertools.islice(answers, count)],
                             ["malformed"] * count)
            self.assertRaises(TypeError, next, answers)

    def test_types_of_input(self):
        data = given.RECEIPT.read_bytes()
        receipt = given.forged_verifier().verify(data)
        for each in (bytearray(data), memoryview(data), base64.b64encode(data), base64.b64encode(data).decode(),
                     base64.urlsafe_b64encode(data).rstrip(b"="), base64.encodebytes(data)):
            self.assertEqual(given.forged_verifier().verify(each).content_sha256, receipt.content_sha256)
        for each in (None, 5, ["MAA="]):
            with self.assertRaises(TypeError):
                given.forged_verifier().verify(each)

    def test_damaged(self):
        """Checks that an input with a changed byte, a cut or an insertion has the tool's answer and never causes a
        crash.
        """
        random_source, verifier, options = random.Random(15), given.forged_verifier(), given.tool_options(given.RECEIPT)
        inputs = [b"", b"\0", b"\xff" * 100, b"{}", b"[]", b'{"signedTransactions":[]}', b'{"results":[{"source":"-"']
        for path in [given.RECEIPT, given.FIXTURES / "jws/transaction.jws", given.FIXTURES / "jws/history.json"]:
            for _ in range(12):
                data = bytearray(path.read_bytes())
                place = random_source.randrange(len(data))
                change = random_source.randrange(3)
                if change == 0:
                    data[place] ^= 1 << random_source.randrange(8)
                elif change == 1:
                    del data[place:]
                else:
                    data[place:place] = random_source.randbytes(3)
                inputs.append(bytes(data))
        for data in inputs:
            with self.subTest(data=data[:40]):
                self.assertEqual([given.line(each) for each in verifier.verify_all(data)],
                                 [json.loads(line) for line in given.tool_lines(data, *options)])


def padded(path):
    """Returns base64 in the format of verifyReceipt."""
    if path.suffix == ".der":
        return base64.b64encode(path.read_bytes()).decode()
    text = "".join(line for line in path.read_text().split("\n") if not line.startswith("---"))
    text = "".join(text.split()).translate(str.maketrans("-_", "+/")).rstrip("=")
    return text + "=" * (-len(text) % 4)


class VerifyReceiptTest(unittest.TestCase):
    def test_answers(self):
        lines = [json.loads(line) for line in (given.FIXTURES / "answers/answers.ndjson").read_text().splitlines()]
        statuses = set()
        for each in lines:
            path = given.FIXTURES / each["receipt"]
            roots = None if "genuine" in each["receipt"] else [given.ROOT]
            verifier = appreceipt.Verifier(roots, **given.ANY, verify_receipt={
                "environment": each["environment"].lower(),
                "latest": "as-of-receipt" if "signed_renewal_info" in each else "omitted"})
            request = {"receipt-data": padded(path)}
            if "signed_renewal_info" in each:
                request["signed-renewal-info"] = [
                    (given.FIXTURES / name).read_text() for name in each["signed_renewal_info"]]
            answer = verifier.verify_receipt_answer(request)
            statuses.add(answer["status"])
            with self.subTest(each["receipt"], environment=each["environment"]):
                self.assertEqual(self.timeless(answer), self.timeless(each["answer"]))
        self.assertLessEqual({0, 21007, 21008}, statuses)

    def test_signed_transactions_newer_than_the_receipt_are_listed(self):
        verifier = appreceipt.Verifier([given.ROOT], **given.ANY)
        receipt = padded(given.FIXTURES / "eligibility/receipts/half-a-year-then-left.der")
        history = json.loads((given.FIXTURES / "jws/history.json").read_text())
        answer = verifier.verify_receipt_answer({"receipt-data": receipt, "latest": [history]})
        self.assertEqual("PURCHASED", answer["latest_receipt_info"][0]["in_app_ownership_type"])
        other = (given.FIXTURES / "jws/xcode-transaction.jws").read_text()
        answer = verifier.verify_receipt_answer({"receipt-data": receipt, "latest": [other]})
        self.assertEqual((21003, "latest[0]"), (answer["status"], answer["refusal"]["field"][:9]))

    @staticmethod
    def timeless(answer):
        receipt = {name: value for name, value in answer.get("receipt", {}).items() if not name.startswith("request_date")}
        return {**answer, "receipt": receipt}
