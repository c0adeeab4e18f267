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
# Columns with these names contain signed objects of the App Store Server API.
SIGNED = {"signedTransactions", "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo", "signedPayload"}
ABSENT = {"", "NULL", "null", "\\N"}
# White space, and the byte order mark at the beginning of a file.
BLANK = b"\xef\xbb\xbf \t\r\n"


@dataclass(frozen=True, **SLOTS)
class Record(Frozen):
    """The identification of a record."""

    #: The record's identifier, or None if it has none or cannot be read.
    id: Name
    #: The customer account that presented the record, if the export names it.
    subject: Name
    #: The number of the line (NDJSON, with blank lines) or row (CSV, without the header and empty rows), from 1.
    place: int


@dataclass(frozen=True, **SLOTS)
class Names(Frozen):
    """The names of an export's columns."""

    id: str = "id"
    receipt: str = "receipt"
    subject: str = "subject"


#: The record for `Verifier.answer_record`, which finds the signed objects.
Content = Union[Refused, bytes]


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
    if format not in (None, "ndjson", "csv"):
        raise ValueError(f"format: '{format}' is not one of ndjson, csv")
    first: list[bytes] = []
    for line in given:
        first.append(line)
        if line.strip(BLANK):
            break
    if not any(first):
        raise ValueError("source: contains no line")
    if format is None:
        format = "ndjson" if first[-1].lstrip(BLANK)[:1] in (b"{", b"") else "csv"
    yield from (_ndjson if format == "ndjson" else _csv)(itertools.chain(first, given), names)


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
        return called, line if names == Names() else _renamed(record, names)
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
        return None if _says_absent(name) else name
    return name


def _says_absent(text: str) -> bool:
    return text.strip(" \t") in ABSENT


def _renamed(record: dict[str, Any], names: Names) -> bytes:
    """Returns the record with the default name for the receipt, and the other members one level lower."""
    others = {name: value for name, value in record.items() if name not in (names.id, names.receipt, names.subject)}
    receipt = {"receipt": record[names.receipt]} if names.receipt in record else {}
    return json.dumps({**receipt, "": others}, default=str).encode()


def _csv(lines: Iterator[bytes], names: Names) -> Iterator[tuple[Record, Content]]:
    # The limit applies to the process. A receipt may exceed Python's default.
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST))
    # A line above the limit was cut, perhaps in a row.
    parts = (part for line in lines for part in ([line] if len(line) > LONGEST else line.splitlines(True)))
    header = next((part for part in parts if part.strip(b"\xef\xbb\xbf\r\n")), b"").removeprefix(b"\xef\xbb\xbf").decode()
    if len(header) > LONGEST:
        raise ValueError("the header is longer than the limit of a record")
    delimiter = max(",;\t", key=header.count)
    columns = next(csv.reader(io.StringIO(header), delimiter=delimiter), [])
    signed = [column for column in columns if column in SIGNED]
    if len(set(columns)) != len(columns):
        raise ValueError("duplicate column")
    if names.receipt not in columns and not signed:
        raise ValueError(f"no column {names.receipt}; found {', '.join(columns)}"[:1000])
    rows = _rows((part.decode(errors="surrogateescape") for part in parts), delimiter, len(columns))
    for place, row in enumerate(rows, 1):
        if isinstance(row, Refused):
            yield Record(None, None, place), row
            continue
        cells = {column: field for column, field in zip(columns, row) if not _says_absent(field)}
        content = {column: cells[column] for column in signed if column in cells and column != names.receipt}
        if names.receipt in cells or not content:
            content["receipt"] = cells.get(names.receipt, "")
        yield Record(cells.get(names.id), cells.get(names.subject), place), json.dumps(content).encode()


def _rows(lines: Iterator[str], delimiter: str, columns: int) -> Iterator[list[str] | Refused]:
    """Yields the fields of the rows that are not empty. Line ends in quoted fields are content if the whole row is valid.
    Otherwise, its first line is damaged, as in the audit, and the others are read again.
    """
    again: collections.deque[str] = collections.deque()
    while (line := again.popleft() if again else next(lines, None)) is not None:
        if not line.rstrip("\r\n"):
            continue
        row, size, quotes = [line], len(line), _Quotes(delimiter)
        while quotes.follow(line) and size <= LONGEST and (line := again.popleft() if again else next(lines, None)) is not None:
            row.append(line)
            size += len(line) + 64  # A text takes more memory than its characters.
        if size > LONGEST:
            found: list[str] | Refused = _unreadable("longer than the limit of a record")
        elif quotes.is_whole:
            found = _fields(row, delimiter, columns)
        else:
            found = _unreadable("a quotation mark is misplaced or not closed")
        if isinstance(found, Refused):
            again.extendleft(reversed(row[1:]))
        elif delimiter == "\t" and any("\t" in field for field in found) and any(set("\r\n") & set(field) for field in found):
            found = _unreadable("line ends and tabs in quotes, which may be several rows")
        yield found


def _fields(row: list[str], delimiter: str, columns: int) -> list[str] | Refused:
    try:
        fields = next(csv.reader(row, delimiter=delimiter, strict=True))
    except csv.Error as error:
        return _unreadable(f"not CSV: {error}")
    if len(fields) != columns:
        return _unreadable(f"{len(fields)} fields, expected {columns}")
    for column, field in enumerate(fields, 1):
        if not _is_text(field):
            return _unreadable(f"column {column} is not UTF-8")
    return fields


class _Quotes:
    """The quotation marks of a row. In tables delimited by tabs, those in a field that does not begin with one are text. After such
    a field, no quoted field has line ends.
    """

    def __init__(self, delimiter: str):
        self._delimiter = delimiter
        self._state = "start"  # of a field, plain, quoted, or quote: after a quotation mark in a quoted field
        self._is_broken = self._has_text = False

    @property
    def is_whole(self) -> bool:
        return not self._is_broken and self._state != "quoted"

    def follow(self, line: str) -> bool:
        """Returns whether the row continues on the next line."""
        parts = line.rstrip("\r\n").split('"')
        for place, part in enumerate(parts):
            if place > 0:
                if self._state == "plain":
                    self._has_text, self._is_broken = True, self._is_broken or self._delimiter != "\t"
                else:
                    self._state = "quote" if self._state == "quoted" else "quoted"
            if part and self._state != "quoted":
                self._is_broken = self._is_broken or self._state == "quote" and part[0] != self._delimiter
                self._state = "start" if part[-1] == self._delimiter else "plain"
        self._is_broken = self._is_broken or self._state == "quoted" and self._has_text
        return self._state == "quoted" and not self._is_broken


def _is_text(field: str) -> bool:
    try:
        field.encode()
    except UnicodeEncodeError:
        return False
    return True
