"""JWS inputs for all verifiers: the fixtures, hostile variants, the corpus if it exists, and mutants signed by a test
authority. The latter compare how content with a valid signature is read.
"""

import base64
import datetime
import json
import pathlib
import random
import subprocess

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding

import cases

CORPUS = cases.FIXTURES.parent.parent / "shared/corpus/jws"
SIGNED_DATE = 1780308000123
TRANSACTION = {
    "transactionId": "2000000000000002", "originalTransactionId": "2000000000000001", "bundleId": "com.example.app",
    "productId": "com.example.app.monthly", "subscriptionGroupIdentifier": "21000001", "purchaseDate": 1779267600000,
    "expiresDate": 1781946000000, "quantity": 1, "type": "Auto-Renewable Subscription", "inAppOwnershipType": "PURCHASED",
    "signedDate": SIGNED_DATE, "environment": "Sandbox", "price": 9990, "currency": "USD", "isUpgraded": False}
RENEWAL = {
    "originalTransactionId": "2000000000000001", "productId": "com.example.app.monthly", "autoRenewStatus": 1,
    "autoRenewProductId": "com.example.app.yearly", "isInBillingRetryPeriod": True, "signedDate": SIGNED_DATE,
    "environment": "Sandbox", "eligibleWinBackOfferIds": ["back", "again"]}
APP = {
    "receiptType": "Sandbox", "appAppleId": 1470168868, "bundleId": "com.example.app", "applicationVersion": "42",
    "receiptCreationDate": SIGNED_DATE, "originalPurchaseDate": 1375340400000, "originalApplicationVersion": "1.0"}
NOTIFICATION = {
    "notificationType": "DID_RENEW", "notificationUUID": "0b6e2c9a", "version": "2.0", "signedDate": SIGNED_DATE,
    "data": {"bundleId": "com.example.app", "environment": "Sandbox", "status": 1}}
# Values for members.
VALUES = ['null', 'true', '0', '1', '-1', '1.0', '1e3', '9223372036854775808', '""', '"x"', '"1780308000123"', '[]', '{}',
          '["a"]', '253402300800000', '"Sandbox"', '"Xcode"', '"com.example.app"', '"JWT"', '"ES256"', '"\\u0000"', '"\\ud800"']
NAMES = ["transactionId", "signedDate", "bundleId", "environment", "autoRenewStatus", "receiptType", "notificationType",
         "data", "appData", "quantity", "price", "offerType", "isUpgraded", "revocationDate", "type", "future"]


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def fixtures():
    for path in sorted((cases.FIXTURES / "jws").glob("*.jws")):
        yield f"jws/{path.name}", path.read_text().strip()
    for text in json.loads((cases.FIXTURES / "jws/history.json").read_text())["signedTransactions"]:
        yield "jws/history.json", text


def hostile(tool, work):
    """Yields every JWS variant of `appreceipt forge` under the root of the fixtures."""
    listed = subprocess.run([tool, "forge", "--list-variants"], check=True, capture_output=True, text=True).stdout
    names = [line.split("\t")[0] for line in listed.splitlines() if line.startswith("jws-")]
    (work / "jws.json").write_text(json.dumps({"receipts": [{"name": name, "hostile": name} for name in names]}))
    subprocess.run([tool, "forge", work / "jws.json", "--output", work / "jws", "--roots", work], check=True)
    for name in names:
        data = (work / f"jws/{name}.jws").read_bytes()
        # Variants of several megabytes test only the limits.
        if len(data) < 1_000_000:
            yield f"hostile/{name}", data.decode()


def corpus():
    """Yields (name, text, root or None for Apple's), without cases that need a StoreKit Test root."""
    if not CORPUS.exists():
        return
    for case in json.loads((CORPUS / "manifest.json").read_text())["cases"]:
        options, path = case.get("options", []), CORPUS / case["file"]
        if path.suffix != ".jws" or "generate" in case or "--storekit-test-root" in options or not path.exists():
            continue
        root = CORPUS / options[options.index("--root") + 1] if "--root" in options else None
        try:
            yield f"corpus/{case['name']}", path.read_bytes().decode(), root
        except UnicodeDecodeError:
            continue


class Authority:
    """A root, an intermediate and a leaf like Apple's, with new keys in each run."""

    def __init__(self):
        def name(text):
            return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, f"Peers {text}, not Apple")])

        def certificate(subject, key, issuer, issuer_key, is_authority, marker):
            builder = (
                x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer))
                .public_key(key.public_key()).serial_number(x509.random_serial_number())
                .not_valid_before(datetime.datetime(2010, 1, 1)).not_valid_after(datetime.datetime(2040, 1, 1))
                .add_extension(x509.BasicConstraints(is_authority, None), critical=True)
                .add_extension(x509.KeyUsage(not is_authority, False, False, False, False, is_authority, is_authority,
                                             False, False), critical=True)
                .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
                .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False))
            if marker:
                oid = x509.ObjectIdentifier(f"1.2.840.113635.100.6.{marker}")
                builder = builder.add_extension(x509.UnrecognizedExtension(oid, b"\5\0"), critical=False)
            return builder.sign(issuer_key, hashes.SHA384()).public_bytes(Encoding.DER)

        root, intermediate, self.key = (ec.generate_private_key(curve) for curve in
                                        (ec.SECP384R1(), ec.SECP384R1(), ec.SECP256R1()))
        self.root = certificate("Root", root, "Root", root, True, None)
        self.certificates = [certificate("JWS Signing", self.key, "Relations", intermediate, False, "11.1"),
                             certificate("Relations", intermediate, "Root", root, True, "2.1"), self.root]
        self.header = json.dumps({"alg": "ES256", "x5c": [base64.b64encode(each).decode() for each in self.certificates]},
                                 separators=(",", ":"))

    def sign(self, header, payload):
        text = f"{base64url(header)}.{base64url(payload)}"
        r, s = decode_dss_signature(self.key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{text}.{base64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def signed_mutants(authority, count, seed):
    """Yields invalid payloads and headers with a valid signature."""
    generator = random.Random(seed)
    payloads = [TRANSACTION, RENEWAL, APP, NOTIFICATION]
    for number in range(count):
        members = [(name, json.dumps(value)) for name, value in generator.choice(payloads).items()]
        header = authority.header
        for _ in range(generator.choice([1, 1, 2])):
            kind, place = generator.randrange(8), generator.randrange(len(members))
            if kind == 0:
                members[place] = (members[place][0], generator.choice(VALUES))
            elif kind == 1:
                members.insert(place, (generator.choice(NAMES), generator.choice(VALUES)))
            elif kind == 2:
                del members[place]
            elif kind == 3:
                members.append(generator.choice(members))
            elif kind == 4:
                generator.shuffle(members)
            elif kind == 5:
                name = generator.choice(["typ", "kid", "alg", "crit", "jku", "x5c", "b64", "nonce"])
                header = f'{header[:-1]},"{name}":{generator.choice(VALUES)}}}'
            if not members:
                break
        payload = ("{" + ",".join(f'"{name}":{value}' for name, value in members) + "}").encode()
        if generator.randrange(4) == 0:
            payload = next(cases.mutants([("", payload)], 1, generator.random()))[1]
        yield f"signed mutant {number}", authority.sign(header.encode(), payload)


def mutants(asked, count, seed):
    """Yields texts that were changed after signing."""
    for name, data in cases.mutants([(name, text.encode()) for name, text in asked], count, seed):
        try:
            yield name, data.decode()
        except UnicodeDecodeError:
            continue
