-- The kind of trust anchor whose evidence counts unless another one is asked for: Apple's roots if the audit trusts them.
CREATE VIEW default_realm AS
    SELECT CASE WHEN instr(anchors, '"realm":"app_store"') THEN 'app_store'
        WHEN instr(anchors, '"realm":"storekit_test"') AND NOT instr(anchors, '"realm":"custom"') THEN 'storekit_test'
        ELSE 'custom' END AS realm
    FROM runs;

-- The reasons for refusals, the most frequent first.
CREATE VIEW refusals_by_reason AS
    SELECT refusal_code AS reason, count(*) AS receipts, min(refusal_message) AS example
    FROM receipts WHERE status = 'refused' AND other_app IS NULL GROUP BY refusal_code ORDER BY receipts DESC, reason;

-- The apps of genuine objects that only --bundle-id or --app-apple-id refused.
CREATE VIEW other_apps AS
    SELECT other_app AS app, count(*) AS receipts FROM receipts WHERE other_app IS NOT NULL
    GROUP BY other_app ORDER BY receipts DESC, app;

-- Values of other stores and payment systems by kind.
CREATE VIEW foreign_values_by_kind AS
    SELECT kind, count(*) AS records FROM receipts WHERE status = 'foreign' GROUP BY kind ORDER BY records DESC, kind;

-- Receipts and other signed objects by month of creation, environment and trust anchor kind. Refused records have neither, except
-- renewal information that names no app.
CREATE VIEW receipts_by_month AS
    SELECT strftime('%Y-%m', created_at / 1000, 'unixepoch') AS month, environment, status, kind, realm, count(*) AS receipts
    FROM receipts GROUP BY 1, environment, status, kind, realm ORDER BY 1, environment, status, kind, realm;

-- Apple's renewal information, the newest first, without refused information that belongs to no customer.
CREATE VIEW renewal_information AS
    SELECT r.subject, r.environment, r.bundle_id, w.original_transaction_id, w.product_id, w.auto_renew_product_id,
        w.auto_renew_status, w.expiration_intent, w.is_in_billing_retry_period,
        strftime('%Y-%m-%dT%H:%M:%SZ', w.grace_period_expires_date / 1000, 'unixepoch') AS grace_period_expires_date, strftime('%Y-%m-%dT%H:%M:%SZ', w.renewal_date / 1000, 'unixepoch') AS renewal_date,
        w.eligible_win_back_offer_ids, strftime('%Y-%m-%dT%H:%M:%SZ', r.created_at / 1000, 'unixepoch') AS signed_at, w.receipt_id
    FROM renewals w JOIN receipts r ON r.id = w.receipt_id WHERE r.status = 'genuine' OR r.bundle_id IS NOT NULL
    ORDER BY r.created_at DESC, w.receipt_id;

-- The periods of subscriptions that evidence presents under several transaction ids, because a restored subscription has
-- others on the other device. Original transaction, product and second of the purchase identify a period.
--   purchase: one of these ids, the key of the period in `purchases`.
CREATE VIEW restored_periods AS
    SELECT r.realm, r.environment, r.bundle_id, t.original_transaction_id, t.product_id,
        strftime('%Y-%m-%dT%H:%M:%SZ', t.purchase_date / 1000, 'unixepoch') AS purchase_date, min(t.transaction_id) AS purchase
    FROM transactions t JOIN receipts r ON r.id = t.receipt_id
    WHERE t.expires_date IS NOT NULL AND t.original_transaction_id NOT IN ('', '0')
        AND t.transaction_id NOT IN ('', '0') AND coalesce(r.environment, '') NOT IN ('Xcode', 'LocalTesting')
    GROUP BY r.realm, r.environment, r.bundle_id, t.original_transaction_id, t.product_id, t.purchase_date / 1000
    HAVING min(t.transaction_id) <> max(t.transaction_id);

