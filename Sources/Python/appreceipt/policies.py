"""The policies that the eligibility rules leave to the business. All interfaces use these names."""

from __future__ import annotations

from typing import Final

#: The policies: their values with the default first, and their effects.
POLICIES: Final = {
    "refunds": (("block", "ignore"), "Whether a refund closes the introductory offers of its group; the default is block."),
    "stale_evidence": (
        ("accept", "undetermined"),
        "How to treat a last period that may have renewed since the evidence; the default is accept."),
    "partial_evidence": (
        ("accept", "undetermined"),
        "How to treat missing purchases when the evidence does not list all purchases; the default is accept."),
    "promotional_scope": (
        ("group", "app"), "Whose current and lapsed subscribers get promotional offers; the default is group."),
}
