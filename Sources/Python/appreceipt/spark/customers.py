"""Verdicts on customers on Apache Spark: the lines of `appreceipt audit --subject-verdicts`, in the same order and
with the same numbers.

The definition of a customer is in Sources/ReceiptAudit/Customers. It is a subject's evidence of one app,
environment and trust anchor kind. Without a subject, appTransactionId, original transactions and appAccountToken
link evidence. LinkedEvidence.swift there describes the links, and the tables here use its names.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark import StorageLevel
from pyspark.sql.functions import col, expr, spark_partition_id

from . import summed
from .finding_queries import shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ..verifier import Verifier
    from .catalog import Catalog

#: The maximum number of purchases for which the library gives verdicts. More need not be stored.
LIMIT = 100_000
KEY = ["subject", "first", "environment", "bundle_id", "realm"]
CUSTOMERS = "partition int, count long"

#: The library's reasons for a customer without verdicts.
IS_TOO_LONG = "more than 100000 purchases"
#: Evidence of an app, including an app without a name.
OF_AN_APP = "bundle_id IS NOT NULL OR kind IN ('receipt', 'transaction', 'transaction-receipt')"
#: The maximum number of parts that a token links.
MOST_PARTS = 10
PURCHASE_KINDS = "'receipt', 'transaction', 'transaction-receipt'"
UNLINKABLE = "'Xcode', 'LocalTesting'"
SCOPE = "environment, bundle_id, realm"
UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"

# The tables in the order of their creation. Each depends on previous ones and on `kept`.
TABLES = {
    # The original transactions in the evidence, once for each receipt.
    "originals": """
        SELECT DISTINCT receipt_id, subject, environment, bundle_id, realm, original FROM (
            SELECT *, explode(purchases.original_transaction_id) AS original FROM kept)
        WHERE original NOT IN ('', '0')""",
    # Renewal information and its app: the only app of its transactions, otherwise the only app of its subject.
    # For renewal information that was refused because it names no app, only the first applies. `is_alone` marks
    # a subject whose evidence names no app.
    "renewals": """
        SELECT r.receipt_id, r.subject, r.environment,
            coalesce(r.bundle_id, a.bundle_id, CASE WHEN s.low = s.high AND r.refused IS NULL THEN s.low END) AS bundle_id,
            r.realm, r.original, r.subject IS NOT NULL AND s.low IS NULL AND r.refused IS NULL AS is_alone
        FROM (SELECT *, renewal.original_transaction_id AS original FROM kept WHERE kind = 'renewal-info') r LEFT JOIN (
            SELECT original, environment, realm, subject, min(bundle_id) AS bundle_id FROM (
                SELECT *, explode(array_union(purchases.original_transaction_id, purchases.transaction_id)) AS original FROM kept)
            WHERE original NOT IN ('', '0')
            GROUP BY original, environment, realm, subject HAVING min(bundle_id) = max(bundle_id)) a
        ON a.original = r.original AND a.environment = r.environment AND a.realm = r.realm AND a.subject <=> r.subject
        LEFT JOIN (
            SELECT subject, environment, realm, min(bundle_id) AS low, max(bundle_id) AS high FROM kept
            WHERE subject IS NOT NULL GROUP BY subject, environment, realm) s
        ON s.subject = r.subject AND s.environment = r.environment AND s.realm = r.realm""",
    # Subjects with evidence that belongs to none of their customers: it is refused, or its app is unknown.
    "refusing": """
        SELECT DISTINCT t.subject FROM answers t LEFT JOIN renewals r ON r.receipt_id = t.receipt_id
        WHERE t.subject IS NOT NULL AND r.bundle_id IS NULL
            AND (t.status = 'refused' OR r.receipt_id IS NOT NULL AND NOT r.is_alone)""",
    # Evidence without a subject. Unlinkable evidence has no account and no token.
    "pieces": f"""
        SELECT receipt_id, environment, bundle_id, realm, tells,
            CASE WHEN is_linkable AND account NOT IN ('', '0') THEN account END AS account,
            CASE WHEN is_linkable AND length(token) = 36 AND token RLIKE '^{UUID}$'
                AND token <> '00000000-0000-0000-0000-000000000000' THEN token END AS token
        FROM (SELECT k.receipt_id, k.environment, coalesce(k.bundle_id, r.bundle_id) AS bundle_id, k.realm,
                k.kind IN ({PURCHASE_KINDS}) AS tells, coalesce(k.environment NOT IN ({UNLINKABLE}), false) AS is_linkable,
                k.app_transaction_id AS account, lower(k.app_account_token) AS token
            FROM kept k LEFT JOIN renewals r ON r.receipt_id = k.receipt_id
            WHERE k.subject IS NULL AND k.kind IN ({PURCHASE_KINDS}, 'renewal-info', 'app-transaction'))
        WHERE bundle_id IS NOT NULL""",
    # Evidence with an account, and the first evidence with the same account.
    "accounts": f"""
        SELECT receipt_id, min(receipt_id) OVER (PARTITION BY account, {SCOPE}) AS account
        FROM pieces WHERE account IS NOT NULL""",
    "told": f"""
        SELECT o.original, p.receipt_id, p.environment, p.bundle_id, p.realm, a.account
        FROM (SELECT receipt_id, original FROM originals
            UNION SELECT receipt_id, original FROM renewals WHERE original NOT IN ('', '0')) o
        JOIN pieces p ON p.receipt_id = o.receipt_id LEFT JOIN accounts a ON a.receipt_id = p.receipt_id
        WHERE p.environment NOT IN ({UNLINKABLE})""",
    # Evidence without an account, with the first evidence that has the same original transaction.
    "joints": f"""
        SELECT DISTINCT receipt_id AS a, first AS b FROM (
            SELECT receipt_id, min(receipt_id) OVER (PARTITION BY original, {SCOPE}) AS first FROM told WHERE account IS NULL)
        WHERE receipt_id <> first""",
}

# Tokens of several parts that may belong to one customer, with the first part.
USABLE = f"""(
            SELECT token, {SCOPE}, min(part) AS part FROM tokens GROUP BY token, {SCOPE}
            HAVING count(*) BETWEEN 2 AND {MOST_PARTS} AND count_if(is_account) < 2)"""

PARTS = {
    # Evidence with the first evidence of its part. A part is the evidence of one account, or evidence that original
    # transactions link. If exactly one account has one of these transactions, too, the linked evidence belongs to
    # that account's part. If several accounts do, `of_several` is set.
    "parts": f"""
        WITH own AS (
            SELECT p.*, a.account IS NOT NULL AS has_account, coalesce(a.account, s.b, p.receipt_id) AS own
            FROM pieces p LEFT JOIN accounts a ON a.receipt_id = p.receipt_id LEFT JOIN stars s ON s.a = p.receipt_id),
        known AS (
            SELECT original, {SCOPE}, min(account) AS low, max(account) AS high FROM told WHERE account IS NOT NULL
            GROUP BY original, {SCOPE}),
        near AS (
            SELECT o.own, min(k.low) AS low, max(k.high) AS high
            FROM told t JOIN known k ON k.original = t.original AND k.environment = t.environment
                    AND k.bundle_id = t.bundle_id AND k.realm = t.realm
                JOIN own o ON o.receipt_id = t.receipt_id
            WHERE t.account IS NULL GROUP BY o.own)
        SELECT o.receipt_id, o.{SCOPE.replace(", ", ", o.")}, o.tells, o.token, o.has_account,
            CASE WHEN n.low = n.high THEN n.low ELSE o.own END AS part, coalesce(n.low < n.high, false) AS of_several
        FROM own o LEFT JOIN near n ON n.own = o.own""",
    "tokens": f"""
        SELECT t.*, a.receipt_id IS NOT NULL AS is_account
        FROM (SELECT DISTINCT token, {SCOPE}, part FROM parts WHERE token IS NOT NULL) t
        LEFT JOIN accounts a ON a.receipt_id = t.part""",
    "token_joints": f"""
        SELECT DISTINCT t.part AS a, u.part AS b
        FROM {USABLE} u JOIN tokens t ON t.token = u.token AND t.environment = u.environment AND t.bundle_id = u.bundle_id
            AND t.realm = u.realm
        WHERE t.part <> u.part""",
}

CUSTOMERS_EVIDENCE = {
    # The parts that tokens link, with the first of them.
    "token_sets": "SELECT a AS part, b AS least FROM token_stars UNION SELECT b, b FROM token_stars",
    "token_periods": """
        SELECT s.least, p.part, coalesce(e.purchase.subscription_group_identifier, e.purchase.product_id) AS kind,
            p.receipt_id, e.position, e.purchase.purchase_date AS start,
            CASE WHEN e.purchase.cancellation_date < e.purchase.expires_date THEN e.purchase.cancellation_date
                ELSE e.purchase.expires_date END AS ending
        FROM token_sets s JOIN parts p ON p.part = s.part JOIN (
            SELECT receipt_id, position, purchase FROM kept LATERAL VIEW posexplode(purchases) x AS position, purchase) e
            ON e.receipt_id = p.receipt_id
        WHERE NOT e.purchase.ownership_type <=> 'FAMILY_SHARED'
            AND coalesce(e.purchase.product_type, 'auto_renewable_subscription') = 'auto_renewable_subscription'""",
    # Sets that do not belong to one customer.
    "contradicted": f"""
        SELECT s.least FROM token_sets s LEFT JOIN accounts a ON a.receipt_id = s.part
        GROUP BY s.least HAVING count(*) > {MOST_PARTS} OR count(a.receipt_id) > 1
        UNION
        SELECT least FROM (
            SELECT least, start,
                max(ending) OVER (PARTITION BY least, kind ORDER BY start, part, receipt_id, position
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS all_end,
                max(ending) OVER (PARTITION BY least, kind, part ORDER BY start, receipt_id, position
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS own_end
            FROM token_periods WHERE start < ending)
        WHERE all_end > start AND (own_end IS NULL OR own_end < all_end)""",
    "joined": """
        SELECT receipt_id, part, has_account, first FROM (
            SELECT p.receipt_id, p.part, p.has_account, min(p.receipt_id) OVER customer AS first, bool_or(p.tells) OVER customer AS tells
            FROM parts p LEFT JOIN (SELECT * FROM token_sets LEFT ANTI JOIN contradicted USING (least)) s ON s.part = p.part
            WINDOW customer AS (PARTITION BY coalesce(s.least, p.part)))
        WHERE tells""",
}

# The evidence in the database's order, which sorts texts as they are stored. A subject with only renewal
# information has no app. It is a customer only if every app is evaluated for the whole catalog. Refused renewal
# information with a known customer counts as accepted here.
EVIDENCE = f"""
    SELECT * FROM (
        SELECT k.receipt_id, replace(k.kept, '"refused":"wrong_bundle_id",', '') AS kept, k.listing, k.created_at,
            coalesce(k.content_sha256, k.sha256) AS content, size(k.purchases) AS purchases, k.subject, j.first, j.part, j.has_account, k.environment,
            coalesce(k.bundle_id, r.bundle_id) AS bundle_id, k.realm, {shown("k.subject")} AS shown_subject,
            coalesce(r.is_alone, false) AS is_alone, x.subject IS NOT NULL AS any_refused
        FROM kept k LEFT JOIN joined j ON j.receipt_id = k.receipt_id LEFT JOIN renewals r ON r.receipt_id = k.receipt_id
            LEFT JOIN refusing x ON x.subject = k.subject)
    WHERE (bundle_id IS NOT NULL OR is_alone AND {{asks_all}}) AND (subject IS NOT NULL OR first IS NOT NULL)"""

UNUSED_PARTS = "SELECT count(DISTINCT part) FROM parts WHERE of_several"
UNUSED_TOKENS = f"""
    SELECT (SELECT count(*) FROM (SELECT 1 FROM tokens GROUP BY token, {SCOPE} HAVING count(*) > 1))
        - (SELECT count(*) FROM {USABLE} LEFT SEMI JOIN (
            SELECT part FROM token_sets LEFT ANTI JOIN contradicted USING (least)) USING (part))"""


@dataclass(frozen=True)
class CustomerOmissions:
    """Skipped checks for customers, and unused identifiers that could link evidence."""

    #: The catalog's products in each app's evidence, or None if all are evaluated.
    shown_products: dict[str | None, set[str]] | None
    #: The number of customers with more purchases than the library's limit.
    too_long: int
    unused_tokens: int
    unused_parts: int


def write(verifier: Verifier, rows: DataFrame, output: str, catalog: Catalog) -> CustomerOmissions:
    """Writes the lines into the folder `output`, in order.

    - rows: A row for each answer. Its columns are the answer's number from 1 as receipt_id, its subject and status,
      the snapshot as `kept`, and the members of the snapshot.
    """
    spark = rows.sparkSession
    joints = f"{output}-joints"
    rows.createOrReplaceTempView("answers")
    rows.where("kept IS NOT NULL").createOrReplaceTempView("kept")
    shown_products = _shown_products(spark, catalog)
    held = _prepare(spark, joints, asks_all=shown_products is None)
    evidence = held[-1]
    before = summed(evidence.select("partition", *KEY).mapInArrow(_counted, CUSTOMERS))
    columns = ["partition", *KEY, "receipt_id", "created_at", "content", "purchases", "listing", "kept", "part", "has_account",
               "any_refused"]
    evidence.select(*columns).mapInArrow(partial(_answered, verifier, before, shown_products), "line string").write.text(output)
    # A quotation mark inside a JSON string has a backslash before it.
    too_long, = spark.read.text(output).selectExpr(f"""count_if(contains(value, '"unjudged":"{IS_TOO_LONG}"'))""").collect()[0]
    unused_tokens, unused_parts = (spark.sql(query).collect()[0][0] for query in (UNUSED_TOKENS, UNUSED_PARTS))
    for frame in reversed(held):
        frame.unpersist()
    path = spark._jvm.org.apache.hadoop.fs.Path(joints)
    path.getFileSystem(spark._jsc.hadoopConfiguration()).delete(path, True)
    return CustomerOmissions(shown_products, too_long, unused_tokens, unused_parts)


def _shown_products(spark: SparkSession, catalog: Catalog) -> dict[str | None, set[str]] | None:
    """Returns the catalog's products in each app's evidence. Returns None if all are evaluated: the catalog names
    apps, or the evidence belongs to one app.
    """
    if catalog.apps is not None or not catalog.groups \
            or len(spark.sql(f"SELECT DISTINCT bundle_id FROM kept WHERE {OF_AN_APP}").take(2)) < 2:
        return None
    spark.createDataFrame([(product,) for _, product, _ in catalog.groups], "product_id string") \
        .createOrReplaceTempView("catalog_products")
    found: dict[str | None, set[str]] = {}
    for row in spark.sql("""
            SELECT DISTINCT k.bundle_id, c.product_id
            FROM (SELECT bundle_id, explode(purchases.product_id) AS product_id FROM kept) k
                JOIN catalog_products c ON c.product_id = k.product_id""").collect():
        found.setdefault(row.bundle_id, set()).add(row.product_id)
    return found


def _prepare(spark: SparkSession, joints: str, *, asks_all: bool) -> list[DataFrame]:
    """Returns the cached tables. The last one has the customers' evidence in order.

    - asks_all: Whether every app is asked about all products that the catalog has for it.
    """
    held = []

    def make(tables: Mapping[str, str]) -> None:
        for name, query in tables.items():
            held.append(spark.sql(query).persist(StorageLevel.DISK_ONLY))
            held[-1].createOrReplaceTempView(name)

    make(TABLES)
    components(spark.table("joints"), f"{joints}/originals").createOrReplaceTempView("stars")
    make(PARTS)
    components(spark.table("token_joints"), f"{joints}/tokens").createOrReplaceTempView("token_stars")
    make(CUSTOMERS_EVIDENCE)
    # Customers with a subject come first. Each customer is in one partition, and partitions are in the order
    # of customers.
    key = [col("subject").isNotNull().desc(), "shown_subject", "first", "environment", expr(shown("bundle_id")), "realm"]
    rows = spark.sql(EVIDENCE.format(asks_all=str(asks_all).lower())).repartitionByRange(*key).sortWithinPartitions(
        *key, col("created_at").desc_nulls_last(), "receipt_id").withColumn("partition", spark_partition_id())
    held.append(rows.persist(StorageLevel.DISK_ONLY))
    return held


def components(edges: DataFrame, folder: str) -> DataFrame:
    """Returns the connected components of a graph. The edges are (a, b), each once, with a as the larger node. The
    result has (a, b) for each node a except the least of its component, which is b.

    Alternately, each node's larger and smaller neighbors become neighbors of the least among them. The number of
    rounds grows with the logarithm of the number of nodes (Kiveris and others, "Connected Components in MapReduce
    and Beyond", 2014).

    - folder: The folder for the edges of each round, which outlive the executors.
    """
    spark = edges.sparkSession
    for place in itertools.count():
        edges.createOrReplaceTempView("edges")
        # Done if every node has at most one smaller neighbor, which has none itself.
        if spark.sql("""
            SELECT node FROM (SELECT a AS node, 1 AS below, 0 AS above FROM edges UNION ALL SELECT b, 0, 1 FROM edges)
            GROUP BY node HAVING sum(below) > 1 OR sum(below) > 0 AND sum(above) > 0""").isEmpty():
            break
        spark.sql("""
            WITH larger AS (
                SELECT DISTINCT b AS a, least AS b FROM (SELECT a, b, least(a, min(b) OVER (PARTITION BY a)) AS least
                    FROM (SELECT a, b FROM edges UNION ALL SELECT b, a FROM edges)) WHERE b > a),
            nearest AS (SELECT a, b, min(b) OVER (PARTITION BY a) AS least FROM larger)
            SELECT DISTINCT joint.a, joint.b FROM (
                SELECT explode(array(struct(a, least AS b), struct(b AS a, least AS b))) AS joint FROM nearest)
            WHERE joint.a <> joint.b""").write.parquet(f"{folder}/{place}")
        edges = spark.read.parquet(f"{folder}/{place}")
    return edges


def _counted(batches: Iterable[Any]) -> Iterator[Any]:
    import pyarrow

    partition, count, last = None, 0, None
    for batch in batches:
        for partition, *key in zip(*(column.to_pylist() for column in batch.columns)):
            count += _is_another(key, last)
            last = key
    if partition is not None:
        yield pyarrow.record_batch(
            [pyarrow.array([partition], "int32"), pyarrow.array([count], "int64")], ["partition", "count"])


def _is_another(key: list[Any], last: list[Any] | None) -> bool:
    """Returns whether a row is the first of a customer. Evidence without an environment is never merged."""
    return key != last or key[KEY.index("environment")] is None


class _Customer:
    """One customer's evidence without duplicates, up to the library's limit."""

    def __init__(self, number: int, key: list[Any]) -> None:
        self.number, self.key = number, key
        self.receipts = self.purchases = 0
        self.evidence: list[tuple[int, str]] = []
        self.date: int | None = None
        self.contents: set[str | None] = set()
        self.listings: set[str] = set()
        self.any_refused = False
        # For each part: its receipts, those with an account, and whether any has none.
        self.parts: dict[int, tuple[int, int, bool]] = {}

    def take(self, receipt: int, date: int | None, content: str | None, purchases: int | None, listing: str | None,
             kept: str, part: int | None, has_account: bool | None, any_refused: bool) -> None:
        self.receipts += 1
        self.any_refused = any_refused
        if part is not None:
            count, named, is_of_originals = self.parts.get(part, (0, 0, False))
            self.parts[part] = count + 1, named + bool(has_account), is_of_originals or not has_account
        if date != self.date:
            self.date, self.contents = date, set()
        is_known = content in self.contents or self.purchases > LIMIT
        # The listing of an API response counts, even if its last object is a duplicate.
        if is_known and (listing is None or listing in self.listings):
            return
        if listing is not None:
            self.listings.add(listing)
        if is_known:
            self.evidence.append((receipt, kept))
            return
        self.contents.add(content)
        # Each additional receipt counts, too.
        self.purchases += bool(self.evidence) + (purchases or 0)
        self.evidence.append((receipt, kept))

    def linked_by(self) -> list[str] | None:
        """Returns the identifiers that link the evidence, or None with a subject or with a single record."""
        parts = self.parts.values()
        links = {"app_account_token": len(parts) > 1, "app_transaction_id": sum(named for _, named, _ in parts) > 1,
                 "original_transaction_id": any(count > 1 and is_of_originals for count, _, is_of_originals in parts)}
        return [name for name, is_linking in links.items() if is_linking] or None

    def lines(self, verifier: Verifier, shown_products: Mapping[str | None, set[str]] | None) -> list[str]:
        subject, _, environment, bundle_id, realm = self.key
        lines = verifier.answer_customer(
            self.number, self.evidence, subject=subject, environment=environment, bundle_id=bundle_id, realm=realm,
            receipts=self.receipts, linked_by=self.linked_by(), evidence_refused=self.any_refused)
        if shown_products is None:
            return lines
        asked = shown_products.get(bundle_id, set())
        return [line for line in lines if (answer := json.loads(line)).get("product_id") in asked or "unjudged" in answer]


def _customers(before: Mapping[int, int], batches: Iterable[Any]) -> Iterator[_Customer]:
    customer, count = None, 0
    for batch in batches:
        for partition, *row in zip(*(column.to_pylist() for column in batch.columns)):
            key, evidence = row[:len(KEY)], row[len(KEY):]
            if customer is None or _is_another(key, customer.key):
                if customer:
                    yield customer
                count += 1
                customer = _Customer(before[partition] + count, key)
            customer.take(*evidence)
    if customer:
        yield customer


def _answered(
        verifier: Verifier, before: Mapping[int, int], shown_products: Mapping[str | None, set[str]] | None, batches: Iterable[Any]) -> Iterator[Any]:
    import pyarrow

    lines: list[str] = []
    size = 0
    for customer in _customers(before, batches):
        found = customer.lines(verifier, shown_products)
        lines += found
        size += sum(map(len, found))
        if size > 1 << 24:
            yield pyarrow.record_batch([pyarrow.array(lines, "string")], ["line"])
            lines, size = [], 0
    yield pyarrow.record_batch([pyarrow.array(lines, "string")], ["line"])
