-- shared-receipt: One receipt presented by several subjects
-- A receipt is made for one account on one device. An account that presents a receipt of another gets what that
-- account bought. The signed content identifies a receipt, not its container. The payload identifies a JWS, which has
-- two valid signatures.
WITH shared AS (
    SELECT content_sha256, realm, count(DISTINCT subject) AS subjects FROM receipts
    WHERE status = 'genuine' AND subject IS NOT NULL AND content_sha256 IN (SELECT name FROM temp.candidates)
    GROUP BY content_sha256, realm HAVING min(subject) <> max(subject))
SELECT r.realm, r.environment, content_sha256 AS key, 'alert' AS severity,
    'The receipt ' || substr(content_sha256, 1, 16) || '… was presented by ' || subjects || ' subjects' AS summary,
    r.id AS receipt_id, NULL AS position, NULL AS certificate_id
FROM receipts r CROSS JOIN shared USING (content_sha256, realm) WHERE r.subject IS NOT NULL AND r.status = 'genuine'

-- shared-purchase: One original transaction under several subjects
-- Apple: the original transaction identifier is the same for all renewals and restores of a purchase of
-- one customer. Two subjects with the same identifier share a purchase, or are the same person.
WITH named AS (SELECT * FROM temp.identified WHERE original_transaction_id IN (SELECT name FROM temp.candidates)),
originals AS (
    SELECT environment, bundle_id, realm, original_transaction_id, count(DISTINCT subject) AS subjects
    FROM named WHERE subject IS NOT NULL
        AND original_transaction_id <> '0' AND original_transaction_id <> ''
    GROUP BY environment, bundle_id, realm, original_transaction_id HAVING min(subject) <> max(subject))
SELECT o.realm, o.environment,
    coalesce(o.environment, '') || '/' || replace(coalesce(o.bundle_id, ''), '/', '␀/') || '/' || o.original_transaction_id AS key,
    'alert' AS severity, 'The original transaction ' || o.original_transaction_id || ' of ' || coalesce(o.bundle_id, 'an app without a name')
        || ' was presented by ' || o.subjects || ' subjects' AS summary,
    n.receipt_id, n.position, NULL AS certificate_id
FROM originals o JOIN named n ON n.original_transaction_id = o.original_transaction_id
    AND n.bundle_id IS o.bundle_id AND n.environment IS o.environment AND n.realm IS o.realm AND n.subject IS NOT NULL

-- several-introductory-offers: Several introductory offers of one subject in a group
-- Apple, "Implementing introductory offers in your app": a customer gets one introductory offer for each
-- subscription group. Since 2025, your server may allow another. Without a catalog that names its group, each product
-- counts as a group of its own. Consecutive periods of one product count as one offer, unless more than 61 days lie between
-- them: billing retry takes at most 60. After a paid period, a year is the limit, because an app may present only some periods.
-- A free period with the identifier or the type of another offer does not count, nor does a period that was cancelled before
-- it began, nor the access of a family member. If no evidence of a purchase states whether it is, the other evidence of the subscription decides.
WITH customers AS MATERIALIZED (
    SELECT min(id) AS customer, subject, environment, bundle_id, realm FROM receipts
    WHERE id IN (SELECT name FROM temp.candidates) GROUP BY subject, environment, bundle_id, realm),
presented AS (
    SELECT min(id) AS id, subject, environment, bundle_id, realm, created_at FROM receipts
    WHERE status = 'genuine' AND subject IN (SELECT subject FROM customers)
    GROUP BY subject, coalesce(content_sha256, id), realm),
evidence AS (
    SELECT p.id, p.created_at, c.customer FROM presented p JOIN customers c
    ON c.subject = p.subject AND c.environment IS p.environment AND c.bundle_id IS p.bundle_id
        AND c.realm IS p.realm
    WHERE coalesce(p.environment, '') NOT IN ('Xcode', 'LocalTesting')),
