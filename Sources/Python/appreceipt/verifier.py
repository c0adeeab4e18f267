"""The verifier, which is created once and used from any thread."""

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

from ._arguments import Data, as_bytes, require_lists
from ._library import OK, Closed, Handle
from .batch import Batch
from .errors import BadRequest, EvidenceRefused, NotOneObject, Refused, refusals
from .exports import Names, Record, Source, records
from .objects import Foreign, Genuine, every, of_record, only
from .verdicts import Verdict, Verdicts

#: Unsigned renewal information: as JSON, or parsed.
Unsigned = Union[Data, Mapping[str, Any], "list[Any]"]
#: A certificate as DER or PEM, or the path of such a file.
Root = Union[bytes, str, "os.PathLike[str]"]
#: A StoreKit configuration or `{"groups": {"<group>": ["<product>"]}}`: as JSON, parsed, or the path of a
#: file.
Catalog = Union[Mapping[str, Any], bytes, str, "os.PathLike[str]"]

_Name = TypeVar("_Name")
V = TypeVar("V", bound="Verifier")


class Verifier(Batch):
    """Verifies App Store receipts and other signed objects. Any thread may use it, and so may forked processes and
    processes that unpickle it.

    Every verifier must name the apps and environments that it accepts. There is no default, so that a missing
    setting removes no check.

    - roots: Root certificates to trust instead of Apple's.
    - storekit_test_roots: Certificates exported from Xcode, to trust in addition.
    - bundle_ids: The expected app, or several. `any` accepts every app, for audits.
    - environment: `production`, `sandbox` or `xcode`, or several of them. `any` accepts every environment. App
      Review uses production builds in the sandbox: `["production", "sandbox"]`.
    - app_apple_id: The app's number in the App Store, or several. Refuses an object with another appAppleId, and an
      object that should have one but does not. `any`, the default, accepts every value.
    - device_id: The expected device: identifierForVendor or the MAC address, and for JWS
      AppStore.deviceVerificationID, as bytes, a UUID or hexadecimal digits. `any`, the default, accepts every
      device.
    - cross_check: Whether to cross-check with OpenSSL's own PKCS #7 code, and to refuse if the results differ.
    - sha1_signatures, limits: Settings that can refuse a genuine receipt, for example `limits={"signature_checks":
      64}`. `limits.TEXTS` lists and explains them.
    - crl: Certificate revocation lists to check the certificates with, as DER, PEM or paths. A list that cannot be
      used is a BadRequest.
    - distrust: The certificates to distrust, as JSON, parsed, or the path of a file.
    - revocation: `check`, the default with crl or distrust; `require`, to also refuse certificates that no list
      covers; or `off`.
    - catalog: The products by group, for calls of `eligibility` without a catalog.
    - records_as_of: The date for which `answer_record` and `answer_customer` evaluate the catalog's offers, with a
      time zone. None means now.
    - records_evidence: Whether `answer_and_keep` returns snapshots for `answer_customer`.
    - records_source: The number of the records' source among those of `appreceipt audit`, from 1, for
      `Answers.leaves`.
    - policies: The policies that the eligibility rules leave to the app's developer.
    - verify_receipt: The settings of `verify_receipt_answer`: `environment`, `shared_secret`, `latest`.

    `close()`, or the end of a `with` block, releases the verifier's resources after calls in other threads end. A
    pickle contains the settings, but no shared secret. `verify_receipt_answer` of an unpickled verifier raises
    ValueError if there was a secret.

    Raises BadRequest if a setting is invalid.
    """

    __slots__ = ("_handle", "_keeps", "_lacks_secret", "_returns_leaves", "_settings")

    def __init__(
        self, roots: Iterable[Root] | None = None, *, bundle_ids: str | Iterable[str], environment: str | Iterable[str],
        app_apple_id: int | str | Iterable[int] = "any",
        storekit_test_roots: Iterable[Root] | None = None, device_id: bytes | str | uuid.UUID = "any", cross_check: bool = False,
        sha1_signatures: str = "until-apple-stopped", limits: Mapping[str, int] | None = None,
        crl: Iterable[Root] | None = None, distrust: Catalog | None = None, revocation: str | None = None,
        catalog: Catalog | None = None, records_as_of: datetime | str | None = None, records_evidence: bool = False,
        records_source: int | None = None, policies: Mapping[str, Any] | None = None, verify_receipt: Mapping[str, Any] | None = None
    ) -> None:
        require_lists(roots=roots, storekit_test_roots=storekit_test_roots, crl=crl)
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
            "crl": _certificates("crl", crl, "certificate revocation list"),
            "revocation": revocation,
            "limits": _mapping("limits", limits),
            "records": records or None,
            "policies": _mapping("policies", policies),
        }
        members = {name: value for name, value in settings.items() if value is not None}
        self._open(
            _with_distrust(_with_catalog(members, catalog), distrust), records_evidence, records_source is not None,
            _mapping("verify_receipt", verify_receipt))

    def _open(
        self, settings: bytes, keeps: bool, returns_leaves: bool, verify_receipt: dict[str, Any] | None, lacks_secret: bool = False
    ) -> None:
        """Opens the library's handle.

        - verify_receipt: Its secret is passed to the library and not stored here.
        """
        answering = b"" if verify_receipt is None else b', "verify_receipt": ' + json.dumps(verify_receipt).encode()
        self._handle: Handle | Closed = Handle(settings[:-1] + answering + b"}")
        public = {name: value for name, value in (verify_receipt or {}).items() if name != "shared_secret"}
        self._lacks_secret = lacks_secret
        self._settings = settings, keeps, returns_leaves, public, lacks_secret or "shared_secret" in (verify_receipt or {})
        self._keeps, self._returns_leaves = keeps, returns_leaves

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
        # The attributes of a subclass.
        for name, value in attributes.items():
            setattr(self, name, value)

    def close(self) -> None:
        """Releases the verifier's resources after calls in other threads end. Later calls raise ValueError."""
        self._handle = Closed()

    def __enter__(self: V) -> V:
        if isinstance(self._handle, Closed):
            raise ValueError("verifier: closed")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def verify(self, data: Data) -> Genuine:
        """Verifies one signed object: a receipt in any encoding, a JWS, a transactionReceipt, or a response with
        exactly one of them.

        Raises Refused if it is not genuine or does not match the policy, and NotOneObject unless there is exactly
        one.
        """
        code, answer = self._handle.verify(data if type(data) is bytes else as_bytes(data))
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
        """Verifies every signed object in the data. Returns the object or the refusal for each, in order."""
        return every(self.answer(data))

    def answer(self, data: Data) -> bytes:
        """Returns the library's JSON answer: `results`, each of which is a line of `appreceipt verify --json`."""
        return self._handle.verify(as_bytes(data))[1]

    def verify_export(
        self, source: Source, *, format: str | None = None, id: str = "id", receipt: str = "receipt",
        subject: str = "subject"
    ) -> Iterator[tuple[Record, Genuine | Refused | Foreign | None]]:
        """Yields each record of an export with its result: one for each signed object in the record. The result is
        Refused with the code `unreadable` if the record cannot be read, or None if the record says that it has no
        receipt. It is Foreign if another store or payment system issued the value. Receipts may have the wrappings of exports.

        - source: The path of a file, or lines.
        - format: `ndjson`, or `csv` with column names in the first row. None detects the format from the first
          line.
        - id, receipt, subject: The names of the members or columns. Members and columns with the App Store Server
          API's names for signed objects are verified, too.

        Raises ValueError if the source is not an export of that format or has no lines, and OSError if it cannot be
        read.
        """
        if isinstance(source, (bytes, bytearray, memoryview, Mapping)) or not isinstance(source, (str, os.PathLike, Iterable)):
            raise TypeError(f"source: must be a path or an iterable of lines, not {type(source).__name__}")
        return self._verify_export(source, format, Names(id, receipt, subject))

    def _verify_export(
        self, source: Source, format: str | None, names: Names
    ) -> Iterator[tuple[Record, Genuine | Refused | Foreign | None]]:
        for record, content in records(source, format, names):
            if isinstance(content, Refused):
                yield record, content
                continue
            for line in self.answer_record(content, record.place):
                result = of_record(line)
                if isinstance(result, Refused) and result.code == "unreadable":
                    record = Record(None, None, record.place)
                yield record, result

    def eligibility(
        self, evidence: Iterable[Data], catalog: Catalog | None = None, products: Iterable[str] | None = None,
        as_of: datetime | str | None = None, renewal_info: Iterable[Data] = (), *,
        unsigned_renewal_info: Iterable[Unsigned] = (), single_group: bool = False, refused_evidence: str = "error"
    ) -> Verdicts:
        """Returns verdicts on the subscription offers that one customer can still get.

        - evidence: All evidence of the customer: receipts, signed transactions, notifications, API responses. Each list
          has at most 1,000 members.
        - catalog: The catalog, or None for the verifier's.
        - products: The products to evaluate, or None for all products of the catalog. Required without a catalog, and
          if a catalog of this call has more than 1,000 products.
        - as_of: The evaluation date with a time zone, or None for now.
        - renewal_info: Signed renewal information.
        - unsigned_renewal_info: Saved verifyReceipt responses or their `pending_renewal_info`, as JSON or parsed.
          The caller vouches for them. Verdicts that rest on them have the certainty `as_of_renewal_info`.
        - single_group: Whether all subscriptions belong to one group, instead of a catalog. With neither, signed
          transactions name the groups.
        - refused_evidence: `error` raises if any evidence is refused. `caveat` omits refused evidence, adds the
          caveat `evidence-refused` to every offer, and lists it in `refusals` of the result.

        Raises EvidenceRefused if any evidence is refused. With `caveat`, raises it only if no genuine evidence is
        left. Also raises it if the evidence does not belong to one app and environment.
        """
        require_lists(
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
        parsed = json.loads(answer)
        if "verdicts" not in parsed:
            raise EvidenceRefused.of(answer)
        return Verdicts(map(Verdict.of, parsed["verdicts"]), refusals(parsed))

    def verify_receipt_answer(self, request: Mapping[str, Any] | Data) -> dict[str, Any]:
        """Returns the answer of Apple's verifyReceipt to a request's body, including `status`.

        A request may contain `latest`: signed transactions for `latest_receipt_info`, as compact JWS,
        notifications, or responses of the App Store Server API. They are texts or JSON objects. All must belong to
        the receipt's app and environment. Otherwise `refusal` in the answer names the wrong one. The caller vouches
        that they belong to the receipt's customer.
        """
        if self._lacks_secret:
            raise ValueError("shared_secret: not included in a copy or pickle of a verifier; create a new verifier")
        body = json.dumps(request).encode() if isinstance(request, Mapping) else as_bytes(request)
        answer: dict[str, Any] = json.loads(self._handle.verify_receipt_answer(body)[1])
        return answer


def _require_said(**values: Any) -> None:
    """Raises TypeError for None, because a missing setting must not remove a check."""
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


def _mapping(name: str, members: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if members is not None and not isinstance(members, Mapping):
        raise TypeError(f"{name}: must be a dict, not {type(members).__name__}")
    return None if members is None else dict(members)


def _device(device: bytes | str | uuid.UUID) -> str:
    if not isinstance(device, (bytes, str, uuid.UUID)):
        raise TypeError(f"device_id: must be bytes, a UUID or hexadecimal digits, not {type(device).__name__}")
    digits = device.hex() if isinstance(device, bytes) else str(device).replace("-", "").replace(":", "")
    if len(digits) not in (12, 32) or not all(each in string.hexdigits for each in digits):
        raise BadRequest(
            "bad_settings", f"device_id: must be a UUID (16 bytes) or a MAC address (6 bytes), not {repr(device)[:100]}")
    return digits


def _certificates(name: str, roots: Iterable[Root] | None, kind: str = "certificate") -> list[str] | None:
    return None if roots is None else [_certificate(f"{name}[{index}]", root, kind) for index, root in enumerate(roots)]


def _certificate(name: str, root: Root, kind: str) -> str:
    if not isinstance(root, (bytes, str, os.PathLike)):
        raise TypeError(f"{name}: must be PEM, DER or a pathlib.Path, not {type(root).__name__}")
    text = root if isinstance(root, str) else _text(root if isinstance(root, bytes) else pathlib.Path(root).read_bytes())
    # The base64 of a SEQUENCE of more than 127 bytes begins like this. DER is passed as base64.
    if "-----BEGIN" not in text and not text.lstrip().startswith("MI"):
        raise BadRequest(
            "bad_settings", f"{name}: must be a {kind} in PEM or DER, or a pathlib.Path of one, not {repr(root)[:100]}")
    return text


def _text(data: Data) -> str:
    """Returns text unchanged, and DER as base64. DER of more than 127 bytes is never UTF-8, because of its length bytes."""
    if isinstance(data, str):
        return data
    try:
        return as_bytes(data).decode()
    except UnicodeDecodeError:
        return base64.b64encode(data).decode()


def _with_catalog(members: dict[str, Any], catalog: Catalog | None) -> bytes:
    if catalog is None:
        return json.dumps(members).encode()
    # Unparsed, so that the library refuses duplicate members.
    text = json.dumps(members)[:-1]
    return f'{text}{", " if members else ""}"catalog": {_catalog(catalog)}}}'.encode()


def _with_distrust(settings: bytes, distrust: Catalog | None) -> bytes:
    return settings if distrust is None else settings[:-1] + f', "distrust": {_catalog(distrust, "distrust")}}}'.encode()


def _catalog(catalog: Catalog, name: str = "catalog") -> str:
    if isinstance(catalog, Mapping):
        return json.dumps(catalog)
    text = catalog if isinstance(catalog, (bytes, str)) else pathlib.Path(catalog).read_bytes()
    try:
        json.loads(text)  # the text must be a single JSON value
    except ValueError as error:
        raise ValueError(f"{name}: must be JSON or a pathlib.Path of a JSON file: {error}") from None
    return text if isinstance(text, str) else text.decode("utf-8-sig")


def _instant(name: str, date: datetime | str) -> str:
    """Returns the date in RFC 3339."""
    if isinstance(date, str):
        return date
    if not isinstance(date, datetime):
        raise TypeError(f"{name}: must be a datetime with a time zone or an RFC 3339 str, not {type(date).__name__}")
    if date.tzinfo is None:
        raise ValueError(f"{name}: {date} has no time zone")
    return date.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
