"""Checks that the C library's answers equal the command line's output byte for byte.

answers.py PROGRAM, the program of boundary.c. TOOL is the path of the tool.
"""

import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Differential"))
import customers as differential  # noqa: E402

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "Fixtures"
BORDER, TOOL = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(os.environ["TOOL"]).resolve()
ROOTS = FIXTURES / "roots"
XCODE = ROOTS / "storekit-test-root.cer", ROOTS / "storekit-test-jws-root.cer"
STORE = FIXTURES / "eligibility/Store.storekit"


def der(path):
    return base64.b64encode(path.read_bytes()).decode()


def pem(path):
    return f"-----BEGIN CERTIFICATE-----\n{base64.encodebytes(path.read_bytes()).decode()}-----END CERTIFICATE-----\n"


ANY = {"bundle_ids": "any", "environment": "any"}
TRUSTING = ANY | {"roots": [pem(ROOTS / "root.cer")], "storekit_test_roots": [der(path) for path in XCODE]}
TRUST = ["--root", ROOTS / "root.cer", *(each for path in XCODE for each in ("--storekit-test-root", path))]


def pem_list(path):
    return f"-----BEGIN X509 CRL-----\n{base64.encodebytes(path.read_bytes()).decode()}-----END X509 CRL-----\n"


def forged_lists(folder):
    """Writes the revocation lists leaf.crl, root.crl and revoked.crl of the test authority, and a distrust list."""
    dates = {"this_update": "2025-01-01T00:00:00Z", "next_update": "2039-01-01T00:00:00Z", "story": ""}
    revoked = [{"serial": "7e570001", "date": "2020-01-01T00:00:00Z", "reason": "key-compromise"}]
    (folder / "lists.json").write_text(json.dumps({"receipts": [], "revocation_lists": [
        dates | {"name": "leaf", "signer": "intermediate"}, dates | {"name": "root", "signer": "root"},
        dates | {"name": "revoked", "signer": "intermediate", "revoked": revoked}]}))
    subprocess.run([TOOL, "forge", folder / "lists.json", "--output", folder / "receipts", "--roots", folder / "roots", "--crls", folder],
                   check=True, capture_output=True)
    (folder / "distrust.json").write_text(json.dumps(DISTRUST))
    return folder


DISTRUST = {"certificates": [{"serial": "7e570001", "from": "2025-01-01", "reason": "superseded"}]}
FOLDER = tempfile.TemporaryDirectory()
LISTS = forged_lists(pathlib.Path(FOLDER.name))

# (settings, options of the command line)
DEMANDS = [
    (ANY, []),
    (ANY | {"cross_check": False}, []),
    (TRUSTING, TRUST),
    (TRUSTING | {"cross_check": True}, [*TRUST, "--cross-check"]),
    (TRUSTING | {"bundle_ids": ["com.example.lumen"]}, [*TRUST, "--bundle-id", "com.example.lumen"]),
    (TRUSTING | {"bundle_ids": ["com.example.other"], "environment": "sandbox"},
     [*TRUST, "--bundle-id", "com.example.other", "--environment", "sandbox"]),
    (TRUSTING | {"environment": "xcode"}, [*TRUST, "--environment", "xcode"]),
    (TRUSTING | {"limits": {"signature_checks": 1, "signed_text_bytes": 1000}, "sha1_signatures": "none"},
     [*TRUST, "--signature-checks", "1", "--signed-text-bytes", "1000", "--sha1-signatures", "none"]),
    (TRUSTING | {"bundle_ids": "com.example.lumen", "environment": ["production", "sandbox"]},
     [*TRUST, "--bundle-id", "com.example.lumen", "--environment", "production", "--environment", "sandbox"]),
    (TRUSTING | {"bundle_ids": ["com.example.lumen", "com.example.other"], "environment": ["xcode"]},
     [*TRUST, "--bundle-id", "com.example.lumen", "--bundle-id", "com.example.other", "--environment", "xcode"]),
    (TRUSTING | {"crl": [pem_list(LISTS / "leaf.crl"), der(LISTS / "root.crl")], "revocation": "require"},
     [*TRUST, "--crl", LISTS / "leaf.crl", "--crl", LISTS / "root.crl", "--revocation", "require"]),
    (TRUSTING | {"crl": [der(LISTS / "revoked.crl")]}, [*TRUST, "--crl", LISTS / "revoked.crl"]),
    (TRUSTING | {"distrust": DISTRUST}, [*TRUST, "--distrust", LISTS / "distrust.json"]),
    (TRUSTING | {"revocation": "off"}, [*TRUST, "--revocation", "off"]),
    (TRUSTING | {"device_id": "00:1b-63840000"}, [*TRUST, "--device-id", "001B63840000"]),
]
# The names of the options in the settings.
POLICIES = {"--refunds": "refunds", "--stale-evidence": "stale_evidence", "--partial-evidence": "partial_evidence",
            "--promotional-scope": "promotional_scope"}


