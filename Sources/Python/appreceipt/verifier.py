"""The verifier: made once, asked from any thread."""

from __future__ import annotations

import base64
import json
import os
import pathlib
import string
import uuid
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone
from types import MemberDescriptorType, TracebackType
from typing import Any, TypeVar, Union

from ._library import OK, Closed, Handle
from .answers import Answers
from .errors import BadRequest, EvidenceRefused, NotOneObject, Refused, refusals
from .exports import Names, Record, Source, records
from .objects import Genuine, every, of_record, only
from .verdicts import Verdict, Verdicts

Data = Union[bytes, bytearray, memoryview, str]
#: Renewal information that is not signed: as JSON, or read already.
Unsigned = Union[Data, Mapping[str, Any], "list[Any]"]
#: A certificate as DER or PEM, or the path of a file of one.
Root = Union[bytes, str, "os.PathLike[str]"]
#: A StoreKit configuration or `{"groups": {"<group>": ["<product>"]}}`: as JSON, read already, or the path of a file.
Catalog = Union[Mapping[str, Any], bytes, str, "os.PathLike[str]"]

# Inputs of `verify_each` that are verified together, and bytes of them: the library takes more.
_TOGETHER, _TOGETHER_BYTES = 32, 1 << 20
_Name = TypeVar("_Name")
V = TypeVar("V", bound="Verifier")


