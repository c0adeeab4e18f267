"""The settings that can refuse a genuine receipt: the policy on SHA-1 and the limits. All interfaces use these names."""

from __future__ import annotations

from typing import Final

#: Values of `sha1_signatures`.
SHA1_SIGNATURES: Final = ("until-apple-stopped", "until-2025", "all", "none")

#: The settings of a verifier, with explanations.
TEXTS: Final = {
    "sha1_signatures":
        "Receipts signed with SHA-1: until-apple-stopped, the default, accepts certificates that end by 2025-01-24, under "
        "your own root all; until-2025 applies that date to every root; all; none.",
    "signature_checks":
        "The most signature checks in the search for a receipt's chain, one for each 2,048 bits of an RSA key. Default 8, "
        "from 1 to 1000000.",
    "input_bytes":
        "The most bytes of a receipt in DER; as text, half as many again. Default 16777216, from 1 to 16777216.",
    "nesting": "The most constructed elements inside one another in a receipt. Default 32, from 1 to 1000.",
    "certificates": "The most certificates in a receipt. Default 16, from 1 to 1000.",
    "certificate_bytes": "The most bytes of a certificate. Default 8192, from 1 to 1048576.",
    "purchases": "The most purchases in a receipt. Default 100000, from 1 to 10000000.",
    "signed_text_bytes": "The most bytes of a JWS or transaction receipt. Default 1048576, from 1 to 16777216.",
    "signed_objects":
        "The most signed objects in an answer of the App Store Server API. Default 100000, from 1 to 10000000.",
}

#: The names of the limits.
LIMITS: Final = tuple(name for name in TEXTS if name != "sha1_signatures")