def answers(function, settings, paths):
    """Returns the code and the answer for each file."""
    with tempfile.NamedTemporaryFile("w") as file:
        json.dump(settings, file)
        file.flush()
        lines = subprocess.run([BORDER, function, file.name, *paths], check=True, capture_output=True).stdout.split(b"\n")
    return [(int(line[:1]), line[2:]) for line in lines[:-1]]


def expect(what, seen, wanted):
    if seen != wanted:
        sys.exit(f"{what}:\n  {seen}\n  and not\n  {wanted}")


def verify():
    paths = sorted(path for folder in ("receipts", "jws", "genuine/receipts", "eligibility/receipts", "eligibility/evidence",
                                       "roots") for path in (FIXTURES / folder).iterdir() if path.is_file())
    codes = set()
    for settings, options in DEMANDS:
        lines = {path: [] for path in paths}
        for line in subprocess.run([TOOL, "verify", "--json", *options, *paths], capture_output=True).stdout.splitlines():
            source = json.loads(line)["source"]
            path = pathlib.Path(source.split("#")[0])
            # The source as it is for standard input.
            lines[path].append(line.replace(json.dumps(source).encode(), json.dumps("-" + source[len(str(path)):]).encode(), 1))
        for path, seen in zip(paths, answers("verify", settings, paths), strict=True):
            code = int(any(json.loads(line)["status"] != "genuine" for line in lines[path]))
            expect(f"{path} {settings}", seen, (code, b'{"results":[' + b",".join(lines[path]) + b"]}"))
            codes.add(code)
    expect("codes", codes, {0, 1})
    print(f"verify: {len(paths)} files under {len(DEMANDS)} settings, equal to the command line")


def large():
    """Checks an input one byte above the limit, and one at the limit."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / str(extra) for extra in (0, 1)]
        for extra, path in enumerate(paths):
            path.write_bytes(b" " * ((16 << 20) * 3 // 2 + extra))
        for path, (code, answer) in zip(paths, answers("verify", ANY, paths), strict=True):
            run = subprocess.run([TOOL, "verify", "--json", "-"], stdin=path.open("rb"), capture_output=True)
            expect(f"large {path.name}", (code, answer), (1, b'{"results":[' + run.stdout.rstrip() + b"]}"))


def as_text(path):
    return der(path) if path.suffix == ".der" else path.read_text().strip()


def asked(paths, renewals, unsigned, members, options, policies=()):
    """Returns the code and answer to a request, and the command line's exit status and answer to the same."""
    settings = TRUSTING | {"policies": {POLICIES[name]: value for name, value in zip(policies[::2], policies[1::2], strict=True)}}
    request = members | {"evidence": list(map(as_text, paths)), "renewal_info": list(map(as_text, renewals)),
                         "unsigned_renewal_info": unsigned}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "request").write_text(json.dumps(request))
        code, answer = answers("eligibility", settings, [folder / "request"])[0]
        names = [f"evidence[{number}]" for number in range(len(paths))]
        for each, path in zip(names, paths):
            (folder / each).symlink_to(path)
        for number, each in enumerate(unsigned):
            (folder / f"unsigned{number}").write_text(each if isinstance(each, str) else json.dumps(each))
        renewals = [*renewals, *(folder / f"unsigned{number}" for number in range(len(unsigned)))]
        run = subprocess.run(
            [TOOL, "eligibility", "--merge", "--json", *names, *TRUST, *options, *policies,
             *(each for path in renewals for each in ("--renewal-info", path)),
             *(["--as-of", members["as_of"]] if "as_of" in members else []),
             *(each for product in members.get("products", []) for each in ("--product", product))], cwd=folder, capture_output=True)
    return (code, answer), (run.returncode, b'{"verdicts":[' + b",".join(run.stdout.splitlines()))