class Verifier:
    """Verifies what the App Store signed. Any thread may ask it, and so may processes that it is forked or pickled into.

    Every verifier states which apps and which environments it accepts: there is no default, so that a setting that is missing
    elsewhere removes no check.

    - roots: certificates to trust in place of Apple's.
    - storekit_test_roots: certificates that Xcode exported, to trust beside them.
    - bundle_ids: the app that is accepted, or several; `any`: every app, as auditors ask.
    - environment: `production`, `sandbox` or `xcode`, or several of them; `any`: every one. App Review uses production builds in
      the sandbox: `["production", "sandbox"]`.
    - app_apple_id: the app's number in the App Store, or several: refuses what names another appAppleId, and what should name
      it and does not; `any`, the default: none is expected.
    - device_id: the device that is accepted: identifierForVendor or the MAC address, for JWS AppStore.deviceVerificationID, as
      bytes, a UUID or hexadecimal digits; `any`, the default: every device.
    - cross_check: ask OpenSSL's own PKCS #7 code too, and refuse what the two see differently.
    - sha1_signatures, limits: what can refuse a genuine receipt, for example `limits={"signature_checks": 64}`; `limits.TEXTS`
      has the names and what they mean.
    - catalog: which product belongs to which group, where `eligibility` is given none.
    - records_as_of: the instant at which `answer_record` and `answer_customer` ask for the catalog's offers, with its time
      zone; None: now.
    - records_evidence: whether `answer_and_keep` has what `answer_customer` needs.
    - records_source: the number of the records' source among those of `appreceipt audit`, from 1 on, for `Answers.leaves`.
    - policies: what the rules of eligibility leave to the business.
    - verify_receipt: settings of `verify_receipt_answer`: `environment`, `shared_secret`, `latest`.

    `close()`, or the end of a `with` block, gives back what the verifier holds, once calls of other threads are over. A pickle
    holds the settings but no shared secret: `verify_receipt_answer` of the verifier that is made of it raises ValueError where
    there was one.

    Raises BadRequest where a setting is not understood.
    """

    __slots__ = ("_handle", "_keeps", "_lacks_secret", "_settings", "_tells")

    def __init__(
        self, roots: Iterable[Root] | None = None, *, bundle_ids: str | Iterable[str], environment: str | Iterable[str],
        app_apple_id: int | str | Iterable[int] = "any",
        storekit_test_roots: Iterable[Root] | None = None, device_id: bytes | str | uuid.UUID = "any", cross_check: bool = False,
        sha1_signatures: str = "until-apple-stopped", limits: Mapping[str, int] | None = None,
        catalog: Catalog | None = None, records_as_of: datetime | str | None = None, records_evidence: bool = False,
        records_source: int | None = None, policies: Mapping[str, Any] | None = None, verify_receipt: Mapping[str, Any] | None = None
    ) -> None:
        _require_lists(roots=roots, storekit_test_roots=storekit_test_roots)
        _require_said(
            bundle_ids=bundle_ids, app_apple_id=app_apple_id, environment=environment, device_id=device_id,
            sha1_signatures=sha1_signatures)
        records: dict[str, Any] = {} if records_as_of is None else {"as_of": _instant("records_as_of", records_as_of)}
        if records_evidence:
            records["evidence"] = records_evidence
        if records_source is not None:
            records["source"] = records_source
        settings = {
            "roots": _certificates("roots", roots),
            "storekit_test_roots": _certificates("storekit_test_roots", storekit_test_roots),
            "bundle_ids": _one_or_more("bundle_ids", bundle_ids),
            "app_apple_id": app_apple_id if isinstance(app_apple_id, int) else _one_or_more("app_apple_id", app_apple_id),
            "environment": _one_or_more("environment", environment),
            "device_id": None if device_id == "any" else _device(device_id),
            "cross_check": cross_check or None,
            "sha1_signatures": sha1_signatures,
            "limits": None if limits is None else dict(limits),
            "records": records or None,
            "policies": None if policies is None else dict(policies),
        }
        members = {name: value for name, value in settings.items() if value is not None}
        self._open(
            _with_catalog(members, catalog), records_evidence, records_source is not None,
            None if verify_receipt is None else dict(verify_receipt))

    def _open(
        self, settings: bytes, keeps: bool, tells: bool, verify_receipt: dict[str, Any] | None, lacks_secret: bool = False
    ) -> None:
        """
        - verify_receipt: its secret goes to the library and is not kept here.
        """
        answering = b"" if verify_receipt is None else b', "verify_receipt": ' + json.dumps(verify_receipt).encode()
        self._handle: Handle | Closed = Handle(settings[:-1] + answering + b"}")
        public = {name: value for name, value in (verify_receipt or {}).items() if name != "shared_secret"}
        self._lacks_secret = lacks_secret
        self._settings = settings, keeps, tells, public, lacks_secret or "shared_secret" in (verify_receipt or {})
        self._keeps, self._tells = keeps, tells

    def __getstate__(self) -> Any:
        if isinstance(self._handle, Closed):
            raise ValueError("verifier: closed")
        attributes = dict(getattr(self, "__dict__", {}))
        for kind in type(self).__mro__[:-1]:
            for name, slot in vars(kind).items():
                if isinstance(slot, MemberDescriptorType) and name not in Verifier.__slots__ and hasattr(self, name):
                    attributes[name] = getattr(self, name)
        return self._settings, attributes

    def __setstate__(self, state: Any) -> None:
        settings, attributes = state
        self._open(*settings)
        # Those of a subclass.
        for name, value in attributes.items():
            setattr(self, name, value)

    def close(self) -> None:
        """Gives back what the verifier holds, once calls of other threads are over. Later calls raise ValueError."""
        self._handle = Closed()

    def __enter__(self: V) -> V:
        if isinstance(self._handle, Closed):
            raise ValueError("verifier: closed")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def keeps_evidence(self) -> bool:
        """Whether it was made with `records_evidence`."""
        return self._keeps

    @property
    def tells_leaves(self) -> bool:
        """Whether it was made with a `records_source`."""
        return self._tells

    def verify(self, data: Data) -> Genuine:
        """What one signed object says: a receipt in any encoding, a JWS, a transactionReceipt, or an answer that holds one.

        Raises Refused where it is not genuine or not what is demanded; NotOneObject where there is not exactly one.
        """
        code, answer = self._handle.verify(data if type(data) is bytes else _bytes(data))
        if code == OK:
            found = only(answer)
            if found is not None:
                return found
        results = every(answer)
        if len(results) != 1:
            raise NotOneObject(len(results))
        if isinstance(results[0], Refused):
            raise results[0]
        return results[0]

    def verify_all(self, data: Data) -> list[Genuine | Refused]:
        """What each signed object in the data says, or why it is refused, in their order."""
        return every(self.answer(data))

    def verify_each(self, inputs: Iterable[Data]) -> Iterator[list[Genuine | Refused]]:
        """What `verify_all` has of each input, in their order. Some are verified together, so that threads which do so hardly
        wait for one another: up to 32 inputs are taken before the first answer comes.

        Raises Unavailable where something was not judged; what the inputs raise, behind the answers to those before.
        """
        _require_lists(inputs=inputs)
        return self._verify_each(inputs)

    def _verify_each(self, inputs: Iterable[Data]) -> Iterator[list[Genuine | Refused]]:
        for some in _together(inputs):
            for answer in self._handle.verify_many(some):
                found = only(answer)
                yield every(answer) if found is None else [found]

    def answer(self, data: Data) -> bytes:
        """The JSON that the library answers: `results`, each of which is a line of `appreceipt verify --json`."""
        return self._handle.verify(_bytes(data))[1]

    def answer_record(self, record: Data, number: int) -> list[str]:
        """The lines of `appreceipt audit --ndjson` that answer one record, `{"id": …, "receipt": "…", "subject": …}`: one for
        each signed object, and one at least. Receipts are unwrapped from what exports wrap them in.

        - record: a line of NDJSON that is not blank, without its end.
        - number: the record's, from 1 on: its name where it has none.
        """
        return [line.decode() for line, _ in self.answers(record, number).pairs]

    def answer_and_keep(self, record: Data, number: int) -> list[tuple[str, str | None]]:
        """The lines of `answer_record`, each with what is to be kept of it for `answer_customer`: JSON with the members kind,
        created_at, content_sha256 or sha256, record, subject, environment, bundle_id, realm, listing, app_transaction_id,
        app_account_token, purchases and renewal, as far as they are known; None where nothing is genuine. Renewal information names
        no app: where one is demanded its line refuses it, and what is kept has the member `refused`, "wrong_bundle_id". The verifier
        must have been made with `records_evidence`.
        """
        if not self._keeps:
            raise ValueError("verifier: made without records_evidence")
        pairs = self.answers(record, number).pairs
        return [(line.decode(), kept.decode() if kept else None) for line, kept in pairs]

    def answers(self, record: Data, number: int) -> Answers:
        """What `answer_record` and `answer_and_keep` are made of."""
        return Answers(self._handle.answer_record(_bytes(record), _place(number))[1], self._tells, self._keeps)

    def answer_records(self, records: Data, number: int) -> tuple[Answers, int]:
        """What answers records that follow one another, and the number of the line behind the last.

        - records: lines of NDJSON with their ends, 1 MiB at most, or one that is longer. What is blank is no record.
        - number: the first line's, from 1 on.

        Raises BadRequest for more of them, and for more than 32 MiB; Unavailable where something of them was not judged.
        """
        answer, number = self._handle.answer_records(_bytes(records), _place(number))
        return Answers(answer, self._tells, self._keeps), number

    def answer_customer(
        self, customer: int, evidence: Iterable[tuple[int, str]], *, subject: str | None = None,
        environment: str | None = None, bundle_id: str | None = None, realm: str | None = None, receipts: int | None = None,
        linked_by: Iterable[str] | None = None, evidence_refused: bool = False
    ) -> list[str]:
        """The lines of `appreceipt audit --subject-verdicts` about one customer: one for each product of the verifier's
        catalog, or the one that says why there is no verdict. Nothing is verified again.

        - customer: the number, from 1 on.
        - evidence: each answer's number, from 1 on, and what `answer_and_keep` has of it: the newest first by `created_at`, of
          one date by number, what has no date last.
        - subject, environment, bundle_id, realm: whose all of it is, as far as that is known; of several pieces only the subject
          may be unknown.
        - receipts: how often evidence was presented, where some of one date and content is left out; None: as often as here.
        - linked_by: what links several pieces of evidence without a subject: "app_account_token", "app_transaction_id",
          "original_transaction_id". None with a subject, and for one piece.
        - evidence_refused: whether an answer with the customer's subject was `refused` and nothing is kept of it; adds the caveat
          `evidence-refused` to every offer. Without a subject, an audit cannot know whose a refused record is.

        What is kept with the member `refused` counts if its original transaction is among the evidence, else as refused.

        Raises BadRequest where the evidence is of another customer, or in another order, or where what links it is not said.
        """
        members: dict[str, Any] = {
            "customer": customer, "receipts": receipts, "subject": subject, "environment": environment,
            "bundle_id": bundle_id, "realm": realm, "linked_by": None if linked_by is None else list(linked_by),
            "evidence_refused": evidence_refused or None}
        whose = json.dumps({name: value for name, value in members.items() if value is not None})
        pieces = ",".join(f'{{"number":{number:d},"kept":{kept}}}' for number, kept in evidence)
        request = f'{whose[:-1]},"evidence":[{pieces}]}}'.encode()
        return self._handle.answer_customer(request)[1].decode().split("\n")[:-1]

    def verify_export(
        self, source: Source, *, format: str | None = None, id: str = "id", receipt: str = "receipt",
        subject: str = "subject"
    ) -> Iterator[tuple[Record, Genuine | Refused | None]]:
        """Each record of an export with what came out: one result for each signed object that it holds, Refused with the
        code `unreadable` where it could not be read, None where it says that it holds nothing. Receipts are unwrapped from
        what exports wrap them in.

        - source: the path of a file, or lines.
        - format: `ndjson` or `csv`, whose first row names its columns; None: what the first line looks like.
        - id, receipt, subject: what the members or columns are called. Members and columns with the names that the App
          Store Server API gives to what it signs are verified too.

        Raises ValueError where the whole is no export of that form or holds no line, OSError where it cannot be read.
        """
        if isinstance(source, (bytes, bytearray, memoryview, Mapping)) or not isinstance(source, (str, os.PathLike, Iterable)):
            raise TypeError(f"source: must be a path or an iterable of lines, not {type(source).__name__}")
        return self._verify_export(source, format, Names(id, receipt, subject))

    def _verify_export(
        self, source: Source, format: str | None, names: Names
    ) -> Iterator[tuple[Record, Genuine | Refused | None]]:
        for record, content in records(source, format, names):
            if isinstance(content, Refused):
                yield record, content
            elif not content:
                yield record, None
            else:
                for text in content:
                    for line in self.answer_record(json.dumps({"receipt": text}), record.place):
                        yield record, of_record(line)

    def eligibility(
        self, evidence: Iterable[Data], catalog: Catalog | None = None, products: Iterable[str] | None = None,
        as_of: datetime | str | None = None, renewal_info: Iterable[Data] = (), *,
        unsigned_renewal_info: Iterable[Unsigned] = (), single_group: bool = False, refused_evidence: str = "error"
    ) -> Verdicts:
        """Which offers one customer may still get.

        - evidence: all that is there of the customer: receipts, signed transactions, notifications, API answers.
        - catalog: None: the verifier's.
        - products: None asks about all of the catalog; without a catalog they must be named.
        - as_of: the instant that is asked about, with its time zone; None: now.
        - renewal_info: signed renewal information.
        - unsigned_renewal_info: saved verifyReceipt answers or their `pending_renewal_info`, as JSON or read already. The caller
          vouches for them; answers that rest on them have the certainty `as_of_renewal_info`.
        - single_group: in place of a catalog, all subscriptions are one group. With neither, groups are those that signed
          transactions name.
        - refused_evidence: `error` raises where anything is refused; `caveat` leaves that out, adds the caveat `evidence-refused`
          to every offer and lists it in `refusals` of the answer.

        Raises EvidenceRefused where anything of it is not genuine, with `caveat` where nothing genuine is left, and where it is
        not all of one app and environment.
        """
        _require_lists(
            evidence=evidence, products=products, renewal_info=renewal_info, unsigned_renewal_info=unsigned_renewal_info)
        if not isinstance(single_group, bool):
            raise TypeError(f"single_group: must be a bool, not {type(single_group).__name__}")
        request: dict[str, Any] = {"evidence": list(map(_text, evidence)), "refused_evidence": refused_evidence}
        if renewal_info := list(map(_text, renewal_info)):
            request["renewal_info"] = renewal_info
        if unsigned := [each if isinstance(each, (Mapping, list)) else _text(each) for each in unsigned_renewal_info]:
            request["unsigned_renewal_info"] = unsigned
        if single_group:
            request["single_group"] = True
        if products is not None:
            request["products"] = list(products)
        if as_of is not None:
            request["as_of"] = _instant("as_of", as_of)
        _, answer = self._handle.eligibility(_with_catalog(request, catalog))
        told = json.loads(answer)
        if "verdicts" not in told:
            raise EvidenceRefused.of(answer)
        return Verdicts(map(Verdict.of, told["verdicts"]), refusals(told))

    def verify_receipt_answer(self, request: Mapping[str, Any] | Data) -> dict[str, Any]:
        """What Apple's verifyReceipt would answer to the body of a request, `status` and all.

        A request may hold `latest`, signed transactions for `latest_receipt_info`: compact JWS, notifications, answers of the
        App Store Server API, as text or as JSON objects. All must be of the receipt's app and environment, else `refusal` in the
        answer says which is not. The caller vouches that they are of the receipt's customer.
        """
        if self._lacks_secret:
            raise ValueError("shared_secret: not included in a copy or pickle of a verifier; create a new verifier")
        body = json.dumps(request).encode() if isinstance(request, Mapping) else _bytes(request)
        answer: dict[str, Any] = json.loads(self._handle.verify_receipt_answer(body)[1])
        return answer


