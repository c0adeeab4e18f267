"""Conversion of the contract's JSON to dataclasses: dates to `datetime` in UTC, hexadecimal to `bytes`, arrays to
tuples.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError
from datetime import datetime
from typing import Any, ClassVar, NoReturn, TypeVar

# Python 3.9 has no slotted dataclasses.
SLOTS: dict[str, bool] = {"slots": True} if sys.version_info >= (3, 10) else {}


def date(text: str) -> datetime:
    """Returns a date from RFC 3339 in UTC, the contract's format. The contract has the year 0, which Python lacks."""
    try:
        return datetime.fromisoformat(text[:-1] + "+00:00")
    except ValueError as error:
        raise ValueError(f"{text}: before year 1, out of range for datetime; read the text from json") from error


DATES = dict.fromkeys(
    ("verified_at", "not_before", "not_after", "receipt_creation_date", "original_purchase_date", "expiration_date",
     "purchase_date", "expires_date", "cancellation_date", "as_of", "evidence_date", "since", "until"), date)
BYTES = dict.fromkeys(("opaque_value", "sha1_hash", "value"), bytes.fromhex)
TUPLES = dict.fromkeys(("transactions", "offers", "findings", "caveats", "sources"), tuple)
READ: dict[str, Callable[[Any], Any]] = {**DATES, **BYTES, **TUPLES}


def read(members: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the members with Python values."""
    return {
        name: READ[name](value) if value is not None and name in READ else value for name, value in members.items()
    }


def frozen(value: Any) -> Any:
    """Returns parsed JSON as immutable values: objects as `Members`, arrays as tuples."""
    if isinstance(value, dict):
        return Members((name, frozen(each)) for name, each in value.items())
    return tuple(map(frozen, value)) if isinstance(value, list) else value


class Members(dict[str, Any]):
    """An immutable JSON object. It is a `dict`, so that `json.dumps` can write it."""

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("signed members are read-only; dict(members) makes a copy")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> Any:
        return type(self), (dict(self),)


def short(value: Any) -> str:
    """Returns the text of a value for people. Long values are replaced by their size."""
    if isinstance(value, bytes):
        return f"<{len(value)} bytes>"
    if isinstance(value, Mapping):
        return f"<{len(value)} members>"
    if isinstance(value, (list, tuple)) and (len(value) > 8 or not all(isinstance(each, str) for each in value)):
        return f"<{len(value)}>"
    if isinstance(value, datetime):
        return value.isoformat()
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}…"


class Frozen:
    """A frozen dataclass that refuses the assignment of any attribute with FrozenInstanceError."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        # Before Python 3.12, the methods of a slotted dataclass raise TypeError for an attribute that is not
        # a field.
        if "__dataclass_fields__" in cls.__dict__:
            for name in {"__setattr__", "__delattr__"} & cls.__dict__.keys():
                delattr(cls, name)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")


R = TypeVar("R", bound="Record")


class Record(Frozen):
    """A base class that adds to frozen, slotted dataclasses: pickling in every Python version, creation from JSON, and
    a short repr.
    """

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]
    #: The fields that repr shows, or empty for all.
    _shown: ClassVar[tuple[str, ...]] = ()

    def __repr__(self) -> str:
        names = self._shown or self.__dataclass_fields__
        return f"{type(self).__name__}({', '.join(f'{name}={short(getattr(self, name))}' for name in names)})"

    @classmethod
    def of(cls: type[R], members: Mapping[str, Any]) -> R:
        return cls(**read(members))

    def __reduce__(self) -> Any:
        return type(self), tuple(getattr(self, name) for name in self.__dataclass_fields__)


L = TypeVar("L", bound="Lazy")


class Lazy(Frozen):
    """A dataclass that keeps its JSON and parses it on the first access to a field.

    Only verification creates instances. Two instances are equal if their JSON is.
    """

    __slots__ = ("_text",)
    __dataclass_fields__: ClassVar[dict[str, Any]]
    _text: bytes

    def __init__(self) -> None:
        raise TypeError(f"{type(self).__name__}: cannot be constructed; use Verifier.verify")

    @classmethod
    def _of(cls: type[L], text: bytes) -> L:
        """Creates an instance.

        - text: The object, or an answer with only this object.
        """
        made = object.__new__(cls)
        object.__setattr__(made, "_text", text)
        return made

    @property
    def json(self) -> str:
        """The line that `appreceipt verify --json` prints for the object on standard input."""
        text = self._text
        return (text[len(BEFORE):-len(AFTER)] if text.startswith(BEFORE) else text).decode()

    @property
    def path(self) -> str | None:
        """The path of the object in the input, for example `signedTransactions[0]`, or None if it is the whole input."""
        source: str = json.loads(self.json)["source"]
        return source[2:] or None

    def __getattr__(self, name: str) -> Any:
        # Python calls this for a slot without a value. Several threads may set it at once, all to equal values.
        if name not in type(self).__dataclass_fields__:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        for each, value in self._fields(json.loads(self.json)).items():
            object.__setattr__(self, each, value)
        return object.__getattribute__(self, name)

    @staticmethod
    def _fields(line: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    def __repr__(self) -> str:
        # From the JSON, because a date outside Python's range must not raise here.
        shown = self._identity(json.loads(self.json))
        return f"{type(self).__name__}({', '.join(f'{name}={short(value)}' for name, value in shown.items())})"

    @staticmethod
    def _identity(line: dict[str, Any]) -> dict[str, Any]:
        """Returns the values that identify the object, and its counts."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lazy) and type(self) is type(other) and self.json == other.json

    def __hash__(self) -> int:
        return hash(self.json)

    def __reduce__(self) -> Any:
        return type(self)._of, (self.json.encode(),)


# The text before and after the only object in an answer.
BEFORE, AFTER = b'{"results":[', b"]}"
