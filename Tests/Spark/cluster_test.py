"""Compares the job on a cluster with the one-machine run. See `run`."""

import base64
import csv
import gzip
import json
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import pyarrow
import pyarrow.parquet

TOOL, WHEEL, COUNT, AS_OF, PARTITIONS = sys.argv[1], sys.argv[2], int(sys.argv[3]), "2024-06-01T00:00:00Z", 12
ROWS = 600
HERE = pathlib.Path(__file__).parent
FIXTURES = HERE.parent.parent / "Fixtures"
sys.path.insert(0, WHEEL)

from appreceipt.spark.finding_queries import TITLES  # noqa: E402


def executors(driver):
    """Returns the processes that run tasks, which are descendants of the driver."""
    parents, found = {}, []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if b"CoarseGrainedExecutorBackend" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except (FileNotFoundError, ProcessLookupError):
            continue

    def is_below(process):
        while process in parents and process != driver:
            process = parents[process]
        return process == driver

    return [process for process in found if is_below(process) and parents[process] not in found]


def contradictions(folder):
    """Returns two receipts with conflicting evidence about a purchase, one of them created before it."""
    def receipt(name, date):
        purchase = {"product_id": "com.example.app0.monthly", "transaction_id": "9", "purchase_date": date,
                    "expires_date": "2024-03-01T00:00:00Z"}
        return {"name": name, "story": "", "receipt": {
            "bundle_id": "com.example.app0", "receipt_creation_date": "2024-01-05T00:00:00Z", "in_app": [purchase]}}

    spec = {"receipts": [receipt("early", "2024-01-01T00:00:00Z"), receipt("late", "2024-02-01T00:00:00Z")]}
    (folder / "spec.json").write_text(json.dumps(spec))
    subprocess.run([TOOL, "forge", folder / "spec.json", "--output", folder / "contradictions"], check=True)
    return sorted((folder / "contradictions").glob("*.der"))


def purchase(app, name, original, day, **more):
    """Returns a purchase with the names of a receipt and with those of a JWS."""
    start, end = (1704067200 + 86400 * each for each in (day, day + 30))
    at = lambda seconds: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    told = {"product_id": f"{app}.monthly", "transaction_id": name, "original_transaction_id": original,
            "purchase_date": at(start), "expires_date": at(end)}
    signed = {"productId": f"{app}.monthly", "transactionId": name, "originalTransactionId": original, "bundleId": app,
              "purchaseDate": start * 1000, "originalPurchaseDate": start * 1000, "expiresDate": end * 1000, "quantity": 1,
              "signedDate": start * 1000 + 250, "environment": "Production", "type": "Auto-Renewable Subscription",
              "inAppOwnershipType": "PURCHASED", "subscriptionGroupIdentifier": "G"}
    return told, signed | more


def renewal(app, original, day, environment="Production", **more):
    return {"renewal_info": more | {
        "originalTransactionId": original, "productId": f"{app}.monthly", "autoRenewProductId": f"{app}.monthly",
        "autoRenewStatus": 0, "signedDate": (1704067200 + 86400 * day) * 1000, "environment": environment}}


