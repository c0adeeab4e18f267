"""What Apple signed, in the words of the contract: `appreceipt schema verify` describes each member."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Union

from ._members import Member, Nested, NestedMember, body_member, flag, instant, integer, text, texts
from ._reading import AFTER, BEFORE, SLOTS, Lazy, Record, frozen, read
from .advanced_commerce import AdvancedCommerceRenewalInfo, AdvancedCommerceTransactionInfo
from .errors import Refused


@dataclass(frozen=True, repr=False, **SLOTS)
class Certificate(Record):
    subject: str
    issuer: str
    #: Hexadecimal.
    serial: str
    not_before: datetime
    not_after: datetime
    #: Hexadecimal, of the certificate's DER.
    sha256: str


@dataclass(frozen=True, repr=False, **SLOTS)
class Signature(Record):
    digest: str
    #: When the certificates had to be valid.
    verified_at: datetime
    #: From the signer to the root.
    chain: tuple[Certificate, ...]
    #: None of receipts, whose digest says all.
    algorithm: str | None = None

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Signature:
        return cls(**read({**members, "chain": tuple(map(Certificate.of, members["chain"]))}))


@dataclass(frozen=True, repr=False, **SLOTS)
class UnknownAttribute(Record):
    """An attribute whose meaning is not settled, so that nothing that was signed is lost."""

    type: int
    version: int
    value: bytes


@dataclass(frozen=True, repr=False, **SLOTS)
class _Purchase(Record):
    _shown = ("product_id", "product_type", "purchase_date", "expires_date", "cancellation_date")

    quantity: int | None
    product_id: str | None
    product_type: str | None
    transaction_id: str | None
    original_transaction_id: str | None
    purchase_date: datetime | None
    original_purchase_date: datetime | None
    expires_date: datetime | None
    cancellation_date: datetime | None
    cancellation_reason: int | None
    is_trial_period: bool | None
    is_in_intro_offer_period: bool | None
    promotional_offer_identifier: str | None
    web_order_line_item_id: str | None


@dataclass(frozen=True, repr=False, **SLOTS)
class Purchase(_Purchase):
    """A purchase of a receipt."""

    unknown: tuple[UnknownAttribute, ...]

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Purchase:
        return cls(**read({**members, "unknown": tuple(map(UnknownAttribute.of, members["unknown"]))}))


@dataclass(frozen=True, repr=False, **SLOTS)
class ToldPurchase(_Purchase):
    """A signed transaction's purchase, in the words of a receipt."""

    subscription_group_identifier: str | None


@dataclass(frozen=True, init=False, eq=False, repr=False, **SLOTS)
class Receipt(Lazy):
    """A genuine receipt: who signed it, and what it says."""

    #: Hexadecimal, of the DER bytes.
    sha256: str
    #: Hexadecimal, of the signed content, which names the receipt: containers around the same content are the same.
    content_sha256: str
    #: `app_store`; `storekit_test` and `custom` prove nothing about the App Store.
    realm: str
    #: `Production`, `Sandbox`, `Xcode`; None where the receipt names no type that is known.
    environment: str | None
    signature: Signature
    receipt_type: str | None
    bundle_id: str
    application_version: str | None
    original_application_version: str | None
    receipt_creation_date: datetime
    original_purchase_date: datetime | None
    expiration_date: datetime | None
    app_item_id: str | None
    download_id: str | None
    version_external_identifier: str | None
    opaque_value: bytes | None
    sha1_hash: bytes | None
    in_app: tuple[Purchase, ...]
    unknown: tuple[UnknownAttribute, ...]

    @staticmethod
    def _fields(line: dict[str, Any]) -> dict[str, Any]:
        receipt = line["receipt"]
        return {
            "sha256": line["sha256"], "content_sha256": line["content_sha256"], "realm": line["realm"],
            "environment": line["environment"], "signature": Signature.of(line["signature"]), **read(receipt),
            "in_app": tuple(map(Purchase.of, receipt["in_app"])),
            "unknown": tuple(map(UnknownAttribute.of, receipt["unknown"])),
        }

    @staticmethod
    def _identity(line: dict[str, Any]) -> dict[str, Any]:
        receipt = line["receipt"]
        return {
            "bundle_id": receipt["bundle_id"], "environment": line["environment"],
            "receipt_creation_date": receipt["receipt_creation_date"], "content_sha256": line["content_sha256"],
            **{name: [{}] * len(receipt[name]) for name in ("in_app", "unknown")}}


