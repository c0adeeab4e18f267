"""Verification of columns as Arrow tables, for pandas and polars. Needs pyarrow: `pip install 'appreceipt[arrow]'`.

    table = appreceipt.arrow.verify(frame["receipt"], verifier)    # frame: pandas, polars or Arrow
    table.to_pandas(); polars.from_arrow(table)
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.json

from ._members import Member, NestedList, NestedMember, flag, instant, integer, milliseconds, text, texts
from .objects import KINDS, split
from .verifier import Verifier

_date = pa.timestamp("ms", "UTC")
_unknown = pa.list_(pa.struct({"type": pa.int64(), "version": pa.int64(), "value": pa.string()}))
_certificate = pa.struct({
    "subject": pa.string(), "issuer": pa.string(), "serial": pa.string(), "not_before": _date, "not_after": _date,
    "sha256": pa.string()})
_purchase = {
    "quantity": pa.int64(), "product_id": pa.string(), "product_type": pa.string(), "transaction_id": pa.string(),
    "original_transaction_id": pa.string(), "purchase_date": _date, "original_purchase_date": _date, "expires_date": _date,
    "cancellation_date": _date, "cancellation_reason": pa.int64(), "is_trial_period": pa.bool_(),
    "is_in_intro_offer_period": pa.bool_(), "promotional_offer_identifier": pa.string(),
    "web_order_line_item_id": pa.string()}

_types: dict[Any, Any] = {
    text: pa.string(), integer: pa.int64(), flag: pa.bool_(), instant: _date, texts: pa.list_(pa.string())}
# The typed fields of each kind of signed object.
_fields = {
    kind.decode(): {name: field for name, field in vars(each).items() if isinstance(field, Member)} for kind, each in KINDS.items()}


# Xcode signs dates in the year 0, which Python and pandas cannot represent.
_YEAR_1 = -62135596800000


def _struct(fields: Mapping[str, Member[Any]]) -> pa.DataType:
    return pa.struct({name: _type(field.read) for name, field in fields.items()})


def _type(read: Any) -> Any:
    if isinstance(read, NestedList):
        return pa.list_(_type(read.each))
    return _struct(read.members) if isinstance(read, NestedMember) else _types[read]


def _values(fields: Mapping[str, Member[Any]], members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _value(field.read, field.of(members)) for name, field in fields.items()}


def _value(read: Any, value: Any) -> Any:
    if isinstance(read, NestedList):
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            return None
        return [_value(read.each, each) for each in value]
    if isinstance(read, NestedMember):
        return _values(read.members, value) if isinstance(value, dict) else None
    if read is instant:
        since = milliseconds(value)
        return since if since is not None and since >= _YEAR_1 else None
    return read(value)


#: The schema of the tables: the contract's members under their names, with null for absent ones. Bytes and
#: digests are hexadecimal.
SCHEMA = pa.schema({
    #: The number of the cell in the column, from 0. A cell with several signed objects has a row for each.
    "row": pa.int64(),
    #: The path of the object in the cell, or null for the whole cell.
    "path": pa.string(),
    "sha256": pa.string(), "content_sha256": pa.string(),
    #: `genuine`, `refused`, `absent` for a cell without a value, or `foreign` for text that another store or payment
    #: system issued. `kind` then names its form, for example `google_play_token`.
    "status": pa.string(),
    "format": pa.string(), "kind": pa.string(), "realm": pa.string(), "environment": pa.string(),
    "refusal": pa.struct({"code": pa.string(), "message": pa.string(), "offset": pa.int64(), "field": pa.string()}),
    "signature": pa.struct({
        "algorithm": pa.string(), "digest": pa.string(), "verified_at": _date, "chain": pa.list_(_certificate)}),
    "caveats": pa.list_(pa.string()),
    "receipt": pa.struct({
        "receipt_type": pa.string(), "bundle_id": pa.string(), "application_version": pa.string(),
        "original_application_version": pa.string(), "receipt_creation_date": _date, "original_purchase_date": _date,
        "expiration_date": _date, "app_item_id": pa.string(), "download_id": pa.string(),
        "version_external_identifier": pa.string(), "opaque_value": pa.string(), "sha1_hash": pa.string(),
        "in_app": pa.list_(pa.struct({**_purchase, "unknown": _unknown})), "unknown": _unknown}),
    #: The purchase of a transaction, with the names of a receipt.
    "in_app": pa.struct({**_purchase, "subscription_group_identifier": pa.string()}),
    #: `transaction`, `renewal_info`, `app_transaction`, `notification`, `realtime_request`: the typed fields
    #: of that kind's class, for example `app_transaction.original_platform`. A date in the year 0 is null.
    **{kind: _struct(fields) for kind, fields in _fields.items()},
    #: The whole answer as JSON. Apple's members of a JWS keep their names.
    "json": pa.string(),
})
_TOLD = pa.schema([field for field in SCHEMA if field.name not in ("row", "path", "json", *_fields)])
# The number of JSON bytes that are parsed at once.
_CHUNK = 16 << 20
# The maximum number of characters of a foreign value.
_LONGEST_FOREIGN = 1 << 16


def verify(column: Any, verifier: Verifier) -> pa.Table:
    """Verifies each cell of a column. Returns a table with a row for each signed object, and at least one for each
    cell, in order.

    - column: base64, JWS or bytes, in a pandas or polars Series, an Arrow array, or a list.

    Raises TypeError if `column` is not a column, for example a single text or a data frame.
    """
    tables, rows = [], _Rows()
    for row, cell in enumerate(_cells(column)):
        if cell is None:
            rows.add(row, "-", {}, '"status":"absent"}')
        else:
            for source, line, body in split(verifier.answer(cell)):
                if line["status"] == "refused" and isinstance(cell, str):
                    body = _foreign(cell, line, verifier) or body
                rows.add(row, source, line, body)
        if rows.size > _CHUNK:
            tables.append(rows.table())
            rows = _Rows()
    return pa.concat_tables([*tables, rows.table()])


def _foreign(cell: str, line: dict[str, Any], verifier: Verifier) -> str | None:
    """Returns the answer to text that another store or payment system issued, or None for any other refused text."""
    if line["refusal"]["code"] != "malformed" or len(cell) > _LONGEST_FOREIGN:
        return None
    answer = verifier.answer_record(json.dumps({"receipt": cell}), 1)[0]
    return answer[answer.index('"sha256":'):] if json.loads(answer)["status"] == "foreign" else None


def _cells(column: Any) -> Iterator[Any]:
    if isinstance(column, (str, bytes, bytearray, memoryview, Mapping)) or not isinstance(column, Iterable) \
            or hasattr(column, "columns"):
        raise TypeError(f"column: must be a Series, an Arrow array or a list, not {type(column).__name__}")
    if hasattr(column, "to_arrow"):
        column = column.to_arrow()
    if not isinstance(column, (pa.Array, pa.ChunkedArray)):
        column = pa.array(column, from_pandas=True)
    for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        for start in range(0, len(chunk), 4096):
            yield from chunk.slice(start, 4096).to_pylist()


class _Rows:
    def __init__(self) -> None:
        self.rows: list[int] = []
        self.paths: list[str | None] = []
        self.texts: list[str] = []
        self.fields: dict[str, list[dict[str, Any] | None]] = {kind: [] for kind in _fields}
        self.size = 0

    def add(self, row: int, source: str, line: dict[str, Any], body: str) -> None:
        self.rows.append(row)
        self.paths.append(source[2:] or None)
        self.texts.append("{" + body)
        for kind, values in self.fields.items():
            values.append(_values(_fields[kind], line[kind]) if kind in line else None)
        self.size += len(body)

    def table(self) -> pa.Table:
        if not self.texts:
            return SCHEMA.empty_table()
        lines = "\n".join(self.texts).encode()
        # A single block, because a block boundary inside a line is an error.
        table = pyarrow.json.read_json(
            pa.BufferReader(lines), pyarrow.json.ReadOptions(use_threads=False, block_size=len(lines) + 1),
            pyarrow.json.ParseOptions(explicit_schema=_TOLD, unexpected_field_behavior="ignore"))
        columns = {"row": pa.array(self.rows, pa.int64()), "path": pa.array(self.paths, pa.string()),
                   "json": pa.array(self.texts, pa.string()),
                   **{kind: pa.array(values, SCHEMA.field(kind).type) for kind, values in self.fields.items()}}
        return pa.table([columns[name] if name in columns else table[name] for name in SCHEMA.names], SCHEMA)
