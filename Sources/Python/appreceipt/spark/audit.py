"""Audits any number of receipts on Apache Spark: verifies them in the executors, and finds conflicts across them.

python -m appreceipt.spark INPUT OUTPUT --as-of 2026-01-01T00:00:00Z --master spark://host:7077

INPUT is a data set with the columns id, receipt and optionally subject: NDJSON, CSV with a header, or Parquet.
Receipts are base64 or binary. The files of a folder, in the order of their names, count as one source.

OUTPUT is a new folder with these parts:
- `verdicts`: a line for each signed object, in the order of the input
- `findings` and `evidence`: the identifiers, severities and rows that the one-machine run writes to SQLite
- `root`: the Merkle root of the audit, as for the same records in one file
- `subject-verdicts`, with --catalog: the verdict for each customer and product, as in `appreceipt audit
  --subject-verdicts`
- `not-looked-for`: the skipped checks with reasons, in the words of `appreceipt audit`. The job also prints them.

With --verdicts-only, there are only `verdicts` and `root`. Workers need pandas and pyarrow, which PySpark
requires. They receive the verifier from the driver.
"""

from __future__ import annotations

import argparse
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, create_map, lit

from ..limits import LIMITS, SHA1_SIGNATURES, TEXTS
from ..policies import POLICIES
from ..verifier import Verifier
from . import customers, finding_queries, parts, ship, skipped_checks, tree
from .catalog import Catalog, Group
from .file_answers import FileAnswers, Work
from .frame_answers import FrameAnswers

def arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m appreceipt.spark", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--format", choices=["ndjson", "csv", "parquet"], default="ndjson")
    parser.add_argument("--as-of", required=True, help="answer for this instant, an RFC 3339 date")
    parser.add_argument("--root", action="append", help="trust this root certificate instead of Apple's (DER or PEM). May be repeated")
    parser.add_argument("--storekit-test-root", action="append", help="also trust this StoreKit Test certificate (DER or PEM). May be repeated")
    parser.add_argument(
        "--bundle-id", action="append", help="refuse receipts of other apps; the default, any, accepts all. May be repeated")
    parser.add_argument(
        "--app-apple-id", action="append", type=int,
        help="refuse objects with another appAppleId, and objects that lack it but should have it. May be repeated")
    parser.add_argument(
        "--environment", action="append", choices=["production", "sandbox", "xcode", "any"],
        help="refuse receipts of other environments; the default, any, accepts all. May be repeated: App Review uses "
             "production builds in the sandbox")
    parser.add_argument(
        "--device-id", help="refuse receipts and JWS of other devices. Give identifierForVendor or the MAC address, or for JWS "
                            "AppStore.deviceVerificationID, as a UUID or hexadecimal digits")
    parser.add_argument("--sha1-signatures", choices=SHA1_SIGNATURES, default=SHA1_SIGNATURES[0], help=TEXTS["sha1_signatures"])
    parser.add_argument(
        "--crl", action="append", metavar="FILE",
        help="check the certificates with this certificate revocation list (DER or PEM). May be repeated")
    parser.add_argument("--distrust", metavar="FILE", help="refuse objects of the certificates in this list, see appreceipt schema distrust")
    parser.add_argument(
        "--revocation", choices=["off", "check", "require"],
        help="whether to check for revocation: check, the default with --crl or --distrust; require also refuses certificates that no list covers")
    for name in LIMITS:
        parser.add_argument("--" + name.replace("_", "-"), type=int, help=TEXTS[name])
    parser.add_argument("--catalog", action="append", metavar="[APP=]FILE",
        help="read the subscription groups from this file. APP=FILE is the catalog of one app; repeat it for each app")
    for name, (values, text) in POLICIES.items():
        parser.add_argument("--" + name.replace("_", "-"), choices=values, default=values[0], help=text)
    parser.add_argument("--verdicts-only", action="store_true", help="write verdicts and the Merkle root, but no findings")
    parser.add_argument("--partitions", type=int, default=0, help="use at least this many partitions")
    parser.add_argument("--master", help="the master of the cluster; the default is Spark's configuration")
    parser.add_argument("--conf", action="append", default=[], metavar="NAME=VALUE", help="a setting of Spark. May be repeated")
    return parser.parse_args(words)


def records(spark: SparkSession, options: argparse.Namespace) -> DataFrame:
    """Returns the data set in order: lines of NDJSON, or rows."""
    if options.format == "ndjson":
        # Not spark.read.text, because it orders partitions by size.
        lines = spark.sparkContext._jsc.textFile(options.input, options.partitions or 1)
        encoder = spark._jvm.org.apache.spark.sql.Encoders.STRING()
        return DataFrame(spark._jsparkSession.createDataset(lines.rdd(), encoder).toDF(), spark)
    reader: Any = spark.read
    if options.format == "csv":
        # RFC 4180: a quotation mark in a quoted field is doubled.
        reader = reader.options(header=True, multiLine=True, quote='"', escape='"')
    rows = reader.format(options.format).load(options.input)
    return rows.select([name for name in ("id", "receipt", "subject") if name in rows.columns])