def _require_lists(**values: Any) -> None:
    for name, value in values.items():
        if value is None and name in _OPTIONAL:
            continue
        if isinstance(value, (str, bytes, bytearray, memoryview, Mapping)) or not isinstance(value, Iterable):
            raise TypeError(f"{name}: must be a list, not {type(value).__name__}")


# Lists that may be None.
_OPTIONAL = {"roots", "storekit_test_roots", "products"}


def _require_said(**values: Any) -> None:
    """A setting that is missing elsewhere must not turn a check off."""
    for name, value in values.items():
        if value is None:
            raise TypeError(f"{name}: must not be None; name the accepted values or 'any'")


def _one_or_more(name: str, values: str | Iterable[_Name]) -> str | list[_Name]:
    if isinstance(values, str):
        return values
    given: Any = values
    if isinstance(given, (bytes, bytearray, memoryview, Mapping)) or not isinstance(given, Iterable):
        raise TypeError(f"{name}: must be one value or a list, not {type(values).__name__}")
    return list(given)


def _device(device: bytes | str | uuid.UUID) -> str:
    if not isinstance(device, (bytes, str, uuid.UUID)):
        raise TypeError(f"device_id: must be bytes, a UUID or hexadecimal digits, not {type(device).__name__}")
    digits = device.hex() if isinstance(device, bytes) else str(device).replace("-", "").replace(":", "")
    if len(digits) not in (12, 32) or not all(each in string.hexdigits for each in digits):
        raise BadRequest(
            "bad_settings", f"device_id: must be a UUID (16 bytes) or a MAC address (6 bytes), not {repr(device)[:100]}")
    return digits


