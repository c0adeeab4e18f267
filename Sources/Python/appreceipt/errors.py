"""Errors of verification and of requests. Each error's text is one line for people. The attributes are for programs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


class BadRequest(ValueError):
    """Invalid settings or an invalid request. `code` names the kind, and the text names the place."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code, self.message = code, message

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    @classmethod
    def of(cls, answer: bytes) -> BadRequest:
        error = json.loads(answer)["error"] if answer else {"code": "bad_request", "message": "request not understood"}
        return cls(error["code"], error["message"])


class Unavailable(RuntimeError):
    """The error if nothing was verified, because memory ran out or OpenSSL failed."""


class NotOneObject(ValueError):
    """The error if the input of `verify` contains no signed object, or several. `verify_all` accepts such input. `count` is
    the number of objects.
    """

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.count = count

    def __str__(self) -> str:
        return f"{self.count} signed objects, expected one; use verify_all"


class Refused(ValueError):
    """An object that is not genuine, or does not match the verification policy. `verify` raises it, and `verify_all`
    returns it.

    - code: One of the contract's codes (`malformed`, `bad_signature`, `wrong_bundle_id`, …).
    - offset, field: The offset of the first invalid byte, and the invalid field, if known.
    - path: The path in the input, or None for the whole input.
    - format: None for a receipt, and for input of no known format.
    - sha256: None if no bytes could be decoded.
    """

    def __init__(
        self, code: str, message: str, offset: int | None = None, field: str | None = None, *,
        sha256: str | None = None, path: str | None = None, format: str | None = None
    ) -> None:
        super().__init__(code, message, offset, field)
        self.code, self.message, self.offset, self.field = code, message, offset, field
        self.sha256, self.path, self.format = sha256, path, format

    def __str__(self) -> str:
        place = "" if self.offset is None else f" at byte {self.offset}"
        field = "" if self.field is None else f" ({self.field})"
        return f"{self.code}{place}: {self.message}{field}"

    def __reduce__(self) -> Any:
        return _refused, (self.args, {"sha256": self.sha256, "path": self.path, "format": self.format})


def _refused(arguments: tuple[Any, ...], names: dict[str, Any]) -> Refused:
    return Refused(*arguments, **names)


@dataclass(frozen=True)
class RefusedEvidence:
    """A refused object in the evidence of `eligibility`."""

    #: The argument: `evidence` or `renewal_info`.
    argument: str
    #: The index in the argument, from 0, or None if the refusal concerns no single element.
    index: int | None
    #: The path in the element, or None for the whole element.
    path: str | None
    refusal: Refused


class EvidenceRefused(ValueError):
    """The error if there are no verdicts. Either evidence was refused (`code` is `refused`), or the evidence belongs to
    several apps or environments (`not_merged`). `refusals` lists the refused objects.
    """

    def __init__(self, code: str, message: str, refusals: tuple[RefusedEvidence, ...] = ()) -> None:
        super().__init__(code, message, refusals)
        self.code, self.message, self.refusals = code, message, refusals

    def __str__(self) -> str:
        pieces = "".join(
            f"; {each.argument}[{each.index}]{'' if each.path is None else f' {each.path}'}: {each.refusal}"
            for each in self.refusals[:3])
        return f"{self.code}: {self.message}{pieces}{'; …' if len(self.refusals) > 3 else ''}"

    @classmethod
    def of(cls, answer: bytes) -> EvidenceRefused:
        parsed = json.loads(answer)
        return cls(parsed["error"]["code"], parsed["error"]["message"], refusals(parsed))


def refusals(parsed: dict[str, Any]) -> tuple[RefusedEvidence, ...]:
    """Returns the member `refusals` of an answer."""
    found = []
    for each in parsed.get("refusals", []):
        argument = "evidence" if "evidence" in each else "renewal_info"
        found.append(RefusedEvidence(argument, each.get(argument), each.get("path"), Refused(**each["refusal"])))
    return tuple(found)
