"""Fixtures, the tool that the package is held against, and its contract's JSON made of dataclasses."""

import dataclasses
import datetime
import os
import pathlib
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
    """One that trusts the authority of Fixtures, and accepts every app and environment where the settings name none."""
    return appreceipt.Verifier(roots=[ROOT], storekit_test_roots=TEST_ROOTS, **{**ANY, **settings})


def tool_options(path):
    """What the tool is told so that it trusts what the verifier of a fixture trusts."""
    if path in GENUINE:
        return []
    return ["--root", ROOT] + [word for root in TEST_ROOTS for word in ("--storekit-test-root", root)]


def tool_lines(data, *options):
    """What `verify --json` prints of bytes."""
    command = [TOOL, "verify", "--json", *options, "-"]
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode().split("\n")[:-1]


def plain(value):
    """As the contract writes it."""
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
    """The line of the contract that a result's fields tell; the fields of the classes are all that is looked at."""
    source = {"source": "-" + ("" if result.path is None else f"#{result.path}")}
    if isinstance(result, appreceipt.Refused):
        refusal = {name: getattr(result, name) for name in ("code", "message", "offset", "field")}
        format = {} if result.format is None else {"format": result.format}
        return {**source, "sha256": result.sha256, "status": "refused", **format, "refusal": refusal}
    members = plain(result)
    if isinstance(result, appreceipt.Receipt):
        outer = {name: members.pop(name) for name in ("sha256", "content_sha256", "realm", "environment", "signature")}
        return {**source, **outer, "status": "genuine", "receipt": members}
    kind = KINDS[type(result)]
    members[kind] = members.pop("members")
    if members["format"] == "jws" and "caveats" in members:
        assert members.pop("caveats") == []
    return {**source, **members, "status": "genuine", "kind": kind}