def numbered(rows: DataFrame, before: dict[int, int]) -> DataFrame:
    """Returns the answers, each with its number in the whole, from 1: the identifier of the receipt's row."""
    start = create_map([lit(each) for pair in before.items() for each in pair])[col("partition")] if before else lit(0)
    return rows.withColumn("receipt_id", (start + col("number") + 1).cast("long"))


def main(words: list[str] | None = None) -> None:
    options = arguments(words)
    is_another_s = SparkSession.getActiveSession() is not None
    builder: Any = SparkSession.builder
    # Small batches fit in a processor's cache together with their answers. With Spark's default size, the job takes
    # a sixth longer. The limit on plan strings saves memory: the plans for findings and customers are many megabytes
    # long.
    builder = builder.appName("appreceipt audit").config("spark.sql.session.timeZone", "UTC") \
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "256").config("spark.sql.maxPlanStringLength", "100000")
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
    catalog = Catalog.given(options.catalog)
    verifier = Verifier(
        _files(options.root), bundle_ids=options.bundle_id or "any", environment=options.environment or "any",
        app_apple_id=options.app_apple_id or "any", device_id="any" if options.device_id is None else options.device_id,
        catalog=catalog.text if catalog else None, storekit_test_roots=_files(options.storekit_test_root),
        records_as_of=options.as_of if options.catalog else None,
        sha1_signatures=options.sha1_signatures, limits=_limits(options),
        crl=_files(options.crl), distrust=None if options.distrust is None else _file(options.distrust), revocation=options.revocation,
        policies={name: getattr(options, name) for name in POLICIES},
        records_evidence=not options.verdicts_only, records_source=1)
    is_asked = catalog is not None
    answers = answered(spark, options, verifier, is_asked)
    try:
        root = tree.root(answers.stretches())
        spark.sparkContext.parallelize([root], 1).saveAsTextFile(f"{options.output}/root")
        print(f"Merkle root of the audit: {root}")
        if not options.verdicts_only:
            rows = numbered(answers.rows(), answers.starts)
            found = find(spark, rows, catalog.groups if catalog else [], options)
            customer_omissions = customers.write(verifier, rows, f"{options.output}/subject-verdicts", catalog) if catalog else None
            skipped_checks.write(rows, f"{options.output}/not-looked-for", skipped_checks.Asked(
                options.input, found, options.bundle_id, options.device_id, catalog, customer_omissions, bool(options.crl)))
    finally:
        answers.release()


def answered(spark: SparkSession, options: argparse.Namespace, verifier: Verifier, is_asked: bool) -> FileAnswers | FrameAnswers:
    """Returns the answers to all records, and writes their lines."""
    output = f"{options.output}/verdicts"
    folder = parts.path(spark, output)
    stretches = parts.parts(spark, options.input, options.partitions) if options.format == "ndjson" and folder else []
    if stretches and folder:
        return FileAnswers(spark, stretches, Work(verifier, is_asked, folder, f"{folder}-kept"))
    return FrameAnswers(records(spark, options), verifier, output)


def find(spark: SparkSession, rows: DataFrame, groups: list[Group], options: argparse.Namespace) -> set[str]:
    """Writes the findings across answers. Returns their kinds."""
    rows.createOrReplaceTempView("verdicts")
    spark.createDataFrame(groups, "bundle_id string, product_id string, subscription_group string").createOrReplaceTempView("products")
    evidence = finding_queries.evidence(spark, options.as_of).cache()
    evidence.filter("number = 1").select("id", "kind", "severity", "summary").coalesce(1).sortWithinPartitions("id") \
        .write.json(f"{options.output}/findings")
    evidence.selectExpr("id AS finding_id", "number", "receipt_id", "position", "certificate_id").coalesce(1) \
        .sortWithinPartitions("finding_id", "number").write.json(f"{options.output}/evidence")
    found = spark.read.schema("kind string").json(f"{options.output}/findings").distinct().collect()
    for frame in (evidence, *map(spark.table, reversed(finding_queries.CACHED))):
        frame.unpersist()
    return {row.kind for row in found}


def _limits(options: argparse.Namespace) -> dict[str, int]:
    return {name: value for name in LIMITS if (value := getattr(options, name)) is not None}


def _file(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _files(paths: list[str] | None) -> list[bytes] | None:
    return None if paths is None else list(map(_file, paths))


if __name__ == "__main__":
    main()
