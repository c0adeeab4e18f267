"""Tests of settings and policies, and of dataclasses, threads, processes and archives."""

import base64
import copy
import dataclasses
import datetime
import json
import multiprocessing
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import uuid
import zipfile

import appreceipt
import given
from appreceipt.policies import POLICIES

DATA = given.RECEIPT.read_bytes()


def content(verifier_and_data):
    verifier, data = verifier_and_data
    return verifier.verify(data).content_sha256


class PolicyTest(unittest.TestCase):
    def test_policy(self):
        bundle_id = given.forged_verifier().verify(DATA).bundle_id
        for settings, code in (
            ({"bundle_ids": [bundle_id]}, None),
            ({"bundle_ids": ["com.example.other", bundle_id]}, None),
            ({"bundle_ids": (bundle_id,), "environment": "production"}, None),
            ({"bundle_ids": ["com.example.other"]}, "wrong_bundle_id"),
            ({"bundle_ids": bundle_id, "environment": ["sandbox", "production"]}, None),
            ({"environment": "sandbox"}, "wrong_environment"),
            ({"environment": ["sandbox", "xcode"]}, "wrong_environment"),
            ({"device_id": bytes(16)}, "wrong_device"),
            ({"device_id": "00:11:22:33:44:55"}, "wrong_device"),
            ({"device_id": uuid.UUID(int=7)}, "wrong_device"),
            ({"cross_check": True}, None),
            ({"limits": {"signature_checks": 1}}, "untrusted_chain"),
            ({"limits": {"signature_checks": 64, "certificates": 2}}, "too_large"),
            ({"sha1_signatures": "none"}, None),
            ({"distrust": {"certificates": [{"serial": "7e570001"}]}}, "revoked"),
            ({"distrust": '{"certificates": [{"serial": "7e570001"}]}', "revocation": "check"}, "revoked"),
            ({"distrust": {"certificates": []}}, None),
            ({"revocation": "off"}, None),
        ):
            with self.subTest(settings):
                result, = given.forged_verifier(**settings).verify_all(DATA)
                self.assertEqual(getattr(result, "code", None), code)

    def test_policies_equal_the_tools(self):
        pages = [" ".join(subprocess.run([given.TOOL, command, "--help"], stdout=subprocess.PIPE, check=True).stdout.decode().split())
                 for command in ("audit", "eligibility")]
        for name, (values, text) in POLICIES.items():
            with self.subTest(name):
                for page in pages:
                    self.assertIn(f"--{name.replace('_', '-')} <", page)
                    self.assertIn(text, page)
                for value in values:
                    given.forged_verifier(policies={name: value}).close()
                self.assertRaises(appreceipt.BadRequest, given.forged_verifier, policies={name: "else"})
                self.assertIn(f"the default is {values[0]}.", text)

    def test_roots(self):
        der = given.ROOT.read_bytes()
        pem = subprocess.run(["openssl", "x509", "-inform", "DER"], input=der, stdout=subprocess.PIPE, check=True).stdout
        for root in (given.ROOT, der, pem, pem.decode()):
            self.assertEqual(appreceipt.Verifier([root], **given.ANY).verify(DATA).realm, "custom")
        with self.assertRaises(appreceipt.Refused) as raised:
            appreceipt.Verifier(**given.ANY).verify(DATA)
        self.assertEqual(raised.exception.code, "untrusted_chain")

    def test_invalid_settings(self):
        for settings in ({"bundle_ids": []}, {"environment": "Production"}, {"environment": []}, {"limits": {"signature_checks": 0}}, {"limits": {"checks": 1}},
                         {"sha1_signatures": "until2025"}, {"crl": [b"no list"]}, {"crl": []}, {"revocation": "require"},
                         {"revocation": "check"}, {"distrust": {"certificates": [{}]}},
                         {"environment": ["any", "sandbox"]}, {"bundle_ids": ["any", "a.b"]}, {"roots": [b"no certificate"]}, {"roots": []}):
            with self.subTest(settings), self.assertRaises(appreceipt.BadRequest) as raised:
                appreceipt.Verifier(**{**given.ANY, **settings})
            self.assertEqual(len(str(raised.exception).splitlines()), 1)

    def test_missing_settings_are_errors(self):
        for settings in ({}, {"bundle_ids": "any"}, {"environment": "any"}, {"roots": [given.ROOT], "environment": "production"},
                         *({**given.ANY, name: None} for name in (
                             "bundle_ids", "environment", "app_apple_id", "device_id", "sha1_signatures"))):
            with self.subTest(settings), self.assertRaises(TypeError):
                appreceipt.Verifier(**settings)

    def test_settings_of_another_type(self):
        path = str(given.ROOT)
        for settings, error, message in (
            ({"device_id": "ab"}, ValueError, "device_id: must be a UUID \\(16 bytes\\) or a MAC address \\(6 bytes\\), not 'ab'"),
            ({"device_id": b"\0"}, ValueError, "device_id: must be a UUID"),
            ({"device_id": "x" * 32}, ValueError, "device_id: must be a UUID"),
            ({"device_id": 5}, TypeError, "device_id: must be bytes, a UUID or hexadecimal digits, not int"),
            ({"storekit_test_roots": path}, TypeError, "storekit_test_roots: must be a list, not str"),
            ({"roots": path}, TypeError, "^roots: must be a list, not str"),
            ({"roots": given.ROOT}, TypeError, "roots: must be a list, not PosixPath"),
            ({"roots": b"MII"}, TypeError, "roots: must be a list, not bytes"),
            ({"roots": [path]}, ValueError, r"roots\[0\]: must be a certificate in PEM or DER, or a pathlib.Path of one"),
            ({"roots": [given.ROOT, path.encode()]}, ValueError, r"roots\[1\]: must be a certificate in PEM or DER"),
            ({"storekit_test_roots": [5]}, TypeError, r"storekit_test_roots\[0\]: must be PEM, DER or a pathlib.Path, not int"),
            ({"records_as_of": datetime.date(2026, 1, 1)}, TypeError, "records_as_of: must be a datetime with a time zone"),
            ({"records_as_of": datetime.datetime(2026, 1, 1)}, ValueError, "records_as_of: .* has no time zone"),
            ({"bundle_ids": 5}, TypeError, "bundle_ids: must be one value or a list, not int"),
            ({"environment": b"sandbox"}, TypeError, "environment: must be one value or a list, not bytes"),
            ({"records_evidence": "no"}, ValueError, "records.evidence"),
            ({"limits": "x"}, TypeError, "^limits: must be a dict, not str"),
            ({"policies": ["x"]}, TypeError, "^policies: must be a dict, not list"),
            ({"verify_receipt": b"x"}, TypeError, "^verify_receipt: must be a dict, not bytes"),
        ):
            with self.subTest(settings), self.assertRaisesRegex(error, message) as raised:
                appreceipt.Verifier(**{**given.ANY, **settings})
            self.assertEqual(len(str(raised.exception).splitlines()), 1)


