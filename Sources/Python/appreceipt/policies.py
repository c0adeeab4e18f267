"""The policies that the eligibility rules leave to the app's developer. All interfaces use these names."""

from __future__ import annotations

from typing import Final

#: The policies: their values with the default first, and their effects.
POLICIES: Final = {
    "refunds": (
        ("block", "ignore"),
        "Whether a refund makes the customer ineligible for introductory offers of its group; the default is block."),
    "stale_evidence": (
        ("accept", "undetermined"),
        "How to answer if the last period may have been renewed after the evidence was signed; the default is accept."),
    "partial_evidence": (
        ("accept", "undetermined"),
        "How to answer if the verdict depends on missing purchases, but the evidence may not list all purchases; the default is accept."),
    "promotional_scope": (
        ("group", "app"), "The purchases that count for promotional offers: those in the group or in the app; the default is group."),
}
