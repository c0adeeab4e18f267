"""Reading of NDJSON and CSV exports, record by record. An unreadable record yields the reason."""

from __future__ import annotations

import collections
import csv
import io
import itertools
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, BinaryIO, Union

from ._reading import SLOTS, Frozen
from .errors import Refused

#: The path of a file, or lines with or without line ends.
Source = Union[str, "os.PathLike[str]", Iterable[Union[str, bytes]]]
Name = Union[str, int, Decimal, None]

# The maximum length of a line: a receipt of 16 MiB in base64, with other members.
LONGEST = 24 << 20
# Members with these names contain signed objects of the App Store Server API, at any depth.
SIGNED = {"signedTransactions", "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo", "signedPayload"}
# Members beside them that contain receipts.
RECEIPTS = {"receipt", "receipt-data", "latest_receipt"}
ABSENT = {"", "NULL", "null", "\\N"}


@dataclass(frozen=True, **SLOTS)
class Record(Frozen):
    """The identification of a record."""

    #: The record's identifier, or None if it has none or cannot be read.
    id: Name
    #: The customer account that presented the record, if the export names it.
    subject: Name
    #: The number of the line (NDJSON, with blank lines) or row (CSV, without the header), from 1.
    place: int


@dataclass(frozen=True, **SLOTS)
class Names(Frozen):
    """The names of an export's columns."""

    id: str = "id"
    receipt: str = "receipt"
    subject: str = "subject"


#: The texts with signed objects in a record, or an empty list if the record says that it has none.
Content = Union[Refused, list[str]]


def records(source: Source, format: str | None, names: Names) -> Iterator[tuple[Record, Content]]:
    """Yields the records. Raises ValueError if the source is not an export: an empty file, an unknown format, or no
    column with receipts.
    """
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            if not file.peek(1):
                raise ValueError(f"{os.fspath(source)}: empty file")
            yield from records(_cut(file), format, names)
        return
    given = (line.encode() if isinstance(line, str) else line for line in source)
    first = next(given, b"")
    lines = itertools.chain([first] if first else [], given)
    if format not in (None, "ndjson", "csv"):
        raise ValueError(f"format: '{format}' is not one of ndjson, csv")
    if not first:
        raise ValueError("source: contains no line")
    if format is None:
        begins = first.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        format = "ndjson" if begins in (b"{", b"") else "csv"
    yield from (_ndjson if format == "ndjson" else _csv)(lines, names)


def _cut(file: BinaryIO) -> Iterator[bytes]:
    """Yields lines. A line above the limit is cut to one byte more than the limit, so that it still exceeds it."""
    while line := file.readline(LONGEST + 1):
        yield line
        while len(line) > LONGEST and not line.endswith(b"\n"):
            line = file.readline(LONGEST + 1)


def _unreadable(message: str) -> Refused:
    return Refused("unreadable", message)


def _ndjson(lines: Iterator[bytes], names: Names) -> Iterator[tuple[Record, Content]]:
    for place, line in enumerate(lines, 1):
        if line.strip(b" \t\r\n"):
            yield parse(line.rstrip(b"\r\n"), place, names)


def parse(line: bytes, place: int, names: Names) -> tuple[Record, Content]:
    try:
        if len(line) > LONGEST:
            raise _unreadable("longer than the limit of a record")
        record = read_json(line)
        if isinstance(record, str):
            record = {names.receipt: record}
        if not isinstance(record, dict):
            raise _unreadable("not a JSON object")
        called = Record(_name(record, names.id), _name(record, names.subject), place)
        receipt = record.get(names.receipt)
        texts = []
        others = {name: value for name, value in record.items() if name != names.receipt}
        if isinstance(receipt, (dict, list)):
            if _has_signed(receipt) or _has_signed(others) and _holds(record):
                others = record
            else:
                texts.append(json.dumps(receipt, default=str))
        elif isinstance(receipt, str) and receipt not in ABSENT:
            texts.append(receipt)
            others = _without_receipts(others)
        elif receipt is not None and not isinstance(receipt, str):
            raise _unreadable(f"{names.receipt}: not a string")
        if _has_signed(others):
            if _holds(others):
                texts.append(json.dumps(others, default=str))
        elif not texts and names.receipt not in record:
            raise _unreadable(f"missing member {names.receipt}")
        for text in texts:
            text.encode()
        return called, texts
    except Refused as refusal:
        return Record(None, None, place), refusal
    except (ValueError, ArithmeticError, RecursionError) as error:
        return Record(None, None, place), _unreadable(f"not JSON: {error}".replace("\n", " "))