def joined(folder):
    """Returns receipts and JWS that original transactions link into one customer, or that have a subject: (file,
    subject).
    """
    entries = []

    def add(subject, entry):
        entries.append((f"joined-{len(entries)}", subject, entry))

    def receipt(subject, app, originals, day, kind="Production", **more):
        date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1704067200 + 86400 * day))
        told = [purchase(app, f"{each}0", each, day - 1)[0] | more for each in originals]
        add(subject, {"receipt": {
            "bundle_id": app, "receipt_type": kind, "receipt_creation_date": date, "in_app": told}})

    app, other = "com.example.app0", "com.example.app1"
    # A long chain with its links in mixed order. In another app and in Xcode, nothing links it.
    for link in [link * 17 % 41 for link in range(41)]:
        receipt(None, app, [f"{7000 + link}", f"{7001 + link}"], link)
    receipt(None, other, ["7000", "7009"], 3)
    for day in (4, 5):
        receipt(None, app, ["7000"], day, kind="Xcode")
    for original in ("0", "0"):  # names no transaction
        receipt(None, app, [original], 6)
    # Signed transactions without a subject also link evidence. Renewal information belongs to its
    # transaction's customer, if that has one app.
    for original in ("7003", "7030", "8000"):
        add(None, {"transaction": purchase(app, f"{original}1", original, 50)[1]})
        add(None, renewal(app, original, 60))
    add(None, {"transaction": purchase(other, "80009", "8000", 51)[1]})
    add(None, renewal(app, "9999", 60))
    # Identifiers of Apple and of the app also link evidence unless others contradict them.
    generator = random.Random(5)

    def names(accounts, tokens):
        account, token = generator.randrange(2 * accounts), generator.randrange(2 * tokens)
        token = f"3db5c98d-8acf-4e29-831e-8e1f82f9{token:04x}"
        return ({"appTransactionId": f"account-{account}"} if account < accounts else {}) | (
            {"appAccountToken": generator.choice([token, token.upper()])} if int(token[-4:], 16) < tokens else {})

    for number in range(300):
        original, day = f"{90000 + generator.randrange(250)}", generator.randrange(400)
        signed = purchase(app, f"{91000 + number}", original, day)[1]
        if number % 2:
            signed |= {"type": "Consumable", "expiresDate": None}
        add(None, {"transaction": {name: value for name, value in signed.items() if value is not None} | names(120, 250)})
        if number % 10 == 0:
            add(None, renewal(app, original, day + 1, **names(120, 250)))
            receipt(None, app, [original, f"{90000 + generator.randrange(250)}"], day + 1)
            add(None, {"app_transaction": {
                "receiptType": "Production", "bundleId": app, "receiptCreationDate": 1706000000000,
                "appTransactionId": f"account-{generator.randrange(120)}"}})
    for number in range(15):  # one token for all users
        add(None, {"transaction": purchase(app, f"{92000 + number}", f"{92000 + number}", 40 * number,
                                           appAccountToken="11111111-1111-4111-8111-111111111111")[1]})
    # Subjects with evidence of several formats, some of it conflicting, and with information about an unknown
    # purchase.
    for number in range(6):
        subject, original = f"signed-{number}", f"{6000 + number}"
        receipt(subject, app, [original], 20, is_trial_period=number % 2 == 0)
        add(subject, {"transaction": purchase(app, f"{original}0", original, 19, signedDate=1706000000000 + number)[1]})
        add(subject, renewal(app, original, 40 + number))
        add(f"signed-{number + 1}", renewal(app, original, 40))
    add("signed-0", {"transaction": purchase(app, "60000", "6000", 19, revocationDate=1706100000000, revocationReason=0)[1]})
    add("signed-1", {"transaction": purchase(app, "60010", "6001", 19, inAppOwnershipType="FAMILY_SHARED")[1]})
    for name, offer in (("60021", {"offerType": 1, "offerDiscountType": "FREE_TRIAL"}), ("60022", {"offerType": 1}),
                        ("60023", {"offerType": 2, "offerIdentifier": "o"}), ("60024", {"isUpgraded": True})):
        add("signed-2", {"transaction": purchase(app, name, name, int(name) - 60000, **offer)[1]})
    # Trials of two subscriptions, of which a JWS of another period may say that one is shared by the family.
    for subject, owner in (("family", "FAMILY_SHARED"), ("own", "PURCHASED")):
        for original in (f"{subject}-1", f"{subject}-2"):
            receipt(subject, app, [original], 20 if original.endswith("1") else 80, is_trial_period=True)
        add(subject, {"transaction": purchase(app, f"{subject}-3", f"{subject}-2", 110, inAppOwnershipType=owner)[1]})
    # Trials of two subscriptions, of which an older JWS names another offer.
    for original in ("coded-1", "coded-2"):
        receipt("coded", app, [original], 20 if original.endswith("1") else 80, is_trial_period=True)
    add("coded", {"transaction": purchase(app, "coded-20", "coded-2", 80, offerType=3, offerDiscountType="FREE_TRIAL",
                                          signedDate=1704100000000)[1]})
    # The flags of a trial in receipts of two years, and a discount without a type in older JWS: no conflicts.
    for day, flag in ((20, False), (21, True)):
        add("flags", {"receipt": {
            "bundle_id": app, "receipt_type": "Production",
            "receipt_creation_date": f"2024-02-{day}T00:00:00Z",
            "in_app": [purchase(app, "flags-1", "flags-1", 19)[0] | {"is_trial_period": True, "is_in_intro_offer_period": flag}]}})
        add("flags", {"transaction": purchase(app, "flags-2", "flags-2", 19, offerType=1, signedDate=1706000000000 + day * 86400000,
                                              **({"offerDiscountType": "FREE_TRIAL"} if flag else {}))[1]})
    for number in range(2):  # names no app
        add(f"nameless-{number}", {"transaction": purchase(app, f"500{number}", "5000", 19, bundleId=None)[1]})
    spec = {"receipts": [{"name": name, "story": "", **entry} for name, _, entry in entries]}
    (folder / "joined.json").write_text(json.dumps(spec))
    subprocess.run([TOOL, "forge", folder / "joined.json", "--output", folder / "joined"], check=True)
    files = {path.stem: path for path in (folder / "joined").iterdir()}
    found = [(files[name], subject) for name, subject, _ in entries]
    fixtures = [(path, subject) for path in sorted((FIXTURES / "jws").iterdir()) for subject in (None, "tides", "somebody else")]
    return found + fixtures + found[::9] + [(FIXTURES / "jws/app-transaction.jws", "only an app transaction")]