def eligibility():
    folder = FIXTURES / "eligibility"
    rows = json.loads((folder / "questions.json").read_text())
    unsigned_rows = 0
    for row in rows:
        renewals = row.get("renewal_info", [])
        renewals = [folder / path for path in ([renewals] if isinstance(renewals, str) else renewals)]
        # As text and as parsed JSON.
        unsigned = [path.read_text() if row["name"] < "m" else json.loads(path.read_text())
                    for path in renewals if path.suffix == ".json" and not b"signed" in path.read_bytes()]
        unsigned_rows += bool(unsigned)
        signed = [path for path in renewals if path.suffix != ".json" or b"signed" in path.read_bytes()]
        members = {name: row[name] for name in ("products", "as_of") if name in row} | {"catalog": json.loads(STORE.read_text())}
        seen, wanted = asked([folder / path for path in [row["receipt"], *row.get("evidence", [])]], signed, unsigned, members,
                             ["--catalog", STORE], row.get("flags", []))
        wanted = wanted[0], wanted[1] + b"]}"
        if "as_of" not in row:  # Both read the clock, one after the other.
            seen, wanted = ((code, re.sub(rb'"as_of":"[^"]*"', b"", text)) for code, text in (seen, wanted))
        expect(row["name"], seen, wanted)
    expect("questions with unsigned renewal information", unsigned_rows > 2, True)
    # No catalog: a single group, or the groups in signed transactions.
    left, history = folder / "receipts/trial-then-left.der", FIXTURES / "jws/history.json"
    products, as_of = ["com.example.tides.monthly", "com.example.other"], "2026-06-01T00:00:00Z"
    for members, options in (({"single_group": True}, ["--single-group"]), ({}, [])):
        for paths in ([left], [history], [left, history]):
            seen, wanted = asked(paths, [], [], members | {"products": products, "as_of": as_of}, options)
            expect(f"no catalog {members} {paths}", seen, (wanted[0], wanted[1] + b"]}"))
    # Refused evidence is omitted, listed, and a caveat of every offer. The same applies to renewal
    # information.
    tampered, info = FIXTURES / "receipts/tampered.der", FIXTURES / "jws/unsigned.jws"
    catalog = {"catalog": json.loads(STORE.read_text()), "as_of": as_of, "refused_evidence": "caveat"}
    for paths, renewals, refused in (
        ([left], [], []), ([left, tampered], [], [{"evidence": 1}]), ([tampered, history, tampered], [], [{"evidence": 0}, {"evidence": 2}]),
        ([left], [info], [{"renewal_info": 0}]),
    ):
        (code, answer), (status, verdicts) = asked(paths, renewals, [], catalog, ["--catalog", STORE])
        expect(f"omitted from {paths}", (code, answer.startswith(verdicts + b'],"refusals":[')), (status, True))
        told = json.loads(answer)
        expect("refusals", [{name: each[name] for name in each if name != "refusal"} for each in told["refusals"]], refused)
        expect("codes", all(each["refusal"]["code"] for each in told["refusals"]), True)
        for verdict in told["verdicts"]:
            for offer in ("introductory_offer", "promotional_offer", "win_back_offer"):
                expect("caveat", "evidence-refused" in verdict[offer]["caveats"], bool(refused))
    # Without genuine evidence there is no verdict.
    (code, answer), (status, verdicts) = asked([tampered], [], [], catalog, ["--catalog", STORE])
    expect("no genuine evidence left", (code, status, verdicts, b'"verdicts"' in answer), (1, 1, b'{"verdicts":[', False))
    print(f"eligibility: {len(rows)} questions and more, equal to the command line")


