"""Checks that every line of the tool's output for Fixtures fits its command's schema, and that no damaged line does."""

import copy
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import jsonschema
import jsonschema_rs
from referencing import Registry, Resource

tool = sys.argv[1]
fixtures = Path("Fixtures").resolve()
root = ["--root", str(fixtures / "roots/root.cer")]
roots = root + ["--storekit-test-root", str(fixtures / "roots/storekit-test-root.cer")]
CODES = {
    "malformed", "too_large", "untrusted_chain", "wrong_purpose", "bad_signature", "wrong_bundle_id",
    "wrong_environment", "wrong_device", "revoked", "revocation_unknown", "unreadable",
}
IS_WHOLE = os.environ.get("LINES") == "all"
# Members that the contract omits instead of setting them to null:
# - the format of refused PKCS #7 receipts
# - the wrapping of receipts that no export wrapped
# - the path of records that are one signed object
# - the attribute number of anything but a receipt
OPTIONAL = {"subject", "eligibility", "format", "wrapping", "path", "attribute"}
# Members with arbitrary content: signed by Apple, or the audit's options. A schema cannot restrict them.
OPEN = {"row", "transaction", "renewal_info", "app_transaction", "notification", "realtime_request", "settings"}


def run(*arguments, folder=fixtures, stdin=None, statuses=(0, 1, 2)):
    result = subprocess.run([tool, *arguments], cwd=folder, input=stdin, capture_output=True)
    assert result.returncode in statuses, (arguments, result.returncode, result.stderr.decode())
    return result.stdout.decode()


def lines(*arguments, **options):
    return [json.loads(line) for line in run(*arguments, **options).splitlines()]


def validator(*arguments):
    schema = json.loads(run("schema", *arguments, statuses=(0,)))
    return validators(schema)


def validators(schema):
    """Returns two independent validators of a schema. The second is some thousand times as fast.

    The first refers to the schema in a registry that is searched once. Otherwise, it would search the schema for every line.
    """
    jsonschema.Draft202012Validator.check_schema(schema)
    identifier = schema.get("$id", "urn:schema")
    registry = Registry().with_resource(identifier, Resource.from_contents(schema)).crawl()
    return jsonschema.Draft202012Validator({"$ref": identifier}, registry=registry), jsonschema_rs.Draft202012Validator(schema)


def damaged(value, path=()):
    """Yields every copy of a value with one fault, and the fault's path."""
    if isinstance(value, dict):
        yield path + ("added",), {**value, "added": None}
        for name, member in value.items():
            if name not in OPTIONAL:
                yield path + (name, "missing"), {key: value[key] for key in value if key != name}
            for place, other in damaged("open" if name in OPEN else member, path + (name,)):
                yield place, {**value, name: other}
    elif isinstance(value, list):
        yield path + ("another kind",), {"0": value}
        # Elements have the same schema, so only the first is damaged.
        for place, other in damaged(value[0], path + (0,)) if value else []:
            yield place, [other] + value[1:]
    else:
        yield path + ("another type",), [value]


def shape(value):
    """Returns the shape of a value. Only one line of each shape needs to be damaged."""
    if isinstance(value, dict):
        return tuple((name, shape(member)) for name, member in value.items())
    if isinstance(value, list):
        return tuple(sorted({repr(shape(element)) for element in value[:1]}))
    return type(value).__name__


def check(name, objects, whole):
    both = validator(name), whole
    quick = both[0][1]
    shapes = {}
    for index, value in enumerate(objects):
        is_new = shapes.setdefault(shape(value), value) is value
        for slow, fast in both:
            # The slow validator checks a line of each shape and every tenth line, or all.
            if is_new or index % 10 == 0 or IS_WHOLE:
                error = jsonschema.exceptions.best_match(slow.iter_errors(value))
                assert error is None, f"{name}: {error.json_path}: {error.message}\n{json.dumps(value)[:2000]}"
            assert fast.is_valid(value), f"{name}: the quick validator refuses {json.dumps(value)[:2000]}"
    count = 0
    for value in shapes.values():
        for place, other in damaged(copy.deepcopy(value)):
            assert not quick.is_valid(other), f"{name}: a line damaged at {place} fits the schema"
            count += 1
    assert count > 5, f"{name}: nothing was damaged"
    print(f"{name}: {len(objects)} lines fit, {count} damaged ones of {len(shapes)} shapes do not")


