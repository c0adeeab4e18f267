"""Objects that Apple signed, with the names of the contract: `appreceipt schema verify` describes each member."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Union

from ._members import Member, Nested, NestedMember, body_member, flag, instant, integer, nested, text, texts
from ._reading import AFTER, BEFORE, SLOTS, Lazy, Record, frozen, read
from .advanced_commerce import AdvancedCommerceRenewalInfo, AdvancedCommerceTransactionInfo
from .errors import Refused


@dataclass(frozen=True, **SLOTS)
class Foreign:
    """A value that another store or payment system issued, recognized by its form."""

    #: The kind: `google_play_token`, `google_play_order`, `google_play_purchase`, `huawei_token`, `huawei_purchase`,
    #: `amazon_receipt`, `stripe_id`, `paypal_subscription`. Later versions may add kinds.
    kind: str


@dataclass(frozen=True, repr=False, **SLOTS)
class Certificate(Record):
    subject: str
    issuer: str
    #: The serial number in hexadecimal.
    serial: str
    not_before: datetime
    not_after: datetime
    #: The SHA-256 of the certificate's DER encoding, in hexadecimal.
    sha256: str


@dataclass(frozen=True, repr=False, **SLOTS)
class Signature(Record):
    digest: str
    #: The time at which the certificates had to be valid.
    verified_at: datetime
    #: The certificates from the signer to the root.
    chain: tuple[Certificate, ...]
    #: The signature algorithm, or None for a receipt, whose digest determines it.
    algorithm: str | None = None

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Signature:
        return cls(**read({**members, "chain": tuple(map(Certificate.of, members["chain"]))}))


@dataclass(frozen=True, repr=False, **SLOTS)
class RevocationStatus(Record):
    """The result of the revocation checks of a genuine object."""

    #: `not_checked`, `good`, or `no_information` if no list shows the status of some certificate.
    status: str
    #: The issue date of the oldest list that `good` rests on, or None.
    as_of: datetime | None
    #: The reasons why the result depends on the date in the object: `before-revocation`, `before-distrust`.
    caveats: tuple[str, ...]

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> RevocationStatus:
        return cls(**read(members))


@dataclass(frozen=True, repr=False, **SLOTS)
class UnknownAttribute(Record):
    """An attribute of unknown meaning, kept so that no signed data is lost."""

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
    """A purchase in a receipt."""

    unknown: tuple[UnknownAttribute, ...]

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Purchase:
        return cls(**read({**members, "unknown": tuple(map(UnknownAttribute.of, members["unknown"]))}))


@dataclass(frozen=True, repr=False, **SLOTS)
class TransactionPurchase(_Purchase):
    """A signed transaction's purchase, with the names of a receipt."""

    subscription_group_identifier: str | None


@dataclass(frozen=True, init=False, eq=False, repr=False, **SLOTS)
class Receipt(Lazy):
    """A genuine receipt: its signature and its content."""

    #: The SHA-256 of the DER bytes, in hexadecimal.
    sha256: str
    #: The SHA-256 of the signed content, in hexadecimal. It identifies the receipt, whatever container
    #: surrounds the content.
    content_sha256: str
    #: The trust anchor kind: `app_store`, or `storekit_test` and `custom`, which prove nothing about the App
    #: Store.
    realm: str
    #: `Production`, `Sandbox` or `Xcode`, or None if the receipt's type is absent or unknown.
    environment: str | None
    revocation: RevocationStatus
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
            "environment": line["environment"], "revocation": RevocationStatus.of(line["revocation"]),
            "signature": Signature.of(line["signature"]), **read(receipt),
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
    """The commitment of a subscription with monthly billing. A member of another type than Apple documents is None."""

    #: The billing period that the transaction pays for.
    billing_period_number: int | None = field(metadata=nested(integer, "billingPeriodNumber"))
    #: The number of billing periods in the commitment.
    total_billing_periods: int | None = field(metadata=nested(integer, "totalBillingPeriods"))
    #: The end of the commitment.
    commitment_expires_date: datetime | None = field(metadata=nested(instant, "commitmentExpiresDate"))
    #: The price in thousandths of the transaction's currency.
    commitment_price: int | None = field(metadata=nested(integer, "commitmentPrice"))


