"""Reasons for differences about a JWS. A difference that no rule explains is a defect of one of the verifiers.

Both peers read payloads and headers as leniently as their JSON parsers, and their caller selects the kind. They
refuse some JWS that this package accepts because of requirements that the App Store does not have.
"""

import types

from rules import Rule, refusal

# This package refuses, a peer accepts.
WE_REFUSE = [
    refusal("duplicate members", "two members with one name are an error; the peers take the last", "malformed",
            "", "duplicate member"),
    refusal("closed list of header members", "a member that is not checked could change the meaning of the signature", "malformed",
            r"header\..+", "header member"),
    refusal("types of header members", "alg, typ and kid are strings", "malformed", r"header\..+", "expected "),
    refusal("the third certificate is the root", "the root is compared byte for byte, although its signature is not needed",
            "untrusted_chain", r"header\.x5c\[2\]"),
    refusal("three certificates", "exactly three", "malformed", r"header\.x5c"),
    refusal("certificates in base64", "padded, one alphabet, no white space, unused bits are zero", "malformed",
            r"header\.x5c\[\d\]", "base64"),
    refusal("certificates in DER", "no bytes after it", "malformed", r"header\.x5c\[\d\].*"),
    refusal("base64url", "no padding, no other alphabet, unused bits are zero", "malformed", r"header|payload|signature", "base64url"),
    refusal("documented types", "a documented member of another type is an error, also null", "malformed",
            r"payload\..+", "expected "),
    refusal("whole numbers", "documented numbers are whole and have 64 bits, and dates are from 1970 to 9999",
            "malformed", r"payload\..+", "whole number"),
    refusal("a date of signing", "it determines when the certificates must be valid; the peers use the clock",
            "malformed", r"payload\.(signedDate|receiptCreationDate)", "missing"),
    refusal("one kind", "one member identifies the kind; with the peers, the caller selects it", "malformed", "payload",
            "unknown or ambiguous kind"),
    refusal("one body", "a notification has one body", "malformed", r"payload\..+", "more than one body"),
    refusal("strict JSON", "RFC 8259: no NaN, no lone surrogates, no control characters", "malformed", r"(payload|header).*",
            "not JSON"),
    refusal("strict UTF-8", "invalid UTF-8 is refused", "malformed", r"(payload|header).*", "UTF-8"),
    refusal("no byte order mark", "RFC 8259, 8.1", "malformed", r"(payload|header).*", "byte order mark"),
    refusal("depth", "at most 64 levels", "too_large", "", "nested more than"),
    refusal("trust anchor kinds", "an App Store chain does not sign objects of Xcode", "untrusted_chain",
            r"payload\.(.+\.)?(environment|receiptType)"),
    refusal("key usage", "RFC 5280, 4.2.1.3: the signer's key must be allowed to sign data", "wrong_purpose", r"header\.x5c",
            "does not allow digital signatures"),
    refusal("signers are not authorities", "basic constraints with CA: TRUE belong to issuers", "wrong_purpose", r"header\.x5c",
            "is a certificate authority"),
    refusal("closed list of certificates' algorithms", "no certificate is signed with MD5", "untrusted_chain",
            r"header\.x5c.*", "unsupported algorithm"),
    refusal("keys of 2,048 bits", "shorter RSA keys can be broken", "untrusted_chain", r"header\.x5c.*", "unsupported certificate key"),
    refusal("issuers are authorities", "basic constraints are required, also of the root", "untrusted_chain", r"header\.x5c.*",
            "not a certificate authority"),
    refusal("path length", "also of the root", "untrusted_chain", r"header\.x5c.*", "path length"),
    refusal("the root's validity", "every certificate of the chain must be valid at the signing date", "untrusted_chain",
            r"header\.x5c.*", "was not valid"),
]


def line_end(ours, text, failure):
    return text.endswith("\n")


def environment(ours, text, failure):
    return failure == "INVALID_ENVIRONMENT" and ours["environment"] is None


def last_second(ours, text, failure):
    signature = ours["signature"]
    second = signature["verified_at"][:19] + "Z"
    return failure == "INVALID_CERTIFICATE" and any(each["not_after"] == second for each in signature["chain"])


LINE_END = "line end of a file", "white space after a JWS in a file is not part of it"

# This package accepts, a peer refuses: (this package's answer, the text, the peer's error).
# Both accept and a member differs: (path, this package's value, the peer's value).
APPLES = types.SimpleNamespace(refuses=[
    Rule(*LINE_END, line_end),
    Rule("missing environment", "a missing or unknown environment is null here, and matches no policy", environment),
    Rule("X509_STRICT", "strict mode requires key identifiers, which the chains of test authorities lack; without it, the peer accepts",
         lambda ours, text, failure: failure == "X509_STRICT"),
], members=[])
OTHERS = types.SimpleNamespace(refuses=[
    Rule(*LINE_END, line_end),
    Rule("the last second", "a certificate is valid up to the end of its last second", last_second),
], members=[])
