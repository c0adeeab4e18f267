"""An audit on Apache Spark: receipts of any number through `appreceipt audit - --ndjson -`, and the findings across them.

    spark-submit --py-files finding_queries.py audit_job.py INPUT OUTPUT --as-of 2026-01-01T00:00:00Z

INPUT is a data set of (id, receipt, optional subject): NDJSON, CSV with a header, or Parquet, where the receipt is
base64 or binary. OUTPUT is a new folder: `verdicts`, a line for each record in the order of the input, and `findings`
and `evidence`, with the ids, severities and rows that the one-machine run writes into SQLite. The tool must be on
every worker, and so must the files that it is given.

A line that holds no record is answered with its number within the partition, not within the whole input.
"""

import argparse
import base64
import json
import shlex

from pyspark import StorageLevel
from pyspark.sql import SparkSession
from pyspark.sql.functions import col, from_json

import finding_queries

CHAIN = "array<struct<subject string, issuer string, serial string, sha256 string>>"
PURCHASES = """array<struct<product_id string, product_type string, transaction_id string,
    original_transaction_id string, purchase_date string, expires_date string, cancellation_date string,
    is_trial_period boolean, is_in_intro_offer_period boolean, promotional_offer_identifier string>>"""
VERDICT = f"""struct<id string, subject string, content_sha256 string, status string, realm string, environment string,
    refusal struct<code string>, signature struct<chain {CHAIN}>,
    receipt struct<bundle_id string, receipt_creation_date string, in_app {PURCHASES}>>"""

# 1: a receipt was refused; 2: a record could not be read, which its line says, or the input broke off, which the
# number of answers says. Anything else, a signal among it, fails the task, and Spark runs it again.
CHECKED = '"$@"; status=$?; [ $status -le 2 ]'


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--format", choices=["ndjson", "csv", "parquet"], default="ndjson")
    parser.add_argument("--as-of", required=True, help="the instant asked about: workers' clocks need not agree")
    parser.add_argument("--tool", default="appreceipt", help="the tool's path on the workers")
    parser.add_argument("--tool-options", default="", help="for example --tool-options='--root root.cer'")
    parser.add_argument("--partitions", type=int, default=0, help="at least so many")
    return parser.parse_args()


def records(spark, options):
    """The data set as lines of NDJSON, in its order."""
    if options.format == "ndjson":
        # A blank line is no record: the tool leaves it out too.
        lines = spark.sparkContext.textFile(options.input, options.partitions or None)
        return lines.filter(lambda line: line.strip(" \t\r"))
    reader = spark.read.option("header", True) if options.format == "csv" else spark.read
    rows = reader.format(options.format).load(options.input).rdd

    def line(row):
        record = {name: value for name, value in row.asDict().items() if name in ("id", "receipt", "subject")}
        if isinstance(record.get("receipt"), (bytes, bytearray)):
            record["receipt"] = base64.b64encode(record["receipt"]).decode()
        return json.dumps({name: value for name, value in record.items() if value is not None})

    return rows.map(line)


def verdicts(lines, options):
    """The tool's answers, each with the place of its record in the whole input: the receipt's id."""
    counts = lines.mapPartitions(lambda part: [sum(1 for _ in part)]).collect()
    starts = [sum(counts[:index]) for index in range(len(counts))]

    def numbered(index, part):
        place = starts[index]
        for place, line in enumerate(part, place + 1):
            yield place, line
        if place != starts[index] + counts[index]:
            raise RuntimeError(f"{counts[index]} records went in and {place - starts[index]} were answered")

    # --jobs 1: Spark keeps the cores busy, one partition each. What a record is must not depend on the partition.
    tool = [options.tool, "audit", "-", "--format", "ndjson", "--receipt-field", "receipt", "--ndjson", "-", "--jobs", "1",
            "--as-of", options.as_of]
    command = ["sh", "-c", CHECKED, "sh", *tool, *shlex.split(options.tool_options)]
    answers = lines.pipe(shlex.join(command), checkCode=True).mapPartitionsWithIndex(numbered)
    # Kept, so that the tool runs once over each partition; one that is lost with its executor is made again.
    return answers.persist(StorageLevel.DISK_ONLY)


def groups(answers):
    """The catalogue's group of each product, which every line with verdicts tells."""
    for line in answers.values().filter(lambda line: '"eligibility":[{' in line).take(1):
        return [(each["product_id"], each["subscription_group"]) for each in json.loads(line)["eligibility"]]
    return []


def main():
    options = arguments()
    spark = SparkSession.builder.appName("appreceipt audit").config("spark.sql.session.timeZone", "UTC").getOrCreate()
    answers = verdicts(records(spark, options), options)
    answers.values().saveAsTextFile(f"{options.output}/verdicts")

    table = spark.createDataFrame(answers, "receipt_id long, line string")
    table.select("receipt_id", from_json(col("line"), VERDICT).alias("v")).select("receipt_id", "v.*") \
        .createOrReplaceTempView("verdicts")
    spark.createDataFrame(groups(answers), "product_id string, subscription_group string") \
        .createOrReplaceTempView("products")
    evidence = finding_queries.evidence(spark, options.as_of).cache()
    evidence.filter("number = 1").select("id", "kind", "severity", "summary").orderBy("id").coalesce(1) \
        .write.json(f"{options.output}/findings")
    evidence.selectExpr("id AS finding_id", "number", "receipt_id", "position", "certificate_id") \
        .orderBy("finding_id", "number").coalesce(1).write.json(f"{options.output}/evidence")
    spark.stop()


if __name__ == "__main__":
    main()