def forge(folder):
    """Writes the input: evidence of all kinds that must be linked, then the series, receipts that several subjects
    present, the fixtures, and conflicting receipts.
    """
    source, data = folder / "series.ndjson", folder / "data.ndjson"
    subprocess.run([TOOL, "forge", "--count", str(COUNT), "--seed", "11", "--output", source, "--roots", folder], check=True)
    with open(data, "w") as file:
        file.write("{\n\n")  # unreadable, and first: the answer contains the line number, which is the same in its partition here
        for path, subject in joined(folder):
            text = base64.b64encode(path.read_bytes()).decode() if path.suffix == ".der" else path.read_text().strip()
            record = {"id": path.name, "receipt": text} | ({"subject": subject} if subject else {})
            file.write(json.dumps(record) + "\n")
        for number, line in enumerate(open(source)):
            file.write(line)
            if number % 500 == 0:
                file.write(json.dumps(json.loads(line) | {"id": f"again-{number}", "subject": "somebody else"}) + "\n")
        for fixture in sorted((FIXTURES / "receipts").glob("*.der")) + contradictions(folder):
            receipt = base64.b64encode(fixture.read_bytes()).decode()
            # Texts that SQLite's and Spark's findings must write equally.
            record = {"id": f"{fixture.name}\0\u2400", "receipt": receipt, "subject": "fix/ture\0\u2400"}
            file.write(json.dumps(record) + "\n")
    return data


def on_one_machine(folder, data, options, status, name=None):
    database, lines, customers = (folder / f"{name or data.stem}.{end}" for end in ("sqlite", "verdicts", "customers"))
    command = [TOOL, "audit", data, "--as-of", AS_OF, *options, "--output", database, "--ndjson", lines,
               "--subject-verdicts", customers]
    found = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    assert found.returncode == status, (found.returncode, found.stderr)
    (folder / f"{name or data.stem}.messages").write_text(found.stderr)
    database = sqlite3.connect(database)
    assert dict(database.execute("SELECT kind, title FROM finding_kinds")) == TITLES, TITLES
    return {
        "root": database.execute("SELECT root FROM runs").fetchone()[0],
        "verdicts": lines.read_text().split("\n")[:-1],
        "subject-verdicts": customers.read_text().split("\n")[:-1],
        "findings": database.execute("SELECT id, kind, severity, summary FROM findings ORDER BY id").fetchall(),
        "evidence": database.execute(
            "SELECT finding_id, number, receipt_id, position, certificate_id FROM finding_evidence ORDER BY 1, 2").fetchall(),
        "not-looked-for": database.execute("SELECT kind, title, reason FROM not_looked_for ORDER BY id").fetchall(),
    }