-- The key of each purchase of each record. Records that present one purchase have the same key.
CREATE VIEW purchase_keys AS
    SELECT r.realm, r.environment, r.bundle_id, r.subject, t.receipt_id, t.position, t.original_transaction_id,
        CASE WHEN coalesce(t.transaction_id, '') IN ('', '0') OR r.environment IN ('Xcode', 'LocalTesting')
            THEN t.receipt_id || '#' || t.position ELSE coalesce(p.purchase, t.transaction_id) END AS purchase
    FROM transactions t JOIN receipts r ON r.id = t.receipt_id
        LEFT JOIN restored_periods p ON p.original_transaction_id = t.original_transaction_id AND p.product_id = t.product_id
            AND p.purchase_date = strftime('%Y-%m-%dT%H:%M:%SZ', t.purchase_date / 1000, 'unixepoch')
            AND p.realm = r.realm AND p.environment IS r.environment AND p.bundle_id IS r.bundle_id;

-- Each purchase once, however many records present it, as in the newest evidence. Of evidence of one date, a signed
-- transaction takes precedence, then the later expiry. With an id that identifies nothing (absent, empty, "0", of Xcode),
-- each row is its own purchase. What only some evidence states, such as a used offer or a price, is kept from that evidence.
-- If no evidence of a purchase states who bought it, the other evidence of the subscription decides.
--   purchase: the key of the purchase within its trust anchor kind, environment and app; subscription: that of its original transaction.
--   offer: trial, introductory, promotional, offer code, win-back, unknown (of a type that no rule knows). Of an offer code that only
--     receipts present: promotional.
--   ended_at: the date by which a subscription's period ended: expiry, cancellation or upgrade, whichever is earliest.
--   ending: refund; upgrade (replaced by another product of the subscription); family (access of a family member ended);
--     unknown (for a reason or an owner that no rule knows). A renewal that was charged ahead may be replaced before it begins.
--   is_bought: 0 for the access of a family member; NULL for an owner that this version does not know, such as an organization.
--   price: what was paid, in units of the currency, for all of `quantity`; NULL if not stated, or if not known to be bought.
--   refunded: the amount paid back; NULL if not known.
CREATE VIEW purchases AS
    WITH told AS (
        SELECT r.realm, r.environment, r.bundle_id, coalesce(r.subject, max(r.subject) OVER purchase) AS subject, r.created_at,
            t.*, k.purchase, count(*) OVER purchase AS receipts,
            max(t.is_trial_period) OVER purchase AS kept_is_trial_period, max(t.is_in_intro_offer_period) OVER purchase AS kept_is_in_intro_offer_period, max(t.promotional_offer_identifier) OVER purchase AS kept_promotional_offer_identifier, max(t.subscription_group_identifier) OVER purchase AS kept_subscription_group_identifier, max(t.ownership_type) OVER purchase AS kept_ownership_type, max(t.is_upgraded) OVER purchase AS kept_is_upgraded, max(t.offer_type) OVER purchase AS kept_offer_type, max(t.offer_identifier) OVER purchase AS kept_offer_identifier, max(t.storefront) OVER purchase AS kept_storefront, max(t.price) OVER purchase AS kept_price, max(t.currency) OVER purchase AS kept_currency, 
            -- The newest signed transaction: its date, whether the kind of its revocation is unknown, the percentage plus 1, the kind.
            max(CASE WHEN r.kind = 'transaction' THEN printf('%015d %d%06d%s', r.created_at,
                coalesce(t.revocation_type NOT IN ('', 'REFUND_FULL', 'REFUND_PRORATED', 'FAMILY_REVOKE'), 0),
                coalesce(min(max(t.revocation_percentage, 0), 100000) + 1, 0), coalesce(t.revocation_type, '')) END)
                OVER purchase AS kept_revocation,
            row_number() OVER (purchase ORDER BY r.created_at DESC, r.kind = 'transaction' DESC, t.expires_date DESC, t.cancellation_date DESC,
                t.purchase_date DESC, t.cancellation_reason NOT IN (0, 1) DESC,
                coalesce(t.product_type = 'auto_renewable_subscription', t.expires_date IS NOT NULL) DESC,
                t.is_trial_period DESC, t.is_in_intro_offer_period DESC, t.product_id, t.original_transaction_id,
                t.promotional_offer_identifier, r.subject, t.receipt_id, t.position) AS telling
        FROM purchase_keys k JOIN transactions t USING (receipt_id, position) JOIN receipts r ON r.id = t.receipt_id
        WINDOW purchase AS (PARTITION BY r.realm, coalesce(r.environment, ''), r.bundle_id, k.purchase)),
    owners AS (
        SELECT r.realm AS of_realm, coalesce(r.environment, '') AS of_environment, r.bundle_id AS of_app,
            t.original_transaction_id AS of_original, max(t.ownership_type) AS owner
        FROM transactions t JOIN receipts r ON r.id = t.receipt_id
        WHERE t.original_transaction_id NOT IN ('', '0') AND coalesce(r.environment, '') NOT IN ('Xcode', 'LocalTesting')
        GROUP BY 1, 2, 3, 4 HAVING max(t.ownership_type) <> 'PURCHASED'),
    subscribed AS (
        SELECT told.*, CASE WHEN coalesce(original_transaction_id, '') IN ('', '0') OR environment IN ('Xcode', 'LocalTesting')
                THEN purchase ELSE original_transaction_id END AS subscription,
            nullif(substr(kept_revocation, 24), '') AS kept_revocation_type,
            nullif(CAST(substr(kept_revocation, 18, 6) AS INTEGER), 0) - 1 AS kept_revocation_percentage,
            CASE coalesce(kept_ownership_type, owner, 'PURCHASED') WHEN 'PURCHASED' THEN 1 WHEN 'FAMILY_SHARED' THEN 0 END AS is_bought
        FROM told LEFT JOIN owners ON of_original = original_transaction_id AND of_realm = realm
            AND of_environment = coalesce(environment, '') AND of_app = bundle_id
        WHERE telling = 1),
    replaced AS (
        SELECT *, first_value(product_id) OVER around = product_id AND abs(first_value(expires_date) OVER around - purchase_date) <= 60000
                AND nth_value(product_id, 2) OVER around <> product_id
                AND purchase_date - nth_value(purchase_date, 2) OVER around BETWEEN 1 AND 86400000
                AND nth_value(min(expires_date, coalesce(cancellation_date, expires_date)), 2) OVER around > purchase_date + 60000
                AND coalesce(cancellation_date, CASE WHEN kept_is_upgraded THEN purchase_date END)
                    BETWEEN nth_value(purchase_date, 2) OVER around AND purchase_date + 86400000 AS is_replaced
        FROM subscribed
        WINDOW around AS (PARTITION BY realm, environment, bundle_id, subscription, is_bought
            ORDER BY purchase_date, length(transaction_id), transaction_id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)),
    followed AS (
        SELECT *, CASE WHEN lead(product_id) OVER later <> product_id THEN lead(purchase_date) OVER later END AS followed_at
        FROM replaced
        WINDOW later AS (PARTITION BY realm, environment, bundle_id, subscription, is_bought, coalesce(is_replaced, 0)
            ORDER BY purchase_date, length(transaction_id), transaction_id)),
    ended AS (
        SELECT *, CASE WHEN kept_is_upgraded OR abs(cancellation_date - followed_at) <= 60000 OR is_replaced THEN 'upgrade'
                WHEN cancellation_date IS NULL THEN NULL
                WHEN NOT is_bought OR kept_revocation_type = 'FAMILY_REVOKE' THEN 'family'
                WHEN is_bought IS NULL OR cancellation_reason NOT IN (0, 1)
                    OR kept_revocation_type NOT IN ('REFUND_FULL', 'REFUND_PRORATED') THEN 'unknown' ELSE 'refund' END AS ending,
            CASE WHEN is_bought THEN kept_price END AS paid
        FROM followed)
    SELECT realm, environment, bundle_id, purchase, subscription, subject, receipt_id, position, quantity, product_id, product_type,
        subscription_group, kept_subscription_group_identifier AS subscription_group_identifier, transaction_id,
        original_transaction_id,
        strftime('%Y-%m-%dT%H:%M:%SZ', purchase_date / 1000, 'unixepoch') AS purchase_date, strftime('%Y-%m-%dT%H:%M:%SZ', original_purchase_date / 1000, 'unixepoch') AS original_purchase_date,
        strftime('%Y-%m-%dT%H:%M:%SZ', expires_date / 1000, 'unixepoch') AS expires_date, strftime('%Y-%m-%dT%H:%M:%SZ', cancellation_date / 1000, 'unixepoch') AS cancellation_date,
        strftime('%Y-%m-%dT%H:%M:%SZ', min(expires_date, coalesce(cancellation_date, expires_date),
    CASE WHEN is_replaced THEN purchase_date WHEN ending = 'upgrade' THEN coalesce(followed_at, expires_date)
        ELSE expires_date END) / 1000, 'unixepoch') AS ended_at, ending, cancellation_reason,
        kept_is_trial_period AS is_trial_period, kept_is_in_intro_offer_period AS is_in_intro_offer_period,
        kept_promotional_offer_identifier AS promotional_offer_identifier,
        CASE WHEN kept_offer_type = 2 THEN 'promotional' WHEN kept_offer_type = 3 THEN 'offer code'
            WHEN kept_offer_type = 4 THEN 'win-back'
            WHEN kept_is_trial_period AND (kept_promotional_offer_identifier IS NULL OR kept_is_in_intro_offer_period
                OR kept_offer_type = 1) THEN 'trial'
            WHEN kept_is_in_intro_offer_period THEN 'introductory'
            WHEN kept_promotional_offer_identifier IS NOT NULL THEN 'promotional'
            WHEN kept_offer_type <> 1 OR kept_offer_type IS NULL AND kept_offer_identifier <> '' THEN 'unknown' END AS offer,
        coalesce(kept_promotional_offer_identifier, kept_offer_identifier) AS offer_identifier,
        is_bought, kept_storefront AS storefront, paid / 1000.0 AS price, kept_currency AS currency,
        CASE WHEN ending IS NULL OR ending = 'family' THEN 0.0
            WHEN kept_revocation_percentage IS NOT NULL
                THEN round(paid * (kept_revocation_percentage / 100000.0)) / 1000.0
            WHEN ending = 'refund' AND coalesce(kept_revocation_type, '') <> 'REFUND_PRORATED' OR is_replaced
                THEN paid / 1000.0 END AS refunded,
        web_order_line_item_id, strftime('%Y-%m-%dT%H:%M:%SZ', created_at / 1000, 'unixepoch') AS told_at, receipts
    FROM ended;