def _together(inputs: Iterable[Data]) -> Iterator[list[bytes]]:
    """Inputs that are verified together."""
    some: list[bytes] = []
    size = 0
    try:
        for data in map(_bytes, inputs):
            if len(some) == _TOGETHER or some and size + len(data) > _TOGETHER_BYTES:
                yield some
                some, size = [], 0
            some.append(data)
            size += len(data)
    except Exception:
        yield some
        raise
    yield some


def _bytes(data: Data) -> bytes:
    if isinstance(data, str):
        return data.encode()
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"data: must be bytes or str, not {type(data).__name__}")
    return bytes(data)


def _place(number: int) -> int:
    if not 0 < number < 1 << 62:
        raise ValueError(f"number: {number} is not a line number; the first is 1")
    return number


def _certificates(name: str, roots: Iterable[Root] | None) -> list[str] | None:
    return None if roots is None else [_certificate(f"{name}[{index}]", root) for index, root in enumerate(roots)]


def _certificate(name: str, root: Root) -> str:
    if not isinstance(root, (bytes, str, os.PathLike)):
        raise TypeError(f"{name}: must be PEM, DER or a pathlib.Path, not {type(root).__name__}")
    text = root if isinstance(root, str) else _text(root if isinstance(root, bytes) else pathlib.Path(root).read_bytes())
    # So begins the base64 of a SEQUENCE of more than 127 bytes, as which DER is handed over.
    if "-----BEGIN" not in text and not text.lstrip().startswith("MI"):
        raise BadRequest(
            "bad_settings", f"{name}: must be a certificate in PEM or DER, or a pathlib.Path of one, not {repr(root)[:100]}")
    return text


