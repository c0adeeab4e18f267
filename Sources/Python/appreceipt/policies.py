"""The policies that the eligibility rules leave to the business. All interfaces use these names."""

from __future__ import annotations

from typing import Final

#: The policies: their values with the default first, and their effects.
POLICIES: Final = {
    "refunds": (("block", "ignore"), "Whether a refund closes the introductory offers of its group; block is the default."),
    "stale_evidence": (
        ("accept", "undetermined"),
        "What to make of a last period that may have renewed since the receipt was created; accept is the default."),
    "partial_evidence": (
        ("accept", "undetermined"),
        "What to answer where nothing was bought, or bought again, in evidence that does not list all purchases; accept is "
        "the default."),
    "promotional_scope": (
        ("group", "app"), "Whose current and lapsed subscribers get promotional offers; group is the default."),
}