-- The accounts that presented each purchase: every subject, or the original transaction of a purchase that no record with
-- a subject presents.
CREATE VIEW purchase_accounts AS
    WITH presented AS (
        SELECT DISTINCT realm, environment, bundle_id, purchase, subject, CASE WHEN subject IS NULL
            THEN coalesce(nullif(nullif(original_transaction_id, ''), '0'), purchase) END AS original_transaction_id
        FROM purchase_keys),
    named AS (
        SELECT *, max(subject) OVER (PARTITION BY realm, environment, bundle_id, purchase) AS one FROM presented)
    SELECT realm, environment, bundle_id, purchase, subject, original_transaction_id FROM named
    WHERE subject IS NOT NULL OR one IS NULL;

-- Used offers: a row for each purchase and account, without purchases by family sharing or of unknown owners.
CREATE VIEW offers_used AS
    SELECT a.subject, p.realm, p.environment, p.bundle_id, p.purchase, coalesce(p.subscription_group, p.subscription_group_identifier) AS subscription_group,
        p.product_id, p.offer, p.offer_identifier, p.purchase_date, p.expires_date, p.transaction_id, p.original_transaction_id
    FROM purchases p JOIN purchase_accounts a
        ON a.purchase = p.purchase AND a.realm = p.realm AND a.environment IS p.environment AND a.bundle_id IS p.bundle_id
    WHERE p.offer IS NOT NULL AND p.is_bought;