told AS (
    SELECT e.customer, t.transaction_id, t.product_id, t.purchase_date, t.expires_date, t.receipt_id, t.position, t.is_trial_period, t.is_in_intro_offer_period,
        coalesce(t.subscription_group, 'product ' || t.product_id) AS offer_group,
        coalesce(nullif(nullif(t.original_transaction_id, ''), '0'), t.transaction_id) AS original,
        coalesce(t.is_in_intro_offer_period, 0)
            OR coalesce(t.is_trial_period AND t.promotional_offer_identifier IS NULL, 0) AS is_flagged,
        max(t.offer_type IN (2, 3, 4)) OVER (PARTITION BY e.customer, t.transaction_id) AS is_other,
        row_number() OVER (PARTITION BY e.customer, t.transaction_id ORDER BY e.created_at DESC,
            coalesce(t.is_in_intro_offer_period, 0)
                OR coalesce(t.is_trial_period AND t.promotional_offer_identifier IS NULL, 0) DESC,
            t.expires_date DESC, t.receipt_id, t.position) AS telling,
        coalesce(max(t.ownership_type) OVER (PARTITION BY e.customer, t.transaction_id), max(t.ownership_type) OVER (
            PARTITION BY e.customer, coalesce(nullif(nullif(t.original_transaction_id, ''), '0'), t.transaction_id)),
            'PURCHASED') = 'PURCHASED' AS is_bought,
        coalesce(t.cancellation_date > t.purchase_date, 1) AS has_begun
    FROM evidence e CROSS JOIN transactions t ON t.receipt_id = e.id
    WHERE t.transaction_id <> '0' AND t.transaction_id <> '' AND t.product_id IS NOT NULL),
settled AS (
    SELECT *, is_flagged AND (coalesce(is_in_intro_offer_period, 0) OR coalesce(NOT is_other, 1)) AS is_offer
    FROM told WHERE telling = 1 AND is_bought),
periods AS (
    SELECT customer, offer_group, receipt_id, position, is_offer, coalesce(lag(is_offer) OVER before
        AND lag(product_id) OVER before = product_id
        AND coalesce(purchase_date - lag(expires_date) OVER before
            <= CASE WHEN lag(is_trial_period) OVER before THEN 61 ELSE 366 END * 86400000, 1), 0) AS was_offer
    FROM settled WHERE has_begun OR NOT is_offer
    WINDOW before AS (PARTITION BY customer, offer_group, original
        ORDER BY purchase_date, length(transaction_id), transaction_id)),
offers AS MATERIALIZED (SELECT * FROM periods WHERE is_offer),
several AS (
    SELECT customer, offer_group, sum(NOT was_offer) AS offers
    FROM offers GROUP BY customer, offer_group HAVING sum(NOT was_offer) > 1)
SELECT r.realm, r.environment,
    coalesce(r.environment, '') || '/' || replace(coalesce(r.bundle_id, ''), '/', '␀/') || '/'
        || replace(s.offer_group, '/', '␀/') || '/' || r.subject AS key,
    'alert' AS severity,
    'The subject ' || r.subject || ' had ' || s.offers || ' introductory offers in '
        || CASE WHEN s.offer_group = r.bundle_id THEN '' ELSE s.offer_group || ' of ' END
        || coalesce(r.bundle_id, 'an app without a name') AS summary,
    o.receipt_id, o.position, NULL AS certificate_id
FROM several s JOIN offers o USING (customer, offer_group) JOIN receipts r ON r.id = s.customer

-- told-differently: A transaction with conflicting evidence
-- Product, original transaction, offer, type, purchase date and trial do not change after a purchase. Expiry and
-- cancellation do not differ in evidence of the same second. In these values, receipts and signed transactions of
-- one authority cannot contradict each other. A missing value, or a fraction of a second, is not a conflict. Nor is
-- the second flag of a trial, which depends on the year, or a trial flag with the identifier of another offer. After a
-- restoration, a purchase that does not expire, and is no consumable, may have the date of the restoration, with the same ID.
WITH named AS (SELECT * FROM temp.identified WHERE transaction_id IN (SELECT name FROM temp.candidates)),
settled AS (
    SELECT environment, bundle_id, realm, transaction_id FROM named
    GROUP BY environment, bundle_id, realm, transaction_id
    HAVING min(receipt_id) <> max(receipt_id) AND (
        min(product_id) <> max(product_id)
        OR min(original_transaction_id) <> max(original_transaction_id)
        OR min(promotional_offer_identifier) <> max(promotional_offer_identifier)
        OR min(product_type) <> max(product_type)
        OR min(CASE WHEN expires_date IS NOT NULL OR product_type = 'consumable' OR transaction_id IS NOT original_transaction_id THEN purchase_date / 1000 END)
            <> max(CASE WHEN expires_date IS NOT NULL OR product_type = 'consumable' OR transaction_id IS NOT original_transaction_id THEN purchase_date / 1000 END)
        OR min(CASE WHEN promotional_offer_identifier IS NULL THEN is_trial_period OR is_in_intro_offer_period END)
            <> max(CASE WHEN promotional_offer_identifier IS NULL THEN is_trial_period OR is_in_intro_offer_period END)
        OR min(CASE WHEN kind IS 'transaction' THEN is_trial_period END) <> max(CASE WHEN kind IS 'transaction' THEN is_trial_period END)
        OR min(CASE WHEN kind IS NOT 'transaction' THEN is_trial_period END) <> max(CASE WHEN kind IS NOT 'transaction' THEN is_trial_period END)
        OR min(CASE WHEN kind IS 'transaction' AND NOT is_trial_period THEN is_in_intro_offer_period END)
            <> max(CASE WHEN kind IS 'transaction' AND NOT is_trial_period THEN is_in_intro_offer_period END)
        OR min(CASE WHEN kind IS NOT 'transaction' AND is_trial_period IS NOT 1 THEN is_in_intro_offer_period END)
            <> max(CASE WHEN kind IS NOT 'transaction' AND is_trial_period IS NOT 1 THEN is_in_intro_offer_period END))),
