"""Fixtures, the tool for comparisons, and conversion of dataclasses to the contract's JSON."""

import dataclasses
import datetime
import os
import pathlib
import re
import subprocess

import appreceipt

PACKAGE = pathlib.Path(__file__).parent.parent.parent
FIXTURES = PACKAGE / "Fixtures"
TOOL = os.environ["TOOL"]
ROOT = FIXTURES / "roots/root.cer"
TEST_ROOTS = sorted((FIXTURES / "roots").glob("storekit-test-*.cer"))
FORGED = sorted(path for folder in ("receipts", "jws", "eligibility/receipts", "eligibility/evidence", "regressions")
                for path in (FIXTURES / folder).rglob("*") if path.is_file())
GENUINE = sorted((FIXTURES / "genuine/receipts").iterdir())
ANY = {"bundle_ids": "any", "environment": "any"}
RECEIPT = FIXTURES / "receipts/trial-then-renewals.der"


def forged_verifier(**settings):
    """Returns a verifier that trusts the authority of Fixtures. It accepts every app and environment unless the
    settings name some.
    """
    return appreceipt.Verifier(roots=[ROOT], storekit_test_roots=TEST_ROOTS, **{**ANY, **settings})


def tool_options(path):
    """Returns the tool's options for the trust anchors of a fixture."""
    if path in GENUINE:
        return []
    return ["--root", ROOT] + [word for root in TEST_ROOTS for word in ("--storekit-test-root", root)]


def tool_lines(data, *options):
    """Returns the lines of `verify --json` for bytes."""
    command = [TOOL, "verify", "--json", *options, "-"]
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode().split("\n")[:-1]


def attributes(record):
    """Returns the rows of a record in the contract's order: the type, the member and its kind in Swift."""
    source = (PACKAGE / f"Sources/AppReceipt/Payload/{record}.swift").read_text()
    rows = re.findall(r'visitor\.visit\((\d+), "(\w+)", \.(\w+)\(', source)
    assert len(rows) > 10
    return [(int(type), name, kind) for type, name, kind in rows]


def plain(value):
    """Returns a value in the contract's format."""
    if isinstance(value, datetime.datetime):
        assert value.utcoffset() == datetime.timedelta(0)
        milliseconds = value.microsecond // 1000
        return value.strftime("%Y-%m-%dT%H:%M:%S").zfill(19) + (f".{milliseconds:03}" if milliseconds else "") + "Z"
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if dataclasses.is_dataclass(value):
        members = {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        if isinstance(value, appreceipt.Signature) and value.algorithm is None:
            del members["algorithm"]
        return members
    return value


KINDS = {appreceipt.Transaction: "transaction", appreceipt.RenewalInfo: "renewal_info",
         appreceipt.AppTransaction: "app_transaction", appreceipt.Notification: "notification",
         appreceipt.RealtimeRequest: "realtime_request"}


def line(result):
    """Returns the contract's line for a result, from the fields of the classes only."""
    source = {"source": "-" + ("" if result.path is None else f"#{result.path}")}
    if isinstance(result, appreceipt.Refused):
        refusal = {name: getattr(result, name) for name in ("code", "message", "offset", "field")}
        format = {} if result.format is None else {"format": result.format}
        return {**source, "sha256": result.sha256, "status": "refused", **format, "refusal": refusal}
    members = plain(result)
    if isinstance(result, appreceipt.Receipt):
        outer = {name: members.pop(name) for name in ("sha256", "content_sha256", "realm", "environment", "revocation", "signature")}
        return {**source, **outer, "status": "genuine", "receipt": members}
    kind = KINDS[type(result)]
    members[kind] = members.pop("members")
    if members["format"] == "jws" and "caveats" in members:
        assert members.pop("caveats") == []
    return {**source, **members, "status": "genuine", "kind": kind}