class ClosingTest(unittest.TestCase):
    def test_closed_at_the_end_of_its_block(self):
        with given.forged_verifier(catalog={"groups": {"G": ["P"]}}) as verifier:
            self.assertEqual(verifier.verify(DATA).realm, "custom")
        verifier.close()
        for call in (lambda: verifier.verify(DATA), lambda: verifier.verify_all(DATA), lambda: list(verifier.verify_each([DATA])),
                     lambda: verifier.answer_record("{}", 1), lambda: verifier.eligibility([DATA]), lambda: pickle.dumps(verifier),
                     lambda: verifier.__enter__(), lambda: verifier.verify_receipt_answer({}), lambda: list(verifier.verify_export(['{"receipt": "MAA="}']))):
            self.assertRaisesRegex(ValueError, "^verifier: closed$", call)

    def test_running_calls_end(self):
        """Checks that calls in other threads end when a verifier is closed, and never use a closed one."""
        for _ in range(20):
            verifier, found = given.forged_verifier(), []

            def work():
                try:
                    while True:
                        found.append(verifier.verify(DATA).realm)
                except ValueError as error:
                    found.append(str(error))

            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            while len(found) < 8:
                time.sleep(0)
            verifier.close()
            for thread in threads:
                thread.join()
            self.assertEqual(set(found), {"custom", "verifier: closed"})

    def test_closing_releases_memory(self):
        def peak():
            for _ in range(200):
                given.forged_verifier().close()
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        before = peak()
        self.assertLess(peak() - before, 6 << 10)


