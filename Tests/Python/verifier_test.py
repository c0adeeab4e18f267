"""Settings and demands, and what dataclasses, threads, processes and archives may rely on."""

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

DATA = given.RECEIPT.read_bytes()


def content(verifier_and_data):
    verifier, data = verifier_and_data
    return verifier.verify(data).content_sha256


class DemandsTest(unittest.TestCase):
    def test_demands(self):
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
        ):
            with self.subTest(settings):
                result, = given.forged_verifier(**settings).verify_all(DATA)
                self.assertEqual(getattr(result, "code", None), code)

    def test_roots(self):
        der = given.ROOT.read_bytes()
        pem = subprocess.run(["openssl", "x509", "-inform", "DER"], input=der, stdout=subprocess.PIPE, check=True).stdout
        for root in (given.ROOT, der, pem, pem.decode()):
            self.assertEqual(appreceipt.Verifier([root]).verify(DATA).realm, "custom")
        with self.assertRaises(appreceipt.Refused) as raised:
            appreceipt.Verifier().verify(DATA)
        self.assertEqual(raised.exception.code, "untrusted_chain")

    def test_settings_that_are_not_understood(self):
        for settings in ({"bundle_ids": []}, {"environment": "Production"}, {"environment": []}, {"limits": {"signature_checks": 0}}, {"limits": {"checks": 1}},
                         {"sha1_signatures": "until2025"},
                         {"environment": ["any", "sandbox"]}, {"bundle_ids": ["any", "a.b"]}, {"roots": [b"no certificate"]}, {"roots": []}):
            with self.subTest(settings), self.assertRaises(appreceipt.BadRequest) as raised:
                appreceipt.Verifier(**settings)
            self.assertEqual(len(str(raised.exception).splitlines()), 1)
        for settings in ({"environment": None}, {"bundle_ids": None}, {"sha1_signatures": None}, {"roots": "root.cer"}, {"roots": b"MII"}):
            with self.subTest(settings), self.assertRaises(TypeError):
                appreceipt.Verifier(**settings)


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

    def test_frozen_and_without_doors(self):
        for target, field in ((self.receipt, "sha256"), (self.receipt.in_app[0], "quantity"), (self.receipt.signature, "chain")):
            with self.assertRaises(dataclasses.FrozenInstanceError):
                setattr(target, field, None)
        self.assertRaises(TypeError, appreceipt.Receipt)
        self.assertRaises(AttributeError, getattr, self.receipt, "bundle")

    def test_values(self):
        self.assertIs(type(self.receipt.in_app), tuple)
        self.assertEqual(self.receipt.receipt_creation_date.tzinfo, datetime.timezone.utc)
        self.assertIs(type(self.receipt.opaque_value), bytes)
        self.assertIn(repr(self.receipt.bundle_id), repr(self.receipt))
        self.assertEqual(dataclasses.asdict(self.receipt)["in_app"][0]["product_id"], self.receipt.in_app[0].product_id)

    def test_the_year_that_python_has_not(self):
        """RFC 3339 begins with the year 0000."""
        text = given.forged_verifier().verify(DATA).json
        date = json.loads(text)["receipt"]["receipt_creation_date"]
        receipt = appreceipt.Receipt._of(text.replace(f'"{date}"', '"0000-01-01T00:00:00Z"').encode())
        self.assertRaisesRegex(ValueError, "^0000-01-01T00:00:00Z: .*year 1", getattr, receipt, "bundle_id")
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
    def test_other_threads_run_meanwhile(self):
        """Nothing but a call that lets go of the interpreter's lock lets the other thread count."""
        verifier, count, over = given.forged_verifier(), [0], threading.Event()
        # Long enough for the other thread to be woken in.
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

    def test_forked_while_others_verify(self):
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

    def test_memory_is_given_back(self):
        verifier = given.forged_verifier()

        def peak():
            for _ in range(3000):
                verifier.verify(DATA)
                verifier.verify_all(b"MAA=")
            for _ in range(30):
                given.forged_verifier()
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        before = peak()
        # 3,000 answers of 6 KB each that nobody freed would be 18 MB.
        self.assertLess(peak() - before, 6 << 10)


class ArchiveTest(unittest.TestCase):
    def test_imported_from_an_archive(self):
        """As Spark ships packages."""
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
