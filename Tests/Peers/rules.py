"""Reasons for differences between this package and the peer. A difference that no rule explains is a defect of one of
them.

The peer is lenient with unreadable values in a payload (it answers null) and with unsigned bytes that a receipt
does not need. This package refuses both. The peer is stricter with data that it decodes without need.
"""

import hashlib
import re


class Rule:
    def __init__(self, name, reason, explains):
        self.name, self.reason, self.explains, self.count, self.example = name, reason, explains, 0, None


def refusal(name, reason, code, field="", message=""):
    """Returns a rule for a refusal by this package: by code, by the field's whole path, and by a part of the message."""
    pattern = re.compile(field)

    def explains(ours, *_):
        given = ours["refusal"]
        return (given["code"] == code and bool(pattern.fullmatch(given["field"] or "") or not field)
                and message in given["message"])

    return Rule(name, reason, explains)


PLACE = r"payload(\.in_app\[\d+\])?"
NAMED = PLACE + r"\.[a-z_0-9]+"

# This package refuses, the peer accepts.
WE_REFUSE = [
    refusal("valid dates", "an invalid date is an error; the peer answers null",
            "malformed", NAMED + "_date", "invalid date"),
    refusal("duplicate attributes", "an attribute with two values is an error; the peer takes one of them",
            "malformed", NAMED, "duplicate value"),
    refusal("required", "a receipt needs a bundle ID and a creation date; the peer answers null and uses the clock",
            "malformed", r"payload\.(bundle_id|receipt_creation_date)", "missing"),
    refusal("types of named attributes", "a value of another type is an error; the peer answers null",
            "malformed", NAMED),
    refusal("three fields", "an attribute has type, version and value, and the value is a primitive OCTET STRING",
            "malformed", PLACE + r"\.attributes\[\d+\]"),
    refusal("a purchase is a SET", "attribute 17 contains one SET and nothing else; the peer omits the purchase",
            "malformed", r"payload\.in_app\[\d+\](\.attributes\[\d+\])?"),
    refusal("the payload is a SET", "the content is the SET itself, without another OCTET STRING around it",
            "malformed", "payload"),
    refusal("one signer", "one SignerInfo and nothing after it", "malformed", "signerInfos", "unexpected bytes"),
    refusal("no unsigned attributes", "unsigned parts of the container have exactly one encoding",
            "malformed", r"signerInfos\[0\]", "unexpected bytes"),
    refusal("content type", "the content type of a receipt is data", "malformed", r"encapContentInfo\.eContentType"),
    refusal("chunks of the content", "a constructed OCTET STRING contains only OCTET STRINGs", "malformed",
            r"encapContentInfo\.eContent"),
    refusal("version 1", "issuer and serial number identify the signer, as in version 1", "malformed", "version"),
    refusal("signed attributes are DER", "RFC 5652, 5.4: the digest is that of their DER encoding", "malformed",
            r"signerInfos\[0\]\.signedAttrs", "not DER"),
    refusal("lengths", "a length has at most eight octets", "malformed", "", "length of more"),
    refusal("exact name of the signer", "issuer and serial number are compared byte for byte, because they are not signed",
            "untrusted_chain", r"signerInfos\[0\]\.sid", "does not contain the signer's certificate"),
    refusal("unambiguous signer", "of two certificates with that name, either could be the signer", "malformed",
            "certificates", "two certificates"),
    refusal("declared digests", "digestAlgorithms contains the signer's digest and no unknown one", "bad_signature",
            "digestAlgorithms", "unsupported digest algorithm"),
    refusal("closed list of the signer's algorithms", "no MD5, no PSS, no elliptic curves, no SHA-1 in the name",
            "bad_signature", r"signerInfos\[0\]\.(digest|signature)Algorithm", "unsupported"),
    refusal("closed list of certificates' algorithms", "no certificate is signed with MD5", "untrusted_chain",
            "certificates", "unsupported algorithm"),
    refusal("keys of 2,048 bits", "shorter RSA keys can be broken", "untrusted_chain", "certificates", "unsupported certificate key"),
    refusal("key usage", "RFC 5280, 4.2.1.3: the signer's key must be allowed to sign data", "wrong_purpose",
            "certificates", "does not allow digital signatures"),
    refusal("signers are not authorities", "basic constraints with CA: TRUE belong to issuers", "wrong_purpose",
            "certificates", "is a certificate authority"),
]


def element(data, start):
    """Returns the start and end of an element's content, and the start of the next element."""
    length, begin = data[start + 1], start + 2
    if length == 0x80:  # indefinite: up to two zero octets
        end = begin
        while data[end:end + 2] != b"\0\0":
            end = element(data, end)[2]
        return begin, end, end + 2
    if length & 0x80:
        begin += length & 0x7F
        length = int.from_bytes(data[start + 2:begin], "big")
    return begin, begin + length, begin + length


def elements(data, start, end):
    while start < end:
        after = element(data, start)[2]
        yield data[start:after]
        start = after


def wrapped(tag, content):
    return bytes([tag, 0x84]) + len(content).to_bytes(4, "big") + content


def without_other_certificates(data, chain):
    """Returns the container with only the chain's certificates in its bag."""
    kind, content = elements(data, *element(data, 0)[:2])
    place, _, _ = element(content, 0)
    parts = list(elements(content, *element(content, place)[:2]))
    for index, part in enumerate(parts):
        if part[0] == 0xA0:
            bag = elements(part, *element(part, 0)[:2])
            parts[index] = wrapped(0xA0, b"".join(each for each in bag if hashlib.sha256(each).hexdigest() in chain))
    return wrapped(0x30, kind + wrapped(0xA0, wrapped(0x30, b"".join(parts))))


def bag(ours, data, _, accepts):
    """Returns whether the peer accepts the same receipt if its bag contains only the chain."""
    try:
        return accepts(without_other_certificates(data, {each["sha256"] for each in ours["signature"]["chain"]}))
    except (IndexError, ValueError):
        return False


def says(reason, message):
    return lambda ours, data, failure, accepts: failure.reason.name == reason and message in failure.message


# This package accepts, the peer refuses: (this package's answer, the bytes, the peer's error, the peer
# itself).
PEER_REFUSES = [
    Rule("unused certificates", "certificates outside the chain are not decoded; the peer decodes all of them", bag),
    Rule("types beyond 32 bits", "an unknown attribute type is kept, however large",
         says("UNREADABLE_PAYLOAD", "content could not be read")),
]

# Both accept and a field differs: (path, this package's value, the peer's value).
FIELDS = [
    Rule("identifiers above 2^63", "unsigned 64 bits; the peer supports 63 bits and treats larger values as unknown attributes",
         lambda path, ours, theirs: path.endswith("web_order_line_item_id") and theirs is None and int(ours) >= 2 ** 63
         or path.endswith("unknown_attributes.1711") and ours is None),
]
