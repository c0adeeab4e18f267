"""The information that the Advanced Commerce API adds to transactions and renewal information.

A member of another type than Apple documents is None. `members` of the signed object has the signed value.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ._members import Member, Nested, NestedList, NestedMember, instant, integer, text, texts
from ._reading import SLOTS, Record


@dataclass(frozen=True, repr=False, **SLOTS)
class AdvancedCommerceDescriptors(Record, Nested):
    """The texts of a subscription."""

    MEMBERS = {
        "description": Member(text, "description"),
        "display_name": Member(text, "displayName"),
    }

    #: The description for the customer.
    description: str | None
    #: The name for the customer.
    display_name: str | None


@dataclass(frozen=True, repr=False, **SLOTS)
class AdvancedCommerceOffer(Record, Nested):
    """The discount of an item."""

    MEMBERS = {
        "period": Member(text, "period"),
        "period_count": Member(integer, "periodCount"),
        "price": Member(integer, "price"),
        "reason": Member(text, "reason"),
    }

    #: The duration of one period, ISO 8601.
    period: str | None
    #: The number of periods.
    period_count: int | None
    #: The price in thousandths of the currency.
    price: int | None
    #: ACQUISITION, WIN_BACK, RETENTION.
    reason: str | None


@dataclass(frozen=True, repr=False, **SLOTS)
class AdvancedCommerceRefund(Record, Nested):
    """A refund of an item."""

    MEMBERS = {
        "refund_amount": Member(integer, "refundAmount"),
        "refund_date": Member(instant, "refundDate"),
        "refund_reason": Member(text, "refundReason"),
        "refund_type": Member(text, "refundType"),
    }

    #: The amount in thousandths of the currency.
    refund_amount: int | None
    #: The date of the refund.
    refund_date: datetime | None
    #: The reason in the request.
    refund_reason: str | None
    #: FULL, PRORATED, CUSTOM.
    refund_type: str | None


@dataclass(frozen=True, repr=False, **SLOTS)
class AdvancedCommercePriceIncreaseInfo(Record, Nested):
    """The price increase of an item."""

    MEMBERS = {
        "dependent_skus": Member(texts, "dependentSKUs"),
        "price": Member(integer, "price"),
        "status": Member(text, "status"),
    }

    #: The items whose prices increase with this one.
    dependent_skus: tuple[str, ...] | None
    #: The new price in thousandths of the currency.
    price: int | None
    #: SCHEDULED, PENDING, ACCEPTED.
    status: str | None


@dataclass(frozen=True, repr=False, **SLOTS)
class AdvancedCommerceTransactionItem(Record, Nested):
    """An item of a purchase."""

    MEMBERS = {
        "sku": Member(text, "SKU"),
        "description": Member(text, "description"),
        "display_name": Member(text, "displayName"),
        "offer": Member(NestedMember(AdvancedCommerceOffer), "offer"),
        "price": Member(integer, "price"),
        "refunds": Member(NestedList(AdvancedCommerceRefund), "refunds"),
        "revocation_date": Member(instant, "revocationDate"),
    }

    #: The server's identifier of the item.
    sku: str | None
    #: The description for the customer.
    description: str | None
    #: The name for the customer.
    display_name: str | None
    #: The discount.
    offer: AdvancedCommerceOffer | None
    #: The price in thousandths of the transaction's currency.
    price: int | None
    #: The item's refunds.
    refunds: tuple[AdvancedCommerceRefund, ...] | None
    #: The date of the item's revocation.
    revocation_date: datetime | None


@dataclass(frozen=True, repr=False, **SLOTS)
class AdvancedCommerceRenewalItem(Record, Nested):
    """An item of the next period of a subscription."""

    MEMBERS = {
        "sku": Member(text, "SKU"),
        "description": Member(text, "description"),
        "display_name": Member(text, "displayName"),
        "offer": Member(NestedMember(AdvancedCommerceOffer), "offer"),
        "price": Member(integer, "price"),
        "price_increase_info": Member(NestedMember(AdvancedCommercePriceIncreaseInfo), "priceIncreaseInfo"),
    }

    #: The server's identifier of the item.
    sku: str | None
    #: The description for the customer.
    description: str | None
    #: The name for the customer.
    display_name: str | None
    #: The discount.
    offer: AdvancedCommerceOffer | None
    #: The price in thousandths of the renewal information's currency.
    price: int | None
    #: The next price increase.
    price_increase_info: AdvancedCommercePriceIncreaseInfo | None


@dataclass(frozen=True, repr=False, **SLOTS)
class AdvancedCommerceTransactionInfo(Record, Nested):
    """A purchase with the Advanced Commerce API."""

    MEMBERS = {
        "descriptors": Member(NestedMember(AdvancedCommerceDescriptors), "descriptors"),
        "estimated_tax": Member(integer, "estimatedTax"),
        "items": Member(NestedList(AdvancedCommerceTransactionItem), "items"),
        "period": Member(text, "period"),
        "request_reference_id": Member(text, "requestReferenceId"),
        "tax_code": Member(text, "taxCode"),
        "tax_exclusive_price": Member(integer, "taxExclusivePrice"),
        "tax_rate": Member(text, "taxRate"),
    }

    #: The name and description of the subscription.
    descriptors: AdvancedCommerceDescriptors | None
    #: The estimated tax in thousandths of the transaction's currency.
    estimated_tax: int | None
    #: The items of the purchase.
    items: tuple[AdvancedCommerceTransactionItem, ...] | None
    #: The duration of the subscription, ISO 8601.
    period: str | None
    #: The server's identifier of its request.
    request_reference_id: str | None
    #: The tax category.
    tax_code: str | None
    #: The price without tax in thousandths of the transaction's currency.
    tax_exclusive_price: int | None
    #: The tax rate.
    tax_rate: str | None


@dataclass(frozen=True, repr=False, **SLOTS)
class AdvancedCommerceRenewalInfo(Record, Nested):
    """The next period of a subscription with the Advanced Commerce API."""

    MEMBERS = {
        "consistency_token": Member(text, "consistencyToken"),
        "descriptors": Member(NestedMember(AdvancedCommerceDescriptors), "descriptors"),
        "items": Member(NestedList(AdvancedCommerceRenewalItem), "items"),
        "period": Member(text, "period"),
        "request_reference_id": Member(text, "requestReferenceId"),
        "tax_code": Member(text, "taxCode"),
    }

    #: The token for requests that change the subscription.
    consistency_token: str | None
    #: The name and description of the subscription.
    descriptors: AdvancedCommerceDescriptors | None
    #: The items of the next period.
    items: tuple[AdvancedCommerceRenewalItem, ...] | None
    #: The duration of the subscription, ISO 8601.
    period: str | None
    #: The server's identifier of its request.
    request_reference_id: str | None
    #: The tax category.
    tax_code: str | None
