"""Checks of the arguments that calls share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Union

Data = Union[bytes, bytearray, memoryview, str]


def require_lists(**values: Any) -> None:
    for name, value in values.items():
        if value is None and name in _OPTIONAL:
            continue
        if isinstance(value, (str, bytes, bytearray, memoryview, Mapping)) or not isinstance(value, Iterable):
            raise TypeError(f"{name}: must be a list, not {type(value).__name__}")


# The lists that may be None.
_OPTIONAL = {"roots", "storekit_test_roots", "crl", "products"}


def as_bytes(data: Data) -> bytes:
    if isinstance(data, str):
        return data.encode()
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"data: must be bytes or str, not {type(data).__name__}")
    return bytes(data)


def line_number(number: int) -> int:
    if not 0 < number < 1 << 62:
        raise ValueError(f"number: {number} is not a line number; the first is 1")
    return number
