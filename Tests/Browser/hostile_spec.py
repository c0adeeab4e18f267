"""Writes a specification of receipts with hostile identifiers, and a catalog of their products."""

import json
import pathlib
import sys

from hostile_text import ALL

folder = pathlib.Path(sys.argv[1])
receipts = []
for number, text in enumerate(ALL):
    period = {
        "product_id": text, "transaction_id": f"{number}{text}", "original_transaction_id": text,
        "purchase_date": "2024-01-01T00:00:00Z", "expires_date": "2024-01-08T00:00:00Z", "is_trial_period": True,
        "promotional_offer_identifier": text,
    }
    receipts.append({
        "name": f"r{number}", "story": "Hostile text in every field.",
        "receipt": {
            "bundle_id": text, "application_version": text, "receipt_creation_date": "2024-02-01T00:00:00Z",
            "in_app": [period],
        },
    })
(folder / "hostile.json").write_text(json.dumps({"receipts": receipts}))
(folder / "catalog.json").write_text(json.dumps({"groups": {text: [text] for text in ALL}}))
