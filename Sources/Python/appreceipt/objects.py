"""What Apple signed, in the words of the contract: `appreceipt schema verify` describes each member."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Union

from ._reading import AFTER, BEFORE, SLOTS, Lazy, Record, read
from .errors import Refused


@dataclass(frozen=True, **SLOTS)
class Certificate(Record):
    subject: str
    issuer: str
    #: Hexadecimal.
    serial: str
    not_before: datetime
    not_after: datetime
    #: Hexadecimal, of the certificate's DER.
    sha256: str


@dataclass(frozen=True, **SLOTS)
class Signature(Record):
    digest: str
    #: When the certificates had to be valid.
    verified_at: datetime
    #: From the signer to the root.
    chain: tuple[Certificate, ...]
    #: None of receipts, whose digest says all.
    algorithm: str | None = None

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Signature:
        return cls(**read({**members, "chain": tuple(map(Certificate.of, members["chain"]))}))


@dataclass(frozen=True, **SLOTS)
class UnknownAttribute(Record):
    """An attribute whose meaning is not settled, so that nothing that was signed is lost."""

    type: int
    version: int
    value: bytes


@dataclass(frozen=True, **SLOTS)
class _Purchase(Record):
    quantity: int | None
    product_id: str | None
    product_type: str | None
    transaction_id: str | None
    original_transaction_id: str | None
    purchase_date: datetime | None
    original_purchase_date: datetime | None
    expires_date: datetime | None
    cancellation_date: datetime | None
    cancellation_reason: int | None
    is_trial_period: bool | None
    is_in_intro_offer_period: bool | None
    promotional_offer_identifier: str | None
    web_order_line_item_id: str | None


@dataclass(frozen=True, **SLOTS)
class Purchase(_Purchase):
    """A purchase of a receipt."""

    unknown: tuple[UnknownAttribute, ...]

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Purchase:
        return cls(**read({**members, "unknown": tuple(map(UnknownAttribute.of, members["unknown"]))}))


@dataclass(frozen=True, **SLOTS)
class ToldPurchase(_Purchase):
    """A signed transaction's purchase, in the words of a receipt."""

    subscription_group_identifier: str | None


@dataclass(frozen=True, init=False, eq=False, **SLOTS)
class Receipt(Lazy):
    """A genuine receipt: who signed it, and what it says."""

    #: Hexadecimal, of the DER bytes.
    sha256: str
    #: Hexadecimal, of the signed content, which names the receipt: containers around the same content are the same.
    content_sha256: str
    #: `app_store`; `storekit_test` and `custom` prove nothing about the App Store.
    realm: str
    #: `Production`, `Sandbox`, `Xcode`; None where the receipt names no type that is known.
    environment: str | None
    signature: Signature
    receipt_type: str | None
    bundle_id: str
    application_version: str | None
    original_application_version: str | None
    receipt_creation_date: datetime
    original_purchase_date: datetime | None
    expiration_date: datetime | None
    app_item_id: str | None
    download_id: str | None
    version_external_identifier: str | None
    opaque_value: bytes | None
    sha1_hash: bytes | None
    in_app: tuple[Purchase, ...]
    unknown: tuple[UnknownAttribute, ...]

    @staticmethod
    def _fields(line: dict[str, Any]) -> dict[str, Any]:
        receipt = line["receipt"]
        return {
            "sha256": line["sha256"], "content_sha256": line["content_sha256"], "realm": line["realm"],
            "environment": line["environment"], "signature": Signature.of(line["signature"]), **read(receipt),
            "in_app": tuple(map(Purchase.of, receipt["in_app"])),
            "unknown": tuple(map(UnknownAttribute.of, receipt["unknown"])),
        }


@dataclass(frozen=True, init=False, eq=False, **SLOTS)
class SignedObject(Lazy):
    """A genuine signed object that is no receipt."""

    #: Hexadecimal, of the compact JWS, or of the property list.
    sha256: str
    #: `jws` or `transaction_receipt`.
    format: str
    #: `app_store`; `storekit_test` and `custom` prove nothing about the App Store.
    realm: str
    #: `Production`, `Sandbox`, `Xcode`, `LocalTesting`; None where nothing signed names one that is known.
    environment: str | None
    signature: Signature
    #: Apple's members under Apple's names, all that were signed.
    members: Mapping[str, Any]

    @staticmethod
    def _fields(line: dict[str, Any]) -> dict[str, Any]:
        return {
            "sha256": line["sha256"], "format": line["format"], "realm": line["realm"],
            "environment": line["environment"], "signature": Signature.of(line["signature"]),
            "members": line[line["kind"]],
        }