-- Subjects with several introductory offers (trials included) in one group of an app, as in the findings of that name.
-- Without a catalog that names its group, each product is a group of its own. `periods` may exceed the number of offers.
CREATE VIEW several_introductory_offers AS
    SELECT r.subject, r.realm, r.environment, r.bundle_id, max(t.subscription_group) AS subscription_group, count(*) AS periods,
        count(DISTINCT t.product_id) AS products, strftime('%Y-%m-%dT%H:%M:%SZ', min(t.purchase_date) / 1000, 'unixepoch') AS first_offer,
        strftime('%Y-%m-%dT%H:%M:%SZ', max(t.purchase_date) / 1000, 'unixepoch') AS last_offer, f.summary, f.id AS finding_id
    FROM findings f JOIN finding_evidence e ON e.finding_id = f.id JOIN receipts r ON r.id = e.receipt_id
        JOIN transactions t ON t.receipt_id = e.receipt_id AND t.position = e.position
    WHERE f.kind = 'several-introductory-offers' GROUP BY f.id ORDER BY periods DESC, r.subject, f.id;

-- Receipts and other signed objects that several subjects presented, as in the findings of that name.
CREATE VIEW shared_receipts AS
    SELECT r.realm, r.environment, r.bundle_id, r.content_sha256, r.kind, count(DISTINCT r.subject) AS subjects, count(*) AS records,
        strftime('%Y-%m-%dT%H:%M:%SZ', min(r.created_at) / 1000, 'unixepoch') AS created_at, f.id AS finding_id
    FROM findings f JOIN finding_evidence e ON e.finding_id = f.id JOIN receipts r ON r.id = e.receipt_id
    WHERE f.kind = 'shared-receipt' GROUP BY f.id ORDER BY subjects DESC, f.id;

