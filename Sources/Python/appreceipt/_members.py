"""Apple's members of signed objects as typed fields. Verification checks that documented members have their types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any, ClassVar, Generic, Protocol, TypeVar, overload

V = TypeVar("V")
N = TypeVar("N", bound="Nested")
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# A notification has one of them at most.
_BODIES = ("data", "summary", "externalPurchaseToken", "appData")


def text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def integer(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and -1 << 63 <= value < 1 << 63 else None


def flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def milliseconds(value: Any) -> int | None:
    """Since 1970, in the years 0 to 9999. Xcode signs fractions, which are dropped."""
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
    """A field of a signed object that one of its members holds; None where the object has no such member.

    - read: makes the field of the member.
    - names: Apple's names; the first that is there counts.
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
        """Returns the member as it was signed."""
        return next((members[name] for name in self._names if name in members), None)


class _BodyMember(Member[V]):
    __slots__ = ()

    def of(self, members: Mapping[str, Any]) -> Any:
        body = next((members[name] for name in _BODIES if name in members), None)
        return super().of(body) if isinstance(body, Mapping) else None


def body_member(read: Callable[[Any], V | None], name: str) -> Member[V]:
    """A field of a notification that its body holds."""
    return _BodyMember(read, name)


class Nested:
    """A dataclass of which each field is a member of a nested object. A member of another type than Apple documents is None."""

    __slots__ = ()
    #: The members of the fields, in their order.
    MEMBERS: ClassVar[dict[str, Member[Any]]]


class NestedMember(Generic[N]):
    """Reads a member that is an object as one of `kind`."""

    __slots__ = ("kind",)

    def __init__(self, kind: type[N]) -> None:
        self.kind = kind

    def __call__(self, value: Any) -> N | None:
        if not isinstance(value, Mapping):
            return None
        return self.kind(*(member.read(member.of(value)) for member in self.kind.MEMBERS.values()))


class NestedList(Generic[N]):
    """Reads a member that is an array of objects as `kind`; None where an element is not an object."""

    __slots__ = ("each",)

    def __init__(self, kind: type[N]) -> None:
        self.each = NestedMember(kind)

    def __call__(self, value: Any) -> tuple[N, ...] | None:
        if not isinstance(value, (tuple, list)):
            return None
        objects = tuple(each for each in map(self.each, value) if each is not None)
        return objects if len(objects) == len(value) else None
