"""The settings that can refuse a genuine receipt: the policy on SHA-1 and the limits. All interfaces use these names."""

from __future__ import annotations

from typing import Final

#: Values of `sha1_signatures`.
SHA1_SIGNATURES: Final = ("until-apple-stopped", "until-2025", "all", "none")

#: The settings of a verifier, with explanations.
TEXTS: Final = {
    "sha1_signatures":
        "Which SHA-1 signatures to accept. until-apple-stopped (the default): those of certificates that expire by "
        "2025-01-24, and all under your own root. until-2025: those of certificates that expire by that date, under every "
        "root. Or all, or none.",
    "signature_checks":
        "The maximum number of signature checks per certificate chain, one for each 2,048 bits of an RSA key. Default 8, "
        "from 1 to 1000000.",
    "input_bytes":
        "The maximum size of a receipt in bytes of DER; as text, 1.5 times that. Default 16777216, from 1 to 16777216.",
    "nesting": "The maximum nesting depth of ASN.1 elements in a receipt. Default 32, from 1 to 1000.",
    "certificates": "The maximum number of certificates in a receipt. Default 16, from 1 to 1000.",
    "certificate_bytes": "The maximum size of a certificate in bytes. Default 8192, from 1 to 1048576.",
    "purchases": "The maximum number of purchases in a receipt. Default 100000, from 1 to 10000000.",
    "signed_text_bytes": "The maximum size of a JWS or transaction receipt in bytes. Default 1048576, from 1 to 16777216.",
    "signed_objects":
        "The maximum number of signed objects in an App Store Server API response. Default 100000, from 1 to 10000000.",
}

#: The names of the limits.
LIMITS: Final = tuple(name for name in TEXTS if name != "sha1_signatures")