class Special(appreceipt.Verifier):
    """A subclass with an additional attribute."""

    def verify(self, data):
        return self.name, super().verify(data)


class Slotted(Special):
    """A subclass with slots, two of which have values."""

    __slots__ = ("name", "unfilled", "__own")

    def own(self, *value):
        if value:
            self.__own, = value
        return self.__own


class PickleTest(unittest.TestCase):
    REQUEST = {"receipt-data": base64.b64encode(given.RECEIPT.read_bytes()).decode(), "password": "hunter2"}

    def test_pickles_hold_no_shared_secret(self):
        verifier = given.forged_verifier(verify_receipt={"shared_secret": "hunter2", "environment": "production"})
        self.assertEqual(verifier.verify_receipt_answer(self.REQUEST)["status"], 0)
        self.assertEqual(verifier.verify_receipt_answer({**self.REQUEST, "password": "other"})["status"], 21004)
        self.assertNotIn(b"hunter2", pickle.dumps(verifier))
        self.assertNotIn("hunter2", repr(verifier))
        for made in (pickle.loads(pickle.dumps(verifier)), copy.deepcopy(verifier), pickle.loads(pickle.dumps(copy.copy(verifier)))):
            self.assertEqual(made.verify(DATA), verifier.verify(DATA))
            # Without the secret it would accept every client.
            self.assertRaisesRegex(ValueError, "shared_secret: not included", made.verify_receipt_answer, self.REQUEST)

    def test_pickle_without_secret(self):
        verifier = given.forged_verifier(verify_receipt={"environment": "sandbox"}, environment="sandbox")
        made = pickle.loads(pickle.dumps(verifier))
        self.assertEqual(made.verify_receipt_answer(self.REQUEST)["status"], 21008)
        self.assertRaises(appreceipt.Refused, made.verify, DATA)

    def test_pickled_subclass(self):
        for kind in (Special, Slotted):
            verifier = kind([given.ROOT], **given.ANY)
            verifier.name = "mine"
            for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
                self.assertEqual(pickle.loads(pickle.dumps(verifier, protocol)).verify(DATA), verifier.verify(DATA))

    def test_pickled_slots_of_a_subclass(self):
        verifier = Slotted([given.ROOT], **given.ANY)
        verifier.name, verifier.more = "mine", 5
        verifier.own("private")
        for made in (pickle.loads(pickle.dumps(verifier)), copy.copy(verifier), copy.deepcopy(verifier)):
            self.assertEqual((made.name, made.more, made.own()), ("mine", 5, "private"))
            self.assertFalse(hasattr(made, "unfilled"))