@dataclass(frozen=True, repr=False, **SLOTS)
class TransactionCommitmentInfo(Record, Nested):
    """The commitment behind a monthly billed subscription. A member of another type than Apple documents is None."""

    MEMBERS = {
        "billing_period_number": Member(integer, "billingPeriodNumber"),
        "total_billing_periods": Member(integer, "totalBillingPeriods"),
        "commitment_expires_date": Member(instant, "commitmentExpiresDate"),
        "commitment_price": Member(integer, "commitmentPrice"),
    }

    #: The billing period that the transaction pays for.
    billing_period_number: int | None
    #: The billing periods of the commitment.
    total_billing_periods: int | None
    #: The end of the commitment.
    commitment_expires_date: datetime | None
    #: In thousandths of the transaction's currency.
    commitment_price: int | None


@dataclass(frozen=True, repr=False, **SLOTS)
class RenewalCommitmentInfo(Record, Nested):
    """The next commitment of a monthly billed subscription. A member of another type than Apple documents is None."""

    MEMBERS = {
        "commitment_auto_renew_product_id": Member(text, "commitmentAutoRenewProductId"),
        "commitment_auto_renew_status": Member(integer, "commitmentAutoRenewStatus"),
        "commitment_renewal_billing_plan_type": Member(text, "commitmentRenewalBillingPlanType"),
        "commitment_renewal_date": Member(instant, "commitmentRenewalDate"),
        "commitment_renewal_price": Member(integer, "commitmentRenewalPrice"),
    }

    #: The product of the next commitment.
    commitment_auto_renew_product_id: str | None
    #: 1 where the commitment renews, 0 where it does not.
    commitment_auto_renew_status: int | None
    #: The billing plan of the next commitment.
    commitment_renewal_billing_plan_type: str | None
    #: The start of the next commitment.
    commitment_renewal_date: datetime | None
    #: In thousandths of the renewal information's currency.
    commitment_renewal_price: int | None


@dataclass(frozen=True, init=False, eq=False, repr=False, **SLOTS)
class SignedObject(Lazy):
    """A genuine signed object that is no receipt."""

    #: Hexadecimal, of the compact JWS, or of the property list.
    sha256: str
    #: `jws` or `transaction_receipt`.
    format: str
    #: `app_store`; `storekit_test` and `custom` prove nothing about the App Store.
    realm: str
    #: `Production`, `Sandbox`, `Xcode`, `LocalTesting`; None where nothing signed names one that is known.
    environment: str | None
    signature: Signature
    #: Apple's members under Apple's names, all that were signed. They cannot be changed.
    members: Mapping[str, Any]

    @staticmethod
    def _fields(line: dict[str, Any]) -> dict[str, Any]:
        return {
            "sha256": line["sha256"], "format": line["format"], "realm": line["realm"],
            "environment": line["environment"], "signature": Signature.of(line["signature"]),
            "members": frozen(line[line["kind"]]),
        }

    @staticmethod
    def _identity(line: dict[str, Any]) -> dict[str, Any]:
        members = line[line["kind"]]
        app = members.get("bundleId", members.get("bid"))
        return {
            **({} if app is None else {"bundle_id": app}), "environment": line["environment"], "sha256": line["sha256"],
            "members": members}


