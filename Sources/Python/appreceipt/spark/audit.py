"""An audit on Apache Spark: receipts of any number, verified within the executors, and the findings across them.

    python -m appreceipt.spark INPUT OUTPUT --as-of 2026-01-01T00:00:00Z --master spark://host:7077

INPUT is a data set of (id, receipt, optional subject): NDJSON, CSV with a header, or Parquet, where the receipt is
base64 or binary. OUTPUT is a new folder: `verdicts`, a line for each signed object in the order of the input, `findings`
and `evidence`, with the ids, severities and rows that the one-machine run writes into SQLite, `root`, the root of all
records that it tells of the same records, where INPUT is one file or --source names it as that run was given it, and with
--catalog `subject-verdicts`, the answer for each customer and product, as `appreceipt audit --subject-verdicts` has it.
Workers need pandas and pyarrow, as PySpark does; the verifier is handed to them.
"""

from __future__ import annotations

import argparse
from typing import Any

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, create_map, from_json, lit

from ..verifier import Verifier
from . import customers, finding_queries, ship, starts, tree, verified

CHAIN = "array<struct<subject string, issuer string, serial string, sha256 string>>"
VERDICT = f"""struct<id string, subject string, status string, refusal struct<code string>,
    signature struct<chain {CHAIN}>>"""
ASKED = "struct<eligibility array<struct<product_id string, subscription_group string>>>"
PURCHASES = """array<struct<product_id string, product_type string, transaction_id string,
    original_transaction_id string, purchase_date bigint, expires_date bigint, cancellation_date bigint,
    is_trial_period boolean, is_in_intro_offer_period boolean, promotional_offer_identifier string,
    ownership_type string, is_upgraded boolean>>"""
KEPT = f"""struct<kind string, created_at bigint, content_sha256 string, sha256 string, subject string, environment string,
    bundle_id string, realm string, purchases {PURCHASES}, renewal struct<original_transaction_id string>>"""


def arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m appreceipt.spark", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--format", choices=["ndjson", "csv", "parquet"], default="ndjson")
    parser.add_argument("--source", help="what the root calls the input, if not as it is given")
    parser.add_argument("--as-of", required=True, help="the instant asked about: workers' clocks need not agree")
    parser.add_argument("--root", action="append", help="trust this certificate, and other --root, instead of Apple's")
    parser.add_argument("--storekit-test-root", action="append", help="also trust this certificate from Xcode")
    parser.add_argument("--bundle-id", action="append", help="the app that receipts must be of, or one of them")
    parser.add_argument("--environment", choices=["production", "sandbox", "xcode", "any"], default="any")
    parser.add_argument("--catalog", help="the subscription catalogue; asks about its products")
    parser.add_argument("--partitions", type=int, default=0, help="at least so many")
    parser.add_argument("--master", help="of the cluster, if not as Spark is configured")
    parser.add_argument("--conf", action="append", default=[], metavar="NAME=VALUE", help="of Spark's configuration")
    return parser.parse_args(words)


def records(spark: SparkSession, options: argparse.Namespace) -> DataFrame:
    """The data set in its order: lines of NDJSON, or rows."""
    if options.format == "ndjson":
        # Not spark.read.text, whose partitions are in the order of their sizes.
        lines = spark.sparkContext._jsc.textFile(options.input, options.partitions or 1)
        encoder = spark._jvm.org.apache.spark.sql.Encoders.STRING()
        return DataFrame(spark._jsparkSession.createDataset(lines.rdd(), encoder).toDF(), spark)
    reader: Any = spark.read
    if options.format == "csv":
        # As RFC 4180 has it: a quote within quotes is written twice.
        reader = reader.options(header=True, multiLine=True, quote='"', escape='"')
    rows = reader.format(options.format).load(options.input)
    return rows.select([name for name in ("id", "receipt", "subject") if name in rows.columns])


def groups(answers: DataFrame) -> list[tuple[str, str | None]]:
    """The catalogue's group of each product, which every line with verdicts tells."""
    # What was signed may have a member of any name: the text alone is no answer.
    asked = answers.where("contains(line, '\"eligibility\":[{')").select(from_json(col("line"), ASKED).alias("v"))
    for row in asked.where("size(v.eligibility) > 0").limit(1).collect():
        return [(each.product_id, each.subscription_group) for each in row.v.eligibility]
    return []


def numbered(answers: DataFrame, before: dict[int, int]) -> DataFrame:
    """Each answer with its place in the whole, from 1 on: the receipt's id."""
    start = create_map([lit(each) for pair in before.items() for each in pair])[col("partition")] if before else lit(0)
    return answers.select((start + col("number") + 1).cast("long").alias("receipt_id"), "line", "kept")


def main(words: list[str] | None = None) -> None:
    options = arguments(words)
    is_another_s = SparkSession.getActiveSession() is not None
    builder: Any = SparkSession.builder
    # Batches of records that fit a processor's cache with their answers; Spark's own size takes a sixth longer.
    builder = builder.appName("appreceipt audit").config("spark.sql.session.timeZone", "UTC") \
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "256")
    for setting in options.conf:
        builder = builder.config(*setting.split("=", 1))
    spark = (builder.master(options.master) if options.master else builder).getOrCreate()
    try:
        audit(spark, options)
    finally:
        if not is_another_s:
            spark.stop()


def audit(spark: SparkSession, options: argparse.Namespace) -> None:
    ship(spark)
    verifier = Verifier(
        _files(options.root), options.bundle_id, options.environment, catalog=options.catalog and _file(options.catalog),
        storekit_test_roots=_files(options.storekit_test_root), records_as_of=options.as_of if options.catalog else None,
        records_evidence=True)
    # Kept, so that each record is verified once; what is lost with its executor is made again.
    frame = records(spark, options)
    answers = verified(frame, verifier, starts(frame)).persist(StorageLevel.DISK_ONLY)
    answers.select("line").write.text(f"{options.output}/verdicts")
    before = starts(answers)
    root = tree.root(answers, before, options.source or options.input, options.catalog is not None)
    spark.createDataFrame([(root,)], "root string").coalesce(1).write.text(f"{options.output}/root")
    print(f"root of all records: {root}")

    told = numbered(answers, before)
    kept = told.where("kept IS NOT NULL").select("receipt_id", "kept", from_json(col("kept"), KEPT).alias("k")) \
        .select("receipt_id", "kept", "k.*")
    told.select("receipt_id", from_json(col("line"), VERDICT).alias("v"), from_json(col("kept"), KEPT).alias("k")) \
        .createOrReplaceTempView("verdicts")
    spark.createDataFrame(groups(answers), "product_id string, subscription_group string") \
        .createOrReplaceTempView("products")
    evidence = finding_queries.evidence(spark, options.as_of).cache()
    evidence.filter("number = 1").select("id", "kind", "severity", "summary").coalesce(1).sortWithinPartitions("id") \
        .write.json(f"{options.output}/findings")
    evidence.selectExpr("id AS finding_id", "number", "receipt_id", "position", "certificate_id").coalesce(1) \
        .sortWithinPartitions("finding_id", "number").write.json(f"{options.output}/evidence")
    for frame in (evidence, spark.table("transactions"), spark.table("receipts")):
        frame.unpersist()
    if options.catalog:
        customers.write(verifier, kept, f"{options.output}/subject-verdicts")
    answers.unpersist()


def _file(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _files(paths: list[str] | None) -> list[bytes] | None:
    return None if paths is None else list(map(_file, paths))


if __name__ == "__main__":
    main()
