"""Prints the receipts of a folder as records of their customers; forty customers present the first receipt."""

import base64
import json
import pathlib
import sys

files = sorted(path for path in pathlib.Path(sys.argv[1]).iterdir() if path.name.startswith("r") and path.name != "root.cer")
for path in files:
    for number in range(40 if path == files[0] else 1):
        receipt = base64.b64encode(path.read_bytes()).decode()
        print(json.dumps({"id": f"{path.stem}-{number}", "subject": f"customer-{path.stem}-{number}", "receipt": receipt}))