@dataclass(frozen=True, repr=False, **SLOTS)
class RenewalCommitmentInfo(Record, Nested):
    """The next commitment of a subscription with monthly billing. A member of another type than Apple documents is
    None.
    """

    #: The product of the next commitment.
    commitment_auto_renew_product_id: str | None = field(metadata=nested(text, "commitmentAutoRenewProductId"))
    #: 1 if the commitment renews, 0 if it does not.
    commitment_auto_renew_status: int | None = field(metadata=nested(integer, "commitmentAutoRenewStatus"))
    #: The billing plan of the next commitment.
    commitment_renewal_billing_plan_type: str | None = field(metadata=nested(text, "commitmentRenewalBillingPlanType"))
    #: The start of the next commitment.
    commitment_renewal_date: datetime | None = field(metadata=nested(instant, "commitmentRenewalDate"))
    #: The price in thousandths of the renewal information's currency.
    commitment_renewal_price: int | None = field(metadata=nested(integer, "commitmentRenewalPrice"))


@dataclass(frozen=True, init=False, eq=False, repr=False, **SLOTS)
class SignedObject(Lazy):
    """A genuine signed object that is not a receipt."""

    #: The SHA-256 of the compact JWS or of the property list, in hexadecimal.
    sha256: str
    #: `jws` or `transaction_receipt`.
    format: str
    #: The trust anchor kind: `app_store`, or `storekit_test` and `custom`, which prove nothing about the App
    #: Store.
    realm: str
    #: `Production`, `Sandbox`, `Xcode` or `LocalTesting`, or None if the object has no known environment.
    environment: str | None
    revocation: RevocationStatus
    signature: Signature
    #: All signed members under Apple's names. They are immutable.
    members: Mapping[str, Any]

    @staticmethod
    def _fields(line: dict[str, Any]) -> dict[str, Any]:
        return {
            "sha256": line["sha256"], "format": line["format"], "realm": line["realm"],
            "environment": line["environment"], "revocation": RevocationStatus.of(line["revocation"]),
            "signature": Signature.of(line["signature"]), "members": frozen(line[line["kind"]]),
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
    """A JWSTransaction, or a transaction receipt. `in_app` is the purchase. The other fields exist only in signed
    transactions, and are None if absent.
    """

    in_app: TransactionPurchase
    #: The reasons why the proof is weaker: `rsa-1024`.
    caveats: tuple[str, ...]

    bundle_id = Member(text, "bundleId", "bid")
    #: The date of the signature, or None for a transaction receipt.
    signed_date = Member(instant, "signedDate")
    #: The type of the product, as signed. `in_app.product_type` has a receipt's name for the same type, if it is known.
    type = Member(text, "type")
    #: An identifier of the customer in the app. Each member of a family has a different one.
    app_transaction_id = Member(text, "appTransactionId")
    #: The UUID that the app assigned to the purchase.
    app_account_token = Member(text, "appAccountToken")
    #: `PURCHASED`, or `FAMILY_SHARED` if another member of the family bought it.
    in_app_ownership_type = Member(text, "inAppOwnershipType", "in-app-ownership-type")
    is_upgraded = Member(flag, "isUpgraded")
    #: `PURCHASE` or `RENEWAL`.
    transaction_reason = Member(text, "transactionReason")
    #: The type of offer: 1 introductory, 2 promotional, 3 offer code, 4 win-back.
    offer_type = Member(integer, "offerType")
    offer_identifier = Member(text, "offerIdentifier")
    #: `FREE_TRIAL`, `PAY_AS_YOU_GO`, `PAY_UP_FRONT`, `ONE_TIME`.
    offer_discount_type = Member(text, "offerDiscountType")
    #: The duration of the offer in ISO 8601.
    offer_period = Member(text, "offerPeriod")
    #: `BILLED_UPFRONT`, `MONTHLY`.
    billing_plan_type = Member(text, "billingPlanType")
    commitment_info = Member(NestedMember(TransactionCommitmentInfo), "commitmentInfo")
    #: Information for purchases with the Advanced Commerce API.
    advanced_commerce_info = Member(NestedMember(AdvancedCommerceTransactionInfo), "advancedCommerceInfo")
    #: The storefront's country code (ISO 3166-1 alpha-3).
    storefront = Member(text, "storefront")
    storefront_id = Member(text, "storefrontId")
    #: The price in thousandths of `currency`.
    price = Member(integer, "price")
    #: The currency code (ISO 4217).
    currency = Member(text, "currency")
    #: The first transaction of the subscription that this one replaced when the customer switched from or to a
    #: subscription bundle.
    previous_original_transaction_id = Member(text, "previousOriginalTransactionId")
    #: 1 if the customer reported an issue with the app, else 0.
    revocation_reason = Member(integer, "revocationReason")
    #: `REFUND_FULL`, `REFUND_PRORATED`, `FAMILY_REVOKE`.
    revocation_type = Member(text, "revocationType")
    #: The refunded share in thousandths of a percent.
    revocation_percentage = Member(integer, "revocationPercentage")
    #: The base64 of the SHA-384 of the nonce and the device identifier, or None if the object names no
    #: device.
    device_verification = Member(text, "deviceVerification")
    #: The nonce, a UUID.
    device_verification_nonce = Member(text, "deviceVerificationNonce")

    @staticmethod
    def _fields(line: dict[str, Any]) -> dict[str, Any]:
        return {
            **SignedObject._fields(line), "in_app": TransactionPurchase.of(line["in_app"]),
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
    #: 1 if the subscription will renew, 0 if it will not.
    auto_renew_status = Member(integer, "autoRenewStatus")
    #: The reason why the subscription expired.
    expiration_intent = Member(integer, "expirationIntent")
    #: 0 if the customer has not yet consented to a price increase, 1 if no consent is needed or it was given.
    price_increase_status = Member(integer, "priceIncreaseStatus")
    #: Whether Apple still tries to renew an expired subscription.
    is_in_billing_retry_period = Member(flag, "isInBillingRetryPeriod")
    grace_period_expires_date = Member(instant, "gracePeriodExpiresDate")
    #: The end of the current period.
    renewal_date = Member(instant, "renewalDate")
    #: The start of the latest uninterrupted series of periods.
    recent_subscription_start_date = Member(instant, "recentSubscriptionStartDate")
    #: The type of offer in the next period, with a transaction's values. The offer's other fields apply to
    #: that period, too.
    offer_type = Member(integer, "offerType")
    offer_identifier = Member(text, "offerIdentifier")
    offer_discount_type = Member(text, "offerDiscountType")
    offer_period = Member(text, "offerPeriod")
    #: The win-back offers for the customer. Apple's first choice is first.
    eligible_win_back_offer_ids = Member(texts, "eligibleWinBackOfferIds")
    #: An identifier of the customer in the app. Each member of a family has a different one.
    app_transaction_id = Member(text, "appTransactionId")
    #: The UUID that the app assigned to the purchase.
    app_account_token = Member(text, "appAccountToken")
    #: The billing plan of the current period: `BILLED_UPFRONT`, `MONTHLY`.
    billing_plan_type = Member(text, "billingPlanType")
    #: The billing plan of the next period.
    renewal_billing_plan_type = Member(text, "renewalBillingPlanType")
    commitment_info = Member(NestedMember(RenewalCommitmentInfo), "commitmentInfo")
    #: Information for purchases with the Advanced Commerce API.
    advanced_commerce_info = Member(NestedMember(AdvancedCommerceRenewalInfo), "advancedCommerceInfo")
    #: The price in thousandths of `currency`.
    renewal_price = Member(integer, "renewalPrice")
    #: The currency code (ISO 4217).
    currency = Member(text, "currency")
    #: The base64 of the SHA-384 of the nonce and the device identifier, or None if the object names no
    #: device.
    device_verification = Member(text, "deviceVerification")
    #: The nonce, a UUID.
    device_verification_nonce = Member(text, "deviceVerificationNonce")


@dataclass(frozen=True, init=False, eq=False, repr=False, **SLOTS)
class AppTransaction(SignedObject):
    """A JWSAppTransaction, which describes how a customer got the app."""

    bundle_id = Member(text, "bundleId")
    #: The app's number in the App Store.
    app_apple_id = Member(integer, "appAppleId")
    #: An identifier of the customer in the app. Each member of a family has a different one.
    app_transaction_id = Member(text, "appTransactionId")
    application_version = Member(text, "applicationVersion")
    #: The first version of the app that the customer got.
    original_application_version = Member(text, "originalApplicationVersion")
    #: The App Store's identifier of the app's version.
    version_external_identifier = Member(integer, "versionExternalIdentifier")
    #: `iOS`, `macOS`, `tvOS`, `visionOS`.
    original_platform = Member(text, "originalPlatform")
    #: The environment, as signed. `environment` is the same if its value is known.
    receipt_type = Member(text, "receiptType")
    #: The date of the signature.
    receipt_creation_date = Member(instant, "receiptCreationDate")
    #: The date on which the customer first got the app. StoreKit Test signs the year 0, which raises
    #: ValueError, because Python's dates begin with the year 1.
    original_purchase_date = Member(instant, "originalPurchaseDate")
    #: The date of the preorder.
    preorder_date = Member(instant, "preorderDate")
    #: The date on which the purchase of the app was revoked.
    revocation_date = Member(instant, "revocationDate")
    #: The base64 of the SHA-384 of the nonce and the device identifier, or None if the object names no
    #: device.
    device_verification = Member(text, "deviceVerification")
    #: The nonce, a UUID.
    device_verification_nonce = Member(text, "deviceVerificationNonce")


@dataclass(frozen=True, init=False, eq=False, repr=False, **SLOTS)
class Notification(SignedObject):
    """A notification of the App Store's server. The signed objects inside are separate results."""

    signed_date = Member(instant, "signedDate")
    notification_type = Member(text, "notificationType")
    subtype = Member(text, "subtype")
    #: The identifier, which stays the same if Apple sends the notification again.
    notification_uuid = Member(text, "notificationUUID")
    version = Member(text, "version")

    #: The following fields are in the body: `data`, `summary`, `externalPurchaseToken` or `appData` of
    #: `members`.
    bundle_id = body_member(text, "bundleId")
    #: The app's number in the App Store.
    app_apple_id = body_member(integer, "appAppleId")
    #: The state of the subscription.
    status = body_member(integer, "status")
    bundle_version = body_member(text, "bundleVersion")
    #: The customer's reason for a refund request.
    consumption_request_reason = body_member(text, "consumptionRequestReason")
    #: The product with extended renewals.
    product_id = body_member(text, "productId")
    #: The identifier of the server's request to extend renewals.
    request_identifier = body_member(text, "requestIdentifier")
    #: The storefronts of the extension.
    storefront_country_codes = body_member(texts, "storefrontCountryCodes")
    #: The number of extended subscriptions.
    succeeded_count = body_member(integer, "succeededCount")
    #: The number of subscriptions that were not extended.
    failed_count = body_member(integer, "failedCount")
    #: The identifier of the purchase token, which starts with SANDBOX in the sandbox.
    external_purchase_id = body_member(text, "externalPurchaseId")
    token_creation_date = body_member(instant, "tokenCreationDate")
    token_expiration_date = body_member(instant, "tokenExpirationDate")
    #: The type of a custom link's token.
    token_type = body_member(text, "tokenType")


@dataclass(frozen=True, init=False, eq=False, repr=False, **SLOTS)
class RealtimeRequest(SignedObject):
    """A request for a retention message in real time. It names the app by `app_apple_id`, not by bundle ID."""

    signed_date = Member(instant, "signedDate")
    #: The app's number in the App Store.
    app_apple_id = Member(integer, "appAppleId")
    #: The first transaction of the customer's subscription.
    original_transaction_id = Member(text, "originalTransactionId")
    #: The subscription that the customer may cancel.
    product_id = Member(text, "productId")
    #: The device's locale.
    user_locale = Member(text, "userLocale")
    #: The UUID of the request.
    request_identifier = Member(text, "requestIdentifier")


Genuine = Union[Receipt, SignedObject]
KINDS: dict[bytes, type[SignedObject]] = {
    b"transaction": Transaction, b"renewal_info": RenewalInfo, b"app_transaction": AppTransaction,
    b"notification": Notification, b"realtime_request": RealtimeRequest,
}

# The text that occurs only in the line of a receipt, which is always the only object in its input. It cannot occur
# inside a JSON string, where quotation marks are escaped.
_RECEIPT = b',"content_sha256":"'
_RECEIPT_PLACE = len(b'{"results":[{"source":"-","sha256":""') + 64
# The start of any other object's line. More lines may follow.
_FIRST = re.compile(
    rb'\{"results":\[\{"source":"-","sha256":"[0-9a-f]{64}","status":"genuine","format":"\w+","kind":"(\w+)"')
# For the same reason, this text occurs only at the start of objects.
_SOURCE = b'{"source":"'


def only(answer: bytes) -> Genuine | None:
    """Returns the genuine object in an answer without parsing it, if the answer contains no other object. Returns None
    if the answer must be parsed.
    """
    if answer.startswith(_RECEIPT, _RECEIPT_PLACE):
        return Receipt._of(answer)
    first = _FIRST.match(answer)
    if first is None or answer.rfind(_SOURCE) != len(BEFORE):
        return None
    return KINDS[first[1]]._of(answer)


def every(answer: bytes) -> list[Genuine | Refused]:
    """Returns the results in an answer, in order."""
    return [one(line, text) for line, text in _lines(answer)]


def split(answer: bytes) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yields each line of an answer: its source, its members, and its text after the source."""
    for line, text in _lines(answer):
        yield line["source"], line, text[text.index(',"sha256":') + 1:]


def _lines(answer: bytes) -> Iterator[tuple[dict[str, Any], str]]:
    text, decoder, place = answer.decode(), json.JSONDecoder(), len(BEFORE)
    while not text.startswith(AFTER.decode(), place):
        line, end = decoder.raw_decode(text, place)
        yield line, text[place:end]
        place = end + text.startswith(",", end)


def of_record(answer: str) -> Genuine | Refused | Foreign | None:
    """Returns the result in a line of `Verifier.answer_record`, or None if the record says that it has no receipt."""
    line = json.loads(answer)
    if line["status"] == "absent":
        return None
    if line["status"] == "foreign":
        return Foreign(line["kind"])
    path = "-" if line.get("path") is None else f"-#{line['path']}"
    named = {"source": path, "sha256": None, **line}
    # Quotation marks in JSON strings are escaped, so this finds the member after the record's identification.
    return one(named, f'{{"source":{json.dumps(path, ensure_ascii=False)},' + answer[answer.find('"sha256":'):])


def one(line: dict[str, Any], text: str) -> Genuine | Refused:
    """Returns the result in a line.

    - line: The parsed text.
    """
    if line["status"] == "refused":
        return Refused(
            **line["refusal"], sha256=line["sha256"], path=line["source"][2:] or None, format=line.get("format"))
    return (KINDS[line["kind"].encode()] if "kind" in line else Receipt)._of(text.encode())