-- Free trials and other introductory offers in Production and under the default roots by app, product and month of purchase.
CREATE VIEW trials_by_product_and_month AS
    SELECT bundle_id, product_id, substr(purchase_date, 1, 7) AS month,
        sum(offer = 'trial') AS trials, sum(offer = 'introductory') AS introductory
    FROM purchases WHERE offer IN ('trial', 'introductory') AND is_bought AND environment = 'Production'
        AND realm = (SELECT realm FROM default_realm)
    GROUP BY bundle_id, product_id, 3 ORDER BY bundle_id, product_id, 3;

-- The periods of subscriptions in all environments. A period that was active on a day began by then and ended after it. An
-- upgraded period ends where the next one begins. `is_bought` is as in `purchases`.
CREATE VIEW active_periods AS
    SELECT subject, realm, environment, bundle_id, product_id, subscription_group, purchase, subscription, transaction_id,
        original_transaction_id, purchase_date AS active_from, ended_at AS active_until, expires_date, ending,
        is_trial_period, is_in_intro_offer_period, is_bought
    FROM purchases WHERE ended_at IS NOT NULL
        AND coalesce(product_type, 'auto_renewable_subscription') = 'auto_renewable_subscription';

-- Used offers in Production and under the default roots by app and product.
CREATE VIEW offers_by_product AS
    SELECT bundle_id, product_id, sum(offer IS 'trial') AS trials, sum(offer IS 'introductory') AS introductory,
        sum(offer IS 'promotional') AS promotional, sum(offer IS 'offer code') AS offer_codes,
        sum(offer IS 'win-back') AS win_back, count(*) AS purchases
    FROM purchases WHERE is_bought AND environment = 'Production'
        AND realm = (SELECT realm FROM default_realm)
    GROUP BY bundle_id, product_id ORDER BY bundle_id, product_id;