@dataclass(frozen=True, init=False, eq=False, repr=False, **SLOTS)
class Transaction(SignedObject):
    """A JWSTransaction, or a transaction receipt. `in_app` has the purchase; the other fields are what only a signed
    transaction says, None where it does not."""

    in_app: ToldPurchase
    #: What weakens the proof: `rsa-1024`.
    caveats: tuple[str, ...]

    bundle_id = Member(text, "bundleId", "bid")
    #: None of transaction receipts.
    signed_date = Member(instant, "signedDate")
    #: The type of the product as it was signed; `in_app.product_type` where it is known.
    type = Member(text, "type")
    #: One for each customer and app; each member of a family has another.
    app_transaction_id = Member(text, "appTransactionId")
    #: The UUID that the app gave to the purchase.
    app_account_token = Member(text, "appAccountToken")
    #: `PURCHASED`, or `FAMILY_SHARED` where a member of the family bought it.
    in_app_ownership_type = Member(text, "inAppOwnershipType", "in-app-ownership-type")
    is_upgraded = Member(flag, "isUpgraded")
    #: `PURCHASE` or `RENEWAL`.
    transaction_reason = Member(text, "transactionReason")
    #: 1 introductory, 2 promotional, 3 offer code, 4 win-back.
    offer_type = Member(integer, "offerType")
    offer_identifier = Member(text, "offerIdentifier")
    #: `FREE_TRIAL`, `PAY_AS_YOU_GO`, `PAY_UP_FRONT`, `ONE_TIME`.
    offer_discount_type = Member(text, "offerDiscountType")
    #: ISO 8601.
    offer_period = Member(text, "offerPeriod")
    #: `BILLED_UPFRONT`, `MONTHLY`.
    billing_plan_type = Member(text, "billingPlanType")
    commitment_info = Member(NestedMember(TransactionCommitmentInfo), "commitmentInfo")
    #: Of purchases by the Advanced Commerce API.
    advanced_commerce_info = Member(NestedMember(AdvancedCommerceTransactionInfo), "advancedCommerceInfo")
    #: ISO 3166-1 alpha-3.
    storefront = Member(text, "storefront")
    storefront_id = Member(text, "storefrontId")
    #: In thousandths of `currency`.
    price = Member(integer, "price")
    #: ISO 4217.
    currency = Member(text, "currency")
    #: 1 where the customer named an issue with the app, else 0.
    revocation_reason = Member(integer, "revocationReason")
    #: `REFUND_FULL`, `REFUND_PRORATED`, `FAMILY_REVOKE`.
    revocation_type = Member(text, "revocationType")
    #: In thousandths of a percent.
    revocation_percentage = Member(integer, "revocationPercentage")
    #: Base64 of SHA-384 of the nonce and the device's identifier; None where the object names no device.
    device_verification = Member(text, "deviceVerification")
    #: A UUID.
    device_verification_nonce = Member(text, "deviceVerificationNonce")

    @staticmethod
    def _fields(line: dict[str, Any]) -> dict[str, Any]:
        return {
            **SignedObject._fields(line), "in_app": ToldPurchase.of(line["in_app"]),
            "caveats": tuple(line.get("caveats", ())),
        }


@dataclass(frozen=True, init=False, eq=False, repr=False, **SLOTS)
class RenewalInfo(SignedObject):
    """A JWSRenewalInfo. It names no app."""

    signed_date = Member(instant, "signedDate")
    #: The subscription's first transaction.
    original_transaction_id = Member(text, "originalTransactionId")
    #: The product of the current period.
    product_id = Member(text, "productId")
    #: The product of the next period.
    auto_renew_product_id = Member(text, "autoRenewProductId")
    #: 1 where the subscription will renew, 0 where it will not.
    auto_renew_status = Member(integer, "autoRenewStatus")
    #: Why a subscription expired.
    expiration_intent = Member(integer, "expirationIntent")
    #: 0 where the customer has yet to consent to a price increase, 1 where none is needed or it was given.
    price_increase_status = Member(integer, "priceIncreaseStatus")
    #: Whether Apple still tries to renew an expired subscription.
    is_in_billing_retry_period = Member(flag, "isInBillingRetryPeriod")
    grace_period_expires_date = Member(instant, "gracePeriodExpiresDate")
    #: When the current period ends.
    renewal_date = Member(instant, "renewalDate")
    #: When the latest unbroken run of periods began.
    recent_subscription_start_date = Member(instant, "recentSubscriptionStartDate")
    #: Of the next period, as a transaction has it, and so are the offer's other fields.
    offer_type = Member(integer, "offerType")
    offer_identifier = Member(text, "offerIdentifier")
    offer_discount_type = Member(text, "offerDiscountType")
    offer_period = Member(text, "offerPeriod")
    #: The win-back offers for the customer, Apple's first choice first.
    eligible_win_back_offer_ids = Member(texts, "eligibleWinBackOfferIds")
    #: One for each customer and app; each member of a family has another.
    app_transaction_id = Member(text, "appTransactionId")
    #: The UUID that the app gave to the purchase.
    app_account_token = Member(text, "appAccountToken")
    #: Of the current period: `BILLED_UPFRONT`, `MONTHLY`.
    billing_plan_type = Member(text, "billingPlanType")
    #: Of the next period.
    renewal_billing_plan_type = Member(text, "renewalBillingPlanType")
    commitment_info = Member(NestedMember(RenewalCommitmentInfo), "commitmentInfo")
    #: Of purchases by the Advanced Commerce API.
    advanced_commerce_info = Member(NestedMember(AdvancedCommerceRenewalInfo), "advancedCommerceInfo")
    #: In thousandths of `currency`.
    renewal_price = Member(integer, "renewalPrice")
    #: ISO 4217.
    currency = Member(text, "currency")
    #: Base64 of SHA-384 of the nonce and the device's identifier; None where the object names no device.
    device_verification = Member(text, "deviceVerification")
    #: A UUID.
    device_verification_nonce = Member(text, "deviceVerificationNonce")