def enumerated(schema, value):
    """Returns the first enumeration in a schema that contains a value."""
    children = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else []
    if isinstance(schema, dict) and value in schema.get("enum", []):
        return schema["enum"]
    return next((found for child in children if (found := enumerated(child, value))), None)


def check_answers():
    """Checks the expected verifyReceipt responses in Fixtures, and the output of the verify-receipt command."""
    text = (fixtures / "../Sources/EmbeddedFiles/JSONSchemas/verify-receipt.json").read_text()
    schema, quick = validators(json.loads(text))
    rows = [json.loads(line) for line in (fixtures / "answers/answers.ndjson").read_text().splitlines()]
    shapes = {}
    for row in rows:
        error = jsonschema.exceptions.best_match(schema.iter_errors(row["answer"]))
        assert error is None, f"{row['receipt']}: {error.json_path}: {error.message}"
        shapes.setdefault(shape(row["answer"]), row["answer"])
    # Most members may be absent. The three members of a date are all present or all absent.
    needed = {"status", "environment", "receipt", "receipt_type", "bundle_id", "in_app", "auto_renew_status"}
    count = 0
    for value in shapes.values():
        for place, other in damaged(copy.deepcopy(value)):
            if place[-1] != "missing" or place[-2] in needed or "_date" in place[-2]:
                assert not quick.is_valid(other), f"an answer damaged at {place} fits the schema"
                count += 1
    assert {"latest_receipt_info", "pending_renewal_info"} <= {name for value in shapes.values() for name in value}
    # The command's output, including members of signed transactions and a refusal.
    given = ["verify-receipt", *root, "eligibility/receipts/half-a-year-then-left.der", "--latest"]
    told = [each for file in ("jws/history.json", "jws/xcode-transaction.jws") for each in lines(*given, file)]
    for value in told:
        schema.validate(value)
    assert "app_account_token" in json.dumps(told) or "in_app_ownership_type" in json.dumps(told), "no signed transaction"
    refused = next((value for value in told if "refusal" in value), None)
    assert refused is not None, "nothing was refused"
    # The schema of verify lists all codes. The command refuses --device-id.
    verified = json.loads((fixtures / "../Sources/EmbeddedFiles/JSONSchemas/verify.json").read_text())
    for code in set(enumerated(verified, "bad_signature")) - {"wrong_device"}:
        schema.validate(refused | {"refusal": refused["refusal"] | {"code": code}})
    print(f"answers: {len(rows)} fit, {count} damaged ones of {len(shapes)} shapes do not")


def revocation(work):
    """Returns lines of receipts that were checked with revocation lists and distrust lists, of every status."""
    revoked = [{"serial": "7e570001", "date": "2030-01-01T00:00:00Z", "reason": "superseded"}]
    (work / "lists.json").write_text(json.dumps({"receipts": [], "revocation_lists": [
        {"name": "leaves", "revoked": revoked}, {"name": "intermediates", "signer": "root"}]}))
    run("forge", str(work / "lists.json"), "--output", str(work / "none"), "--crls", str(work / "crls"), statuses=(0,))
    entry = {"serial": "7e570001", "issuer": "CN=Another", "reason": "superseded", "note": "n"}
    distrusts = [{"certificates": [{**entry, "from": "2025-01-01"}]}, {"certificates": [{"serial": "7e570001"}]},
                 {"certificates": [{"sha256": "ab" * 32, "from": "2025-01-01T00:00:00Z"}]}]
    schema, _ = validator("distrust")
    for value in distrusts:
        schema.validate(value)
    for other in ({"sha256": "ab"}, {"serial": "x"}, {"serial": "1", "sha256": "ab" * 32}, {}, {**entry, "reason": "x"}, {**entry, "at": ""}):
        assert not schema.is_valid({"certificates": [other]}), other
    (work / "distrust.json").write_text(json.dumps(distrusts[1]))
    leaves, both = ["--crl", str(work / "crls/leaves.crl")], ["--crl", str(work / "crls")]
    told = []
    for given in (leaves, both, [*leaves, "--revocation", "require"], ["--distrust", str(work / "distrust.json")]):
        told += lines("verify", "--json", *roots, *given, "receipts", "jws")
    assert {value["revocation"]["status"] for value in told if value["status"] == "genuine"} == {"good", "no_information", "not_checked"}
    return told


