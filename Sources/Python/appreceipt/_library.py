"""The interface to libappreceipt through ctypes: bytes in, bytes out. Other threads run during its calls."""

from __future__ import annotations

import ctypes
import importlib.resources
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_void_p
from typing import Any

from .errors import BadRequest, Unavailable

OK, REFUSED, BAD_REQUEST = 0, 1, 2


def _load() -> tuple[ctypes.CDLL, ctypes.PyDLL]:
    # If the package is in an archive, as Spark distributes it, this extracts the library to a temporary file. The
    # file may be removed after it is loaded.
    package = importlib.resources.files(__name__.rpartition(".")[0])
    with importlib.resources.as_file(package / "libappreceipt.so") as path:
        return ctypes.CDLL(str(path)), ctypes.PyDLL(str(path))


_library, _attached = _load()
# c_char_p is the fastest type to read. It ends at a NUL, which answers do not contain.
_answers: list[Any] = [POINTER(c_char_p), POINTER(c_size_t)]
_open = _library.appreceipt_open
_open.argtypes, _open.restype = [c_char_p, c_size_t, POINTER(c_void_p), *_answers], c_int
_close = _library.appreceipt_close
_close.argtypes, _close.restype = [c_void_p], None
# PyDLL does not release the interpreter lock. These calls are too short for that.
_free = _attached.appreceipt_free
_free.argtypes, _free.restype = [c_char_p], None
_version = _attached.appreceipt_version
_version.argtypes, _version.restype = [], c_char_p


def _function(name: str) -> Any:
    function = getattr(_library, name)
    function.argtypes, function.restype = [c_void_p, c_char_p, c_size_t, *_answers], c_int
    return function


_verify, _eligibility, _verify_receipt_answer, _answer_customer = map(_function, (
    "appreceipt_verify", "appreceipt_eligibility", "appreceipt_verify_receipt_answer", "appreceipt_answer_customer"))
_verify_many = _library.appreceipt_verify_many
_verify_many.argtypes = [c_void_p, POINTER(c_char_p), POINTER(c_size_t), c_size_t, *_answers]
_verify_many.restype = c_int
_answer_record = _library.appreceipt_answer_record
_answer_record.argtypes, _answer_record.restype = [c_void_p, c_char_p, c_size_t, c_size_t, *_answers], c_int
_answer_records = _library.appreceipt_answer_records
_answer_records.argtypes, _answer_records.restype = [c_void_p, c_char_p, c_size_t, POINTER(c_size_t), *_answers], c_int


def version() -> str:
    """Returns the version of the library, which is also the package's."""
    text: bytes = _version()
    return text.decode()


def _fail(code: int, answer: bytes) -> Exception:
    if code == BAD_REQUEST:
        return BadRequest.of(answer)
    return Unavailable("out of memory, or OpenSSL failed; nothing was verified")


def _call(function: Any, *arguments: Any) -> tuple[int, bytes]:
    """Returns the code, OK or REFUSED, and the answer. The library's answer is freed even if an asynchronous exception
    such as KeyboardInterrupt interrupts the call.
    """
    answer, length = c_char_p(), c_size_t()
    try:
        code = function(*arguments, byref(answer), byref(length))
        text = answer.value or b""
    finally:
        _free(answer)
    if code > REFUSED:
        raise _fail(code, text)
    return code, text


class Handle:
    """A handle of the library with its settings, for any thread and for forked processes. It is closed when no
    reference to it is left. A call holds a reference, so it is never closed during a call.
    """

    __slots__ = ("_pointer",)

    def __init__(self, settings: bytes) -> None:
        self._pointer = c_void_p()
        _call(_open, settings, len(settings), byref(self._pointer))

    def __del__(self) -> None:
        if self._pointer:
            _close(self._pointer)

    def verify(self, data: bytes) -> tuple[int, bytes]:
        """Returns the code, OK or REFUSED, and the answer."""
        return _call(_verify, self._pointer, data, len(data))

    def verify_many(self, inputs: list[bytes]) -> list[bytes]:
        """Returns the answer to each input."""
        count = len(inputs)
        starts, lengths = (c_char_p * count)(*inputs), (c_size_t * count)(*map(len, inputs))
        _, text = _call(_verify_many, self._pointer, starts, lengths, count)
        return text.split(b"\n")[:-1]

    def eligibility(self, request: bytes) -> tuple[int, bytes]:
        return _call(_eligibility, self._pointer, request, len(request))

    def verify_receipt_answer(self, request: bytes) -> tuple[int, bytes]:
        return _call(_verify_receipt_answer, self._pointer, request, len(request))

    def answer_record(self, record: bytes, number: int) -> tuple[int, bytes]:
        return _call(_answer_record, self._pointer, record, len(record), number)

    def answer_records(self, records: bytes, number: int) -> tuple[bytes, int]:
        """Returns the answer, and the number of the line after the last."""
        place = c_size_t(number)
        _, text = _call(_answer_records, self._pointer, records, len(records), byref(place))
        return text, place.value

    def answer_customer(self, request: bytes) -> tuple[int, bytes]:
        return _call(_answer_customer, self._pointer, request, len(request))


class Closed:
    """The handle of a closed verifier."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        raise ValueError("verifier: closed")