@dataclass(frozen=True, init=False, eq=False, repr=False, **SLOTS)
class AppTransaction(SignedObject):
    """A JWSAppTransaction: when and where a customer got the app."""

    bundle_id = Member(text, "bundleId")
    #: The app's number in the App Store.
    app_apple_id = Member(integer, "appAppleId")
    #: One for each customer and app; each member of a family has another.
    app_transaction_id = Member(text, "appTransactionId")
    application_version = Member(text, "applicationVersion")
    #: The version that the customer first got.
    original_application_version = Member(text, "originalApplicationVersion")
    #: The App Store's identifier of the app's version.
    version_external_identifier = Member(integer, "versionExternalIdentifier")
    #: `iOS`, `macOS`, `tvOS`, `visionOS`.
    original_platform = Member(text, "originalPlatform")
    #: As it was signed; `environment` where it is known.
    receipt_type = Member(text, "receiptType")
    #: When it was signed.
    receipt_creation_date = Member(instant, "receiptCreationDate")
    #: When the customer first got the app. StoreKit Test signs the year 0, which Python does not have: ValueError.
    original_purchase_date = Member(instant, "originalPurchaseDate")
    #: When the app was ordered in advance.
    preorder_date = Member(instant, "preorderDate")
    #: Base64 of SHA-384 of the nonce and the device's identifier; None where the object names no device.
    device_verification = Member(text, "deviceVerification")
    #: A UUID.
    device_verification_nonce = Member(text, "deviceVerificationNonce")


@dataclass(frozen=True, init=False, eq=False, repr=False, **SLOTS)
class Notification(SignedObject):
    """A notification of the App Store's server. Signed objects inside it are results of their own."""

    signed_date = Member(instant, "signedDate")
    notification_type = Member(text, "notificationType")
    subtype = Member(text, "subtype")
    #: The same where a notification is sent again.
    notification_uuid = Member(text, "notificationUUID")
    version = Member(text, "version")

    #: The fields below are of the body: `data`, `summary`, `externalPurchaseToken` or `appData` of `members`.
    bundle_id = body_member(text, "bundleId")
    #: The app's number in the App Store.
    app_apple_id = body_member(integer, "appAppleId")
    #: The state of the subscription.
    status = body_member(integer, "status")
    bundle_version = body_member(text, "bundleVersion")
    #: The customer's reason for asking for a refund.
    consumption_request_reason = body_member(text, "consumptionRequestReason")
    #: The product whose renewals were extended.
    product_id = body_member(text, "productId")
    #: The server's identifier of its request to extend renewals.
    request_identifier = body_member(text, "requestIdentifier")
    #: The storefronts of the extension.
    storefront_country_codes = body_member(texts, "storefrontCountryCodes")
    #: Subscriptions that were extended.
    succeeded_count = body_member(integer, "succeededCount")
    #: Subscriptions that were not extended.
    failed_count = body_member(integer, "failedCount")
    #: Starts with SANDBOX in the sandbox.
    external_purchase_id = body_member(text, "externalPurchaseId")
    token_creation_date = body_member(instant, "tokenCreationDate")
    token_expiration_date = body_member(instant, "tokenExpirationDate")
    #: Of a custom link.
    token_type = body_member(text, "tokenType")


