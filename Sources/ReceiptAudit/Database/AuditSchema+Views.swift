/// The views, which answer common questions of auditors. All show dates as text, to the second.
extension AuditSchema {
    /// Returns the SQL for the text of a date in a view.
    private static func text(_ column: String, as name: String) -> String {
        "strftime('%Y-%m-%dT%H:%M:%SZ', \(column) / 1000, 'unixepoch') AS \(name)"
    }

    /// Returns the SQL for the month of a date's text.
    private static func month(_ column: String) -> String { "substr(\(column), 1, 7) AS month" }

    static let views = """
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

        -- Receipts and other signed objects by month of creation and by environment. Refused records have neither, except
        -- renewal information that names no app.
        CREATE VIEW receipts_by_month AS
            SELECT strftime('%Y-%m', created_at / 1000, 'unixepoch') AS month, environment, status, kind, count(*) AS receipts
            FROM receipts GROUP BY 1, environment, status, kind ORDER BY 1, environment, status, kind;

        -- Apple's renewal information, the newest first, without refused information that belongs to no customer.
        CREATE VIEW renewal_information AS
            SELECT r.subject, r.environment, r.bundle_id, w.original_transaction_id, w.product_id, w.auto_renew_product_id,
                w.auto_renew_status, w.expiration_intent, w.is_in_billing_retry_period,
                \(text("w.grace_period_expires_date", as: "grace_period_expires_date")), \(text("w.renewal_date", as: "renewal_date")),
                w.eligible_win_back_offer_ids, \(text("r.created_at", as: "signed_at")), w.receipt_id
            FROM renewals w JOIN receipts r ON r.id = w.receipt_id WHERE r.status = 'genuine' OR r.bundle_id IS NOT NULL
            ORDER BY r.created_at DESC, w.receipt_id;

        -- Each purchase once, as in the newest evidence. Of evidence of one date, a signed transaction takes precedence, then
        -- the later expiry. With an id that identifies nothing (absent, empty, "0", of Xcode), each row is its own purchase.
        CREATE VIEW purchases AS
            WITH told AS (
                SELECT r.environment, r.bundle_id, r.subject, r.created_at, t.*, count(*) OVER purchase AS receipts,
                    row_number() OVER (purchase ORDER BY r.created_at DESC, r.kind = 'transaction' DESC, t.expires_date DESC, t.cancellation_date DESC,
                        t.purchase_date DESC,
                        coalesce(t.product_type = 'auto_renewable_subscription', t.expires_date IS NOT NULL) DESC,
                        t.is_trial_period DESC, t.is_in_intro_offer_period DESC, t.product_id, t.original_transaction_id,
                        t.promotional_offer_identifier, t.receipt_id, t.position) AS telling
                FROM transactions t JOIN receipts r ON r.id = t.receipt_id
                WINDOW purchase AS (PARTITION BY coalesce(r.environment, ''), r.bundle_id,
                    CASE WHEN coalesce(t.transaction_id, '') IN ('', '0') OR r.environment IN ('Xcode', 'LocalTesting')
                        THEN t.receipt_id || '#' || t.position ELSE t.transaction_id END))
            SELECT environment, bundle_id, subject, receipt_id, position, quantity, product_id, product_type,
                subscription_group, transaction_id, original_transaction_id,
                \(text("purchase_date", as: "purchase_date")), \(text("original_purchase_date", as: "original_purchase_date")),
                \(text("expires_date", as: "expires_date")), \(text("cancellation_date", as: "cancellation_date")),
                cancellation_reason, is_trial_period, is_in_intro_offer_period, promotional_offer_identifier,
                web_order_line_item_id, \(text("created_at", as: "told_at")), receipts
            FROM told WHERE telling = 1;

        -- Used trials and other introductory offers: a row for each subject and purchase.
        CREATE VIEW offers_used AS
            SELECT DISTINCT r.subject, r.environment, r.bundle_id, t.subscription_group, t.product_id,
                CASE WHEN t.is_trial_period THEN 'trial' ELSE 'introductory' END AS offer,
                \(text("t.purchase_date", as: "purchase_date")), \(text("t.expires_date", as: "expires_date")),
                t.transaction_id, t.original_transaction_id
            FROM transactions t JOIN receipts r ON r.id = t.receipt_id
            WHERE t.is_trial_period OR t.is_in_intro_offer_period;

        -- Subjects with more than one trial of an app or, without a subject, original transactions.
        CREATE VIEW several_trials AS
            SELECT subject, CASE WHEN subject IS NULL THEN original_transaction_id END AS original_transaction_id,
                environment, bundle_id, count(DISTINCT transaction_id) AS trials,
                count(DISTINCT coalesce(subscription_group, product_id)) AS groups,
                min(purchase_date) AS first_trial, max(purchase_date) AS last_trial
            FROM offers_used WHERE offer = 'trial'
            GROUP BY subject, 2, environment, bundle_id HAVING trials > 1 ORDER BY trials DESC, subject, 2;

        -- Free trials and other introductory offers by product and month of purchase.
        CREATE VIEW trials_by_product_and_month AS
            SELECT product_id, \(month("purchase_date")),
                sum(coalesce(is_trial_period, 0)) AS trials,
                sum(coalesce(is_in_intro_offer_period, 0) AND NOT coalesce(is_trial_period, 0)) AS introductory
            FROM purchases WHERE is_trial_period OR is_in_intro_offer_period
            GROUP BY product_id, 2 ORDER BY product_id, 2;

        -- The periods of subscriptions, as in the newest evidence. A period that was active on a day began by then and ended
        -- after it.
        CREATE VIEW active_periods AS
            SELECT subject, environment, bundle_id, product_id, subscription_group, transaction_id, original_transaction_id,
                purchase_date AS active_from, min(expires_date, coalesce(cancellation_date, expires_date)) AS active_until,
                is_trial_period, is_in_intro_offer_period
            FROM purchases WHERE expires_date IS NOT NULL
                AND coalesce(product_type, 'auto_renewable_subscription') = 'auto_renewable_subscription';

        -- Used offers by product.
        CREATE VIEW offers_by_product AS
            SELECT product_id, sum(coalesce(is_trial_period, 0)) AS trials,
                sum(coalesce(is_in_intro_offer_period, 0) AND NOT coalesce(is_trial_period, 0)) AS introductory,
                sum(promotional_offer_identifier IS NOT NULL) AS promotional, count(*) AS purchases
            FROM purchases GROUP BY product_id ORDER BY product_id;

        -- Purchases that were refunded, revoked or replaced by an upgrade.
        CREATE VIEW refunds AS
            SELECT environment, bundle_id, product_id, transaction_id, original_transaction_id, purchase_date,
                cancellation_date, cancellation_reason, receipt_id, position
            FROM purchases WHERE cancellation_date IS NOT NULL;

        -- The number and dates of the receipts that each certificate signed.
        CREATE VIEW receipts_by_certificate AS
            SELECT c.sha256, c.subject, c.issuer, c.serial, \(text("c.not_before", as: "not_before")),
                \(text("c.not_after", as: "not_after")), r.realm, count(*) AS receipts,
                \(text("min(r.created_at)", as: "first_receipt")), \(text("max(r.created_at)", as: "last_receipt"))
            FROM receipts r JOIN certificates c ON c.id = r.signer_id GROUP BY c.id, r.realm ORDER BY receipts DESC;

        -- The number of verdicts by offer and rule.
        CREATE VIEW verdicts_by_rule AS
            SELECT 'introductory' AS offer, introductory_outcome AS outcome, introductory_rule AS rule, count(*) AS verdicts
            FROM verdicts GROUP BY 2, 3
            UNION ALL SELECT 'promotional', promotional_outcome, promotional_rule, count(*) FROM verdicts GROUP BY 2, 3
            UNION ALL SELECT 'win_back', win_back_outcome, win_back_rule, count(*) FROM verdicts GROUP BY 2, 3;

        -- One answer for each customer and product.
        CREATE VIEW answers AS
            SELECT c.subject, c.environment, c.bundle_id, v.product_id, v.subscription_group,
                v.introductory_outcome, v.introductory_rule, v.introductory_certainty, v.introductory_caveats,
                v.promotional_outcome, v.promotional_caveats, v.win_back_outcome, v.win_back_caveats, v.state, \(text("v.state_since", as: "state_since")),
                \(text("v.state_until", as: "state_until")), \(text("c.evidence_date", as: "evidence_date")),
                v.receipts AS rests_on, c.id AS customer_id, c.linked_by
            FROM subject_verdicts v JOIN customers c ON c.id = v.customer_id ORDER BY c.id;

        -- The number of records that each subject presented. `receipts` counts a receipt once, regardless of its encoding.
        CREATE VIEW subjects AS
            SELECT subject, sum(status NOT IN ('absent', 'foreign')) AS presented, sum(status = 'genuine') AS genuine,
                count(DISTINCT coalesce(content_sha256, sha256)) AS receipts
            FROM receipts WHERE subject IS NOT NULL GROUP BY subject;

        -- Findings by kind, with the meaning of the kind.
        CREATE VIEW findings_by_kind AS
            SELECT k.kind, f.severity, count(*) AS findings, k.title, k.reason
            FROM findings f JOIN finding_kinds k USING (kind) GROUP BY k.kind, f.severity ORDER BY findings DESC;
        """
}