def rows(folder, data):
    """Writes the series' first records as NDJSON, CSV and Parquet with the same rows."""
    records = [json.loads(line) for line in data.read_text().splitlines() if line.startswith('{"') and "\\u0000" not in line]
    records = [{"id": None, "receipt": None, "subject": None, **record} for record in records[:ROWS]]
    with open(folder / "rows.ndjson", "w") as file:
        file.writelines(json.dumps({name: value for name, value in each.items() if value is not None}) + "\n" for each in records)
    with open(folder / "rows.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, ["id", "receipt", "subject"])
        writer.writeheader()
        writer.writerows(records)
    columns = {name: [each[name] for each in records] for name in ("id", "subject", "receipt")}
    # Rows of text, and rows of bytes for base64. Data warehouses have both.
    for name in ("rows", "bytes"):
        pyarrow.parquet.write_table(pyarrow.table(columns), folder / f"{name}.parquet", row_group_size=ROWS // 3)
        columns["receipt"] = [None if each["receipt"] is None else content(each["receipt"]) for each in records]
    (folder / "rows.ndjson.gz").write_bytes(gzip.compress((folder / "rows.ndjson").read_bytes()))
    return folder / "rows.ndjson"


def content(text):
    """Returns the bytes of base64, or the text of a JWS or a response."""
    return base64.b64decode(text) if text.startswith("M") else text.encode()


def on_the_cluster(folder, data, options, policies):
    """Runs one application that audits all formats and once with policies. An executor is killed during the first
    audit.
    """
    plain = folder / "rows.ndjson"
    # Spark distributes the lines of a compressed file, as it does if workers cannot read the file.
    runs = [(data, folder / "out-ndjson", "ndjson"), (folder / "rows.ndjson.gz", folder / "out-gzip", "ndjson"),
            (folder / "rows.csv", folder / "out-csv", "csv"), (folder / "rows.parquet", folder / "out-parquet", "parquet"),
            (folder / "bytes.parquet", folder / "out-bytes", "parquet")]
    # The rows are equal in every format. Rows of text have one root. A leaf states that a row of bytes was
    # received as bytes.
    common = ["--as-of", AS_OF, "--partitions", str(PARTITIONS)]
    words = [[str(path), str(output), "--format", form, *common, *map(str, options)] for path, output, form in runs]
    words.append([str(plain), str(folder / "out-policies"), "--format", "ndjson", *common, *map(str, policies)])
    words.append([*words[0], "--verdicts-only"])
    words[-1][1] = str(folder / "out-verdicts-only")
    log = open(folder / "driver.log", "w")
    driver = subprocess.Popen([sys.executable, HERE / "application.py", WHEEL, json.dumps(words)], stdout=log, stderr=log,
                              env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable},
                              start_new_session=True)
    try:
        wait_for_parts(runs[0][1], driver, PARTITIONS // 4, folder / "driver.log")
        os.kill(executors(driver.pid)[0], signal.SIGKILL)
        print(f"killed an executor when {len(parts(runs[0][1]))} of {PARTITIONS} parts were written")
        status = driver.wait(timeout=1200)
    finally:
        # Child processes end with the driver.
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
    assert status == 0, (folder / "driver.log").read_text()[-4000:]
    assert "Lost executor" in (folder / "driver.log").read_text(), "the driver did not report it"
    return [pathlib.Path(output) for _, output, *_ in words]


def parts(output):
    return [*output.glob("verdicts/**/task_*/part-*"), *output.glob("verdicts/part-*")]


def wait_for_parts(output, driver, count, log):
    while len(parts(output)) < count:
        if driver.poll() is not None:
            sys.exit(f"{log.read_text()[-4000:]}\nthe job ended with {driver.poll()} before an executor could be killed")
        time.sleep(0.05)


def read(output, name, columns):
    lines = [json.loads(line) for part in sorted(output.glob(f"{name}/part-*")) for line in open(part)]
    return sorted((tuple(line.get(column) for column in columns) for line in lines), key=lambda row: row[:2])


def compare(expected, output, form):
    """Compares the output with the expected rows. Other expected tables must not exist."""
    written = {each.name for each in output.iterdir()}
    assert written == ({"verdicts", "root"} if "only" in form else set(expected)), written
    for name in sorted(written & {"verdicts", "subject-verdicts"}):
        lines = [line for part in sorted(output.glob(f"{name}/part-*")) for line in part.read_text().split("\n")[:-1]]
        for found, wanted in zip(lines, expected[name]):
            assert found == wanted, (name, found, wanted)
        assert len(lines) == len(expected[name]), (name, len(lines), len(expected[name]))
    for table, columns in (
        ("findings", ["id", "kind", "severity", "summary"]),
        ("evidence", ["finding_id", "number", "receipt_id", "position", "certificate_id"]),
    ):
        if table not in written:
            continue
        found = read(output, table, columns)
        missing, added = set(expected[table]) - set(found), set(found) - set(expected[table])
        assert not missing and not added and len(found) == len(expected[table]), (table, list(missing)[:3], list(added)[:3])
    if "not-looked-for" in written:
        lines = [json.loads(line) for part in output.glob("not-looked-for/part-*") for line in open(part)]
        found = [tuple(line.get(column) for column in ("kind", "title", "reason")) for line in lines]
        assert found == expected["not-looked-for"], (found, expected["not-looked-for"])
    root = "".join(part.read_text() for part in output.glob("root/part-*")).strip()
    assert (root == expected["root"]) == (form != "out-bytes"), (root, expected["root"])
    counts = ", ".join(f"{len(expected[name])} {name}" for name in sorted(written - {"root"}))
    print(f"{form}: the same {counts}, and root {root}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = forge(folder)
        groups = {"main/\0\u2400": ["com.example.app0.monthly", "com.example.app0.yearly"],
                  "other": ["com.example.app1.monthly", "com.example.app1.nobody-s", "com.example.app1.weekly"]}
        (folder / "catalog.json").write_text(json.dumps({"groups": groups}))
        options = ["--root", folder / "root.cer", "--catalog", folder / "catalog.json"]
        for name in ("storekit-test-root.cer", "storekit-test-jws-root.cer"):
            options += ["--storekit-test-root", FIXTURES / "roots" / name]
        expected = on_one_machine(folder, data, options, status=2)  # for the invalid JSON line
        of_rows = on_one_machine(folder, rows(folder, data), options, status=1)
        started = time.monotonic()
        # Each policy refuses something, and products are evaluated only for customers of their app.
        policies = [*options[:2], *options[4:], "--catalog", f"com.example.app0={folder / 'catalog.json'}",
                    "--bundle-id", "com.example.app0", "--bundle-id", "com.example.app1", "--environment", "production",
                    "--app-apple-id", "1", "--app-apple-id", "1450218337", "--sha1-signatures", "none",
                    "--signature-checks", "2", "--refunds", "ignore", "--stale-evidence", "undetermined",
                    "--partial-evidence", "undetermined", "--promotional-scope", "app"]
        under_policies = on_one_machine(folder, folder / "rows.ndjson", policies, status=1, name="policies")
        codes = {json.loads(line)["refusal"]["code"] for line in under_policies["verdicts"] if '"refusal":{' in line}
        assert {"wrong_bundle_id", "wrong_environment"} < codes, codes
        outputs = on_the_cluster(folder, data, options, policies)
        print(f"the cluster took {time.monotonic() - started:.0f} s")
        for output, wanted in zip(outputs, (expected, of_rows, of_rows, of_rows, of_rows, under_policies, expected), strict=True):
            compare(wanted, output, output.name)
        printed = (folder / "driver.log").read_text().splitlines()
        for messages in folder.glob("*.messages"):
            said = [line.partition(": ")[2] for line in messages.read_text().splitlines() if ": skipped because " in line]
            assert said and set(said) <= set(printed), (messages.name, set(said) - set(printed))
        titles = [title for _, title, _ in expected["not-looked-for"]]
        for title in ("Offers of 2 products: com.example.app1.nobody-s, com.example.app1.weekly", "Offers of ", "Customers that ",
                      "The app transaction id of "):
            assert any(each.startswith(title) for each in titles), (title, titles)
        assert any(title.startswith("Offers of ") for _, title, _ in under_policies["not-looked-for"])
        print("kinds:", ", ".join(sorted({kind for _, kind, _, _ in expected["findings"]})))


main()
