"""Writes a specification of receipts of three apps over five years, with trials and refunds, and their catalog."""

import datetime
import json
import pathlib
import random
import sys

APPS = {"com.example.tides": 30, "com.example.runner": 12, "com.example.chess": 4}
folder = pathlib.Path(sys.argv[1])
chance = random.Random(7)
start = datetime.datetime(2021, 1, 1)


def text(date): return date.strftime("%Y-%m-%dT%H:%M:%SZ")


receipts = []
for app, customers in APPS.items():
    for customer in range(customers):
        begin = start + datetime.timedelta(hours=chance.randrange(24 * 365 * 4))
        original = f"{len(receipts) + 1:06}000"
        periods = []
        for number in range(chance.randrange(1, 12)):
            since = begin + datetime.timedelta(days=30 * number)
            period = {
                "product_id": f"{app}.monthly", "transaction_id": str(int(original) + number),
                "original_transaction_id": str(int(original)), "purchase_date": text(since),
                "expires_date": text(since + datetime.timedelta(days=30)), "is_trial_period": number == 0 and chance.random() < 0.5,
            }
            if number and chance.random() < 0.05:
                period["cancellation_date"] = text(since + datetime.timedelta(days=3))
            periods.append(period)
        created = since + datetime.timedelta(days=10)
        receipts.append({
            "name": f"r{len(receipts)}", "story": "A monthly subscription.",
            "receipt": {"bundle_id": app, "application_version": "1.0", "receipt_creation_date": text(created), "in_app": periods},
            **({"container": {"digest": "sha1"}} if created.year < 2023 else {}),
        })
(folder / "apps.json").write_text(json.dumps({"receipts": receipts}))
(folder / "apps-catalog.json").write_text(json.dumps({"groups": {app: [f"{app}.monthly"] for app in APPS}}))