@dataclass(frozen=True, init=False, eq=False, repr=False, **SLOTS)
class RealtimeRequest(SignedObject):
    """A request for a retention message in real time. It names the app by `app_apple_id`, not by bundle id."""

    signed_date = Member(instant, "signedDate")
    #: The app's number in the App Store.
    app_apple_id = Member(integer, "appAppleId")
    #: The first transaction of the customer's subscription.
    original_transaction_id = Member(text, "originalTransactionId")
    #: The subscription that the customer may cancel.
    product_id = Member(text, "productId")
    #: The device's locale.
    user_locale = Member(text, "userLocale")
    #: A UUID for each request.
    request_identifier = Member(text, "requestIdentifier")


Genuine = Union[Receipt, SignedObject]
KINDS: dict[bytes, type[SignedObject]] = {
    b"transaction": Transaction, b"renewal_info": RenewalInfo, b"app_transaction": AppTransaction,
    b"notification": Notification, b"realtime_request": RealtimeRequest,
}

# What is told of a receipt; an input that is one holds nothing else. No source but "-" ends here, and no text holds a quote
# without a backslash before it.
_RECEIPT = b',"content_sha256":"'
_RECEIPT_PLACE = len(b'{"results":[{"source":"-","sha256":""') + 64
# What is told of anything else, which others may follow.
_FIRST = re.compile(
    rb'\{"results":\[\{"source":"-","sha256":"[0-9a-f]{64}","status":"genuine","format":"\w+","kind":"(\w+)"')
# For the same reason this stands at the beginning of objects alone.
_SOURCE = b'{"source":"'


def only(answer: bytes) -> Genuine | None:
    """The genuine object that an answer without a refusal holds, unread, where it holds no other; None where that needs a
    closer look."""
    if answer.startswith(_RECEIPT, _RECEIPT_PLACE):
        return Receipt._of(answer)
    first = _FIRST.match(answer)
    if first is None or answer.rfind(_SOURCE) != len(BEFORE):
        return None
    return KINDS[first[1]]._of(answer)


def every(answer: bytes) -> list[Genuine | Refused]:
    """What an answer holds, in its order."""
    return [one(line, text) for line, text in _lines(answer)]


def split(answer: bytes) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Of each line of an answer its source, what it says, and its text behind the source."""
    for line, text in _lines(answer):
        yield line["source"], line, text[text.index(',"sha256":') + 1:]


def _lines(answer: bytes) -> Iterator[tuple[dict[str, Any], str]]:
    text, decoder, place = answer.decode(), json.JSONDecoder(), len(BEFORE)
    while not text.startswith(AFTER.decode(), place):
        line, end = decoder.raw_decode(text, place)
        yield line, text[place:end]
        place = end + text.startswith(",", end)


def of_record(answer: str) -> Genuine | Refused | None:
    """What a line of `Verifier.answer_record` says; None where its record says that it holds nothing."""
    line = json.loads(answer)
    if line["status"] == "absent":
        return None
    path = "-" if line.get("path") is None else f"-#{line['path']}"
    named = {"source": path, "sha256": None, **line}
    # In a text a quote has a backslash before it: this is the member, behind those that name the record.
    return one(named, f'{{"source":{json.dumps(path, ensure_ascii=False)},' + answer[answer.find('"sha256":'):])


def one(line: dict[str, Any], text: str) -> Genuine | Refused:
    """
    - line: what the text says.
    """
    if line["status"] == "refused":
        return Refused(
            **line["refusal"], sha256=line["sha256"], path=line["source"][2:] or None, format=line.get("format"))
    return (KINDS[line["kind"].encode()] if "kind" in line else Receipt)._of(text.encode())
