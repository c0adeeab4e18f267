"""Checks Apple's members of signed objects as typed fields."""

import copy
import dataclasses
import datetime
import json
import pathlib
import pickle
import re
import subprocess
import tempfile
import unittest

import appreceipt
import given
from appreceipt.spark.snapshot_rows import PURCHASE

APP = "com.example.tides"


def at(*date):
    return datetime.datetime(*date, tzinfo=datetime.timezone.utc)


# (class, specification of the forged object, its fields): for each kind an object with every member, and one
# with few.
ROWS = [
    (appreceipt.Transaction, {"transaction": {
        "bundleId": APP, "environment": "Production", "signedDate": 1770019200250, "type": "Auto-Renewable Subscription",
        "appTransactionId": "704", "appAccountToken": "7a0d3a9e-2f57-4d0c-8e53-2f1f6a1b9c44", "inAppOwnershipType": "ASSIGNED",
        "isUpgraded": True, "transactionReason": "RENEWAL", "offerType": 2, "offerIdentifier": "spring",
        "offerDiscountType": "PAY_AS_YOU_GO", "offerPeriod": "P1M", "billingPlanType": "MONTHLY",
        "commitmentInfo": {"billingPeriodNumber": 3, "totalBillingPeriods": 12, "commitmentExpiresDate": 1801551600000,
                           "commitmentPrice": 120000},
        "advancedCommerceInfo": {
            "descriptors": {"description": "d", "displayName": "n"}, "estimatedTax": 1990, "period": "P1M", "requestReferenceId": "r",
            "taxCode": "C", "taxExclusivePrice": 8000, "taxRate": "0.25", "items": [
                {"SKU": "s", "description": "d", "displayName": "n", "price": 1, "revocationDate": 1801551600000,
                 "offer": {"period": "P1W", "periodCount": 2, "price": 0, "reason": "WIN_BACK"},
                 "refunds": [{"refundAmount": 5, "refundDate": 1801551600000, "refundReason": "LEGAL", "refundType": "FULL"}]},
                {}]},
        "deviceVerification": "AAAA", "deviceVerificationNonce": "48c8b92d-ce0d-4229-bedf-e61b4f9cfc92", "storefront": "DNK",
        "storefrontId": "143458", "previousOriginalTransactionId": "31", "price": 49000, "currency": "DKK", "revocationReason": 1,
        "revocationType": "REFUND_PRORATED", "revocationPercentage": 50000, "revocationDate": 1770000000000}},
     {"bundle_id": APP, "signed_date": at(2026, 2, 2, 8, 0, 0, 250000), "type": "Auto-Renewable Subscription",
      "app_transaction_id": "704", "app_account_token": "7a0d3a9e-2f57-4d0c-8e53-2f1f6a1b9c44", "in_app_ownership_type": "ASSIGNED",
      "is_upgraded": True, "transaction_reason": "RENEWAL", "offer_type": 2, "offer_identifier": "spring",
      "offer_discount_type": "PAY_AS_YOU_GO", "offer_period": "P1M", "billing_plan_type": "MONTHLY",
      "commitment_info": appreceipt.TransactionCommitmentInfo(3, 12, at(2027, 2, 2, 7), 120000),
      "advanced_commerce_info": appreceipt.AdvancedCommerceTransactionInfo(
          descriptors=appreceipt.AdvancedCommerceDescriptors("d", "n"), estimated_tax=1990, period="P1M", request_reference_id="r",
          tax_code="C", tax_exclusive_price=8000, tax_rate="0.25", items=(
              appreceipt.AdvancedCommerceTransactionItem(
                  sku="s", description="d", display_name="n", price=1, revocation_date=at(2027, 2, 2, 7),
                  offer=appreceipt.AdvancedCommerceOffer("P1W", 2, 0, "WIN_BACK"),
                  refunds=(appreceipt.AdvancedCommerceRefund(5, at(2027, 2, 2, 7), "LEGAL", "FULL"),)),
              appreceipt.AdvancedCommerceTransactionItem(*[None] * 7))),
      "device_verification": "AAAA", "device_verification_nonce": "48c8b92d-ce0d-4229-bedf-e61b4f9cfc92", "storefront": "DNK",
      "storefront_id": "143458", "previous_original_transaction_id": "31", "price": 49000, "currency": "DKK",
      "revocation_reason": 1, "revocation_type": "REFUND_PRORATED", "revocation_percentage": 50000}),
    (appreceipt.Transaction, {"transaction": {"bundleId": APP, "environment": "Production"}},
     {"app_transaction_id": None, "is_upgraded": None, "offer_type": None, "commitment_info": None, "advanced_commerce_info": None,
      "in_app_ownership_type": "PURCHASED"}),
    # A nested member with another type than Apple documents, and an absent one.
    (appreceipt.Transaction, {"transaction": {"bundleId": APP, "environment": "Production", "commitmentInfo": {
        "billingPeriodNumber": "3", "totalBillingPeriods": True, "commitmentExpiresDate": 1e18, "commitmentPrice": 1 << 63}}},
     {"commitment_info": appreceipt.TransactionCommitmentInfo(None, None, None, None)}),
    (appreceipt.Transaction, {"transaction": {"bundleId": APP, "environment": "Production", "advancedCommerceInfo": {
        "descriptors": [], "estimatedTax": "1", "period": 1, "items": [{"SKU": "s"}, 7]}}},
     {"advanced_commerce_info": appreceipt.AdvancedCommerceTransactionInfo(*[None] * 8)}),
    (appreceipt.RenewalInfo, {"renewal_info": {"environment": "Production", "advancedCommerceInfo": {"items": [
        {"SKU": 7, "priceIncreaseInfo": {"dependentSKUs": ["a", 7], "price": 2}}]}}},
     {"advanced_commerce_info": appreceipt.AdvancedCommerceRenewalInfo(None, None, (appreceipt.AdvancedCommerceRenewalItem(
         None, None, None, None, None, appreceipt.AdvancedCommercePriceIncreaseInfo(None, 2, None)),), None, None, None)}),
    # Xcode signs fractions of milliseconds.
    (appreceipt.Transaction, {"transaction": {"bundleId": APP, "environment": "Xcode", "signedDate": 1769947205250.75}},
     {"signed_date": at(2026, 2, 1, 12, 0, 5, 250000)}),
    (appreceipt.RenewalInfo, {"renewal_info": {
        "environment": "Production", "signedDate": 1772366700000, "originalTransactionId": "1", "productId": "monthly",
        "autoRenewProductId": "yearly", "autoRenewStatus": 0, "expirationIntent": 2, "priceIncreaseStatus": 1,
        "isInBillingRetryPeriod": True, "gracePeriodExpiresDate": 1773748800000, "renewalDate": 1772366400000,
        "recentSubscriptionStartDate": 1769947200000, "offerType": 3, "offerIdentifier": "code", "offerDiscountType": "FREE_TRIAL",
        "offerPeriod": "P1W", "eligibleWinBackOfferIds": ["b", "a"], "appTransactionId": "704", "appAccountToken": "t",
        "billingPlanType": "BILLED_UPFRONT", "renewalBillingPlanType": "MONTHLY", "renewalPrice": 9990, "currency": "USD",
        "commitmentInfo": {"commitmentAutoRenewProductId": "p", "commitmentAutoRenewStatus": 1,
                           "commitmentRenewalBillingPlanType": "MONTHLY", "commitmentRenewalDate": 1801551600000,
                           "commitmentRenewalPrice": 5},
        "advancedCommerceInfo": {"consistencyToken": "c", "requestReferenceId": "r", "items": [
            {"SKU": "s", "priceIncreaseInfo": {"dependentSKUs": ["a"], "price": 2, "status": "PENDING"}}]}}},
     {"signed_date": at(2026, 3, 1, 12, 5), "original_transaction_id": "1", "product_id": "monthly",
      "auto_renew_product_id": "yearly", "auto_renew_status": 0, "expiration_intent": 2, "price_increase_status": 1,
      "is_in_billing_retry_period": True, "grace_period_expires_date": at(2026, 3, 17, 12),
      "renewal_date": at(2026, 3, 1, 12), "recent_subscription_start_date": at(2026, 2, 1, 12), "offer_type": 3,
      "offer_identifier": "code", "offer_discount_type": "FREE_TRIAL", "offer_period": "P1W",
      "eligible_win_back_offer_ids": ("b", "a"), "app_transaction_id": "704", "app_account_token": "t",
      "billing_plan_type": "BILLED_UPFRONT", "renewal_billing_plan_type": "MONTHLY", "renewal_price": 9990, "currency": "USD",
      "commitment_info": appreceipt.RenewalCommitmentInfo("p", 1, "MONTHLY", at(2027, 2, 2, 7), 5),
      "advanced_commerce_info": appreceipt.AdvancedCommerceRenewalInfo(
          "c", None, (appreceipt.AdvancedCommerceRenewalItem(
              "s", None, None, None, None, appreceipt.AdvancedCommercePriceIncreaseInfo(("a",), 2, "PENDING")),), None, "r", None)}),
    (appreceipt.AppTransaction, {"app_transaction": {
        "receiptType": "Sandbox", "bundleId": APP, "appAppleId": 1450218337, "appTransactionId": "704", "applicationVersion": "42",
        "originalApplicationVersion": "1.0", "versionExternalIdentifier": 8, "originalPlatform": "visionOS",
        "receiptCreationDate": 1770019200000, "originalPurchaseDate": 1768901400000, "preorderDate": 1768000000000,
        "revocationDate": 1781946000000}},
     {"bundle_id": APP, "app_apple_id": 1450218337, "app_transaction_id": "704", "application_version": "42",
      "original_application_version": "1.0", "version_external_identifier": 8, "original_platform": "visionOS",
      "receipt_type": "Sandbox", "receipt_creation_date": at(2026, 2, 2, 8),
      "original_purchase_date": at(2026, 1, 20, 9, 30), "preorder_date": at(2026, 1, 9, 23, 6, 40),
      "revocation_date": at(2026, 6, 20, 9)}),
    # Xcode signs a purchase date in the year 0. The other fields are readable.
    (appreceipt.AppTransaction, {"app_transaction": {
        "receiptType": "Xcode", "bundleId": APP, "originalPurchaseDate": -62135769600000, "originalPlatform": "iOS"}},
     {"bundle_id": APP, "original_platform": "iOS", "original_purchase_date": ValueError, "preorder_date": None,
      "revocation_date": None}),
    (appreceipt.Notification, {"notification": {
        "notificationType": "CONSUMPTION_REQUEST", "subtype": "S", "notificationUUID": "5f0e1c5e", "version": "2.0",
        "signedDate": 1772366700000, "data": {
            "environment": "Production", "appAppleId": 1450218337, "bundleId": APP, "bundleVersion": "42", "status": 4,
            "consumptionRequestReason": "LEGAL"}}},
     {"notification_type": "CONSUMPTION_REQUEST", "subtype": "S", "notification_uuid": "5f0e1c5e", "version": "2.0",
      "signed_date": at(2026, 3, 1, 12, 5), "app_apple_id": 1450218337, "bundle_id": APP, "bundle_version": "42", "status": 4,
      "consumption_request_reason": "LEGAL", "product_id": None}),
    (appreceipt.Notification, {"notification": {
        "notificationType": "RENEWAL_EXTENSION", "subtype": "SUMMARY", "summary": {
            "environment": "Production", "bundleId": APP, "productId": "p", "requestIdentifier": "r",
            "storefrontCountryCodes": ["DNK", "USA"], "succeededCount": 3, "failedCount": 1}}},
     {"product_id": "p", "request_identifier": "r", "storefront_country_codes": ("DNK", "USA"), "succeeded_count": 3,
      "failed_count": 1, "status": None, "bundle_id": APP}),
    (appreceipt.Notification, {"notification": {
        "notificationType": "EXTERNAL_PURCHASE_TOKEN", "externalPurchaseToken": {
            "externalPurchaseId": "SANDBOX_7", "tokenCreationDate": 1769947200000, "tokenExpirationDate": 1770019200000,
            "tokenType": "ACQUISITION", "appAppleId": 7, "bundleId": APP}}},
     {"external_purchase_id": "SANDBOX_7", "token_creation_date": at(2026, 2, 1, 12), "token_expiration_date": at(2026, 2, 2, 8),
      "token_type": "ACQUISITION", "app_apple_id": 7, "environment": "Sandbox"}),
    (appreceipt.RealtimeRequest, {"realtime_request": {
        "originalTransactionId": "1", "appAppleId": 7, "productId": "monthly", "userLocale": "da-DK", "requestIdentifier": "r",
        "environment": "Production", "signedDate": 1772366700000}},
     {"original_transaction_id": "1", "app_apple_id": 7, "product_id": "monthly", "user_locale": "da-DK",
      "request_identifier": "r", "signed_date": at(2026, 3, 1, 12, 5)}),
]