def read_json(text: bytes) -> Any:
    """Parses JSON. Refuses duplicate members."""
    return json.loads(text.decode("utf-8-sig"), object_pairs_hook=_members, parse_float=Decimal, parse_constant=_constant)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("duplicate member")
    return members


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _name(record: dict[str, Any], member: str) -> Name:
    name = record.get(member)
    if isinstance(name, bool) or not isinstance(name, (str, int, Decimal, type(None))):
        raise _unreadable(f"{member}: must be a string or a number")
    if isinstance(name, str):
        name.encode()
        return None if name in ABSENT else name
    return name


def _has_signed(value: Any) -> bool:
    if isinstance(value, dict):
        return not SIGNED.isdisjoint(value) or any(map(_has_signed, value.values()))
    return isinstance(value, list) and any(map(_has_signed, value))


def _holds(value: Any) -> bool:
    """Returns whether a record with signed members contains an object: not only null members."""
    if isinstance(value, dict):
        return any(name in SIGNED and each not in (None, "", []) or name in RECEIPTS and _may_be_receipt(each) or _holds(each)
                   for name, each in value.items())
    return isinstance(value, list) and any(map(_holds, value))


def _may_be_receipt(value: Any) -> bool:
    """Returns whether the text may be a receipt: not short, an address or an image."""
    return isinstance(value, str) and len(value.encode(errors="replace")) >= 64 and not value.startswith(("http://", "https://", "data:image/"))


def _without_receipts(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_receipts(each) for name, each in value.items()
                if name not in RECEIPTS or not isinstance(each, str)}
    return [_without_receipts(each) for each in value] if isinstance(value, list) else value


def _csv(lines: Iterator[bytes], names: Names) -> Iterator[tuple[Record, Content]]:
    # The limit applies to the process. A receipt may exceed Python's default.
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST))
    source = _Lines(lines)
    header = next(source, "").removeprefix("\ufeff")
    if not _is_text(header):
        raise ValueError("the header is not UTF-8")
    delimiter = max(",;\t", key=header.count)
    columns = next(csv.reader(io.StringIO(header), delimiter=delimiter), [])
    signed = [column for column in columns if column in SIGNED]
    if len(set(columns)) != len(columns):
        raise ValueError("duplicate column")
    if names.receipt not in columns and not signed:
        raise ValueError(f"no column {names.receipt}; found {', '.join(columns)}"[:1000])
    rows = csv.reader(source, delimiter=delimiter, strict=True)
    for place in itertools.count(1):
        try:
            source.begin_row()
            row = next(rows, None)
            if row is None:
                return
            if not row:
                continue
            if len(row) != len(columns) and source.end_row_early():
                raise _unreadable("a stray quotation mark")
            if len(row) != len(columns):
                raise _unreadable(f"{len(row)} fields, expected {len(columns)}")
            for column, field in enumerate(row, 1):
                if not _is_text(field):
                    raise _unreadable(f"column {column} is not UTF-8")
            cells = {column: field for column, field in zip(columns, row) if field not in ABSENT}
            texts = [cells[names.receipt]] if names.receipt in cells else []
            if others := {column: cells[column] for column in signed if column in cells and column != names.receipt}:
                texts.append(json.dumps(others))
            yield Record(cells.get(names.id), cells.get(names.subject), place), texts
        except Refused as refusal:
            yield Record(None, None, place), refusal
        except csv.Error as error:
            source.end_row_early()
            yield Record(None, None, place), _unreadable(f"not CSV: {error}")


class _Lines(Iterator[str]):
    """The lines of a CSV file. A row may have several, with line ends in quotation marks.

    A row ends with its first line if it is not valid, so a stray quotation mark damages only that line.
    """

    def __init__(self, given: Iterator[bytes]):
        self._given = (line for each in given for line in each.splitlines(True))
        self._row: list[str] = []
        self._returned: collections.deque[str] = collections.deque()
        self._size = 0

    def begin_row(self) -> None:
        self._row, self._size = [], 0

    def end_row_early(self) -> bool:
        """Returns all lines of the row but the first, to read them again, and whether there were any."""
        self._returned.extendleft(reversed(self._row[1:]))
        return len(self._row) > 1

    def __next__(self) -> str:
        if self._size > LONGEST:
            raise StopIteration
        line = self._returned.popleft() if self._returned else next(self._given).decode(errors="surrogateescape")
        self._row.append(line)
        self._size += len(line)
        return line


def _is_text(field: str) -> bool:
    try:
        field.encode()
    except UnicodeEncodeError:
        return False
    return True
