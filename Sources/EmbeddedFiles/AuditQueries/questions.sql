-- trials-twice: Who had more than one trial or other introductory offer?
-- Accounts (subjects) with more than one introductory offer, trials included, in one subscription group of an
-- app; consecutive periods of one offer count once; family sharing, unknown owners and offers of unknown types
-- do not count. The groups are those of the catalog; each product that it does not list is its own group.
SELECT o.* FROM several_introductory_offers o, asked {scoped};
SELECT subject, environment, bundle_id, subscription_group, periods, products, first_offer, last_offer,
    summary, finding_id
FROM selected ORDER BY periods DESC, subject, finding_id;
SELECT DISTINCT subject, NULL AS original_transaction_id FROM selected WHERE subject IS NOT NULL
ORDER BY subject

-- shared-receipts: Which receipts did several accounts present?
-- Receipts and other signed objects that more than one account (subject) presented; a receipt counts once,
-- regardless of its encoding.
SELECT s.* FROM shared_receipts s, asked {scoped};
SELECT environment, bundle_id, content_sha256, kind, subjects, records, created_at, finding_id
FROM selected ORDER BY subjects DESC, content_sha256;
SELECT DISTINCT r.subject, NULL AS original_transaction_id FROM selected s
    JOIN finding_evidence e ON e.finding_id = s.finding_id JOIN receipts r ON r.id = e.receipt_id
WHERE r.subject IS NOT NULL ORDER BY r.subject

-- active: Which subscriptions were active on a day?
-- Auto-renewable subscriptions with a period that began by the date and had not ended by expiry, refund or
-- upgrade; each original transaction counts once; family sharing, unknown owners, unknown product types and grace
-- periods do not count.
SELECT * FROM (
    SELECT p.*, row_number() OVER (PARTITION BY p.realm, p.environment, p.bundle_id, p.subscription
        ORDER BY active_until DESC, active_from DESC, purchase) AS place
    FROM active_periods p, asked
    {scoped} AND is_bought AND active_from <= asked."on" AND active_until > asked."on")
WHERE place = 1 AND 1;
SELECT environment, bundle_id, product_id, subscription_group, subscription, subject, active_from, active_until,
    is_trial_period, is_in_intro_offer_period
FROM selected ORDER BY bundle_id, product_id, subscription

-- expiring: Which active subscriptions end soon?
-- Subscriptions that are active on the date, and whose last period that began by then ends before the second
-- date, 30 days later by default; some of them renew or have renewed since.
SELECT * FROM (
    SELECT p.*, row_number() OVER (PARTITION BY p.realm, p.environment, p.bundle_id, p.subscription
        ORDER BY active_until DESC, active_from DESC, purchase) AS place
    FROM active_periods p, asked
    {scoped} AND is_bought AND active_from <= asked."on" AND active_until > asked."on")
WHERE place = 1 AND active_until < (SELECT CASE WHEN "to" = '~' THEN strftime('%Y-%m-%dT%H:%M:%SZ', "on", '+30 days') ELSE "to" END
    FROM asked);
SELECT environment, bundle_id, product_id, subscription_group, subscription, subject, active_from, active_until,
    is_trial_period, is_in_intro_offer_period
FROM selected ORDER BY active_until, subscription

-- lapsed: Which subscriptions have ended?
-- Auto-renewable subscriptions whose last period that began by the date had ended by then, according to the
-- newest evidence; each original transaction counts once; family sharing, unknown owners and unknown product types
-- do not count.
SELECT * FROM (
    SELECT p.*, row_number() OVER (PARTITION BY p.realm, p.environment, p.bundle_id, p.subscription
        ORDER BY active_until DESC, active_from DESC, purchase) AS place
    FROM active_periods p, asked {scoped} AND is_bought AND active_from <= asked."on")
WHERE place = 1 AND active_until <= (SELECT "on" FROM asked);
SELECT environment, bundle_id, product_id, subscription_group, subscription, subject, active_until AS ended_at, ending
FROM selected ORDER BY active_until DESC, subscription

