"""The contract's JSON as dataclasses: dates as `datetime` in UTC, bytes as `bytes`, arrays as tuples."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, ClassVar, TypeVar

# Python 3.9 has no slotted dataclasses.
SLOTS: dict[str, bool] = {"slots": True} if sys.version_info >= (3, 10) else {}


def date(text: str) -> datetime:
    """RFC 3339 in UTC, as the contract writes it, which has a year more than Python's dates have."""
    try:
        return datetime.fromisoformat(text[:-1] + "+00:00")
    except ValueError as error:
        raise ValueError(f"{text}: Python's dates begin with the year 1; the text itself stands in json") from error


DATES = dict.fromkeys(
    ("verified_at", "not_before", "not_after", "receipt_creation_date", "original_purchase_date", "expiration_date",
     "purchase_date", "expires_date", "cancellation_date", "as_of", "evidence_date", "since", "until"), date)
BYTES = dict.fromkeys(("opaque_value", "sha1_hash", "value"), bytes.fromhex)
TUPLES = dict.fromkeys(("transactions", "offers", "findings", "caveats", "sources"), tuple)
READ: dict[str, Callable[[Any], Any]] = {**DATES, **BYTES, **TUPLES}


def read(members: Mapping[str, Any]) -> dict[str, Any]:
    """The members with their values as Python has them."""
    return {
        name: READ[name](value) if value is not None and name in READ else value for name, value in members.items()
    }


R = TypeVar("R", bound="Record")


class Record:
    """What a frozen, slotted dataclass lacks: pickling in every version of Python, and making one of JSON."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]

    @classmethod
    def of(cls: type[R], members: Mapping[str, Any]) -> R:
        return cls(**read(members))

    def __reduce__(self) -> Any:
        return type(self), tuple(getattr(self, name) for name in self.__dataclass_fields__)


L = TypeVar("L", bound="Lazy")


class Lazy:
    """A dataclass whose JSON is kept, and read at the first access to a field.

    Only verifying makes one. Two are equal whose JSON is.
    """

    __slots__ = ("_text",)
    __dataclass_fields__: ClassVar[dict[str, Any]]
    _text: bytes

    def __init__(self) -> None:
        raise TypeError(f"{type(self).__name__}: only Verifier.verify makes one")

    @classmethod
    def _of(cls: type[L], text: bytes) -> L:
        """
        - text: the object, or an answer that holds no other.
        """
        made = object.__new__(cls)
        object.__setattr__(made, "_text", text)
        return made

    @property
    def json(self) -> str:
        """The line that `appreceipt verify --json` prints of it on standard input."""
        text = self._text
        return (text[len(BEFORE):-len(AFTER)] if text.startswith(BEFORE) else text).decode()

    @property
    def path(self) -> str | None:
        """Where in the input it stood, for example `signedTransactions[0]`; None where it was the input."""
        source: str = json.loads(self.json)["source"]
        return source[2:] or None

    def __getattr__(self, name: str) -> Any:
        # Of a slot that is not filled yet. Several threads may fill it, all with the same.
        if name not in type(self).__dataclass_fields__:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        for each, value in self._fields(json.loads(self.json)).items():
            object.__setattr__(self, each, value)
        return object.__getattribute__(self, name)

    @staticmethod
    def _fields(line: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lazy) and type(self) is type(other) and self.json == other.json

    def __hash__(self) -> int:
        return hash(self.json)

    def __reduce__(self) -> Any:
        return type(self)._of, (self.json.encode(),)


# What stands around the only object of an answer.
BEFORE, AFTER = b'{"results":[', b"]}"
