"""Prints each receipt of a folder twice, with hostile identifiers and for two hostile subjects, and a record without a
subject.
"""

import base64
import json
import pathlib
import sys

from hostile_text import ALL

for number, text in enumerate(ALL):
    receipt = base64.b64encode(next(pathlib.Path(sys.argv[1]).glob(f"r{number}.*")).read_bytes()).decode()
    for subject in (text, text + " too"):
        print(json.dumps({"id": text, "subject": subject, "receipt": receipt}))
    print(json.dumps({"id": text, "subject": text, "receipt": "MAA="}))