-- refunds: What was refunded?
-- Purchases that the App Store refunded in full or in part, by the date of the refund, each once; upgrades, the
-- end of family sharing, unknown reasons and owners, and refunds of single items (Advanced Commerce) do not count.
SELECT r.* FROM refunds r, asked
{scoped} AND cancellation_date >= asked."from" AND cancellation_date < asked."to";
SELECT environment, bundle_id, product_id, transaction_id, original_transaction_id, subject, purchase_date,
    cancellation_date, cancellation_reason, price, refunded, currency
FROM selected ORDER BY cancellation_date, transaction_id

-- revenue: What did customers pay?
-- Purchases whose price a signed transaction states, each once, by purchase date; refunds count in the month
-- of their purchase, and receipts state no prices. Family sharing and unknown owners do not count. Apple's
-- financial reports are the record for accounting.
SELECT p.*, substr(p.purchase_date, 1, 7) AS month FROM purchases p, asked
{scoped} AND price IS NOT NULL
    AND coalesce(purchase_date, '') >= asked."from"
    AND (purchase_date < asked."to" OR purchase_date IS NULL AND asked."to" = '~');
SELECT {columns}, count(*) AS purchases, round(sum(price), 3) AS gross, round(total(refunded), 3) AS refunded,
    round(sum(price) - total(refunded), 3) AS net,
    round(total(CASE WHEN refunded IS NULL THEN price END), 3) AS partly_refunded
FROM selected GROUP BY {columns} ORDER BY {columns}

-- offers-used: Which offers were used?
-- Purchases with a trial or another introductory offer, a promotional offer, an offer code, a win-back offer or
-- an offer of an unknown type, by purchase date, each once; family sharing and unknown owners do not count.
SELECT p.* FROM purchases p, asked
{scoped} AND offer IS NOT NULL AND is_bought
    AND coalesce(purchase_date, '') >= asked."from"
    AND (purchase_date < asked."to" OR purchase_date IS NULL AND asked."to" = '~');
SELECT environment, bundle_id, product_id, offer, offer_identifier, count(*) AS purchases,
    min(purchase_date) AS first_purchase, max(purchase_date) AS last_purchase
FROM selected GROUP BY environment, bundle_id, product_id, offer, offer_identifier
ORDER BY bundle_id, purchases DESC, product_id, offer, offer_identifier

-- customers: Who presented genuine evidence?
-- Accounts with genuine evidence: each subject counts once, and purchases that no record with a subject presents
-- count once for each original transaction.
SELECT a.environment, a.bundle_id, subject, original_transaction_id, count(purchase) AS purchases FROM (
    SELECT realm, environment, bundle_id, subject, original_transaction_id, purchase FROM purchase_accounts
    UNION ALL
    SELECT DISTINCT realm, environment, bundle_id, subject, NULL, NULL FROM receipts
    WHERE status = 'genuine' AND subject IS NOT NULL) a, asked
{scoped} GROUP BY a.environment, a.bundle_id, subject, original_transaction_id;
SELECT environment, bundle_id, subject, original_transaction_id, purchases FROM selected
ORDER BY bundle_id, environment, subject, original_transaction_id;
SELECT DISTINCT subject, original_transaction_id FROM selected ORDER BY subject, original_transaction_id

-- unverified: What could not be verified?
-- Records that were refused or could not be read, from all environments and apps, because nothing in them is
-- trustworthy; records without a receipt, and genuine ones of apps that the audit did not expect, do not count.
SELECT id, source, place, record, path, subject, refusal_code, refusal_message FROM receipts, asked
WHERE status = 'refused' AND other_app IS NULL;
SELECT id, source, place, record, path, subject, refusal_code, refusal_message FROM selected ORDER BY id;
SELECT DISTINCT subject, NULL AS original_transaction_id FROM selected WHERE subject IS NOT NULL
ORDER BY subject