of_one_instant AS (
    SELECT environment, bundle_id, realm, transaction_id FROM named
    GROUP BY environment, bundle_id, realm, transaction_id, created_at / 1000
    HAVING min(receipt_id) <> max(receipt_id) AND (min(expires_date / 1000) <> max(expires_date / 1000)
        OR min(cancellation_date / 1000) <> max(cancellation_date / 1000))),
conflicts AS (SELECT * FROM settled UNION SELECT * FROM of_one_instant)
SELECT c.realm, c.environment,
    coalesce(c.environment, '') || '/' || replace(coalesce(c.bundle_id, ''), '/', '␀/') || '/' || c.transaction_id AS key,
    'alert' AS severity,
    'The transaction ' || c.transaction_id || ' of ' || coalesce(c.bundle_id, 'an app without a name') || ' has conflicting evidence' AS summary,
    n.receipt_id, n.position, NULL AS certificate_id
FROM conflicts c JOIN named n ON n.transaction_id = c.transaction_id
    AND n.bundle_id IS c.bundle_id AND n.environment IS c.environment AND n.realm IS c.realm

-- revoked-elsewhere: A purchase revoked in one format and valid in another
-- Receipts, signed transactions and transaction receipts show the same purchases. Evidence from before a
-- refund still shows a valid purchase: a note, because an account that presents it gets a purchase whose price
-- was refunded. If evidence from after the refund shows it as valid, the refund was reversed, or the evidence
-- conflicts.
WITH named AS (SELECT * FROM temp.identified WHERE transaction_id IN (SELECT name FROM temp.candidates)),
revoked AS (
    SELECT environment, bundle_id, realm, transaction_id, kind, min(cancellation_date) AS revoked_at
    FROM named WHERE cancellation_date IS NOT NULL GROUP BY environment, bundle_id, realm, transaction_id, kind),
conflicts AS (
    SELECT v.environment, v.bundle_id, v.realm, v.transaction_id, max(n.created_at > v.revoked_at) AS is_warning
    FROM revoked v JOIN named n ON n.transaction_id = v.transaction_id
        AND n.bundle_id IS v.bundle_id AND n.environment IS v.environment AND n.realm IS v.realm
    WHERE n.kind <> v.kind AND n.cancellation_date IS NULL AND n.is_upgraded IS NOT 1
        AND (n.expires_date IS NULL OR n.expires_date > v.revoked_at)
    GROUP BY v.environment, v.bundle_id, v.realm, v.transaction_id)
SELECT c.realm, c.environment,
    coalesce(c.environment, '') || '/' || replace(coalesce(c.bundle_id, ''), '/', '␀/') || '/' || c.transaction_id AS key,
    CASE WHEN c.is_warning THEN 'warning' ELSE 'note' END AS severity,
    'The transaction ' || c.transaction_id || ' of ' || coalesce(c.bundle_id, 'an app without a name')
        || ' is revoked in one format and valid in another' AS summary,
    n.receipt_id, n.position, NULL AS certificate_id
FROM conflicts c JOIN named n ON n.transaction_id = c.transaction_id
    AND n.bundle_id IS c.bundle_id AND n.environment IS c.environment AND n.realm IS c.realm

