"""Which subscription offers a customer may still get: `appreceipt schema eligibility` describes each member."""

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
    #: The rule that decided; `appreceipt rules` lists them.
    rule: str
    #: How long the answer stands; None where it is undetermined.
    certainty: str | None
    #: Whether the product has such an offer; None where the catalogue can't say.
    configured: bool | None
    #: The transactions that the answer rests on, the first 100 in the order of purchase.
    transactions: tuple[str, ...]
    #: For a person; may change.
    explanation: str
    #: Every rule that applies.
    findings: tuple[str, ...]
    caveats: tuple[str, ...]
    #: The win-back offers that Apple names, its first choice first.
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
    """The answer for one product, over all the evidence."""

    product_id: str
    subscription_group: str | None
    as_of: datetime
    #: When the newest of the evidence was made; nothing later is known.
    evidence_date: datetime | None
    introductory_offer: Offer
    promotional_offer: Offer
    win_back_offer: Offer
    subscription: Subscription
    #: The pieces with something genuine in them: `evidence[0]`, `renewal_info[0]`.
    sources: tuple[str, ...]

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Verdict:
        return cls(**{
            **read(members),
            **{name: Offer.of(members[name]) for name in ("introductory_offer", "promotional_offer", "win_back_offer")},
            "subscription": Subscription.of(members["subscription"]),
        })


class Verdicts(list[Verdict]):
    """The answer for each product, in the order asked."""

    #: The refused evidence that was left out; empty unless the question allows that.
    refusals: tuple[RefusedEvidence, ...]

    def __init__(self, verdicts: Iterable[Verdict] = (), refusals: tuple[RefusedEvidence, ...] = ()) -> None:
        super().__init__(verdicts)
        self.refusals = refusals