def forged():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        entries = [{"name": f"{number}", "story": "", **entry} for number, (_, entry, _) in enumerate(ROWS)]
        (folder / "spec.json").write_text(json.dumps({"receipts": entries}))
        subprocess.run([given.TOOL, "forge", folder / "spec.json", "--output", folder], check=True, stderr=subprocess.DEVNULL)
        return [(folder / f"{number}.jws").read_text() for number in range(len(ROWS))]


SIGNED = forged()
# Members with a type in Swift but without a field in Python. They are in the purchase `in_app`, in `environment`,
# and in the other results for a notification.
ELSEWHERE = {
    "transactionId", "originalTransactionId", "webOrderLineItemId", "productId", "subscriptionGroupIdentifier", "purchaseDate",
    "originalPurchaseDate", "expiresDate", "revocationDate", "quantity", "environment", "signedTransactionInfo",
    "signedRenewalInfo", "signedAppTransactionInfo", "data", "summary", "externalPurchaseToken", "appData", "requestDate"}


class MembersTest(unittest.TestCase):
    def setUp(self):
        self.verifier = given.forged_verifier()

    def test_typed_fields(self):
        for (kind, entry, fields), text in zip(ROWS, SIGNED):
            found = self.verifier.verify(text)
            self.assertIs(type(found), kind)
            for name, wanted in fields.items():
                with self.subTest(entry=entry, field=name):
                    if wanted is ValueError:
                        self.assertRaisesRegex(ValueError, "members", getattr, found, name)
                    else:
                        self.assertEqual(getattr(found, name), wanted)
            members, = entry.values()
            self.assertLessEqual(members.keys(), found.members.keys())

    def test_every_attribute_has_a_field(self):
        types = {"text": "str", "productType": "str", "identifier": "str", "bytes": "bytes", "date": "datetime", "integer": "int",
                 "flag": "bool"}
        # (record in Swift, class, the first field after the attributes)
        for record, kind, end in (("AppRecord", appreceipt.Receipt, "in_app"), ("PurchaseRecord", appreceipt.Purchase, "unknown"),
                                  ("PurchaseRecord", appreceipt.TransactionPurchase, "subscription_group_identifier")):
            rows = given.attributes(record)
            fields = [(field.name, field.type.removesuffix(" | None")) for field in dataclasses.fields(kind)]
            place = [name for name, _ in fields].index(end)
            with self.subTest(kind):
                self.assertEqual(fields[:place][-len(rows):], [(name, types[kind]) for _, name, kind in rows])

    def test_every_attribute_of_snapshots_has_a_column_in_spark(self):
        source = (given.PACKAGE / "Sources/ReceiptJSON/JSONWriter+Snapshot.swift").read_text()
        used = set(map(int, re.search(r"used: Set<Int64> = \[([\d, ]+)\]", source)[1].split(", ")))
        types = {"date": "int64", "integer": "int64", "flag": "bool"}
        expected = [(name, types.get(kind, "string")) for type, name, kind in given.attributes("PurchaseRecord") if type in used]
        self.assertEqual(list(PURCHASE.items())[:len(used)], expected)

    def test_every_attribute_is_in_the_other_packages(self):
        for _, name, _ in given.attributes("AppRecord") + given.attributes("PurchaseRecord"):
            camel = re.sub("_(.)", lambda found: found[1].upper(), name)
            for path, text in (("Languages/Go/objects.go", f'json:"{name}"'), ("Languages/Ruby/lib/appreceipt/objects.rb", f":{name},"),
                               ("Languages/Java/src/main/java/appreceipt/SignedObject.java", f" {camel},"),
                               ("Languages/Node/index.d.ts", f" {camel}: "), ("Languages/PHP/src/objects.php", f" ${camel},"),
                               ("EmbeddedFiles/EvidenceScripts/check.py", f'("{name}", ')):
                with self.subTest(path, name=name):
                    self.assertIn(text, (given.PACKAGE / "Sources" / path).read_text())

    def test_every_documented_member_has_a_field(self):
        source = (given.PACKAGE / "Sources/AppReceipt/JWS/JWSKind.swift").read_text()
        tables = dict(re.findall(r"(\w+Members): \[String: MemberType\] = \[(.*?)\n    \]", source, re.DOTALL))
        tables["notificationMembers"] += source.partition("static let bodies")[2]
        self.assertEqual(len(tables), 5)
        for (name, table), kind in zip(tables.items(), (
                appreceipt.Transaction, appreceipt.RenewalInfo, appreceipt.AppTransaction, appreceipt.Notification,
                appreceipt.RealtimeRequest)):
            members = set(re.findall(r'"(\w+)": \.', table)) - (ELSEWHERE if kind in (
                appreceipt.Transaction, appreceipt.Notification) else ELSEWHERE - {"originalTransactionId", "productId", "originalPurchaseDate"})
            self.assertGreater(len(members), 4)
            for member in members:
                with self.subTest(name, member=member):
                    field = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", member).lower()
                    self.assertIsNotNone(getattr(kind, field, None))
            if kind is appreceipt.Notification:
                self.assertIsNotNone(kind.product_id)

    def test_every_nested_member_has_a_field(self):
        folder = given.PACKAGE / "Sources/AppReceipt/JWS"
        sources = [*folder.glob("AdvancedCommerce/*.swift"), *folder.glob("*CommitmentInfo.swift")]
        self.assertEqual(len(sources), 10)
        for source in sources:
            with self.subTest(source.stem):
                members = re.findall(r'members\.\w+\("(\w+)"\)', source.read_text())
                fields = [field.metadata["member"] for field in dataclasses.fields(getattr(appreceipt, source.stem))]
                self.assertEqual([name for member in fields for name in member._names], members)

    def test_a_transaction_receipt_has_the_fields_that_it_names(self):
        line = json.loads(self.verifier.verify(SIGNED[1]).json)
        # Only Apple's key can sign a genuine one.
        line |= {"format": "transaction_receipt", "transaction": {"bid": APP, "in-app-ownership-type": "PURCHASED", "price": "1"}}
        found = appreceipt.Transaction._of(json.dumps(line).encode())
        self.assertEqual((found.bundle_id, found.in_app_ownership_type), (APP, "PURCHASED"))
        self.assertEqual((found.signed_date, found.price), (None, None))

    def test_members_are_frozen(self):
        found = self.verifier.verify(SIGNED[0])
        before = json.dumps(found.members)
        commerce = found.members["advancedCommerceInfo"]
        for object in (found.members, commerce, commerce["items"][0]):
            for change in (lambda: object.__setitem__("price", 0), lambda: object.update(price=0), lambda: object.pop("price"),
                           lambda: object.clear(), lambda: object.setdefault("a", 1), lambda: object.popitem(),
                           lambda: object.__delitem__("price"), lambda: object.__ior__({"price": 0})):
                self.assertRaisesRegex(TypeError, "read-only", change)
        with self.assertRaises(dataclasses.FrozenInstanceError):
            found.price = 0
        with self.assertRaises(TypeError):
            commerce["items"][0]["price"] = 0
        self.assertIsInstance(commerce["items"], tuple)
        self.assertEqual(json.dumps(found.members), before)
        for made in (pickle.loads(pickle.dumps(found.members)), copy.deepcopy(found.members)):
            self.assertEqual((made, type(made)), (found.members, type(found.members)))
        self.assertEqual(dataclasses.asdict(found)["members"]["price"], 49000)
