"""Apple's members of signed objects as typed fields. Verification checks the types of documented members."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, fields
from datetime import datetime, timedelta, timezone
from typing import Any, ClassVar, Generic, Protocol, TypeVar, overload

V = TypeVar("V")
N = TypeVar("N", bound="Nested")
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# A notification has at most one of these members.
_BODIES = ("data", "summary", "externalPurchaseToken", "appData")


def text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def integer(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and -1 << 63 <= value < 1 << 63 else None


def flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def milliseconds(value: Any) -> int | None:
    """Returns milliseconds since 1970, in the years 0 to 9999. Drops the fractions that Xcode signs."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -62167219200000 <= value < 253402300800000:
        return None
    return int(value)


def instant(value: Any) -> datetime | None:
    since = milliseconds(value)
    try:
        return None if since is None else _EPOCH + timedelta(milliseconds=since)
    except OverflowError as error:
        raise ValueError(f"{since} ms since 1970: before year 1, out of range for datetime; read the number from members") from error


def texts(value: Any) -> tuple[str, ...] | None:
    return tuple(value) if isinstance(value, (tuple, list)) and all(isinstance(each, str) for each in value) else None


class _Signed(Protocol):
    @property
    def members(self) -> Mapping[str, Any]: ...


class Member(Generic[V]):
    """A field of a signed object, read from one of its members. The value is None if the object has no such member.

    - read: Converts the member's value.
    - names: Apple's names of the member. The first one in the object counts.
    """

    __slots__ = ("_names", "read")

    def __init__(self, read: Callable[[Any], V | None], *names: str) -> None:
        self.read, self._names = read, names

    @overload
    def __get__(self, signed: None, owner: Any) -> Member[V]: ...

    @overload
    def __get__(self, signed: _Signed, owner: Any) -> V | None: ...

    def __get__(self, signed: _Signed | None, owner: Any) -> Member[V] | V | None:
        return self if signed is None else self.read(self.of(signed.members))

    def of(self, members: Mapping[str, Any]) -> Any:
        """Returns the member's signed value."""
        return next((members[name] for name in self._names if name in members), None)


class _BodyMember(Member[V]):
    __slots__ = ()

    def of(self, members: Mapping[str, Any]) -> Any:
        body = next((members[name] for name in _BODIES if name in members), None)
        return super().of(body) if isinstance(body, Mapping) else None


def body_member(read: Callable[[Any], V | None], name: str) -> Member[V]:
    """Returns a field of a notification that its body contains."""
    return _BodyMember(read, name)


class Nested:
    """A dataclass whose fields are members of a nested object. A member of another type than Apple documents is None."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


def nested(read: Callable[[Any], Any], name: str) -> dict[str, Member[Any]]:
    """Returns the metadata of a field of a `Nested` dataclass."""
    return {"member": Member(read, name)}


class NestedMember(Generic[N]):
    """Reads an object as an instance of `kind`."""

    __slots__ = ("kind", "members")

    def __init__(self, kind: type[N]) -> None:
        self.kind = kind
        #: The members of the fields, in order.
        self.members: dict[str, Member[Any]] = {each.name: each.metadata["member"] for each in fields(kind)}

    def __call__(self, value: Any) -> N | None:
        if not isinstance(value, Mapping):
            return None
        return self.kind(*(member.read(member.of(value)) for member in self.members.values()))


class NestedList(Generic[N]):
    """Reads an array of objects as instances of `kind`. Returns None if an element is not an object."""

    __slots__ = ("each",)

    def __init__(self, kind: type[N]) -> None:
        self.each = NestedMember(kind)

    def __call__(self, value: Any) -> tuple[N, ...] | None:
        if not isinstance(value, (tuple, list)):
            return None
        objects = tuple(each for each in map(self.each, value) if each is not None)
        return objects if len(objects) == len(value) else None