@dataclass(frozen=True, init=False, eq=False, **SLOTS)
class Transaction(SignedObject):
    """A JWSTransaction, or a transaction receipt."""

    in_app: ToldPurchase
    #: What weakens the proof: `rsa-1024`.
    caveats: tuple[str, ...]

    @staticmethod
    def _fields(line: dict[str, Any]) -> dict[str, Any]:
        return {
            **SignedObject._fields(line), "in_app": ToldPurchase.of(line["in_app"]),
            "caveats": tuple(line.get("caveats", ())),
        }


@dataclass(frozen=True, init=False, eq=False, **SLOTS)
class RenewalInfo(SignedObject):
    """A JWSRenewalInfo."""


@dataclass(frozen=True, init=False, eq=False, **SLOTS)
class AppTransaction(SignedObject):
    """A JWSAppTransaction."""


@dataclass(frozen=True, init=False, eq=False, **SLOTS)
class Notification(SignedObject):
    """A notification of the App Store's server; what it carries are objects of their own."""


@dataclass(frozen=True, init=False, eq=False, **SLOTS)
class RealtimeRequest(SignedObject):
    """A request for a retention message in real time. It names the app by `appAppleId`, not by bundle id."""


Genuine = Union[Receipt, SignedObject]
KINDS: dict[bytes, type[SignedObject]] = {
    b"transaction": Transaction, b"renewal_info": RenewalInfo, b"app_transaction": AppTransaction,
    b"notification": Notification, b"realtime_request": RealtimeRequest,
}

# What is told of a receipt; an input that is one holds nothing else. No source but "-" ends here, and no text holds a quote
# without a backslash before it.
_RECEIPT = b',"content_sha256":"'
_RECEIPT_PLACE = len(b'{"results":[{"source":"-","sha256":""') + 64
# What is told of anything else, which others may follow.
_FIRST = re.compile(
    rb'\{"results":\[\{"source":"-","sha256":"[0-9a-f]{64}","status":"genuine","format":"\w+","kind":"(\w+)"')
# For the same reason this stands at the beginning of objects alone.
_SOURCE = b'{"source":"'


def only(answer: bytes) -> Genuine | None:
    """The genuine object that an answer without a refusal holds, unread, where it holds no other; None where that needs a
    closer look."""
    if answer.startswith(_RECEIPT, _RECEIPT_PLACE):
        return Receipt._of(answer)
    first = _FIRST.match(answer)
    if first is None or answer.rfind(_SOURCE) != len(BEFORE):
        return None
    return KINDS[first[1]]._of(answer)


def every(answer: bytes) -> list[Genuine | Refused]:
    """What an answer holds, in its order."""
    return [one(line, text) for line, text in _lines(answer)]


def split(answer: bytes) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Of each line of an answer its source, what it says, and its text behind the source."""
    for line, text in _lines(answer):
        yield line["source"], line, text[text.index(',"sha256":') + 1:]


def _lines(answer: bytes) -> Iterator[tuple[dict[str, Any], str]]:
    text, decoder, place = answer.decode(), json.JSONDecoder(), len(BEFORE)
    while not text.startswith(AFTER.decode(), place):
        line, end = decoder.raw_decode(text, place)
        yield line, text[place:end]
        place = end + text.startswith(",", end)


def of_record(answer: str) -> Genuine | Refused | None:
    """What a line of `Verifier.answer_record` says; None where its record says that it holds nothing."""
    line = json.loads(answer)
    if line["status"] == "absent":
        return None
    path = "-" if line.get("path") is None else f"-#{line['path']}"
    named = {"source": path, "sha256": None, **line}
    # In a text a quote has a backslash before it: this is the member, behind those that name the record.
    return one(named, f'{{"source":{json.dumps(path, ensure_ascii=False)},' + answer[answer.find('"sha256":'):])


def one(line: dict[str, Any], text: str) -> Genuine | Refused:
    """
    - line: what the text says.
    """
    if line["status"] == "refused":
        return Refused(
            **line["refusal"], sha256=line["sha256"], path=line["source"][2:] or None, format=line.get("format"))
    return (KINDS[line["kind"].encode()] if "kind" in line else Receipt)._of(text.encode())
