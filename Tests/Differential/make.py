"""Writes 2,000 customers with evidence, and 400 customers with partly refused evidence.

Fixtures/specs/customers.json specifies the evidence to forge. Fixtures/customers.txt and
Fixtures/customers-refused.txt hold a line for each customer: the names of the customer's evidence in the order of
presentation. The seed is fixed.
"""

import datetime
import json
import pathlib
import random

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "Fixtures"
APP = "com.example.tides"
# The groups of Fixtures/eligibility/Store.storekit, and a group that it does not list.
GROUPS = {f"{APP}.monthly": "21590001", f"{APP}.yearly": "21590001", f"{APP}.weather.weekly": "21590002",
          f"{APP}.legacy": "21590009"}
PRODUCTS = list(GROUPS)
IDS = [f"4100026004000{number:02}" for number in range(1, 9)]
START = datetime.datetime(2025, 9, 1, 9, tzinfo=datetime.timezone.utc)

choose = random.Random(20261124)


def one_in(count):
    return choose.randrange(count) == 0


def date(first=0, last=270):
    """Returns one of a few dates, so that evidence often shares a date. Some dates differ by less than a second."""
    days = choose.randrange(first // 15, last // 15) * 15
    return START + datetime.timedelta(days=days, milliseconds=choose.choice([0, 0, 0, 0, 250, 1000]))


def text(instant):
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")


def milliseconds(instant):
    return round(instant.timestamp() * 1000)


def period():
    bought = date(0, 240)
    return bought, bought + datetime.timedelta(days=choose.choice([7, 30, 30, 30, 365]))


def identity():
    """Returns the identifiers of a transaction and its subscription. Each identifier has few products, so that most
    evidence agrees.
    """
    number = choose.randrange(len(IDS))
    product = PRODUCTS[number % 4] if not one_in(8) else choose.choice(PRODUCTS)
    if one_in(20):
        return "0", "0", product
    return IDS[number], choose.choice([IDS[number % 4], IDS[number % 4], IDS[number], "0"]), product


def purchase():
    transaction, original, product = identity()
    bought, expires = period()
    members = {
        "product_id": product, "transaction_id": transaction, "original_transaction_id": original,
        "purchase_date": text(bought), "expires_date": None if one_in(12) else text(expires),
        "is_trial_period": one_in(5), "is_in_intro_offer_period": one_in(8),
        "product_type": choose.choice(["auto_renewable_subscription"] * 8 + ["consumable", "unknown_7"]),
    }
    if one_in(6):
        members["cancellation_date"] = text(bought + datetime.timedelta(days=choose.choice([1, 15])))
    if one_in(8):
        members["promotional_offer_identifier"] = "come-back-to-sea"
    return members


def receipt():
    return {"receipt": {
        "receipt_type": "Production", "bundle_id": APP, "receipt_creation_date": text(date(30)),
        "in_app": [purchase() for _ in range(choose.randrange(5))]}}


def transaction():
    transaction, original, product = identity()
    bought, expires = period()
    offer = choose.choice([(None, None, None)] * 6 + [
        (1, "FREE_TRIAL", None), (1, "PAY_AS_YOU_GO", None), (1, None, None), (2, "PAY_AS_YOU_GO", "fair-winds"),
        (4, "FREE_TRIAL", "come-back-to-sea"), (9, None, "later")])
    return {
        "transactionId": transaction, "originalTransactionId": original, "bundleId": APP, "productId": product,
        "subscriptionGroupIdentifier": choose.choice([GROUPS[product]] * 6 + ["21590001", "21590002", "21590010", None]),
        "purchaseDate": milliseconds(bought), "originalPurchaseDate": milliseconds(bought),
        "expiresDate": None if one_in(12) else milliseconds(expires), "quantity": 1,
        "type": choose.choice(["Auto-Renewable Subscription"] * 8 + ["Consumable", "Suite", None]),
        "inAppOwnershipType": choose.choice(["PURCHASED"] * 6 + ["FAMILY_SHARED", "FAMILY_SHARED", "ASSIGNED", None]),
        "isUpgraded": True if one_in(6) else None,
        "revocationDate": milliseconds(bought + datetime.timedelta(days=choose.choice([1, 15]))) if one_in(7) else None,
        "offerType": offer[0], "offerDiscountType": offer[1], "offerIdentifier": offer[2],
        "signedDate": milliseconds(date(30)), "environment": "Production",
    }


def renewal():
    _, original, product = identity()
    return {
        "originalTransactionId": choose.choice([original, original, "410002600499999"]), "productId": product,
        "autoRenewProductId": choose.choice([product, choose.choice(PRODUCTS)]), "autoRenewStatus": choose.choice([0, 1, 1, 2]),
        "isInBillingRetryPeriod": one_in(4), "expirationIntent": 1 if one_in(4) else None,
        "gracePeriodExpiresDate": milliseconds(date(150, 300)) if one_in(3) else None,
        "eligibleWinBackOfferIds": choose.choice([None, None, [], ["come-back-to-sea"], ["b", "a"]]),
        "recentSubscriptionStartDate": milliseconds(date(300)) if one_in(3) else None,
        "renewalDate": None, "signedDate": milliseconds(date(30)),
        "environment": "Production",
    }


def notification():
    data = {"environment": "Production", "bundleId": APP, "appAppleId": 1450218337}
    if not one_in(5):
        data["signedTransactionInfo"] = transaction()
    if not one_in(3):
        data["signedRenewalInfo"] = renewal()
    return {"notification": {"signedDate": milliseconds(date(30)), "data": data}}


def app_transaction():
    return {"app_transaction": {
        "receiptType": "Production", "bundleId": APP, "appAppleId": 1450218337,
        "receiptCreationDate": milliseconds(date(30)), "originalPurchaseDate": milliseconds(START)}}


def answer():
    head = {"environment": "Production", "bundleId": APP, "appAppleId": 1450218337}
    if one_in(2):
        return {"answer": {**head, "hasMore": one_in(3), "revision": "1",
                           "signedTransactions": [transaction() for _ in range(choose.randrange(1, 4))]}}
    last = [{"status": 1, "originalTransactionId": "1", "signedTransactionInfo": transaction(), "signedRenewalInfo": renewal()}
            for _ in range(choose.randrange(1, 3))]
    return {"answer": {**head, "data": [{"subscriptionGroupIdentifier": "21590001", "lastTransactions": last}]}}


KINDS = (
    ("r", 70, receipt), ("t", 170, lambda: {"transaction": transaction()}), ("i", 70, lambda: {"renewal_info": renewal()}),
    ("n", 40, notification), ("a", 10, app_transaction), ("h", 40, answer))


def malformed():
    return {"transaction": {**transaction(), "expiresDate": -1 << 63}}


def of_another_app():
    return {"transaction": {**transaction(), "bundleId": "com.example.other"}}


# Evidence that is always refused, and evidence that is refused only where another app is expected.
REFUSED = ("x", 20, malformed), ("o", 20, of_another_app)


def named(kinds):
    return [{"name": f"{letter}{number}", **make()} for letter, count, make in kinds for number in range(count)]


def customer(names):
    evidence = choose.choices(names, k=choose.randrange(1, 7))
    if one_in(4):
        evidence.insert(choose.randrange(len(evidence) + 1), choose.choice(evidence))
    return evidence


def main():
    entries = named(KINDS)
    names = [entry["name"] for entry in entries]
    customers = [customer(names) for _ in range(2000)]
    refused = named(REFUSED)
    entries += refused
    names += [entry["name"] for entry in refused for _ in range(2)]
    write("customers.txt", customers)
    write("customers-refused.txt", [customer(names) for _ in range(400)])
    (FIXTURES / "specs/customers.json").write_text(
        '{"receipts": [\n' + ",\n".join(json.dumps(entry) for entry in entries) + "\n]}\n")


def write(name, customers):
    (FIXTURES / name).write_text("".join(" ".join(each) + "\n" for each in customers))


if __name__ == "__main__":
    main()
