"""The findings across receipts in Spark SQL, by the rules of ReceiptAudit's FindingRule, with the same identifiers and
texts.

The rules search only candidates, which a single pass over all rows selects. There are usually few candidates, and
the rules compare texts many times.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def shown(column: str) -> str:
    """Returns a text as the one-machine run writes it to SQLite. There, U+0000 would end the text, so it becomes ␀0. The
    symbol ␀ itself (U+2400) becomes ␀␀.
    """
    return f"replace(replace({column}, '␀', '␀␀'), char(0), '␀0')"


def part(column: str) -> str:
    """Returns an inner part of a key, in which a slash becomes ␀/."""
    return f"replace({column}, '/', '␀/')"


def app(column: str) -> str:
    """Returns the app of a signed transaction, as a part of a key. Without an app, it is empty, so that such transactions
    are compared with one another.
    """
    return part(f"coalesce({column}, '')")


def app_name(column: str) -> str:
    return f"coalesce({column}, 'an app without a name')"


SALT = secrets.token_hex(16)


def number(*columns: str) -> str:
    """Returns a number that represents values in comparisons, which is several times as fast as comparing texts.
    Different values have equal numbers with a probability of 2⁻⁶⁴, which an attacker cannot influence.
    """
    values = ", ".join(f"coalesce(length({each}) || ':' || {each}, '-')" for each in columns)
    return f"xxhash64(sha2(concat('{SALT}', {values}), 256))"


def severity(severity: str, environment: str) -> str:
    """Returns the severity. In test environments it is always a note, because no money is paid there and testers share
    accounts.
    """
    return f"CASE WHEN {environment} IN ('Sandbox', 'Xcode', 'LocalTesting') THEN 'note' ELSE {severity} END AS severity"


# The App Store renews up to a day early.
EARLY = """CASE WHEN max(t.expires_date IS NULL OR t.purchase_date > t.created_at + 86400000)
                OVER (PARTITION BY t.receipt_id) THEN 'warning' ELSE 'note' END"""

# The condition that versions of a transaction differ in a fact that never changes after the purchase. Which flags a
# trial has depends on the receipt's year, and on whether it is in a JWS. A restoration may change the purchase date.
SETTLED_TWICE = " OR ".join(f"min({told}) <> max({told})" for told in (
    "product_id", "original_transaction_id", "promotional_offer_identifier", "product_type",
    "CASE WHEN expires_date IS NOT NULL OR product_type = 'consumable' OR NOT transaction_id <=> original_transaction_id "
    "THEN purchase_date div 1000 END",
    "CASE WHEN promotional_offer_identifier IS NULL THEN is_trial_period OR is_in_intro_offer_period END",
    "CASE WHEN kind = 'transaction' THEN is_trial_period END", "CASE WHEN kind <> 'transaction' THEN is_trial_period END",
    "CASE WHEN kind = 'transaction' AND NOT is_trial_period THEN is_in_intro_offer_period END",
    "CASE WHEN kind <> 'transaction' AND NOT coalesce(is_trial_period, false) THEN is_in_intro_offer_period END"))

# The condition of an introductory offer. The flag of a trial is also that of a free period under an offer with an identifier.
IS_OFFER = """(coalesce(is_in_intro_offer_period, false)
                    OR coalesce(is_trial_period AND promotional_offer_identifier IS NULL, false))"""

# The rows of a finding if the evidence has several kinds of trust anchors.
OF_SEVERAL = "SELECT * EXCEPT (key), CASE WHEN realm <> 'app_store' THEN realm || '/' ELSE '' END || key AS key"

# The columns in which two versions of a transaction can conflict.
COMPARED_COLUMNS = (
    "e.product_id", "original_transaction_id", "promotional_offer_identifier", "product_type", "(purchase_date div 1000)",
    "(expires_date div 1000)", "(cancellation_date div 1000)", "is_trial_period", "is_in_intro_offer_period")

CHAIN = "array<struct<subject string, issuer string, serial string, sha256 string>>"

TABLES = {
    # `chain` is a text with few distinct values.
    "receipts": f"""
        SELECT receipt_id, {shown("id")} AS record, {shown("subject")} AS subject, content_sha256, status, realm, kind,
            environment, refusal_code, chain, {shown("bundle_id")} AS bundle_id, purchases, created_at,
            xxhash64(content_sha256) AS content_bucket, {number("subject")} AS subject_number
        FROM verdicts""",
    "transactions": f"""
        SELECT e.*, p.subscription_group,
            {number("environment", "bundle_id", "transaction_id")} AS transaction_number,
            xxhash64(environment, bundle_id, original_transaction_id) AS original_bucket,
            xxhash64(environment, bundle_id, subject) AS customer_bucket,
            {number(*COMPARED_COLUMNS)} AS told_number
        FROM (SELECT receipt_id, kind, subject, subject_number, realm, environment, bundle_id, created_at, t.position,
                {shown("t.purchase.product_id")} AS product_id, t.purchase.product_type,
                {shown("t.purchase.transaction_id")} AS transaction_id,
                {shown("t.purchase.original_transaction_id")} AS original_transaction_id,
                {shown("t.purchase.promotional_offer_identifier")} AS promotional_offer_identifier,
                t.purchase.is_trial_period, t.purchase.is_in_intro_offer_period, t.purchase.purchase_date,
                t.purchase.expires_date, t.purchase.cancellation_date, t.purchase.ownership_type, t.purchase.is_upgraded,
                t.purchase.offer_type
            FROM receipts LATERAL VIEW posexplode(purchases) t AS position, purchase) e
        LEFT JOIN (SELECT {shown("bundle_id")} AS app, {shown("product_id")} AS product,
                {shown("subscription_group")} AS subscription_group
            FROM products) p ON p.product = e.product_id AND (p.app IS NULL OR p.app = e.bundle_id)""",
    # Numbered by first use, as in the one-machine run.
    "certificates": f"""
        SELECT row_number() OVER (ORDER BY first) AS certificate_id, sha256, issuer, serial FROM (
            SELECT c.certificate.sha256, first(c.certificate.issuer) AS issuer, first(c.certificate.serial) AS serial,
                min(struct(receipt_id, c.place)) AS first
            FROM (SELECT chain, min(receipt_id) AS receipt_id FROM receipts GROUP BY chain)
                LATERAL VIEW posexplode(from_json(chain, '{CHAIN}')) c AS place, certificate
            GROUP BY c.certificate.sha256)""",
    "named": """
        SELECT * FROM transactions
        WHERE transaction_id <> '0' AND transaction_id <> '' AND coalesce(environment, '') NOT IN ('Xcode', 'LocalTesting')""",
    # Receipts that several subjects presented.
    "presented": """
        SELECT * FROM receipts LEFT SEMI JOIN (
            SELECT content_bucket FROM receipts WHERE status = 'genuine' AND subject IS NOT NULL
            GROUP BY content_bucket HAVING min(subject_number) <> max(subject_number)) USING (content_bucket)
        WHERE status = 'genuine' AND subject IS NOT NULL""",
    "bought": """
        SELECT * FROM named LEFT SEMI JOIN (
            SELECT original_bucket FROM named
            WHERE subject IS NOT NULL AND original_transaction_id <> '0' AND original_transaction_id <> ''
            GROUP BY original_bucket HAVING min(subject_number) <> max(subject_number)) USING (original_bucket)
        WHERE subject IS NOT NULL""",
    "offered": """
        SELECT * FROM named LEFT SEMI JOIN (
            SELECT customer_bucket FROM named WHERE subject IS NOT NULL AND (is_trial_period OR is_in_intro_offer_period)
            GROUP BY customer_bucket HAVING min(transaction_number) <> max(transaction_number)) USING (customer_bucket)
        WHERE subject IS NOT NULL""",
    "retold": """
        SELECT * FROM named LEFT SEMI JOIN (
            SELECT transaction_number FROM named GROUP BY transaction_number
            HAVING min(receipt_id) <> max(receipt_id) AND min(told_number) <> max(told_number)) USING (transaction_number)""",
}

CACHED = ("receipts", "transactions", "presented", "bought", "offered", "retold")

#: The kinds of findings in order, with their titles.
TITLES = {
    "shared-receipt": "One receipt presented by several subjects",
    "shared-purchase": "One original transaction under several subjects",
    "several-introductory-offers": "Several introductory offers of one subject in a group",
    "told-differently": "A transaction with conflicting evidence",
    "revoked-elsewhere": "A purchase revoked in one format and valid in another",
    "created-before-purchase": "A receipt created before a purchase that it holds",
    "created-after-as-of": "A receipt created after the as-of date",
    "wrong-device": "A receipt of a device other than the one given",
    "unusual-certificate": "An unusual signing certificate",
}

NOTHING = "CAST(NULL AS INT) AS position, CAST(NULL AS INT) AS certificate_id"

RULES = {
    "shared-receipt": f"""
        WITH shared AS (
            SELECT content_sha256, realm, count(DISTINCT subject) AS subjects FROM presented
            GROUP BY content_sha256, realm HAVING min(subject) <> max(subject))
        SELECT realm, content_sha256 AS key, {severity("'alert'", "environment")},
            'The receipt ' || substr(content_sha256, 1, 16) || '… was presented by ' || subjects || ' subjects' AS summary,
            receipt_id, {NOTHING}
        FROM presented JOIN shared USING (content_sha256, realm)""",
    "shared-purchase": f"""
        WITH originals AS (
            SELECT environment, bundle_id, realm, original_transaction_id, count(DISTINCT subject) AS subjects
            FROM bought WHERE original_transaction_id <> '0' AND original_transaction_id <> ''
            GROUP BY environment, bundle_id, realm, original_transaction_id HAVING min(subject) <> max(subject))
        SELECT o.realm, coalesce(o.environment, '') || '/' || {app("o.bundle_id")} || '/' || o.original_transaction_id AS key,
            {severity("'alert'", "o.environment")}, 'The original transaction ' || o.original_transaction_id || ' of '
                || {app_name("o.bundle_id")}
                || ' was presented by ' || o.subjects || ' subjects' AS summary,
            n.receipt_id, n.position, CAST(NULL AS INT) AS certificate_id
        FROM originals o JOIN bought n ON n.original_transaction_id = o.original_transaction_id
            AND n.bundle_id <=> o.bundle_id AND n.environment <=> o.environment AND n.realm <=> o.realm""",
    "several-introductory-offers": f"""
        WITH told AS (
            SELECT subject, environment, bundle_id, realm, transaction_id,
                coalesce(subscription_group, 'product ' || product_id) AS offer_group,
                coalesce(nullif(nullif(original_transaction_id, ''), '0'), transaction_id) AS original,
                product_id, purchase_date, expires_date, receipt_id, position, is_trial_period, is_in_intro_offer_period,
                {IS_OFFER} AS is_flagged,
                max(offer_type IN (2, 3, 4)) OVER (PARTITION BY subject, environment, bundle_id, realm, transaction_id) AS is_other,
                row_number() OVER (PARTITION BY subject, environment, bundle_id, realm, transaction_id
                    ORDER BY created_at DESC, {IS_OFFER} DESC, expires_date DESC, receipt_id, position) AS telling,
                coalesce(max(ownership_type) OVER (PARTITION BY subject, environment, bundle_id, realm, transaction_id),
                    max(ownership_type) OVER (PARTITION BY subject, environment, bundle_id, realm,
                        coalesce(nullif(nullif(original_transaction_id, ''), '0'), transaction_id)),
                    'PURCHASED') = 'PURCHASED' AS is_bought,
                coalesce(cancellation_date > purchase_date, true) AS has_begun
            FROM offered WHERE product_id IS NOT NULL),
        settled AS (
            SELECT *, is_flagged AND (coalesce(is_in_intro_offer_period, false) OR coalesce(NOT is_other, true)) AS is_offer
            FROM told WHERE telling = 1 AND is_bought),
        periods AS (
            SELECT *, coalesce(lag(is_offer) OVER before AND lag(product_id) OVER before = product_id
                AND coalesce(purchase_date - lag(expires_date) OVER before
                    <= CASE WHEN lag(is_trial_period) OVER before THEN 61 ELSE 366 END * 86400000L, true), false) AS was_offer
            FROM settled WHERE has_begun OR NOT is_offer
            WINDOW before AS (PARTITION BY subject, environment, bundle_id, realm, offer_group, original
                ORDER BY purchase_date, length(transaction_id), transaction_id)),
        subjects AS (
            SELECT subject, environment, bundle_id, realm, offer_group, count_if(is_offer AND NOT was_offer) AS offers
            FROM periods GROUP BY subject, environment, bundle_id, realm, offer_group HAVING offers > 1)
        SELECT s.realm, coalesce(s.environment, '') || '/' || {app("s.bundle_id")} || '/' || {part("s.offer_group")}
                || '/' || s.subject AS key,
            {severity("'alert'", "s.environment")}, 'The subject ' || s.subject || ' had ' || s.offers || ' introductory offers in '
                || CASE WHEN s.offer_group = s.bundle_id THEN '' ELSE s.offer_group || ' of ' END
                || {app_name("s.bundle_id")} AS summary,
            p.receipt_id, p.position, CAST(NULL AS INT) AS certificate_id
        FROM subjects s JOIN periods p ON p.subject = s.subject AND p.environment <=> s.environment
            AND p.bundle_id <=> s.bundle_id AND p.realm <=> s.realm AND p.offer_group = s.offer_group AND p.is_offer""",
    "told-differently": f"""
        WITH settled AS (
            SELECT environment, bundle_id, realm, transaction_id FROM retold GROUP BY environment, bundle_id, realm, transaction_id
            HAVING min(receipt_id) <> max(receipt_id) AND ({SETTLED_TWICE})),
        of_one_instant AS (
            SELECT environment, bundle_id, realm, transaction_id FROM retold
            GROUP BY environment, bundle_id, realm, transaction_id, created_at div 1000
            HAVING min(receipt_id) <> max(receipt_id) AND (min(expires_date div 1000) <> max(expires_date div 1000)
                OR min(cancellation_date div 1000) <> max(cancellation_date div 1000))),
        conflicts AS (SELECT * FROM settled UNION SELECT * FROM of_one_instant)
        SELECT c.realm, coalesce(c.environment, '') || '/' || {app("c.bundle_id")} || '/' || c.transaction_id AS key,
            {severity("'alert'", "c.environment")},
            'The transaction ' || c.transaction_id || ' of ' || {app_name("c.bundle_id")} || ' has conflicting evidence' AS summary,
            n.receipt_id, n.position, CAST(NULL AS INT) AS certificate_id
        FROM conflicts c JOIN retold n ON n.transaction_id = c.transaction_id
            AND n.bundle_id <=> c.bundle_id AND n.environment <=> c.environment AND n.realm <=> c.realm""",
    "revoked-elsewhere": f"""
        WITH revoked AS (
            SELECT environment, bundle_id, realm, transaction_id, kind, min(cancellation_date) AS revoked_at
            FROM retold WHERE cancellation_date IS NOT NULL GROUP BY environment, bundle_id, realm, transaction_id, kind),
        conflicts AS (
            SELECT v.environment, v.bundle_id, v.realm, v.transaction_id, max(n.created_at > v.revoked_at) AS is_warning
            FROM revoked v JOIN retold n ON n.transaction_id = v.transaction_id
                AND n.bundle_id <=> v.bundle_id AND n.environment <=> v.environment AND n.realm <=> v.realm
            WHERE n.kind <> v.kind AND n.cancellation_date IS NULL AND NOT n.is_upgraded <=> true
                AND (n.expires_date IS NULL OR n.expires_date > v.revoked_at)
            GROUP BY v.environment, v.bundle_id, v.realm, v.transaction_id)
        SELECT c.realm, coalesce(c.environment, '') || '/' || {app("c.bundle_id")} || '/' || c.transaction_id AS key,
            {severity("CASE WHEN c.is_warning THEN 'warning' ELSE 'note' END", "c.environment")},
            'The transaction ' || c.transaction_id || ' of ' || {app_name("c.bundle_id")}
                || ' is revoked in one format and valid in another' AS summary,
            n.receipt_id, n.position, CAST(NULL AS INT) AS certificate_id
        FROM conflicts c JOIN retold n ON n.transaction_id = c.transaction_id
            AND n.bundle_id <=> c.bundle_id AND n.environment <=> c.environment AND n.realm <=> c.realm""",
    "created-before-purchase": f"""
        SELECT CAST(NULL AS STRING) AS realm, t.receipt_id AS key, {severity(EARLY, "t.environment")},
            'The receipt ' || coalesce(r.record, string(r.receipt_id)) || ' holds a purchase that was made after it' AS summary,
            t.receipt_id, t.position, CAST(NULL AS INT) AS certificate_id
        FROM transactions t JOIN receipts r USING (receipt_id) WHERE t.purchase_date > t.created_at""",
    "created-after-as-of": f"""
        SELECT CAST(NULL AS STRING) AS realm, receipt_id AS key, 'note' AS severity,
            'The receipt ' || coalesce(record, string(receipt_id)) || ' was created after the as-of date' AS summary,
            receipt_id, {NOTHING}
        FROM receipts WHERE created_at > unix_millis(try_to_timestamp(:as_of)) AND status = 'genuine'""",
    "wrong-device": f"""
        SELECT CAST(NULL AS STRING) AS realm, receipt_id AS key, 'alert' AS severity,
            'The receipt ' || coalesce(record, string(receipt_id)) || ' was made for another device' AS summary,
            receipt_id, {NOTHING}
        FROM receipts WHERE refusal_code = 'wrong_device'""",
    "unusual-certificate": f"""
        WITH signers AS (
            SELECT from_json(chain, '{CHAIN}')[0].sha256 AS sha256, realm,
                kind IN ('transaction', 'renewal-info', 'app-transaction', 'notification', 'realtime-request') AS is_jws,
                sum(receipts) AS receipts
            FROM (
                SELECT chain, realm, kind, count(*) AS receipts FROM receipts WHERE chain IS NOT NULL GROUP BY chain, realm, kind)
            GROUP BY 1, 2, 3),
        realms AS (SELECT realm, is_jws, sum(receipts) AS receipts FROM signers GROUP BY realm, is_jws),
        unusual AS (
            SELECT s.sha256, 'signed only ' || s.receipts || ' of ' || r.receipts || ' receipts' AS why, 2 AS rank
            FROM signers s JOIN realms r USING (realm, is_jws) WHERE r.receipts >= 1000 AND s.receipts * 1000 < r.receipts
            UNION ALL
            SELECT DISTINCT c.sha256, 'shares its issuer and serial number with another certificate', 1
            FROM certificates c JOIN certificates o
                ON o.issuer = c.issuer AND o.serial = c.serial AND o.certificate_id <> c.certificate_id
            UNION ALL
            SELECT sha256, 'is of StoreKit Test, among receipts of the App Store', 3 FROM signers
            WHERE realm = 'storekit_test' AND EXISTS (SELECT 1 FROM signers WHERE realm <> 'storekit_test'))
        SELECT CAST(NULL AS STRING) AS realm, c.sha256 AS key, 'warning' AS severity,
            'The certificate ' || substr(c.sha256, 1, 16) || '… '
                || array_join(transform(array_sort(collect_list(struct(u.rank, u.why))), x -> x.why), ', ') AS summary,
            CAST(NULL AS BIGINT) AS receipt_id, CAST(NULL AS INT) AS position, c.certificate_id
        FROM unusual u JOIN certificates c USING (sha256) GROUP BY c.sha256, c.certificate_id""",
}


def evidence(spark: SparkSession, as_of: str) -> DataFrame:
    """Returns the numbered rows of evidence for each finding. Row 1 has the finding's severity and summary."""
    for name, query in TABLES.items():
        spark.sql(query).createOrReplaceTempView(name)
    for name in CACHED:
        spark.catalog.cacheTable(name)
    realms = spark.sql("SELECT count(DISTINCT realm) FROM receipts WHERE status = 'genuine'").collect()[0][0]
    keyed = OF_SEVERAL if realms > 1 else "SELECT *"
    found: Any = None
    for kind, query in RULES.items():
        rows = spark.sql(
            f"""SELECT '{kind}' AS kind, '{kind}:' || key AS id, severity, summary, receipt_id, position,
                    CAST(certificate_id AS INT) AS certificate_id, row_number()
                    OVER (PARTITION BY key ORDER BY receipt_id, position, certificate_id) AS number
                FROM ({keyed} FROM ({query}))""",
            args={"as_of": as_of} if ":as_of" in query else None)
        found = rows if found is None else found.union(rows)
    frame: DataFrame = found
    return frame