-- created-before-purchase: A receipt created before a purchase that it holds
-- A receipt holds the purchases made before its creation. The App Store renews up to a day ahead, so a
-- subscription's next period may begin up to a day later: a note, not a warning.
WITH early AS MATERIALIZED (
    SELECT t.receipt_id, t.position, r.environment,
        t.expires_date IS NULL OR t.purchase_date > r.created_at + 86400000 AS is_warning
    FROM transactions t JOIN receipts r ON r.id = t.receipt_id
    WHERE t.receipt_id IN (SELECT name FROM temp.candidates) AND t.purchase_date > r.created_at),
worst AS (
    SELECT receipt_id, min(position) AS first, max(is_warning) AS is_warning, min(environment) AS environment
    FROM early GROUP BY receipt_id)
SELECT NULL AS realm, w.environment, e.receipt_id AS key,
    CASE WHEN w.is_warning THEN 'warning' ELSE 'note' END AS severity,
    CASE WHEN e.position = w.first THEN 'The receipt '
        || (SELECT coalesce(record, id) FROM receipts WHERE id = e.receipt_id)
        || ' holds a purchase that was made after it' END AS summary,
    e.receipt_id, e.position, NULL AS certificate_id
FROM worst w JOIN early e ON e.receipt_id = w.receipt_id

-- created-after-as-of: A receipt created after the as-of date
-- If the as-of date was read from the clock, the clock or the receipt's date is wrong. If it was given, the
-- receipt did not exist yet on that date.
SELECT NULL AS realm, r.environment, r.id AS key,
    CASE WHEN runs.as_of_is_clock THEN 'warning' ELSE 'note' END AS severity,
    'The receipt ' || coalesce(r.record, r.id) || ' was created after the as-of date' AS summary,
    r.id AS receipt_id, NULL AS position, NULL AS certificate_id
FROM receipts r, runs WHERE r.created_at > runs.as_of AND r.status = 'genuine'

-- wrong-device: A receipt of a device other than the one given
-- Apple, "Validating receipts on the device": the SHA-1 of the device's identifier, the opaque value and
-- the bundle identifier must be the receipt's hash.
SELECT NULL AS realm, NULL AS environment, id AS key, 'alert' AS severity,
    'The receipt ' || coalesce(record, id) || ' was made for another device' AS summary,
    id AS receipt_id, NULL AS position, NULL AS certificate_id
FROM receipts WHERE refusal_code = 'wrong_device'

-- unusual-certificate: An unusual signing certificate
-- Apple signs with few certificates at a time. Three kinds need a look: a certificate that signed less than a
-- thousandth of a thousand or more receipts, one whose issuer gave its serial number to another certificate too,
-- and a StoreKit Test certificate among those of the App Store.
WITH signers AS (
    SELECT signer_id, realm, is_jws, sum(receipts) AS receipts
    FROM temp.signed WHERE signer_id IS NOT NULL GROUP BY 1, 2, 3),
realms AS (SELECT realm, is_jws, sum(receipts) AS receipts FROM signers GROUP BY 1, 2),
unusual AS (
    SELECT s.signer_id, 'signed only ' || s.receipts || ' of ' || r.receipts || ' receipts' AS why, 2 AS rank
    FROM signers s JOIN realms r USING (realm, is_jws) WHERE r.receipts >= 1000 AND s.receipts * 1000 < r.receipts
    UNION ALL
    SELECT id, 'shares its issuer and serial number with another certificate', 1 FROM (
        SELECT id, count(*) OVER (PARTITION BY issuer, serial) AS sharing FROM certificates)
    WHERE sharing > 1
    UNION ALL
    SELECT signer_id, 'is of StoreKit Test, among receipts of the App Store', 3 FROM signers
    WHERE realm = 'storekit_test' AND EXISTS (SELECT 1 FROM signers WHERE realm <> 'storekit_test'))
SELECT NULL AS realm, NULL AS environment, c.sha256 AS key, 'warning' AS severity,
    'The certificate ' || substr(c.sha256, 1, 16) || '… ' || group_concat(u.why, ', ') AS summary,
    NULL AS receipt_id, NULL AS position, c.id AS certificate_id
FROM (SELECT * FROM unusual ORDER BY signer_id, rank) u JOIN certificates c ON c.id = u.signer_id GROUP BY c.id
