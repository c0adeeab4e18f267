"""The information that the Advanced Commerce API adds to transactions and renewal information.

A member of another type than Apple documents is None. `members` of the signed object has the signed value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from ._members import Nested, NestedList, NestedMember, instant, integer, nested, text, texts
from ._reading import SLOTS, Record


@dataclass(frozen=True, repr=False, **SLOTS)
class AdvancedCommerceDescriptors(Record, Nested):
    """The texts of a subscription."""

    #: The description for the customer.
    description: str | None = field(metadata=nested(text, "description"))
    #: The name for the customer.
    display_name: str | None = field(metadata=nested(text, "displayName"))


@dataclass(frozen=True, repr=False, **SLOTS)
class AdvancedCommerceOffer(Record, Nested):
    """The discount of an item."""

    #: The duration of one period, ISO 8601.
    period: str | None = field(metadata=nested(text, "period"))
    #: The number of periods.
    period_count: int | None = field(metadata=nested(integer, "periodCount"))
    #: The price in thousandths of the currency.
    price: int | None = field(metadata=nested(integer, "price"))
    #: ACQUISITION, WIN_BACK, RETENTION.
    reason: str | None = field(metadata=nested(text, "reason"))


@dataclass(frozen=True, repr=False, **SLOTS)
class AdvancedCommerceRefund(Record, Nested):
    """A refund of an item."""

    #: The amount in thousandths of the currency.
    refund_amount: int | None = field(metadata=nested(integer, "refundAmount"))
    #: The date of the refund.
    refund_date: datetime | None = field(metadata=nested(instant, "refundDate"))
    #: The reason in the request.
    refund_reason: str | None = field(metadata=nested(text, "refundReason"))
    #: FULL, PRORATED, CUSTOM.
    refund_type: str | None = field(metadata=nested(text, "refundType"))


@dataclass(frozen=True, repr=False, **SLOTS)
class AdvancedCommercePriceIncreaseInfo(Record, Nested):
    """The price increase of an item."""

    #: The items whose prices increase with this one.
    dependent_skus: tuple[str, ...] | None = field(metadata=nested(texts, "dependentSKUs"))
    #: The new price in thousandths of the currency.
    price: int | None = field(metadata=nested(integer, "price"))
    #: SCHEDULED, PENDING, ACCEPTED.
    status: str | None = field(metadata=nested(text, "status"))


@dataclass(frozen=True, repr=False, **SLOTS)
class AdvancedCommerceTransactionItem(Record, Nested):
    """An item of a purchase."""

    #: The server's identifier of the item.
    sku: str | None = field(metadata=nested(text, "SKU"))
    #: The description for the customer.
    description: str | None = field(metadata=nested(text, "description"))
    #: The name for the customer.
    display_name: str | None = field(metadata=nested(text, "displayName"))
    #: The discount.
    offer: AdvancedCommerceOffer | None = field(metadata=nested(NestedMember(AdvancedCommerceOffer), "offer"))
    #: The price in thousandths of the transaction's currency.
    price: int | None = field(metadata=nested(integer, "price"))
    #: The item's refunds.
    refunds: tuple[AdvancedCommerceRefund, ...] | None = field(
        metadata=nested(NestedList(AdvancedCommerceRefund), "refunds"))
    #: The date of the item's revocation.
    revocation_date: datetime | None = field(metadata=nested(instant, "revocationDate"))


@dataclass(frozen=True, repr=False, **SLOTS)
class AdvancedCommerceRenewalItem(Record, Nested):
    """An item of the next period of a subscription."""

    #: The server's identifier of the item.
    sku: str | None = field(metadata=nested(text, "SKU"))
    #: The description for the customer.
    description: str | None = field(metadata=nested(text, "description"))
    #: The name for the customer.
    display_name: str | None = field(metadata=nested(text, "displayName"))
    #: The discount.
    offer: AdvancedCommerceOffer | None = field(metadata=nested(NestedMember(AdvancedCommerceOffer), "offer"))
    #: The price in thousandths of the renewal information's currency.
    price: int | None = field(metadata=nested(integer, "price"))
    #: The next price increase.
    price_increase_info: AdvancedCommercePriceIncreaseInfo | None = field(
        metadata=nested(NestedMember(AdvancedCommercePriceIncreaseInfo), "priceIncreaseInfo"))


@dataclass(frozen=True, repr=False, **SLOTS)
class AdvancedCommerceTransactionInfo(Record, Nested):
    """A purchase with the Advanced Commerce API."""

    #: The name and description of the subscription.
    descriptors: AdvancedCommerceDescriptors | None = field(
        metadata=nested(NestedMember(AdvancedCommerceDescriptors), "descriptors"))
    #: The estimated tax in thousandths of the transaction's currency.
    estimated_tax: int | None = field(metadata=nested(integer, "estimatedTax"))
    #: The items of the purchase.
    items: tuple[AdvancedCommerceTransactionItem, ...] | None = field(
        metadata=nested(NestedList(AdvancedCommerceTransactionItem), "items"))
    #: The duration of the subscription, ISO 8601.
    period: str | None = field(metadata=nested(text, "period"))
    #: The server's identifier of its request.
    request_reference_id: str | None = field(metadata=nested(text, "requestReferenceId"))
    #: The tax category.
    tax_code: str | None = field(metadata=nested(text, "taxCode"))
    #: The price without tax in thousandths of the transaction's currency.
    tax_exclusive_price: int | None = field(metadata=nested(integer, "taxExclusivePrice"))
    #: The tax rate.
    tax_rate: str | None = field(metadata=nested(text, "taxRate"))


@dataclass(frozen=True, repr=False, **SLOTS)
class AdvancedCommerceRenewalInfo(Record, Nested):
    """The next period of a subscription with the Advanced Commerce API."""

    #: The token for requests that change the subscription.
    consistency_token: str | None = field(metadata=nested(text, "consistencyToken"))
    #: The name and description of the subscription.
    descriptors: AdvancedCommerceDescriptors | None = field(
        metadata=nested(NestedMember(AdvancedCommerceDescriptors), "descriptors"))
    #: The items of the next period.
    items: tuple[AdvancedCommerceRenewalItem, ...] | None = field(
        metadata=nested(NestedList(AdvancedCommerceRenewalItem), "items"))
    #: The duration of the subscription, ISO 8601.
    period: str | None = field(metadata=nested(text, "period"))
    #: The server's identifier of its request.
    request_reference_id: str | None = field(metadata=nested(text, "requestReferenceId"))
    #: The tax category.
    tax_code: str | None = field(metadata=nested(text, "taxCode"))