class DataclassTest(unittest.TestCase):
    def setUp(self):
        self.receipt = given.forged_verifier().verify(DATA)

    def test_decoded_at_the_first_access(self):
        slot = type(self.receipt).__dict__.get("bundle_id")
        if sys.version_info >= (3, 10):
            self.assertRaises(AttributeError, slot.__get__, self.receipt)
        self.assertEqual(self.receipt.environment, "Production")
        if sys.version_info >= (3, 10):
            self.assertEqual(slot.__get__(self.receipt), self.receipt.bundle_id)
            self.assertFalse(hasattr(self.receipt, "__dict__"))
            self.assertFalse(hasattr(self.receipt.in_app[0], "__dict__"))

    def test_frozen_without_constructor(self):
        record = next(given.forged_verifier().verify_export(['{"receipt": "MAA="}']))[0]
        for target, field in ((self.receipt, "sha256"), (self.receipt.in_app[0], "quantity"), (self.receipt.signature, "chain"),
                              (record, "place")):
            for name in (field, "no_field"):
                with self.subTest(target=type(target), name=name):
                    with self.assertRaises(dataclasses.FrozenInstanceError):
                        setattr(target, name, None)
                    with self.assertRaises(dataclasses.FrozenInstanceError):
                        delattr(target, name)
        self.assertRaises(TypeError, appreceipt.Receipt)
        self.assertRaises(AttributeError, getattr, self.receipt, "bundle")

    def test_values(self):
        self.assertIs(type(self.receipt.in_app), tuple)
        self.assertEqual(self.receipt.receipt_creation_date.tzinfo, datetime.timezone.utc)
        self.assertIs(type(self.receipt.opaque_value), bytes)
        self.assertEqual(dataclasses.asdict(self.receipt)["in_app"][0]["product_id"], self.receipt.in_app[0].product_id)

    def test_short_reprs(self):
        """Checks that a repr shows identity and counts, but no payload bytes and no transaction identifiers, whatever
        their number.
        """
        largest = max(given.GENUINE, key=lambda path: path.stat().st_size)
        notification = given.forged_verifier().verify_all((given.FIXTURES / "jws/notification.jws").read_bytes())[0]
        for each in (self.receipt, appreceipt.Verifier(**given.ANY).verify(largest.read_bytes()), notification):
            self.assertLess(len(repr(each)), 400)
        self.assertEqual(
            repr(self.receipt), f"Receipt(bundle_id={self.receipt.bundle_id!r}, environment='Production', receipt_creation_date="
            f"'{given.plain(self.receipt.receipt_creation_date)}', content_sha256={self.receipt.content_sha256!r}, "
            f"in_app=<{len(self.receipt.in_app)}>, unknown=<{len(self.receipt.unknown)}>)")
        self.assertNotIn(self.receipt.opaque_value.hex(), repr(self.receipt))
        self.assertNotIn(self.receipt.in_app[0].transaction_id, repr(self.receipt.in_app[0]))
        self.assertIn(self.receipt.in_app[0].product_id, repr(self.receipt.in_app[0]))
        self.assertIn("chain=<3>", repr(self.receipt.signature))
        self.assertIn(f"members=<{len(notification.members)} members>", repr(notification))

    def test_year_zero(self):
        """Checks a date in the year 0000, with which RFC 3339 begins and Python's dates do not."""
        text = given.forged_verifier().verify(DATA).json
        date = json.loads(text)["receipt"]["receipt_creation_date"]
        receipt = appreceipt.Receipt._of(text.replace(f'"{date}"', '"0000-01-01T00:00:00Z"').encode())
        self.assertRaisesRegex(ValueError, "^0000-01-01T00:00:00Z: .*year 1", getattr, receipt, "bundle_id")
        self.assertIn("0000-01-01T00:00:00Z", repr(receipt))
        self.assertIn("0000-01-01T00:00:00Z", receipt.json)

    def test_copies(self):
        refused, = given.forged_verifier(bundle_ids=["a.b"]).verify_all(DATA)
        notification = given.forged_verifier().verify_all((given.FIXTURES / "jws/notification.jws").read_bytes())[0]
        for each in (self.receipt, self.receipt.in_app[0], notification):
            for made in (pickle.loads(pickle.dumps(each)), copy.deepcopy(each)):
                self.assertEqual((made, hash(made) if each is not notification else 0),
                                 (each, hash(each) if each is not notification else 0))
        self.assertEqual(given.line(pickle.loads(pickle.dumps(refused))), given.line(refused))
        self.assertNotEqual(self.receipt, notification)
        self.assertEqual(content((pickle.loads(pickle.dumps(given.forged_verifier())), DATA)), self.receipt.content_sha256)

    def test_version(self):
        told = subprocess.run([given.TOOL, "--version"], stdout=subprocess.PIPE, text=True).stdout.split()[1]
        self.assertEqual({appreceipt.__version__, os.path.basename(os.environ["WHEEL"]).split("-")[1]}, {told})


