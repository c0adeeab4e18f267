"""Holds the job on a cluster against the one-machine run; see `run`."""

import base64
import csv
import json
import os
import pathlib
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


def executors(driver):
    """The processes that run tasks: descendants of the driver."""
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
    """Two receipts that tell a purchase differently, one of them created before it."""
    def receipt(name, date):
        purchase = {"product_id": "com.example.app0.monthly", "transaction_id": "9", "purchase_date": date,
                    "expires_date": "2024-03-01T00:00:00Z"}
        return {"name": name, "story": "", "receipt": {
            "bundle_id": "com.example.app0", "receipt_creation_date": "2024-01-05T00:00:00Z", "in_app": [purchase]}}

    spec = {"receipts": [receipt("early", "2024-01-01T00:00:00Z"), receipt("late", "2024-02-01T00:00:00Z")]}
    (folder / "spec.json").write_text(json.dumps(spec))
    subprocess.run([TOOL, "forge", folder / "spec.json", "--output", folder / "contradictions"], check=True)
    return sorted((folder / "contradictions").glob("*.der"))


def forge(folder):
    """The series, with receipts that several subjects present, the fixtures, and receipts that contradict others."""
    source, data = folder / "series.ndjson", folder / "data.ndjson"
    subprocess.run([TOOL, "forge", "--count", str(COUNT), "--seed", "11", "--output", source, "--roots", folder], check=True)
    with open(data, "w") as file:
        file.write("{\n\n")  # unreadable, and first: the answer tells the line's number, here the same in its partition
        for number, line in enumerate(open(source)):
            file.write(line)
            if number % 500 == 0:
                file.write(json.dumps(json.loads(line) | {"id": f"again-{number}", "subject": "somebody else"}) + "\n")
        for fixture in sorted((FIXTURES / "receipts").glob("*.der")) + contradictions(folder):
            receipt = base64.b64encode(fixture.read_bytes()).decode()
            # Texts that SQLite's and Spark's findings must write alike.
            record = {"id": f"{fixture.name}\0\u2400", "receipt": receipt, "subject": "fix/ture\0\u2400"}
            file.write(json.dumps(record) + "\n")
    return data


def on_one_machine(folder, data, options, status):
    database, lines = folder / f"{data.stem}.sqlite", folder / f"{data.stem}.verdicts"
    command = [TOOL, "audit", data, "--as-of", AS_OF, *options, "--output", database, "--ndjson", lines]
    found = subprocess.run(command, stderr=subprocess.DEVNULL).returncode
    assert found == status, found
    database = sqlite3.connect(database)
    return {
        "root": database.execute("SELECT root FROM runs").fetchone()[0],
        "verdicts": lines.read_text().split("\n")[:-1],
        "findings": database.execute("SELECT id, kind, severity, summary FROM findings ORDER BY id").fetchall(),
        "evidence": database.execute(
            "SELECT finding_id, number, receipt_id, position, certificate_id FROM finding_evidence ORDER BY 1, 2").fetchall(),
    }


def rows(folder, data):
    """The series' first records as NDJSON, CSV and Parquet of the same rows."""
    records = [json.loads(line) for line in data.read_text().splitlines() if line.startswith('{"') and "\\u0000" not in line]
    records = [{"id": None, "receipt": None, "subject": None, **record} for record in records[:ROWS]]
    with open(folder / "rows.ndjson", "w") as file:
        file.writelines(json.dumps({name: value for name, value in each.items() if value is not None}) + "\n" for each in records)
    with open(folder / "rows.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, ["id", "receipt", "subject"])
        writer.writeheader()
        writer.writerows(records)
    columns = {name: [each[name] for each in records] for name in ("id", "subject")}
    # Rows of bytes where they are base64, as warehouses have them.
    columns["receipt"] = [None if each["receipt"] is None else base64.b64decode(each["receipt"]) for each in records]
    pyarrow.parquet.write_table(pyarrow.table(columns), folder / "rows.parquet", row_group_size=ROWS // 3)
    return folder / "rows.ndjson"


def on_the_cluster(folder, data, options):
    """One application audits all three forms; an executor is killed while it is at the first."""
    runs = [(data, folder / "out-ndjson", "ndjson"), (folder / "rows.csv", folder / "out-csv", "csv"),
            (folder / "rows.parquet", folder / "out-parquet", "parquet")]
    # The rows are the same ones in every form: under one name they have one root.
    words = [[str(path), str(output), "--format", form, "--as-of", AS_OF, "--partitions", str(PARTITIONS),
              "--source", str(path.with_suffix(".ndjson")), *map(str, options)] for path, output, form in runs]
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
        # What it started ends with it.
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
    assert status == 0, (folder / "driver.log").read_text()[-4000:]
    assert "Lost executor" in (folder / "driver.log").read_text(), "the driver did not notice"
    return [output for _, output, _ in runs]


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
    verdicts = [line for part in sorted(output.glob("verdicts/part-*")) for line in part.read_text().split("\n")[:-1]]
    for found, wanted in zip(verdicts, expected["verdicts"]):
        assert found == wanted, (found, wanted)
    assert len(verdicts) == len(expected["verdicts"]), (len(verdicts), len(expected["verdicts"]))
    for table, columns in (
        ("findings", ["id", "kind", "severity", "summary"]),
        ("evidence", ["finding_id", "number", "receipt_id", "position", "certificate_id"]),
    ):
        found = read(output, table, columns)
        missing, added = set(expected[table]) - set(found), set(found) - set(expected[table])
        assert not missing and not added and len(found) == len(expected[table]), (table, list(missing)[:3], list(added)[:3])
    root = "".join(part.read_text() for part in output.glob("root/part-*")).strip()
    assert root == expected["root"], (root, expected["root"])
    print(f"{form}: the same {len(verdicts)} verdicts, {len(expected['findings'])} findings, "
          f"{len(expected['evidence'])} rows of evidence, and root {root}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = forge(folder)
        groups = {"main/\0\u2400": ["com.example.app0.monthly", "com.example.app0.yearly"], "other": ["com.example.app1.monthly"]}
        (folder / "catalog.json").write_text(json.dumps({"groups": groups}))
        options = ["--root", folder / "root.cer", "--catalog", folder / "catalog.json"]
        expected = on_one_machine(folder, data, options, status=2)  # for the line that is no JSON
        of_rows = on_one_machine(folder, rows(folder, data), options, status=1)
        started = time.monotonic()
        outputs = on_the_cluster(folder, data, options)
        print(f"the cluster took {time.monotonic() - started:.0f} s")
        for output, wanted in zip(outputs, (expected, of_rows, of_rows)):
            compare(wanted, output, output.name)
        print("kinds:", ", ".join(sorted({kind for _, kind, _, _ in expected["findings"]})))


main()
