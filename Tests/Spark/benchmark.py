"""Measures the job against the stream of one machine. See `benchmark`."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

TOOL, PACKAGE, COUNT = sys.argv[1], sys.argv[2], int(sys.argv[3])
DISTINCT = min(10_000, COUNT)
CORES = 2
AS_OF = "2026-01-01T00:00:00Z"
# Not in PYTHONPATH, which executors would inherit.
sys.path.insert(0, PACKAGE)

from pyspark.sql import SparkSession  # noqa: E402

from appreceipt.spark import audit  # noqa: E402


def forge(folder):
    """Writes DISTINCT receipts repeatedly with other identifiers, because forging takes longer than verifying."""
    distinct, data = folder / "distinct.ndjson", folder / "in.ndjson"
    subprocess.run([TOOL, "forge", "--count", str(DISTINCT), "--seed", "7", "--roots", folder, "--output", distinct], check=True)
    lines = distinct.read_bytes().splitlines(keepends=True)
    with open(data, "wb", buffering=1 << 20) as file:
        for number in range(COUNT):
            file.write(b'{"id":"r%d-' % (number // DISTINCT) + lines[number % DISTINCT][len(b'{"id":"receipt-'):])
    return data


def stream(folder, data):
    """Returns the seconds of one core for all lines into a file, as the job writes them, and without output."""
    lines = folder / "lines"
    written, nowhere = (told(name, timed(folder, data, path), 1) for name, path in (
        ("stream into a file", lines), ("stream into nothing", os.devnull)))
    lines.unlink()
    return written, nowhere


def timed(folder, data, path):
    settle(data)
    with open(data, "rb") as file, open(path, "wb") as lines:
        process = subprocess.Popen(
            ["taskset", "-c", "0", TOOL, "audit", "-", "--ndjson", "-", "--root", folder / "root.cer", "--as-of", AS_OF],
            stdin=file, stdout=lines, stderr=subprocess.DEVNULL)
        began = time.monotonic()
        _, status, _ = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 1, status  # some must be refused
    return time.monotonic() - began


def settle(data):
    """Flushes earlier writes, and reads the input into the page cache."""
    os.sync()
    with open(data, "rb") as file:
        while file.read(1 << 20):
            pass


def cluster(folder):
    builder = SparkSession.builder.master(f"local-cluster[{CORES},1,3072]")
    for name, value in {
        "spark.driver.memory": "2g", "spark.executor.memory": "2g", "spark.driver.host": "127.0.0.1", "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "8", "spark.ui.showConsoleProgress": "false", "spark.local.dir": str(folder / "spark"),
    }.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def told(name, seconds, cores, against=()):
    ratios = " and ".join(f"{each / seconds / cores:.2f}" for each in against)
    print(f"| {name} | {COUNT / seconds / cores:,.0f} | {seconds * cores / COUNT * 1e6:.1f} | {seconds:.1f} | {ratios} |", flush=True)
    return seconds


def main():
    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = forge(folder)
        print("| what | a core's receipts a second | µs of a core a receipt | seconds | of the streams before |", flush=True)
        before = stream(folder, data)
        spark = cluster(folder)
        # Executors take seconds to start, but begin later jobs quickly.
        for what, more in (
            ("verdicts only", ["--verdicts-only"]), ("verdicts only, again", ["--verdicts-only"]), ("audit", []),
        ):
            # Spark writes to names that contain a comma, but takes four times as long.
            output = folder / what.replace(", ", " ")
            settle(data)
            began = time.time()
            audit.main([str(data), str(output), "--as-of", AS_OF, "--root", str(folder / "root.cer"), *more])
            for part in ("verdicts", "root", "findings", "evidence"):
                done = output / part / "_SUCCESS"
                if done.exists():
                    told(f"{what}: until all {part} were written", os.path.getmtime(done) - began, CORES, before)
            shutil.rmtree(output)
        spark.stop()
        stream(folder, data)


main()