def _text(data: Data) -> str:
    """Text as it is, DER as base64: the length of what is longer than 127 bytes is no UTF-8."""
    if isinstance(data, str):
        return data
    try:
        return _bytes(data).decode()
    except UnicodeDecodeError:
        return base64.b64encode(data).decode()


def _with_catalog(members: dict[str, Any], catalog: Catalog | None) -> bytes:
    if catalog is None:
        return json.dumps(members).encode()
    # As it is: of two members of one name neither wins, and the library says so.
    text = json.dumps(members)[:-1]
    return f'{text}{", " if members else ""}"catalog": {_catalog(catalog)}}}'.encode()


def _catalog(catalog: Catalog) -> str:
    if isinstance(catalog, Mapping):
        return json.dumps(catalog)
    text = catalog if isinstance(catalog, (bytes, str)) else pathlib.Path(catalog).read_bytes()
    try:
        json.loads(text)  # one value, from which nothing sticks out
    except ValueError as error:
        raise ValueError(f"catalog: must be JSON or a pathlib.Path of a JSON file: {error}") from None
    return text if isinstance(text, str) else text.decode("utf-8-sig")


def _instant(name: str, date: datetime | str) -> str:
    """RFC 3339."""
    if isinstance(date, str):
        return date
    if not isinstance(date, datetime):
        raise TypeError(f"{name}: must be a datetime with a time zone or an RFC 3339 str, not {type(date).__name__}")
    if date.tzinfo is None:
        raise ValueError(f"{name}: {date} has no time zone")
    return date.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