class ConcurrencyTest(unittest.TestCase):
    def test_calls_release_the_interpreter_lock(self):
        """Checks that a call releases the interpreter's lock. Otherwise the other thread could not count."""
        verifier, count, over = given.forged_verifier(), [0], threading.Event()
        # Long enough for the other thread to wake up.
        data = DATA + bytes(8 << 20)

        def counting():
            while not over.is_set():
                count[0] += 1
                time.sleep(0)

        interval = sys.getswitchinterval()
        sys.setswitchinterval(1000)
        thread = threading.Thread(target=counting)
        try:
            thread.start()
            seen = False
            for _ in range(200):
                before = count[0]
                verifier._handle.verify(data)
                seen = count[0] != before
                if seen:
                    break
        finally:
            over.set()
            thread.join()
            sys.setswitchinterval(interval)
        self.assertTrue(seen)

    def test_threads_share_a_verifier(self):
        verifier = given.forged_verifier()
        inputs = [path.read_bytes() for path in given.FORGED[:60]]
        expected = [[given.line(each) for each in verifier.verify_all(data)] for data in inputs]
        found = [None] * 8

        def work(number):
            found[number] = [[given.line(each) for each in verifier.verify_all(data)] for data in inputs]

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 8)

    def test_fork_during_verification(self):
        verifier, over = given.forged_verifier(), threading.Event()
        expected = content((verifier, DATA))

        def busy():
            while not over.is_set():
                verifier.verify(DATA)

        thread = threading.Thread(target=busy)
        thread.start()
        try:
            with multiprocessing.get_context("fork").Pool(4) as pool:
                answers = pool.map_async(content, [(verifier, DATA)] * 64).get(timeout=120)
            for _ in range(8):
                child = os.fork()
                if child == 0:
                    os._exit(0 if content((verifier, DATA)) == expected else 1)
                self.assertEqual(os.waitpid(child, 0)[1], 0)
        finally:
            over.set()
            thread.join()
        self.assertEqual(answers, [expected] * 64)

    def test_memory_is_released(self):
        verifier = given.forged_verifier()

        def peak():
            for _ in range(3000):
                verifier.verify(DATA)
                verifier.verify_all(b"MAA=")
            for _ in range(30):
                given.forged_verifier()
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        before = peak()
        # 3,000 leaked answers of 6 KB each would take 18 MB.
        self.assertLess(peak() - before, 6 << 10)


    def test_interrupted_calls_release_their_answers(self):
        """Checks an exception between any two instructions, like KeyboardInterrupt. 2,000 leaked answers of 80 KB
        would take 160 MB.
        """
        script = """if True:
            import resource, signal, sys
            import appreceipt, given

            class Interrupt(BaseException):
                pass

            def interrupt(number, frame):
                raise Interrupt

            history = b'["' + b'","'.join([b"x" * 1000] * 400) + b'"]'
            verifier = given.forged_verifier()
            history = b'{"signedTransactions":' + history + b"}"
            signal.signal(signal.SIGALRM, interrupt)

            def peak(count):
                seen = 0
                while seen < count:
                    try:
                        signal.setitimer(signal.ITIMER_REAL, 0.0004)
                        while True:
                            verifier._handle.verify(history)
                    except Interrupt:
                        seen += 1
                return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

            before = peak(200)
            print(peak(2000) - before, len(verifier._handle.verify(history)[1]))
            """
        grown, length = map(int, subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True,
                                                check=True).stdout.split())
        self.assertGreater(length, 50_000)
        self.assertLess(grown, 12 << 10)


class ArchiveTest(unittest.TestCase):
    def test_imported_from_an_archive(self):
        """Checks an import from an archive, as Spark distributes packages."""
        with tempfile.TemporaryDirectory() as folder:
            archive = f"{folder}/package.zip"
            with zipfile.ZipFile(os.environ["WHEEL"]) as wheel, zipfile.ZipFile(archive, "w") as package:
                for name in wheel.namelist():
                    package.writestr(name, wheel.read(name))
            script = "import sys; sys.path.insert(0, sys.argv[1]); import appreceipt; print(appreceipt.__file__, appreceipt.version())"
            printed = subprocess.run([sys.executable, "-I", "-S", "-c", script, archive], stdout=subprocess.PIPE, text=True,
                                     check=True, env={"TMPDIR": folder}).stdout.split()
            self.assertTrue(printed[0].startswith(archive), printed)
            self.assertEqual(printed[1], appreceipt.version())
            self.assertEqual(os.listdir(folder), ["package.zip"])