def verify_receipt():
    """Checks Apple's status codes and the members that its clients read. Other tests check the answers themselves."""
    receipt = json.dumps({"receipt-data": der(FIXTURES / "eligibility/receipts/trial-then-left.der"), "password": "secret"})
    # (settings of verify_receipt, code, status)
    rows = [
        ({}, 0, 0),
        ({"environment": "production", "shared_secret": "secret", "latest": "omitted"}, 0, 0),
        ({"shared_secret": "other"}, 1, 21004),
        ({"shared_secret": ""}, 1, 21004),  # never matches
        ({"environment": "sandbox"}, 1, 21008),
    ]
    with tempfile.NamedTemporaryFile("w") as body:
        body.write(receipt)
        body.flush()
        for settings, code, status in rows:
            seen, answer = answers("verify-receipt", TRUSTING | {"verify_receipt": settings}, [body.name])[0]
            expect(f"verifyReceipt {settings}", (seen, json.loads(answer)["status"]), (code, status))
        members = lambda latest: set(json.loads(answers(
            "verify-receipt", TRUSTING | {"verify_receipt": {"latest": latest}}, [body.name])[0][1]))
        expect("latest", members("as-of-receipt") - members("omitted"), {"latest_receipt_info"})
        # The environment in the settings is the endpoint's. A receipt of another app is refused.
        for settings, status in (({"environment": "sandbox"}, 21008), ({"bundle_ids": ["com.example.other"]}, 21003)):
            answer = answers("verify-receipt", TRUSTING | settings, [body.name])[0][1]
            expect(f"verifyReceipt {settings}", json.loads(answer)["status"], status)
    # Signed transactions newer than the receipt, as text and as JSON. Those of another environment are
    # refused with a reason.
    newest = (FIXTURES / "eligibility/receipts/half-a-year-then-left.der")
    history = json.loads((FIXTURES / "jws/history.json").read_text())
    # (latest, code, status)
    rows = [([history], 0, 0), ([json.dumps(history)], 0, 0), (history["signedTransactions"], 0, 0),
            ([(FIXTURES / "jws/xcode-transaction.jws").read_text().strip()], 1, 21003), ([7], 1, 21002)]
    for latest, code, status in rows:
        with tempfile.NamedTemporaryFile("w") as body:
            body.write(json.dumps({"receipt-data": der(newest), "latest": latest}))
            body.flush()
            seen, answer = answers("verify-receipt", TRUSTING, [body.name])[0]
        answer = json.loads(answer)
        expect(f"latest {str(latest)[:40]}", (seen, answer["status"]), (code, status))
        if code:
            expect(f"latest {str(latest)[:40]}", answer["refusal"]["field"][:9], "latest[0]")
        else:
            expect("latest", answer["latest_receipt_info"][0]["in_app_ownership_type"], "PURCHASED")
    print("verifyReceipt: answers follow the settings")