-- Refunded purchases in all environments, each once. Upgrades, the end of family sharing, unknown reasons and owners, and
-- refunds of single items (Advanced Commerce) do not count.
CREATE VIEW refunds AS
    SELECT subject, realm, environment, bundle_id, purchase, product_id, transaction_id, original_transaction_id, purchase_date,
        cancellation_date, cancellation_reason, price, refunded, currency, receipt_id, position
    FROM purchases WHERE ending = 'refund';

-- The number and dates of the receipts that each certificate signed.
CREATE VIEW receipts_by_certificate AS
    SELECT c.sha256, c.subject, c.issuer, c.serial, strftime('%Y-%m-%dT%H:%M:%SZ', c.not_before / 1000, 'unixepoch') AS not_before,
        strftime('%Y-%m-%dT%H:%M:%SZ', c.not_after / 1000, 'unixepoch') AS not_after, r.realm, count(*) AS receipts,
        strftime('%Y-%m-%dT%H:%M:%SZ', min(r.created_at) / 1000, 'unixepoch') AS first_receipt, strftime('%Y-%m-%dT%H:%M:%SZ', max(r.created_at) / 1000, 'unixepoch') AS last_receipt
    FROM receipts r JOIN certificates c ON c.id = r.signer_id GROUP BY c.id, r.realm ORDER BY receipts DESC;

-- The number of verdicts by offer and rule.
CREATE VIEW verdicts_by_rule AS
    SELECT 'introductory' AS offer, introductory_outcome AS outcome, introductory_rule AS rule, count(*) AS verdicts
    FROM verdicts GROUP BY 2, 3
    UNION ALL SELECT 'promotional', promotional_outcome, promotional_rule, count(*) FROM verdicts GROUP BY 2, 3
    UNION ALL SELECT 'win_back', win_back_outcome, win_back_rule, count(*) FROM verdicts GROUP BY 2, 3;

-- One answer for each customer and product.
CREATE VIEW answers AS
    SELECT c.subject, r.realm, c.environment, c.bundle_id, v.product_id, v.subscription_group,
        v.introductory_outcome, v.introductory_rule, v.introductory_certainty, v.introductory_caveats,
        v.promotional_outcome, v.promotional_caveats, v.win_back_outcome, v.win_back_caveats, v.state, strftime('%Y-%m-%dT%H:%M:%SZ', v.state_since / 1000, 'unixepoch') AS state_since,
        strftime('%Y-%m-%dT%H:%M:%SZ', v.state_until / 1000, 'unixepoch') AS state_until, strftime('%Y-%m-%dT%H:%M:%SZ', c.evidence_date / 1000, 'unixepoch') AS evidence_date,
        v.receipts AS rests_on, c.id AS customer_id, c.linked_by
    FROM subject_verdicts v JOIN customers c ON c.id = v.customer_id JOIN receipts r ON r.id = c.newest_receipt_id
    ORDER BY c.id;

-- The number of records that each subject presented. `receipts` counts a receipt once, regardless of its encoding.
CREATE VIEW subjects AS
    SELECT subject, sum(status NOT IN ('absent', 'foreign')) AS presented, sum(status = 'genuine') AS genuine,
        count(DISTINCT coalesce(content_sha256, sha256)) AS receipts
    FROM receipts WHERE subject IS NOT NULL GROUP BY subject;

-- Findings by kind, with the meaning of the kind.
CREATE VIEW findings_by_kind AS
    SELECT k.kind, f.severity, count(*) AS findings, k.title, k.reason
    FROM findings f JOIN finding_kinds k USING (kind) GROUP BY k.kind, f.severity ORDER BY findings DESC;
