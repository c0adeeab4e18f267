"""Holds the job on a cluster against the one-machine run; see `run`."""

import base64
import json
import os
import pathlib
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

import pyspark

TOOL, COUNT, AS_OF, PARTITIONS = sys.argv[1], int(sys.argv[2]), "2024-06-01T00:00:00Z", 24
PACKAGE = pathlib.Path(__file__).parent.parent.parent
FIXTURES, JOB = PACKAGE / "Fixtures", PACKAGE / "Sources/Python"
SPARK = pathlib.Path(pyspark.__file__).parent
ENVIRONMENT = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(SPARK), "PYSPARK_PYTHON": sys.executable}


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Cluster:
    """A standalone master with two workers, on loopback, gone when the block ends."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.url = f"spark://127.0.0.1:{self.port}"
        self.processes = []

    def __enter__(self):
        self.start("master.Master", "--host", "127.0.0.1", "--port", str(self.port), "--webui-port", "0")
        while socket.socket().connect_ex(("127.0.0.1", self.port)):
            time.sleep(0.2)
        self.workers = [
            self.start("worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0",
                       "--work-dir", str(self.folder / f"worker{number}"), self.url)
            for number in (1, 2)
        ]
        return self

    def start(self, name, *arguments):
        log = open(self.folder / "cluster.log", "a")
        command = [SPARK / "bin/spark-class", f"org.apache.spark.deploy.{name}", *arguments]
        # In a session of its own: what it starts ends with it.
        process = subprocess.Popen(command, env=ENVIRONMENT, stdout=log, stderr=log, start_new_session=True)
        self.processes.append(process)
        return process

    def executor(self, worker):
        """The process that runs a worker's tasks; None while there is none."""
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
                if parent == worker.pid and b"CoarseGrainedExecutorBackend" in (folder / "cmdline").read_bytes():
                    return int(folder.name)
            except (FileNotFoundError, ProcessLookupError):
                continue
        return None

    def __exit__(self, *_):
        for process in reversed(self.processes):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


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


def on_one_machine(folder, data, options):
    command = [TOOL, "audit", data, "--as-of", AS_OF, *options, "--output", folder / "one.sqlite", "--ndjson", folder / "one.ndjson"]
    status = subprocess.run(command).returncode
    assert status == 2, status  # for the line that is no JSON
    database = sqlite3.connect(folder / "one.sqlite")
    return {
        "findings": database.execute("SELECT id, kind, severity, summary FROM findings ORDER BY id").fetchall(),
        "evidence": database.execute(
            "SELECT finding_id, number, receipt_id, position, certificate_id FROM finding_evidence ORDER BY 1, 2").fetchall(),
    }


def on_the_cluster(folder, data, options):
    output = folder / "out"
    with Cluster(folder) as cluster:
        command = [
            SPARK / "bin/spark-submit", "--master", cluster.url, "--driver-memory", "1g", "--executor-memory", "768m",
            "--py-files", JOB / "finding_queries.py", "--conf", "spark.ui.enabled=false",
            "--conf", "spark.sql.shuffle.partitions=8", "--conf", "spark.driver.host=127.0.0.1",
            JOB / "audit_job.py", data, output, "--as-of", AS_OF, "--tool", TOOL, "--partitions", str(PARTITIONS),
            f"--tool-options={' '.join(map(str, options))}",
        ]
        log = open(folder / "driver.log", "w")
        driver = subprocess.Popen(command, env=ENVIRONMENT, stdout=log, stderr=log)
        try:
            wait_for_parts(output, driver, PARTITIONS // 4, folder / "driver.log")
            victim = cluster.executor(cluster.workers[0])
            os.kill(victim, signal.SIGKILL)
            print(f"killed an executor when {len(parts(output))} of {PARTITIONS} parts were written")
            status = driver.wait(timeout=300)
        finally:
            driver.kill()
        assert status == 0, (folder / "driver.log").read_text()[-4000:]
        assert "Lost executor" in (folder / "driver.log").read_text(), "the driver did not notice"
    return output


def parts(output):
    return [*output.glob("verdicts/**/task_*/part-*"), *output.glob("verdicts/part-*")]


def wait_for_parts(output, driver, count, log):
    while len(parts(output)) < count:
        if driver.poll() is not None:
            sys.exit(f"{log.read_text()}\nthe job ended with {driver.poll()} before an executor could be killed")
        time.sleep(0.05)


def read(output, name, columns):
    lines = [json.loads(line) for part in sorted(output.glob(f"{name}/part-*")) for line in open(part)]
    return sorted((tuple(line.get(column) for column in columns) for line in lines), key=lambda row: row[:2])


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = forge(folder)
        groups = {"main/\0\u2400": ["com.example.app0.monthly", "com.example.app0.yearly"], "other": ["com.example.app1.monthly"]}
        (folder / "catalog.json").write_text(json.dumps({"groups": groups}))
        options = ["--root", folder / "root.cer", "--catalog", folder / "catalog.json"]
        expected = on_one_machine(folder, data, options)
        started = time.monotonic()
        output = on_the_cluster(folder, data, options)
        print(f"the cluster took {time.monotonic() - started:.0f} s")

        verdicts = b"".join(part.read_bytes() for part in sorted(output.glob("verdicts/part-*")))
        assert verdicts == (folder / "one.ndjson").read_bytes(), "the verdicts differ"
        print(f"{verdicts.count(10)} verdicts: the same bytes")
        for table, columns in (
            ("findings", ["id", "kind", "severity", "summary"]),
            ("evidence", ["finding_id", "number", "receipt_id", "position", "certificate_id"]),
        ):
            found = read(output, table, columns)
            missing, added = set(expected[table]) - set(found), set(found) - set(expected[table])
            assert not missing and not added and len(found) == len(expected[table]), (table, list(missing)[:3], list(added)[:3])
            print(f"{len(found)} rows of {table}: the same")
        print("kinds:", ", ".join(sorted({kind for _, kind, _, _ in expected["findings"]})))


main()
