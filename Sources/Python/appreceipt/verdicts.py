"""Verdicts on subscription offers for a customer: `appreceipt schema eligibility` describes each member."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ._reading import SLOTS, Record, read
from .errors import RefusedEvidence


@dataclass(frozen=True, repr=False, **SLOTS)
class Offer(Record):
    #: `eligible`, `ineligible` or `undetermined`.
    outcome: str
    #: The deciding rule. `appreceipt rules` lists all rules.
    rule: str
    #: The certainty of the verdict, or None if it is undetermined.
    certainty: str | None
    #: Whether the product has such an offer, or None if the catalog does not contain that information.
    configured: bool | None
    #: The transactions that the verdict rests on: the first 100 in the order of purchase.
    transactions: tuple[str, ...]
    #: A text for people, which may change.
    explanation: str
    #: Every rule that applies.
    findings: tuple[str, ...]
    caveats: tuple[str, ...]
    #: The win-back offers in renewal information. Apple's first choice is first.
    offers: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False, **SLOTS)
class Subscription(Record):
    #: `active`, `grace_period`, `billing_retry`, `lapsed`, `refunded`, `never_subscribed` or `unknown`.
    state: str
    product_id: str | None
    since: datetime | None
    until: datetime | None


@dataclass(frozen=True, repr=False, **SLOTS)
class Verdict(Record):
    """The verdict for one product, based on all the evidence."""

    product_id: str
    subscription_group: str | None
    as_of: datetime
    #: The date of the newest evidence. Later events are unknown.
    evidence_date: datetime | None
    introductory_offer: Offer
    promotional_offer: Offer
    win_back_offer: Offer
    subscription: Subscription
    #: The arguments with genuine evidence: `evidence[0]`, `renewal_info[0]`.
    sources: tuple[str, ...]

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Verdict:
        return cls(**{
            **read(members),
            **{name: Offer.of(members[name]) for name in ("introductory_offer", "promotional_offer", "win_back_offer")},
            "subscription": Subscription.of(members["subscription"]),
        })


class Verdicts(list[Verdict]):
    """The verdict for each product, in the order of the request."""

    #: The refused and omitted evidence. Empty unless the request allows refused evidence.
    refusals: tuple[RefusedEvidence, ...]

    def __init__(self, verdicts: Iterable[Verdict] = (), refusals: tuple[RefusedEvidence, ...] = ()) -> None:
        super().__init__(verdicts)
        self.refusals = refusals
