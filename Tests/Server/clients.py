"""Tests unchanged clients of Apple's verifyReceipt with `appreceipt serve`. See `run`.

inapppy connects only to Apple's hosts. HTTPS_PROXY directs it to the test, and REQUESTS_CA_BUNDLE makes it trust the test's
authority. itunes-iap has class attributes for its URLs.
"""

import asyncio
import datetime
import os
import pathlib
import re
import socket
import tempfile
import threading
import warnings

import inapppy as inapppy_module
import itunesiap
from inapppy import AppStoreValidator, InAppPyValidationError

from authority import Authority
from serving import ROOT, TOP, Account, Server, text

account = Account("clients")
SECRET = "the shared secret"
HOSTS = "buy.itunes.apple.com", "sandbox.itunes.apple.com"


class Tunnels:
    """A proxy that forwards CONNECT for Apple's hosts to the test's servers. Other hosts fail."""

    def __init__(self, servers):
        self.servers, self.asked = servers, []
        self.socket = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            threading.Thread(target=self.tunnel, args=(self.socket.accept()[0],), daemon=True).start()

    def tunnel(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            head += client.recv(4096)
        host = head.split()[1].decode().removesuffix(":443")
        self.asked.append(host)
        server = self.servers[host]
        target = socket.create_connection((server.host, server.port))
        client.sendall(b"HTTP/1.1 200 here\r\n\r\n")
        threading.Thread(target=self.copy, args=(target, client), daemon=True).start()
        self.copy(client, target)

    @staticmethod
    def copy(source, target):
        try:
            while data := source.recv(1 << 16):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def refused(ask, kind=InAppPyValidationError):
    try:
        return f"accepted: {ask()}"
    except kind as error:
        return error


# Rows: the title, receipt, arguments of the validator, arguments of validate, status, and number of purchases.
INAPPPY = [
    ("a production receipt", "receipts/trial-then-renewals.der", {}, {}, 0, 6),
    ("two hundred purchases", "receipts/two-hundred-purchases.der", {}, {}, 0, 200),
    ("a sandbox receipt in the sandbox", "receipts/sandbox.der", {"sandbox": True}, {}, 0, 6),
    ("a sandbox receipt in production", "receipts/sandbox.der", {}, {}, 21007, None),
    ("a sandbox receipt in production, with a retry", "receipts/sandbox.der", {"auto_retry_wrong_env_request": True}, {}, 0, 6),
    ("a production receipt in the sandbox, with a retry", "receipts/refund.der",
     {"sandbox": True, "auto_retry_wrong_env_request": True}, {}, 0, 1),
    ("a production receipt in the sandbox", "receipts/refund.der", {"sandbox": True}, {}, 21008, None),
    ("old transactions left out", "receipts/trial-then-renewals.der", {}, {"exclude_old_transactions": True}, 0, 6),
    ("a tampered receipt", "receipts/tampered.der", {}, {}, 21003, None),
    ("a truncated receipt", "receipts/truncated.b64", {}, {}, 21002, None),
    ("a wrong shared secret", "receipts/refund.der", {}, {"shared_secret": "guessed"}, 21004, None),
    ("no shared secret", "receipts/refund.der", {}, {"shared_secret": None}, 21004, None),
    ("a client timeout", "receipts/refund.der", {"http_timeout": 30}, {}, 0, 1),
]


def inapppy(servers, authority):
    tunnels = Tunnels(dict(zip(HOSTS, servers)))
    os.environ["HTTPS_PROXY"] = "http://127.0.0.1:%d" % tunnels.socket.getsockname()[1]
    os.environ["REQUESTS_CA_BUNDLE"] = str(authority.certificate)
    for what, receipt, made, asked, status, purchases in INAPPPY:
        validator = AppStoreValidator(**made)
        def ask():
            return validator.validate(text(receipt), **{"shared_secret": SECRET, **asked})
        if status == 0:
            answer = ask()
            account.expect(f"inapppy, {what}", (answer["status"], len(answer["receipt"]["in_app"])), (0, purchases))
        else:
            error = refused(ask)
            account.expect(f"inapppy, {what}", getattr(error, "raw_response", error), {"status": status})
    account.expect("hosts that inapppy connects to", set(tunnels.asked), set(HOSTS))
    del os.environ["HTTPS_PROXY"], os.environ["REQUESTS_CA_BUNDLE"]


UTC = datetime.timezone.utc
REVIEW = itunesiap.env.review
# Rows: the title, receipt, environment, a function that reads the answer, and the expected value.
ITUNES_IAP = [
    ("the app", "receipts/trial-then-renewals.der", itunesiap.env.production,
     lambda r: r.receipt.bundle_id, "com.example.lumen"),
    ("a date", "receipts/trial-then-renewals.der", itunesiap.env.production,
     lambda r: r.receipt.receipt_creation_date.astimezone(UTC).isoformat(), "2024-01-20T08:00:00+00:00"),
    ("every purchase", "receipts/two-hundred-purchases.der", itunesiap.env.production, lambda r: len(r.receipt.in_app), 200),
    ("quantity", "receipts/refund.der", itunesiap.env.production, lambda r: r.receipt.in_app[0].quantity, 1),
    ("a trial", "receipts/trial-then-renewals.der", itunesiap.env.production,
     lambda r: [p.is_trial_period for p in r.receipt.in_app].count(True), 1),
    ("an expiry", "receipts/trial-then-renewals.der", itunesiap.env.production,
     lambda r: all(p.expires_date > p.purchase_date for p in r.receipt.in_app), True),
    ("a refund", "receipts/refund.der", itunesiap.env.production,
     lambda r: r.receipt.in_app[0].cancellation_date.astimezone(UTC) > datetime.datetime(2020, 1, 1, tzinfo=UTC), True),
    ("the last purchase", "receipts/trial-then-renewals.der", itunesiap.env.production,
     lambda r: r.receipt.last_in_app in r.receipt.in_app, True),
    ("the newest subscription, as of the receipt", "receipts/trial-then-renewals.der", itunesiap.env.production,
     lambda r: r.latest_receipt_info[0].expires_date == max(p.expires_date for p in r.receipt.in_app), True),
    ("the sandbox after 21007 from production", "receipts/sandbox.der", REVIEW, lambda r: r._environment, "Sandbox"),
    ("only the sandbox", "receipts/sandbox.der", itunesiap.env.sandbox, lambda r: len(r.receipt.in_app), 6),
]
# Rows: the title, receipt, environment and status.
ITUNES_IAP_REFUSES = [
    ("a sandbox receipt in production", "receipts/sandbox.der", itunesiap.env.production, 21007),
    ("a production receipt in the sandbox", "receipts/refund.der", itunesiap.env.sandbox, 21008),
    ("a tampered receipt", "receipts/tampered.der", REVIEW, 21003),
    ("a truncated receipt", "receipts/truncated.b64", REVIEW, 21002),
]


def itunes_iap(server):
    kind = type("Here", (itunesiap.Request,), {
        "PRODUCTION_VALIDATION_URL": f"{server.url}/verifyReceipt",
        "SANDBOX_VALIDATION_URL": f"{server.url}/sandbox/verifyReceipt"})
    for what, receipt, environment, read, wanted in ITUNES_IAP:
        ask = kind(text(receipt), password=SECRET)
        account.expect(f"itunes-iap, {what}", read(ask.verify(env=environment)), wanted)
        account.expect(f"itunes-iap by aiohttp, {what}", read(asyncio.run(ask.aioverify(env=environment))), wanted)
    for what, receipt, environment, status in ITUNES_IAP_REFUSES:
        error = refused(lambda: kind(text(receipt), password=SECRET).verify(env=environment), itunesiap.exc.InvalidReceipt)
        account.expect(f"itunes-iap, {what}", getattr(error, "status", error), status)
    error = refused(lambda: kind(text("receipts/refund.der")).verify(env=REVIEW), itunesiap.exc.InvalidReceipt)
    account.expect("itunes-iap, no shared secret", getattr(error, "status", error), 21004)


def page(server):
    """Runs the subclasses of the page on serving, with the server's address, for receipts of both environments."""
    article = (TOP / "Sources/ReceiptServer/ReceiptServer.docc/ServingVerifyReceipt.md").read_text()
    scope = {"itunesiap": itunesiap, "inapppy": inapppy_module}
    for block in re.findall(r"^```python\n(.*?)^```$", article, re.MULTILINE | re.DOTALL):
        account.expect("the block has the server's address", "http://127.0.0.1:8080" in block, True)
        exec(block.replace("http://127.0.0.1:8080", server.url), scope)
    for receipt, count in [("receipts/refund.der", 1), ("receipts/sandbox.der", 6)]:
        validator = scope["Validator"](auto_retry_wrong_env_request=True)
        answer = validator.validate(text(receipt), shared_secret=SECRET)
        account.expect(f"the page's inapppy, {receipt}", len(answer["receipt"]["in_app"]), count)
        answer = scope["Request"](text(receipt), password=SECRET).verify(env=REVIEW)
        account.expect(f"the page's itunes-iap, {receipt}", len(answer.receipt.in_app), count)


def main():
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        authority = Authority(folder)
        certificate, key = authority.issue("apple", *HOSTS)
        (folder / "secret").write_text(SECRET + "\n")
        secret = [*ROOT, "--shared-secret-file", folder / "secret"]
        tls = ["--tls-certificate", certificate, "--tls-key", key]
        with (Server(*secret, *tls) as production, Server(*secret, *tls, "--environment", "sandbox") as sandbox,
              Server(*secret, "--latest", "as-of-receipt") as plain, Server(*ROOT) as without):
            inapppy((production, sandbox), authority)
            itunes_iap(plain)
            page(plain)
            bare = type("Bare", (itunesiap.Request,), {"PRODUCTION_VALIDATION_URL": f"{without.url}/verifyReceipt"})
            answer = bare(text("receipts/refund.der")).verify()
            error = refused(lambda: answer.latest_receipt_info, itunesiap.receipt.MissingFieldError)
            account.expect("itunes-iap raises without --latest", type(error).__name__, "MissingFieldError")
            for server in (production, sandbox, plain, without):
                account.expect("SIGTERM", server.stop(), 0)
    account.end()


main()
