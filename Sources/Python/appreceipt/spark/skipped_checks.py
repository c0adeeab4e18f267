"""The skipped checks of an audit with reasons: the rows and texts of ReceiptAudit's SkippedChecks.swift."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .customers import LIMIT, MOST_PARTS, OF_AN_APP, TABLES, UNLINKABLE, CustomerOmissions
from .finding_queries import TITLES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from .catalog import Catalog

#: The maximum number of listed apps.
MOST_APPS = 10
#: The maximum number of printed rows, and of characters in a name.
MOST_LINES, MOST_CHARACTERS = 100, 1024
OF_SUBJECTS = ("shared-receipt", "shared-purchase", "several-introductory-offers")
JWS = {"transaction", "renewal-info", "app-transaction", "notification", "realtime-request"}

GROUPS = f"""
    SELECT realm, kind, subject IS NOT NULL AS has_subject, coalesce(environment IN ({UNLINKABLE}), false) AS is_xcode,
        count(*) AS records, min(subject) AS first, max(subject) AS last
    FROM genuine GROUP BY 1, 2, 3, 4"""


@dataclass(frozen=True)
class Omission:
    #: The kind of finding, or None if only some checks were skipped.
    kind: str | None
    title: str
    #: The text after "because".
    reason: str


@dataclass(frozen=True)
class Asked:
    """The settings and the results of the audit."""

    source: str
    #: The kinds of findings.
    found: set[str]
    bundle_ids: list[str] | None
    device_id: str | None
    catalog: Catalog | None
    #: None without a catalog.
    customer_omissions: CustomerOmissions | None
    #: Whether there are revocation lists.
    has_lists: bool


def write(rows: DataFrame, output: str, asked: Asked) -> None:
    """Writes a row for each skipped check, and prints them as the one-machine audit does.

    - rows: A row for each answer.
    """
    spark = rows.sparkSession
    rows.where("status = 'genuine'").createOrReplaceTempView("genuine")
    omissions = [*_nothing(rows, asked), *_of_findings(spark, asked), *_of_products(spark, asked), *_of_links(asked.customer_omissions)]
    if not asked.has_lists:
        omissions.append(Omission(None, "Revoked certificates", "no revocation list was given (--crl)"))
    rows = [json.dumps({name: value for name, value in vars(each).items() if value is not None}, ensure_ascii=False)
            for each in omissions]
    spark.sparkContext.parallelize(rows, 1).saveAsTextFile(output)
    titles: dict[str, list[str]] = {}
    for each in omissions[:MOST_LINES]:
        titles.setdefault(each.reason, []).append(each.title)
    for reason, named in titles.items():
        print(f"skipped because {reason}: {'; '.join(named)}")


def _nothing(told: DataFrame, asked: Asked) -> Iterator[Omission]:
    if told.isEmpty():
        yield Omission(None, f"The records of {_short(asked.source)}", "the source holds no records")


def _of_findings(spark: SparkSession, asked: Asked) -> Iterator[Omission]:
    groups = spark.sql(GROUPS).collect()

    def count(is_counted: Any = lambda _: True) -> int:
        return sum(group.records for group in groups if is_counted(group))

    def omit(kinds: Iterable[str], reason: str) -> Iterator[Omission]:
        return (Omission(kind, TITLES[kind], reason) for kind in kinds if kind not in asked.found)

    genuine, subjects = count(), count(lambda group: group.has_subject)
    if genuine == 0:
        yield from omit(
            (kind for kind in TITLES if kind != "wrong-device" or asked.device_id is not None),
            "no receipt is genuine, and findings are based only on genuine receipts")
    elif subjects == 0:
        yield from omit(OF_SUBJECTS, "no genuine receipt has a subject, the account that presented it (--subject-field)")
    elif subjects < genuine:
        yield Omission(
            None, f"Shared receipts, shared purchases and several introductory offers among {genuine - subjects:,} of "
                  f"{_count(genuine, 'genuine receipt')}", "they have no subject")
    if len({each for group in groups if group.has_subject for each in (group.first, group.last)}) == 1:
        yield from omit(OF_SUBJECTS[:2], "all genuine receipts have one subject (--subject-field)")
    if asked.customer_omissions and asked.customer_omissions.too_long:
        yield Omission(
            None, f"The offers of {_count(asked.customer_omissions.too_long, 'customer')}, based on all receipts of each",
            f"each has more than {LIMIT:,} purchases")
    bare = _bare(spark, asked) if any(group.kind == "renewal-info" for group in groups) else 0
    if bare:
        yield Omission(
            None, f"The customers of {_count(bare, 'record')} with renewal information",
            "it names no app, and no other evidence shows its app")
    if genuine and len({group.kind for group in groups} & {"receipt", "transaction"}) < 2:
        yield from omit(
            ["revoked-elsewhere"],
            "the genuine evidence does not include both receipts and signed transactions")
    receipts = count(lambda group: group.kind == "transaction-receipt")
    if 0 < receipts < genuine:
        yield Omission(
            None, f"Purchases of {_count(receipts, 'transaction receipt')} in receipts and signed transactions",
            "transaction receipts name no environment")
    if asked.device_id is None:
        yield from omit(["wrong-device"], "no device was named (--device-id)")
    if asked.bundle_ids in (None, ["any"]):
        yield Omission(None, "Receipts of other apps", "no app was named (--bundle-id)")
    if asked.catalog is None:
        without = "no catalog was given (--catalog)"
        yield Omission(None, "Who may get which subscription offer", without)
        if subjects:
            yield Omission(None, "Several introductory offers across the products of a group", without)
    authorities: dict[tuple[str, bool], int] = {}
    for group in groups:
        key = group.realm, group.kind in JWS
        authorities[key] = authorities.get(key, 0) + group.records
    most = max(authorities.values(), default=0)
    if genuine and most < 1000:
        yield Omission(
            None, "Certificates that signed hardly any of the receipts",
            f"this check needs a thousand genuine receipts of one authority, and there are {most}")
    xcode = count(lambda group: group.is_xcode)
    if xcode:
        yield Omission(
            None, f"Purchases of {_count(xcode, 'receipt')} of Xcode in other receipts",
            "every test in Xcode uses the same purchase numbers")


def _bare(spark: SparkSession, asked: Asked) -> int:
    """Returns the number of objects with renewal information of an unknown app."""
    spark.table("genuine").createOrReplaceTempView("kept")
    spark.sql(TABLES["originals"]).createOrReplaceTempView("originals")
    asks_all = asked.customer_omissions is not None and asked.customer_omissions.shown_products is None
    count: int = spark.sql(TABLES["renewals"]).where(f"bundle_id IS NULL AND NOT (is_alone AND {str(asks_all).lower()})").count()
    return count


def _of_products(spark: SparkSession, asked: Asked) -> Iterator[Omission]:
    """Yields the products and apps that were not evaluated, because the catalog does not name apps or lists other
    apps.
    """
    if asked.catalog is None or asked.customer_omissions is None:
        return
    shown = asked.customer_omissions.shown_products
    if shown is not None:
        products = dict.fromkeys(product for _, product, _ in asked.catalog.groups)
        unshown = [product for product in products if not any(product in each for each in shown.values())]
        if unshown:
            yield Omission(
                None, f"Offers of {_count(len(unshown), 'product')}: {', '.join(map(_short, unshown))}",
                "the evidence is of several apps and shows no purchase of these products, and the catalog does not "
                "assign them to apps (--catalog APP=FILE)")
    listed = asked.catalog.apps if shown is None else shown
    if listed is None:
        return
    apps = [row[0] for row in spark.sql(f"SELECT DISTINCT bundle_id FROM genuine WHERE {OF_AN_APP}").collect()]
    unasked = sorted((_stored(app) for app in apps if app not in listed), key=lambda app: (app is not None, (app or "").encode()))
    if unasked:
        names = [_short("evidence without a bundle id" if app is None else app) for app in unasked[:MOST_APPS]]
        more = f" and {len(unasked) - MOST_APPS} more" if len(unasked) > MOST_APPS else ""
        why = "the catalog lists other apps only" if shown is None else "their evidence shows no product of the catalog"
        yield Omission(None, f"Offers of {_count(len(unasked), 'app')}: {', '.join(names)}{more}", f"{why} (--catalog APP=FILE)")


def _of_links(customer_omissions: CustomerOmissions | None) -> Iterator[Omission]:
    """Yields the identifiers that could link the evidence of one customer or of several."""
    if customer_omissions and customer_omissions.unused_tokens:
        yield Omission(
            None, f"Customers that {_count(customer_omissions.unused_tokens, 'app account token')} may link",
            f"the evidence with such a token has several app transaction ids, more than {MOST_PARTS} parts or subscriptions of "
            "one group at the same time, and may be of several customers")
    if customer_omissions and customer_omissions.unused_parts:
        yield Omission(
            None, f"The app transaction id of {_count(customer_omissions.unused_parts, 'customer')} without one",
            "several app transaction ids have the same original transactions")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _stored(text: str | None) -> str | None:
    """Returns a text as the one-machine run stores it. See finding_queries.shown."""
    return None if text is None else text.replace("␀", "␀␀").replace("\0", "␀0")


def _short(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}… ({len(text):,} characters)"
