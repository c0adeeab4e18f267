"""Why there is no receipt, or no answer. Each error's text is one line for a person; the attributes are for programs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


class BadRequest(ValueError):
    """Settings or a request that are not understood; `code` says which, the text says where."""

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
    """Nothing was judged: the machine was short of memory, or OpenSSL failed."""


class NotOneObject(ValueError):
    """`verify` was given what holds no signed object, or several; `verify_all` takes it. `count` says how many."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.count = count

    def __str__(self) -> str:
        return f"{self.count} signed objects, expected one; use verify_all"


class Refused(ValueError):
    """There is nothing to rely on: not genuine, or not what was demanded. Raised by `verify`, an element of `verify_all`.

    `code` is one of the contract's (`malformed`, `bad_signature`, `wrong_bundle_id`, …); `offset` that of the first byte at
    fault and `field` the field, where one is; `path` says where in the input it stood, where it is not the whole of it;
    `format` is None of a receipt, and of what has no form at all; `sha256` is None where no bytes could be decoded.
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
    """What was refused of the evidence of an `eligibility`."""

    #: Of the arguments `evidence` or `renewal_info`.
    argument: str
    #: In that argument, from 0 on; None where no one piece is meant.
    index: int | None
    #: Where in the piece, if not the whole.
    path: str | None
    refusal: Refused


class EvidenceRefused(ValueError):
    """There are no verdicts: evidence was refused (`code` is `refused`), or is not of one customer's app and environment
    (`not_merged`). `refusals` names each piece."""

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
        told = json.loads(answer)
        return cls(told["error"]["code"], told["error"]["message"], refusals(told))


def refusals(told: dict[str, Any]) -> tuple[RefusedEvidence, ...]:
    """The member `refusals` of an answer."""
    found = []
    for each in told.get("refusals", []):
        argument = "evidence" if "evidence" in each else "renewal_info"
        found.append(RefusedEvidence(argument, each.get(argument), each.get("path"), Refused(**each["refusal"])))
    return tuple(found)
