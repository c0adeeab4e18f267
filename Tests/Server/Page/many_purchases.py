"""Prints the specification of a receipt with 20,000 purchases of 40 products, the largest that the page must support."""

import datetime
import json

FIRST = datetime.datetime(2012, 1, 1)
purchases = []
for number in range(20_000):
    start = FIRST + datetime.timedelta(hours=number * 6)
    purchases.append({
        "product_id": f"com.example.many.{number % 40}", "transaction_id": str(500_000_000_000 + number),
        "original_transaction_id": str(500_000_000_000 + number % 40), "product_type": "auto_renewable_subscription",
        "purchase_date": f"{start.isoformat()}Z", "expires_date": f"{(start + datetime.timedelta(days=7)).isoformat()}Z",
        "is_trial_period": number < 40,
    })
print(json.dumps({"receipts": [{
    "name": "many", "story": "A lifetime of subscriptions.",
    "receipt": {"bundle_id": "com.example.many", "receipt_creation_date": "2026-02-01T00:00:00Z", "in_app": purchases},
}]}))