def main():
    work = Path(tempfile.mkdtemp())
    (work / "large").write_bytes(b"\0" * (25 << 20))
    receipts = "receipts"
    eligible = sorted(str(path.relative_to(fixtures)) for path in (fixtures / "eligibility/receipts").iterdir())
    catalog = ["--catalog", str(fixtures / "eligibility/Store.storekit")]
    whole = validator("--all")

    verified = lines("verify", "--json", *roots, receipts, *eligible, "regressions", "README.md", "no such file")
    verified += lines("verify", "--json", receipts)
    for demand in (["--bundle-id", "x"], ["--environment", "sandbox"], ["--device-id", "00"], ["--cross-check"]):
        verified += lines("verify", "--json", *roots, *demand, receipts)
    verified += lines("verify", "--json", str(work / "large"))
    verified += revocation(work)
    codes = {value["refusal"]["code"] for value in verified if value["status"] == "refused"}
    assert codes == CODES, f"no refusal with code {sorted(CODES - codes)}"
    check("verify", verified, whole)

    answers = []
    for question in json.loads((fixtures / "eligibility/questions.json").read_text()):
        evidence = question.get("evidence", [])
        arguments = [*(["--merge"] if evidence else []), question["receipt"], *evidence, *question.get("flags", [])]
        if "--single-group" not in arguments:
            arguments += catalog
        for product in question.get("products", []):
            arguments += ["--product", product]
        for option, member in (("--as-of", "as_of"), ("--renewal-info", "renewal_info")):
            if member in question:
                arguments += [option, question[member]]
        answers += lines("eligibility", "--json", *root, *arguments, folder=fixtures / "eligibility")
    answers += lines("eligibility", "--json", *root, *catalog, receipts, "no such file")
    # Apple's list of offers, for the product that has one and for another.
    answers += lines("eligibility", "--json", *root, *catalog, "--merge", "receipts/half-a-year-then-left.der",
                     "evidence/left.renewal.jws", "--as-of", "2026-03-02T00:00:00Z", folder=fixtures / "eligibility")
    rules = lines("rules", "--json", statuses=(0,))
    decided = {value[f"{rule['offer']}_offer"]["rule"] for rule in rules for value in answers if "status" not in value}
    assert decided == {rule["rule"] for rule in rules}, "not every rule decides an answer"
    check("eligibility", answers, whole)
    check("rules", rules, whole)

    # Records with every possible member, and records that are invalid.
    forged = lines("forge", "--count", "200", "--seed", "7", "--roots", str(work), statuses=(0,))
    check("forge", forged, whole)
    records = forged[:60] + [
        {"id": 7, "receipt": "MAT7"}, {"id": 1.5, "receipt": forged[0]["receipt"]}, {"id": "a", "subject": 5}, [],
        {"id": "b", "receipt": None}, {"subject": 5, "receipt": ""}, {"receipt": f"'{forged[0]['receipt']}'"},
        {"id": "c", "receipt": "'MAT7'"}, {"id": "e", "receipt": "sub_1MowQVLkdIwHu7ixeraBm864", "subject": "x"},
        {"id": "d", "receipt": (fixtures / "jws/notification.jws").read_text()}, {"signedTransactions": ["x.y.z", 7]},
    ]
    export = "\n".join(json.dumps(record) for record in records).encode() + b"\nno JSON\n"
    asked = ["--as-of", "2026-01-01T00:00:00Z"]
    audited = []
    for more in ([], catalog + asked):
        audited += lines("audit", "-", "--ndjson", "-", "--root", str(work / "root.cer"), *more, stdin=export)
        audited += lines("audit", receipts, "eligibility/receipts", "jws", "--ndjson", "-", *roots, *more)
    check("audit", audited, whole)

    # A record of each format, and customers with and without a subject.
    unnamed = [{key: record[key] for key in ("id", "receipt")} for record in forged[60:80]]
    export = "\n".join(json.dumps(record) for record in forged[:60] + unnamed).encode()
    apps = {f"com.example.app{number}": json.loads((fixtures / "eligibility/Store.storekit").read_text()) for number in range(40)}
    (work / "apps.json").write_text(json.dumps({"apps": apps}))
    scoped = ["--catalog", str(work / "apps.json")]
    answered = lines("audit", "-", "--subject-verdicts", "-", "--root", str(work / "root.cer"), *scoped, *asked, stdin=export)
    answered += lines("audit", "eligibility/receipts", "--subject-verdicts", "-", *roots, *catalog, *asked)
    answered.append({key: answered[0][key] for key in list(answered[0])[:7]} | {"unjudged": "more than 100000 purchases"})
    assert {type(value["subject"]) for value in answered} == {str, type(None)}, "not every kind of customer"
    check("subject-verdicts", answered, whole)

    (work / "some").write_bytes(b"".join(json.dumps(record).encode() + b"\n" for record in forged * 2))
    run("audit", str(work / "some"), "--root", str(work / "root.cer"), *asked, "--output", str(work / "audit.sqlite"))
    questions = [line.split()[0] for line in run("ask", "questions", statuses=(0,)).splitlines() if line[:1].isalpha()]
    assert len(questions) == 10, questions
    told = [each for name in questions for each in lines("ask", name, "--json", "--database", str(work / "audit.sqlite"), statuses=(0,))]
    assert {next(iter(each)) for each in told} == {"question", "row", "account"}, "not every kind of line"
    check("ask", told, whole)

    ids = lines("migrate", "--environment", "any", "--database", str(work / "audit.sqlite"), statuses=(0,))
    assert {type(value["last_expiration_date"]) for value in ids} == {str, type(None)}, "not every kind of line"
    compared = lines("migrate", "--environment", "any", "--compare", "--database", str(work / "audit.sqlite"), statuses=(1,))
    assert {len(value) for value in compared} == {1, 11}, "not every kind of line"
    check("migrate", ids + compared, whole)

    subject = next(record["subject"] for record in forged if record.get("subject"))
    remains = lines("forget", subject, "--database", str(work / "audit.sqlite"), statuses=(0,))
    check("forget", remains, whole)

    run("evidence", receipts, "jws", *roots, "--output", str(work / "evidence"))
    cited = [json.loads(path.read_text()) for path in sorted((work / "evidence").glob("*/citations.json"))]
    assert {value["content"] for value in cited} == {"content.der", "payload.json"}, "not every kind of citation"
    check("citations", cited, whole)

    (work / "export").write_bytes(b"".join(json.dumps(record).encode() + b"\n" for record in forged[:60] * 2))
    handed = work / "handed"
    root_file = str(work / "root.cer")
    run("audit", str(work / "export"), "--root", root_file, *catalog, *asked, "--evidence", str(handed))
    run("audit", receipts, *roots, "--evidence", str(work / "unasked"))
    manifests = [json.loads((work / name / "manifest.json").read_text()) for name in ("handed", "unasked")]
    check("manifest", manifests, whole)
    findings = [json.loads(line) for line in (handed / "findings.ndjson").read_text().splitlines()]
    assert any(finding["evidence"] for finding in findings), "no finding has evidence"
    check("findings", findings, whole)

    listed = [line.split()[0] for line in run("schema", statuses=(0,)).splitlines()]
    assert listed == ["verify", "eligibility", "audit", "ask", "migrate", "forget", "rules", "forge", "verify-receipt", "subject-verdicts", "citations", "manifest", "findings", "distrust"], listed
    (work / "large").unlink()
    check_answers()


main()