def customers():
    """Checks that snapshots give the audit's verdicts on their customers."""
    as_of = "2026-06-01T00:00:00Z"
    plain = json.loads(STORE.read_text())
    paths = sorted(path for folder in ("receipts", "jws", "genuine/receipts", "eligibility/receipts", "eligibility/evidence")
                   for path in (FIXTURES / folder).iterdir() if path.is_file())
    text = lambda path: der(path) if path.suffix == ".der" else path.read_text()
    # Presents every receipt three times, at least twice for the same subject. SQLite cannot store the U+0000
    # in the subjects' names unchanged.
    records = [json.dumps({"id": f"{number}-{path.name}", "subject": f"s{number % most}\0\u2400", "receipt": text(path)})
               for most in (9, 4, 4) for number, path in enumerate(paths)]
    records.append(json.dumps({"id": "r", "subject": "only an app transaction", "receipt": text(FIXTURES / "jws/app-transaction.jws")}))
    # A catalog without apps: the audit evaluates an app's products only if its evidence contains them. One
    # customer's evidence lacks the products of the others.
    wanted, found, apps = audited_and_answered(records, plain, as_of)
    expect("lines only of the audit", set(wanted) - set(found), set())
    # All apps except one.
    left_out = min(apps)
    wanted, found, _ = audited_and_answered(
        records, {"apps": {app: plain for app in apps if app != left_out}}, as_of)
    expect("customers", found, wanted)
    unjudged = [json.loads(line)["unjudged"] for line in found if b'"unjudged"' in line]
    expect("reasons for missing verdicts", len(set(unjudged)), 1)
    print(f"customers: {len(found)} lines, {len(unjudged)} of them without a verdict, equal to the audit")


def audited_and_answered(records, catalog, as_of, app=None):
    """Returns the audit's lines about customers, the library's lines, and the apps.

    - app: the expected app, or None for any app.
    """
    settings = TRUSTING | {"catalog": catalog, "records": {"as_of": as_of, "evidence": True}} | ({"bundle_ids": app} if app else {})
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "export.ndjson").write_text("\n".join(records) + "\n")
        files = [folder / f"record{number}" for number in range(len(records))]
        for file, record in zip(files, records):
            file.write_text(record)
        (folder / "catalog.json").write_text(json.dumps(catalog))
        subprocess.run([TOOL, "audit", folder / "export.ndjson", *TRUST, "--catalog", folder / "catalog.json", "--as-of", as_of,
                        *(["--bundle-id", app] if app else []), "--ndjson", folder / "answers", "--subject-verdicts",
                        folder / "customers"], stderr=subprocess.DEVNULL)
        seen = [answer for _, answer in pieces("record", settings, files)]
        lines = [line for answer in seen for line in answer.splitlines()]
        expect("answers", b"\n".join(lines[::2]) + b"\n", (folder / "answers").read_bytes())
        customers, apps = [], set()
        for number, (key, evidence) in enumerate(by_customer(lines[::2], lines[1::2], "apps" in catalog), 1):
            members = {name: value for name, value in key.items() if value is not None}
            customers.append(folder / f"customer{number}")
            customers[-1].write_text(json.dumps({"customer": number, **members, "evidence": evidence}))
            apps.add(key["bundle_id"])
        answered = pieces("customer", settings, customers)
        expect("codes", {code for code, _ in answered}, {0})
        found = [line for _, answer in answered for line in answer.splitlines()]
        return (folder / "customers").read_bytes().splitlines(), found, apps


