"""A test authority: certificates with any names and extensions, and objects that they sign. X.690, RFC 5280, RFC 7515."""

import base64
import hashlib
import itertools
import json
import pathlib
import subprocess
import tempfile

SIGNER_MARKER, INTERMEDIATE_MARKER = "1.2.840.113635.100.6.11.1", "1.2.840.113635.100.6.2.1"
NAMES = {"C": "2.5.4.6", "O": "2.5.4.10", "OU": "2.5.4.11", "CN": "2.5.4.3"}


def tlv(tag, *parts):
    content = b"".join(parts)
    count = len(content)
    if count < 128:
        return bytes([tag, count]) + content
    octets = count.to_bytes((count.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(octets)]) + octets + content


def integer(value):
    return tlv(2, value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True))


def oid(text):
    first, second, *rest = map(int, text.split("."))
    content = bytearray([first * 40 + second])
    for arc in rest:
        septets = [arc & 127]
        while arc := arc >> 7:
            septets.insert(0, 128 | arc & 127)
        content += bytes(septets)
    return tlv(6, bytes(content))


def name(**attributes):
    return tlv(0x30, *(tlv(0x31, tlv(0x30, oid(NAMES[key]), tlv(12, text.encode()))) for key, text in attributes.items()))


def extension(identifier, value=b"\x05\x00", is_critical=False):
    return tlv(0x30, oid(identifier), b"\x01\x01\xff" if is_critical else b"", tlv(4, value))


def pem(der):
    return subprocess.run(["openssl", "x509", "-inform", "DER"], input=der, check=True, capture_output=True).stdout


def base64url(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=")


class Key:
    numbers = itertools.count()

    @classmethod
    def three(cls, folder, *options):
        """Creates keys for a root, an intermediate and a signer. Authorities that differ only in names may share them."""
        return [cls(folder, *options) for _ in range(3)]

    def __init__(self, folder, *options):
        self.path = folder / f"{next(self.numbers)}.key"
        subprocess.run(["openssl", "genpkey", *options, "-out", self.path], check=True, capture_output=True)
        self.is_rsa = "RSA" in options
        self.public = subprocess.run(
            ["openssl", "pkey", "-in", self.path, "-pubout", "-outform", "DER"], check=True, capture_output=True).stdout

    def sign(self, content):
        """Signs with SHA-256: RSA with PKCS #1 v1.5, ECDSA in DER."""
        return subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", self.path], input=content, check=True, capture_output=True).stdout


class Authority:
    """A root, an intermediate and a signer. Their dates do not depend on the current date, because not every version
    of openssl's command line has an option for the start date.
    """

    serials = itertools.count(0x7E570000)

    def __init__(self, folder, keys, root=name(O="Test root"), intermediate=name(O="Test intermediate"),
                 signer=name(O="Test signer"), signer_extensions=(extension(SIGNER_MARKER),),
                 intermediate_extensions=(extension(INTERMEDIATE_MARKER),)):
        folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
        root_key, intermediate_key, self.key = keys
        self.root = self.certificate(root, root, root_key, root_key, True, ())
        self.intermediate = self.certificate(
            intermediate, root, intermediate_key, root_key, True, intermediate_extensions)
        self.signer = self.certificate(signer, intermediate, self.key, intermediate_key, False, signer_extensions)
        self.folder, self.root_file = folder, folder / "root.cer"
        self.root_file.write_bytes(self.root)

    def certificate(self, subject, issuer, key, issuer_key, is_authority, extensions):
        algorithm = tlv(0x30, oid("1.2.840.113549.1.1.11"), tlv(5)) if key.is_rsa else tlv(0x30, oid("1.2.840.10045.4.3.2"))
        constraints = extension("2.5.29.19", tlv(0x30, b"\x01\x01\xff" if is_authority else b""), is_critical=True)
        body = tlv(
            0x30, tlv(0xA0, integer(2)), integer(next(self.serials)), algorithm, issuer,
            tlv(0x30, tlv(23, b"200101000000Z"), tlv(23, b"350101000000Z")), subject, key.public,
            tlv(0xA3, tlv(0x30, constraints, *extensions)))
        return tlv(0x30, body, algorithm, tlv(3, b"\0", issuer_key.sign(body)))

    def sign_raw(self, content):
        """Signs with ECDSA in the format for JWS: r and s, 32 bytes each, from a SEQUENCE of two INTEGERs."""
        der = self.key.sign(content)
        r = der[4:4 + der[3]]
        s = der[6 + der[3]:]
        return b"".join(number.lstrip(b"\0").rjust(32, b"\0") for number in (r, s))

    def jws(self, payload):
        """Returns a JWS with the payload's text."""
        chain = [base64.b64encode(der).decode() for der in (self.signer, self.intermediate, self.root)]
        header = json.dumps({"alg": "ES256", "x5c": chain}, separators=(",", ":")).encode()
        text = base64url(header) + b"." + base64url(payload)
        return text + b"." + base64url(self.sign_raw(text))

    def receipt(self, attributes):
        """Returns a PKCS #7 receipt with (type, value in DER) attributes. Purchases are not supported."""
        content = self.folder / "content"
        content.write_bytes(tlv(0x31, *(
            tlv(0x30, integer(kind), integer(1), tlv(4, value)) for kind, value in attributes)))
        (self.folder / "signer.pem").write_bytes(pem(self.signer))
        (self.folder / "bag.pem").write_bytes(pem(self.intermediate) + pem(self.root))
        return subprocess.run(
            ["openssl", "smime", "-sign", "-binary", "-nodetach", "-noattr", "-outform", "DER", "-md", "sha256", "-in", content,
             "-signer", self.folder / "signer.pem", "-inkey", self.key.path, "-certfile", self.folder / "bag.pem"],
            check=True, capture_output=True).stdout


def sums(bundle):
    """Returns SHA256SUMS for all files of the bundle."""
    return "".join(
        f"{hashlib.sha256(content).hexdigest()}  {file}\n" for file, content in bundle.items()
        if file != "SHA256SUMS").encode()
