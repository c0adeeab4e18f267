"""Many inputs in one call, and the records of exports as `appreceipt audit` answers them, for data frames and clusters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from ._arguments import Data, as_bytes, line_number, require_lists
from ._library import Closed, Handle
from .answers import Answers
from .errors import Refused
from .exports import Record
from .objects import Genuine, every, only

__all__ = ["Answers", "Batch", "Record"]

# The maximum number and size of inputs that `verify_each` verifies together. The library has the same limit on the size,
# and a higher one on the number.
_TOGETHER, _TOGETHER_BYTES = 32, 1 << 20


class Batch:
    """The methods of a verifier for many inputs and for records. `appreceipt.Verifier` has them."""

    __slots__ = ()

    _handle: Handle | Closed
    _keeps: bool
    _returns_leaves: bool

    @property
    def keeps_evidence(self) -> bool:
        """Whether the verifier has `records_evidence`."""
        return self._keeps

    @property
    def returns_leaves(self) -> bool:
        """Whether the verifier has a `records_source`."""
        return self._returns_leaves

    def verify_each(self, inputs: Iterable[Data]) -> Iterator[list[Genuine | Refused]]:
        """Yields the result of `verify_all` for each input, in order. Verifies up to 32 inputs together, so that
        threads rarely wait for one another. It therefore reads up to 32 inputs before the first result.

        Raises Unavailable if an input could not be verified. Raises errors of `inputs` after the results of
        previous inputs.
        """
        require_lists(inputs=inputs)
        return self._verify_each(inputs)

    def _verify_each(self, inputs: Iterable[Data]) -> Iterator[list[Genuine | Refused]]:
        for group in _together(inputs):
            for answer in self._handle.verify_many(group):
                found = only(answer)
                yield every(answer) if found is None else [found]

    def answer_record(self, record: Data, number: int) -> list[str]:
        """Returns the lines of `appreceipt audit --ndjson` for one record, `{"id": …, "receipt": "…", "subject": …}`.
        There is one line for each signed object, and at least one. Receipts may have the wrappings of exports.

        - record: A line of NDJSON that is not blank, without its line end.
        - number: The record's number, from 1. It identifies a record without an identifier.
        """
        return [line.decode() for line, _ in self.answers(record, number).pairs]

    def answer_and_keep(self, record: Data, number: int) -> list[tuple[str, str | None]]:
        """Returns the lines of `answer_record`, each with its snapshot for `answer_customer`, or None if nothing is
        genuine. The verifier must have `records_evidence`.

        A snapshot is JSON with these members, if known: kind, created_at, content_sha256 or sha256, record,
        subject, environment, bundle_id, `realm`, listing, app_transaction_id, app_account_token, purchases and
        renewal. Renewal information names no app. If the policy expects an app, its line is a refusal, and its
        snapshot has the member `refused`, "wrong_bundle_id".
        """
        if not self._keeps:
            raise ValueError("verifier: created without records_evidence")
        pairs = self.answers(record, number).pairs
        return [(line.decode(), kept.decode() if kept else None) for line, kept in pairs]

    def answers(self, record: Data, number: int) -> Answers:
        """Returns the answers that `answer_record` and `answer_and_keep` use."""
        return Answers(self._handle.answer_record(as_bytes(record), line_number(number))[1], self._returns_leaves, self._keeps)

    def answer_records(self, records: Data, number: int) -> tuple[Answers, int]:
        """Returns the answers to consecutive records, and the number of the line after the last.

        - records: Lines of NDJSON with their line ends, at most 1 MiB, or a single longer line. A blank line is not
          a record.
        - number: The first line's number, from 1.

        Raises BadRequest for more records, and for more than 32 MiB. Raises Unavailable if a record could not be
        verified.
        """
        answer, number = self._handle.answer_records(as_bytes(records), line_number(number))
        return Answers(answer, self._returns_leaves, self._keeps), number

    def answer_customer(
        self, customer: int, evidence: Iterable[tuple[int, str]], *, subject: str | None = None,
        environment: str | None = None, bundle_id: str | None = None, realm: str | None = None, receipts: int | None = None,
        linked_by: Iterable[str] | None = None, evidence_refused: bool = False
    ) -> list[str]:
        """Returns the lines of `appreceipt audit --subject-verdicts` about one customer: one for each product of the
        verifier's catalog, or one that states why there is no verdict. Does not verify the evidence again.

        - customer: The customer's number, from 1.
        - evidence: Each answer's number, from 1, and its snapshot from `answer_and_keep`. The newest
          `created_at` is first, equal dates are ordered by number, and evidence without a date is last.
        - subject, environment, bundle_id, `realm`: The values that all evidence shares, if known. With several
          records, only the subject may be unknown.
        - receipts: The number of presented records, if duplicates with the same date and content are omitted. None
          means the number of records here.
        - linked_by: The identifiers that link several records without a subject: "app_account_token",
          "app_transaction_id", "original_transaction_id". None with a subject, and for a single record.
        - evidence_refused: Whether an answer with the customer's subject was `refused` and has no snapshot. Adds
          the caveat `evidence-refused` to every offer. Without a subject, an audit cannot know the customer of a
          refused record.

        A snapshot with the member `refused` counts as evidence if other evidence has its original transaction.
        Otherwise it counts as refused evidence.

        Raises BadRequest if the evidence belongs to another customer, is in another order, or has no stated link.
        """
        members: dict[str, Any] = {
            "customer": customer, "receipts": receipts, "subject": subject, "environment": environment,
            "bundle_id": bundle_id, "realm": realm, "linked_by": None if linked_by is None else list(linked_by),
            "evidence_refused": evidence_refused or None}
        whose = json.dumps({name: value for name, value in members.items() if value is not None})
        pieces = ",".join(f'{{"number":{number:d},"kept":{kept}}}' for number, kept in evidence)
        request = f'{whose[:-1]},"evidence":[{pieces}]}}'.encode()
        return self._handle.answer_customer(request)[1].decode().split("\n")[:-1]


def _together(inputs: Iterable[Data]) -> Iterator[list[bytes]]:
    """Yields groups of inputs to verify together."""
    group: list[bytes] = []
    size = 0
    try:
        for data in map(as_bytes, inputs):
            if len(group) == _TOGETHER or group and size + len(data) > _TOGETHER_BYTES:
                yield group
                group, size = [], 0
            group.append(data)
            size += len(data)
    except Exception:
        yield group
        raise
    yield group
