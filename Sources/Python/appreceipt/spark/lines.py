"""The lines of `appreceipt audit --ndjson`, made of records one by one."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ..errors import Refused
from ..exports import ABSENT, Content, Name, Names, Record, parse
from ..objects import split
from ..verifier import Verifier

_NAMES = Names()
_SOURCES = '"sources":["evidence[0]"],'


@dataclass(frozen=True)
class Answering:
    """What records are asked. It goes to the workers, which each make what answers."""

    verifier: Verifier
    #: RFC 3339; None: no question about offers is asked of receipts and transactions. The verifier has the catalogue.
    as_of: str | None = None

    def judge(self) -> Callable[..., Iterator[str]]:
        """What makes of a record's place and its line, or its cells, the lines that answer it."""
        def judge(place: int, line: bytes | str | None, cells: dict[str, Any] | None = None) -> Iterator[str]:
            if cells is not None:
                return self._lines(*_row(place, cells))
            data = line.encode() if isinstance(line, str) else line or b""
            return self._lines(*parse(data, place, _NAMES)) if data.strip(b" \t\r") else iter(())

        return judge

    def _lines(self, record: Record, content: Content) -> Iterator[str]:
        nothing = "" if self.as_of is None else ',"eligibility":null'
        if isinstance(content, Refused):
            refusal = {name: getattr(content, name) for name in ("code", "message", "offset", "field")}
            yield f'{{"id":null,"line":{record.place},"status":"refused","refusal":{_json(refusal)}}}'
            return
        head = f'{{"id":{_name(record.place if record.id is None else record.id)}'
        if record.subject is not None:
            head += f',"subject":{_name(record.subject)}'
        if not content:
            yield f'{head},"sha256":null,"status":"absent"{nothing}}}'
        for text in content:
            for source, line, rest in split(self.verifier.answer(text)):
                path = source[2:]
                named = f'{head},"path":{_json(path)}' if path else head
                tells = line["status"] == "genuine" and line.get("kind", "transaction") == "transaction"
                verdicts = self._verdicts(_part(text, path)) if tells and self.as_of is not None else None
                end = nothing if verdicts is None else f',"eligibility":{verdicts}'
                yield f"{named},{rest[:-1]}{end}}}"

    def _verdicts(self, evidence: str | None) -> str | None:
        """What is said of it by itself; None where it tells of no purchase."""
        if evidence is None:
            return None
        answer = self.verifier.eligibility_answer(json.dumps({"evidence": [evidence], "as_of": self.as_of}))
        if answer is None:
            return None
        # A quote within a text has a backslash before it: what is taken out stands where members do.
        return answer.replace(_SOURCES, "")[len('{"verdicts":'):-1]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("\x7f", "\\u007f")


def _name(name: Name) -> str:
    return str(name) if isinstance(name, Decimal) else _json(name)


def _row(place: int, cells: dict[str, Any]) -> tuple[Record, Content]:
    receipt = cells.get("receipt")
    if isinstance(receipt, (bytes, bytearray)):
        receipt = base64.b64encode(receipt).decode()
    record = Record(cells.get("id"), cells.get("subject"), place)
    return record, [] if receipt is None or receipt in ABSENT else [receipt]


def _part(text: str, path: str) -> str | None:
    """What is signed at a place such as `data.signedPayload#data.signedTransactionInfo`; None where none is found."""
    try:
        for number, part in enumerate(path.split("#") if path else []):
            if number:
                payload = text.split(".")[1]
                text = base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode()
            value = json.loads(text)
            for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", part):
                value = value[int(index) if index else name]
            text = value
        return text
    except (ValueError, LookupError, TypeError):
        return None