def same_everywhere():
    """Checks that the audit, `eligibility --merge` and the library give the same answers to the same evidence."""
    catalog = json.loads(STORE.read_text())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        found = differential.customers(TOOL, folder)
        for question in differential.questions(found):
            as_of, some, app = question.as_of, question.customers, question.bundle_id
            lines, kept, _ = audited_and_answered([line for each in some for line in each.records], catalog, as_of, app)
            expect("customers", kept, lines)
            audited = differential.audited([line.decode() for line in lines])
            requests = [folder / f"request-{each.subject}" for each in some]
            for each, request in zip(some, requests):
                request.write_text(json.dumps({"evidence": each.texts, "as_of": as_of, "refused_evidence": "caveat"}))

            def merged(customer):
                run = subprocess.run([TOOL, "eligibility", "--merge", "--json", *customer.files, *TRUST, "--catalog", STORE,
                                      "--as-of", as_of, *question.options], capture_output=True, text=True)
                return run.returncode, [differential.answer(line) for line in run.stdout.splitlines()]

            with ThreadPoolExecutor(2) as pool:
                merges = list(pool.map(merged, some))
            settings = TRUSTING | {"catalog": catalog} | ({"bundle_ids": app} if app else {})
            seen = answers("eligibility", settings, requests)
            for each, (status, merge), (code, body) in zip(some, merges, seen, strict=True):
                expect(each.subject, (code, differential.answers(body.decode())), (status, merge))
                lines = audited.get(each.subject, [])
                expect(each.subject, lines, merge)
    print(f"differential: {len(found)} customers, the same from audit, --merge and the library")


def pieces(function, settings, paths):
    """Returns the code and the answer for each file. An answer may have several lines, the first of which starts with
    a code.
    """
    with tempfile.NamedTemporaryFile("w") as file:
        json.dump(settings, file)
        file.flush()
        text = subprocess.run([BORDER, function, file.name, *paths], check=True, capture_output=True).stdout
    found = re.split(rb"^(\d) ", text, flags=re.MULTILINE)[1:]
    return [(int(code), answer[:-1]) for code, answer in zip(found[::2], found[1::2], strict=True)]


def by_customer(lines, kept, is_scoped):
    """Returns the key and the evidence of each customer, in the audit's order.

    - lines: the answers, one line each.
    - kept: the snapshot of each record.
    """
    refusing = {told.get("subject") for told, each in zip(map(json.loads, lines), kept, strict=True)
                if told["status"] == "refused" and each == b"null"}
    objects = [(number, json.loads(line)) for number, line in enumerate(kept, 1)]
    objects = [(number, each) for number, each in objects if each is not None]
    named = {each.get("bundle_id") for _, each in objects if each.get("bundle_id") is not None or "purchases" in each}
    asks_all = not is_scoped and len(named) < 2
    whose = lambda each: (each.get("subject"), each.get("environment"), each.get("realm"))
    apps = {}
    for _, each in objects:
        for purchase in each.get("purchases", []):
            apps.setdefault((*whose(each), purchase.get("original_transaction_id")), set()).add(each.get("bundle_id"))
        if each.get("subject") is not None and each.get("bundle_id") is not None:
            apps.setdefault(whose(each), set()).add(each["bundle_id"])
    customers = {}
    for number, each in objects:
        app = each.get("bundle_id")
        if app is None:
            for key in (*whose(each), each.get("renewal", {}).get("original_transaction_id")), whose(each):
                found = apps.get(key, set())
                if app is None and len(found) == 1 and each.get("environment"):
                    app = next(iter(found))
        # With a catalog that evaluates every product of every app, renewal information alone belongs to its
        # subject.
        if app is None and asks_all and each["kind"] == "renewal-info" and each.get("subject") is not None and "refused" not in each:
            app = "" if not (each.get("environment") and apps.get(whose(each))) else None
        if app is not None:
            # Evidence without an environment is not merged with other evidence.
            alone = -each["created_at"], number
            key = whose(each)[0], each.get("environment") or "", app, each["realm"], alone if not each.get("environment") else ()
            customers.setdefault(key, []).append((-each["created_at"], number, each))
    for (subject, environment, app, realm, _), evidence in sorted(customers.items(), key=lambda pair: pair[0]):
        is_refused = subject is not None and subject in refusing
        yield ({"subject": subject, "environment": environment or None, "bundle_id": app or None, "realm": realm,
                "evidence_refused": is_refused or None},
               [{"number": number, "kept": each} for _, number, each in sorted(evidence, key=lambda row: row[:2])])


if __name__ == "__main__":
    verify()
    large()
    eligibility()
    verify_receipt()
    customers()
    same_everywhere()
