"""Inputs for both verifiers: genuine and hostile receipts, and mutants of genuine ones."""

import base64
import json
import pathlib
import random
import subprocess

FIXTURES = pathlib.Path(__file__).parent.parent.parent / "Fixtures"
# The content of hostile variants: two purchases, one of them a subscription.
PURCHASES = [
    {"product_id": "com.example.forge.lifetime", "transaction_id": "530001111222201",
     "purchase_date": "2023-11-05T18:30:12Z"},
    {"product_id": "com.example.forge.monthly", "transaction_id": "530001111222202",
     "purchase_date": "2024-05-20T07:15:00Z", "expires_date": "2024-06-20T07:15:00Z"},
]


def der(path):
    """Returns the bytes of a fixture without its text encoding, which is not compared."""
    data = path.read_bytes()
    if data[:1] == b"0":
        return data
    text = "".join(line.strip() for line in data.decode().splitlines() if not line.startswith("-----"))
    text += "=" * (-len(text) % 4) if len(text) % 4 != 1 else ""
    return base64.urlsafe_b64decode(text[:len(text) // 4 * 4].replace("+", "-").replace("/", "_"))


def folder(name):
    return [(f"{name}/{path.name}", der(path)) for path in sorted((FIXTURES / name).iterdir())]


def hostile(tool, work):
    """Returns every variant of `appreceipt forge` under the authority of the fixtures."""
    listed = subprocess.run([tool, "forge", "--list-variants"], check=True, capture_output=True, text=True).stdout
    names = [line.split("\t")[0] for line in listed.splitlines() if not line.startswith("jws-")]
    (work / "hostile.json").write_text(json.dumps({
        "receipts": [{"name": name, "hostile": name, "receipt": {"in_app": PURCHASES}} for name in names]}))
    subprocess.run([tool, "forge", work / "hostile.json", "--output", work / "hostile", "--roots", work], check=True)
    assert (work / "root.cer").read_bytes() == (FIXTURES / "roots/root.cer").read_bytes()
    return [(f"hostile/{name}", (work / f"hostile/{name}.der").read_bytes()) for name in names]


def mutants(cases, count, seed):
    """Yields mutants with up to three changes: a bit, a byte, or bytes removed, inserted, or copied from the same
    receipt.
    """
    generator = random.Random(seed)
    for name, original in cases:
        for number in range(count):
            data = bytearray(original)
            for _ in range(generator.choice([1, 1, 1, 2, 3])):
                kind, place = generator.randrange(5), generator.randrange(len(data))
                if kind == 0:
                    data[place] ^= 1 << generator.randrange(8)
                elif kind == 1:
                    data[place] = generator.randrange(256)
                elif kind == 2:
                    del data[place:place + generator.choice([1, 2, 8, 64])]
                elif kind == 3:
                    data[place:place] = generator.randbytes(generator.choice([1, 2, 8]))
                else:
                    length, source = generator.randrange(1, 200), generator.randrange(len(data))
                    data[place:place + length] = data[source:source + length]
                if not data:
                    break
            yield f"{name} mutant {number}", bytes(data)
