"""The rows for findings and customers' verdicts.

Python and Arrow parse them, because Spark's from_json returns null for a whole line with one number that is too
long.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from typing import Any

#: The columns from a verdict's line.
VERDICT_COLUMNS = ("id", "subject", "status", "refusal_code", "chain")
#: The members of a genuine object's snapshot, and of a purchase in it.
MEMBERS = {"kind": "string", "created_at": "int64", "content_sha256": "string", "sha256": "string", "environment": "string",
           "bundle_id": "string", "realm": "string", "listing": "string", "app_transaction_id": "string",
           "app_account_token": "string", "refused": "string"}
PURCHASE = {
    "product_id": "string", "product_type": "string", "transaction_id": "string", "original_transaction_id": "string",
    "purchase_date": "int64", "expires_date": "int64", "cancellation_date": "int64", "cancellation_reason": "int64",
    "is_trial_period": "bool", "is_in_intro_offer_period": "bool", "promotional_offer_identifier": "string",
    "subscription_group_identifier": "string", "ownership_type": "string", "is_upgraded": "bool",
    "offer_type": "int64"}
BATCH, BATCH_BYTES = 1024, 1 << 24
#: The text before the chain in lines of PKCS #7 receipts. Lines of other objects have an algorithm before the digest.
#: A quotation mark in a JSON string has a backslash before it.
SIGNATURE_NAME = b',"signature":'
SIGNATURE = re.compile(rb',"signature":\{"digest":"\w+","verified_at":"[\w:.-]+","chain":')

NUMBERS_AS_TEXT = json.JSONDecoder(parse_int=str, parse_float=str)


def schema(is_asked: bool) -> Any:
    """Returns Arrow's schema of the rows.

    - is_asked: Whether there is a column `kept` for customers' verdicts.
    """
    import pyarrow

    text = pyarrow.string()
    return pyarrow.schema([
        ("partition", pyarrow.int32()), ("number", pyarrow.int64()), *((name, text) for name in VERDICT_COLUMNS), *_members(),
        *([("kept", text)] if is_asked else [])])


def _members() -> list[tuple[str, Any]]:
    import pyarrow

    alias = pyarrow.type_for_alias
    return [
        *((name, alias(kind)) for name, kind in MEMBERS.items()),
        ("purchases", pyarrow.list_(pyarrow.struct([(name, alias(kind)) for name, kind in PURCHASE.items()]))),
        ("renewal", pyarrow.struct([("original_transaction_id", pyarrow.string())]))]


class SnapshotRows:
    """Builds tables of rows, and passes each on when it has enough rows.

    - is_asked: As for the schema.
    """

    def __init__(self, is_asked: bool, take: Callable[[Any], None]) -> None:
        import pyarrow
        from pyarrow import json

        self._schema, self._take, self._is_asked = schema(is_asked), take, is_asked
        self._parsing = json.ParseOptions(explicit_schema=pyarrow.schema(_members()), unexpected_field_behavior="ignore")
        self._chain, self._size = b"[]", 0
        self._rows: list[tuple[Any, ...]] = []
        self._kept: list[bytes] = []

    def add(self, partition: int, number: int, line: bytes, kept: bytes | None) -> None:
        """Adds a row.

        - line, kept: As in `Answers`.
        """
        values = self._verdict_values(line, kept is not None)
        self._rows.append((partition, number, *values))
        self._kept.append(kept or b"{}")
        self._size += sum(len(each or "") for each in (*values, kept))
        if len(self._rows) == BATCH or self._size > BATCH_BYTES:
            self.end()

    def _verdict_values(self, line: bytes, is_genuine: bool) -> tuple[str | bytes | None, ...]:
        """Returns the values of `VERDICT_COLUMNS`. Lines of genuine receipts contain all decoded values. Because they
        are long, only their beginning is parsed.
        """
        # The first member of this name belongs to the line itself.
        found = SIGNATURE.match(line, line.find(SIGNATURE_NAME)) if is_genuine else None
        if not found:
            members = NUMBERS_AS_TEXT.decode(line.decode())
            signature, refusal = (members.get(name) or {} for name in ("signature", "refusal"))
            chain = json.dumps(signature["chain"]) if signature.get("chain") else None
            return members["id"], members.get("subject"), members["status"], refusal.get("code"), chain
        if not line.startswith(self._chain, found.end()):
            text = line[found.end():].decode()
            self._chain = text[:json.JSONDecoder().raw_decode(text)[1]].encode()
        head = NUMBERS_AS_TEXT.decode(line[:found.start()].decode() + "}")
        return head["id"], head.get("subject"), head["status"], None, self._chain

    def end(self) -> None:
        """Passes on the pending rows."""
        import pyarrow
        from pyarrow import json

        if not self._rows:
            return
        arrays = [pyarrow.array(column, field.type) for column, field in zip(zip(*self._rows), self._schema)]
        lines = b"\n".join(self._kept)
        reading = json.ReadOptions(use_threads=False, block_size=len(lines) + 1)
        arrays += json.read_json(io.BytesIO(lines), reading, self._parsing).columns
        if self._is_asked:
            arrays.append(pyarrow.array([None if kept == b"{}" else kept for kept in self._kept], "string"))
        self._take(pyarrow.Table.from_arrays(arrays, schema=self._schema))
        self._rows, self._kept, self._size = [], [], 0
