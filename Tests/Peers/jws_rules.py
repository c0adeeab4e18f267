"""Reasons for differences about a JWS. A difference that no rule explains is a defect of one of the verifiers.

Both peers read payloads and headers as leniently as their JSON parsers, and their caller selects the kind. They
refuse some JWS that this package accepts because of requirements that the App Store does not have.
"""

import types

from rules import Rule, refusal

# This package refuses, a peer accepts.
WE_REFUSE = [
    refusal("a name stands once", "of two members of one name neither wins; the peers take the last", "malformed",
            "", "named twice"),
    refusal("closed list of header members", "what nobody checks may change what the signature means", "malformed",
            r"header\..+", "header member"),
    refusal("header members of their types", "alg, typ and kid are texts", "malformed", r"header\..+", "must stand"),
    refusal("the third certificate is the root", "byte for byte, although its signature is never needed",
            "untrusted_chain", r"header\.x5c\[2\]"),
    refusal("three certificates", "no more and no fewer", "malformed", r"header\.x5c"),
    refusal("certificates in base64", "padded, one alphabet, no white space, no stray bits", "malformed",
            r"header\.x5c\[\d\]", "base64"),
    refusal("certificates in DER", "nothing behind it", "malformed", r"header\.x5c\[\d\].*"),
    refusal("base64url", "no padding, no stray bits, no other alphabet", "malformed", r"header|payload|signature", "base64url"),
    refusal("documented types", "a documented member of another type, null included, is an error", "malformed",
            r"payload\..+", "must stand"),
    refusal("whole numbers", "documented numbers are whole and have 64 bits, dates lie between 1970 and 9999",
            "malformed", r"payload\..+", "whole number"),
    refusal("a date of signing", "without it nothing says when the certificates must be valid; the peers ask the clock",
            "malformed", r"payload\.(signedDate|receiptCreationDate)", "missing"),
    refusal("one kind", "one member tells what was signed; the peers take what their caller says", "malformed", "payload",
            "tells what was signed"),
    refusal("one body", "a notification has one", "malformed", r"payload\..+", "more than one body"),
    refusal("strict JSON", "RFC 8259: no NaN, no half surrogates, no control characters", "malformed", r"(payload|header).*",
            "not JSON"),
    refusal("strict UTF-8", "bytes that are none are refused", "malformed", r"(payload|header).*", "UTF-8"),
    refusal("no byte order mark", "RFC 8259, 8.1", "malformed", r"(payload|header).*", "byte order mark"),
    refusal("depth", "64 levels", "too_large", "", "inside one another"),
    refusal("realms", "no chain of the App Store's signs what is of Xcode", "untrusted_chain",
            r"payload\.(.+\.)?(environment|receiptType)"),
    refusal("key usage", "RFC 5280, 4.2.1.3: the signer's key must be one for signing data", "wrong_purpose", r"header\.x5c",
            "may not sign"),
    refusal("closed list of certificates' algorithms", "no certificate is signed over MD5", "untrusted_chain",
            r"header\.x5c.*", "not on the list"),
    refusal("keys of 2,048 bits", "shorter RSA keys can be broken", "untrusted_chain", r"header\.x5c.*", "key is not"),
    refusal("issuers are authorities", "basic constraints, of the root too", "untrusted_chain", r"header\.x5c.*",
            "no certificate authority"),
    refusal("path length", "of the root too", "untrusted_chain", r"header\.x5c.*", "path length"),
    refusal("the root's times", "every certificate of the chain was valid at the date of signing", "untrusted_chain",
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


LINE_END = "a file's line end", "white space behind a JWS in a file is not part of it"

# This package accepts, a peer refuses: (this package's answer, the text, the peer's error).
# Both accept and a member differs: (path, this package's value, the peer's value).
APPLES = types.SimpleNamespace(refuses=[
    Rule(*LINE_END, line_end),
    Rule("an environment must be named", "where none is, or one that nobody knows, ours is null and fulfills no demand", environment),
    Rule("X509_STRICT", "it demands key identifiers, which chains of test authorities lack; without its strict mode it accepts",
         lambda ours, text, failure: failure == "X509_STRICT"),
], members=[])
OTHERS = types.SimpleNamespace(refuses=[
    Rule(*LINE_END, line_end),
    Rule("the last second", "a certificate's end counts seconds, and a JWS signed in the last one is good", last_second),
], members=[])
