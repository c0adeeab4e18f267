/// The database of an audit: one run, what it read, what it found.
///
/// Dates are milliseconds since 1970-01-01T00:00:00Z in UTC, so that they compare exactly; the views show them
/// as text. Digests of receipts and certificates are lower-case hexadecimal text. Identifiers of 64 bits are text.
/// A value that the receipt does not hold is NULL; ``RowCells`` says how texts with U+0000 are written. What a
/// refused receipt says is not recorded: nobody vouches for it.
enum AuditSchema {
    /// Stands in `PRAGMA user_version`; another number is another form of database.
    static let version = 3

    /// Marks the file as an audit's database (`PRAGMA application_id`): "RcAu".
    static let applicationID = 0x5263_4175

    static let tableNames = [
        "runs", "certificates", "receipts", "transactions", "verdicts", "finding_kinds", "findings",
        "finding_evidence", "incidents", "incident_findings", "not_looked_for", "inputs",
    ]

    static let tables = """
        -- One row: a database holds one run. `settings` is what the answers depend on, as a JSON object of text;
        -- a run is resumed and replayed under the same settings only. `records` counts what was read so far and
        -- is written in the same transaction as the rows; `ended_at` is NULL until everything was.
        -- In texts of all tables ␀ (U+2400) is written ␀␀, and U+0000, which would end a text for many readers, ␀0.
        CREATE TABLE runs (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            tool_version TEXT NOT NULL,
            arguments TEXT NOT NULL,               -- JSON array
            settings TEXT NOT NULL,                -- JSON object
            anchors TEXT NOT NULL,                 -- JSON array of objects: name, realm, sha256, subject
            catalog_sha256 TEXT,                   -- of the catalogue's file
            as_of INTEGER NOT NULL,
            as_of_is_clock INTEGER NOT NULL,       -- 1: a reading of the clock, 0: a day asked about
            started_at INTEGER NOT NULL,
            ended_at INTEGER,
            records INTEGER NOT NULL DEFAULT 0,
            genuine INTEGER NOT NULL DEFAULT 0,
            not_apples INTEGER NOT NULL DEFAULT 0, -- of the genuine: under a root of one's own, or StoreKit Test
            refused INTEGER NOT NULL DEFAULT 0,    -- unreadable ones not counted
            unreadable INTEGER NOT NULL DEFAULT 0,
            absent INTEGER NOT NULL DEFAULT 0,     -- records that say that they hold no receipt
            hidden INTEGER,                        -- files left out as their names begin with a full stop
            filtered INTEGER,                      -- left out by --include and --exclude
            links INTEGER,                         -- left out: links in archives to what is in them
            blank_lines INTEGER,                   -- left out; these four when the run has ended
            missing_fields TEXT,                   -- JSON array: fields that were named and that no record had
            ndjson_bytes INTEGER NOT NULL DEFAULT 0,
            ndjson_digest TEXT                     -- of these bytes, so that --resume knows them again
        );

        -- Every certificate of a chain that was found good, by first use.
        CREATE TABLE certificates (
            id INTEGER PRIMARY KEY,
            sha256 TEXT NOT NULL UNIQUE,
            subject TEXT NOT NULL,
            issuer TEXT NOT NULL,
            serial TEXT NOT NULL,
            not_before INTEGER NOT NULL,
            not_after INTEGER NOT NULL
        );

        -- Every record that was read; `id` is its place in the whole input, from 1 on.
        CREATE TABLE receipts (
            id INTEGER PRIMARY KEY,
            source TEXT NOT NULL,                  -- the SOURCE that it stood in, as given
            place INTEGER NOT NULL,                -- line, row, member or file of the source, from 1 on
            record TEXT,                           -- its id there: as given, or the path; NULL: unreadable
            subject TEXT,                          -- the account that presented it
            sha256 TEXT,                           -- of the DER bytes; NULL where none could be decoded
            content_sha256 TEXT,                   -- of the signed content: the receipt's name; NULL: refused
            wrapping TEXT,                         -- what it was wrapped in, from the outside in, joined by commas
            status TEXT NOT NULL CHECK (status IN ('genuine', 'refused', 'absent')),
            refusal_code TEXT,
            refusal_message TEXT,
            refusal_offset INTEGER,
            refusal_field TEXT,
            realm TEXT,
            environment TEXT,                      -- Production, Sandbox, Xcode; NULL: not named
            digest TEXT,                           -- sha1, sha256, …
            signer_id INTEGER REFERENCES certificates (id),
            intermediate_id INTEGER REFERENCES certificates (id),
            anchor_id INTEGER REFERENCES certificates (id),
            receipt_type TEXT,
            bundle_id TEXT,
            application_version TEXT,
            original_application_version TEXT,
            created_at INTEGER,
            original_purchase_date INTEGER,
            expiration_date INTEGER,
            app_item_id TEXT,
            download_id TEXT,
            version_external_identifier TEXT,
            opaque_value BLOB,
            sha1_hash BLOB
        );

        -- The in-app purchases of the genuine receipts, in the receipt's order, from 0 on.
        CREATE TABLE transactions (
            receipt_id INTEGER NOT NULL REFERENCES receipts (id),
            position INTEGER NOT NULL,
            quantity INTEGER,
            product_id TEXT,
            product_type TEXT,
            subscription_group TEXT,               -- as the catalogue has it
            transaction_id TEXT,                   -- "0" in receipts of Xcode: names nothing
            original_transaction_id TEXT,
            purchase_date INTEGER,
            original_purchase_date INTEGER,
            expires_date INTEGER,
            cancellation_date INTEGER,
            cancellation_reason INTEGER,
            is_trial_period INTEGER,
            is_in_intro_offer_period INTEGER,
            promotional_offer_identifier TEXT,
            web_order_line_item_id TEXT,
            PRIMARY KEY (receipt_id, position)
        ) WITHOUT ROWID;

        -- The answer for each genuine receipt and product of the catalogue; empty without a catalogue.
        CREATE TABLE verdicts (
            receipt_id INTEGER NOT NULL REFERENCES receipts (id),
            product_id TEXT NOT NULL,
            subscription_group TEXT,
            introductory_outcome TEXT NOT NULL,    -- eligible, ineligible, undetermined
            introductory_rule TEXT NOT NULL,
            introductory_certainty TEXT,
            introductory_caveats TEXT NOT NULL,    -- joined by commas
            promotional_outcome TEXT NOT NULL,
            promotional_rule TEXT NOT NULL,
            promotional_certainty TEXT,
            win_back_outcome TEXT NOT NULL,
            win_back_rule TEXT NOT NULL,
            win_back_certainty TEXT,
            state TEXT NOT NULL,
            state_product_id TEXT,
            state_since INTEGER,
            state_until INTEGER,
            PRIMARY KEY (receipt_id, product_id)
        ) WITHOUT ROWID;

        -- What each kind of finding means.
        CREATE TABLE finding_kinds (
            kind TEXT PRIMARY KEY,
            title TEXT NOT NULL,
            reason TEXT NOT NULL
        ) WITHOUT ROWID;

        -- What does not add up. `id` is made of the kind and of what it is about, the same in every run.
        CREATE TABLE findings (
            id TEXT PRIMARY KEY,
            kind TEXT NOT NULL REFERENCES finding_kinds (kind),
            severity TEXT NOT NULL CHECK (severity IN ('alert', 'warning', 'note')),
            summary TEXT NOT NULL
        ) WITHOUT ROWID;

        -- The rows that a finding rests on: receipts, transactions of receipts, certificates.
        CREATE TABLE finding_evidence (
            finding_id TEXT NOT NULL REFERENCES findings (id),
            number INTEGER NOT NULL,               -- from 1 on
            receipt_id INTEGER REFERENCES receipts (id),
            position INTEGER,                      -- with receipt_id: a transaction
            certificate_id INTEGER REFERENCES certificates (id),
            PRIMARY KEY (finding_id, number),
            FOREIGN KEY (receipt_id, position) REFERENCES transactions (receipt_id, position)
        ) WITHOUT ROWID;

        -- What a person is told, worst first: the findings about one subject, one purchase, or subjects that share
        -- with one another, as one. `kind` is that of its findings; 'sharing' is shared-receipt and shared-purchase.
        CREATE TABLE incidents (
            id INTEGER PRIMARY KEY,
            kind TEXT NOT NULL,
            severity TEXT NOT NULL CHECK (severity IN ('alert', 'warning', 'note')),
            summary TEXT NOT NULL,
            findings INTEGER NOT NULL,
            receipts INTEGER NOT NULL              -- records that its findings rest on
        );

        CREATE TABLE incident_findings (
            incident_id INTEGER NOT NULL REFERENCES incidents (id),
            finding_id TEXT NOT NULL REFERENCES findings (id),
            PRIMARY KEY (incident_id, finding_id)
        ) WITHOUT ROWID;

        -- What was not looked for, so that nobody takes it for not found. `kind` where that is all of a kind.
        CREATE TABLE not_looked_for (
            id INTEGER PRIMARY KEY,
            kind TEXT REFERENCES finding_kinds (kind),
            title TEXT NOT NULL,
            reason TEXT NOT NULL                   -- behind "because"
        );

        -- The files and streams that were read, as their bytes lie there: `sha256sum` says the same.
        CREATE TABLE inputs (
            id INTEGER PRIMARY KEY,
            source TEXT NOT NULL,                  -- the SOURCE as given
            path TEXT,                             -- of a file in a folder, below it
            bytes INTEGER NOT NULL,
            sha256 TEXT NOT NULL
        );
        """

    /// Made when all rows are there: an index that grows row by row costs several times as much.
    static let indexes = """
        CREATE INDEX receipts_by_content ON receipts (content_sha256, subject);
        CREATE INDEX receipts_by_subject ON receipts (subject) WHERE subject IS NOT NULL;
        CREATE INDEX receipts_by_refusal ON receipts (refusal_code) WHERE refusal_code IS NOT NULL;
        CREATE INDEX receipts_by_signer ON receipts (signer_id);
        CREATE INDEX transactions_by_id ON transactions (transaction_id);
        CREATE INDEX transactions_by_original ON transactions (original_transaction_id);
        CREATE INDEX transactions_by_product ON transactions (product_id);
        CREATE INDEX evidence_by_receipt ON finding_evidence (receipt_id, position);
        """

    /// The text of a date in a view.
    private static func text(_ column: String, as name: String) -> String {
        "strftime('%Y-%m-%dT%H:%M:%SZ', \(column) / 1000, 'unixepoch') AS \(name)"
    }

    private static func month(_ column: String) -> String {
        "strftime('%Y-%m', \(column) / 1000, 'unixepoch') AS month"
    }

    static let views = """
        -- Why receipts were refused, the most frequent reason first.
        CREATE VIEW refusals_by_reason AS
            SELECT refusal_code AS reason, count(*) AS receipts, min(refusal_message) AS example
            FROM receipts WHERE status = 'refused' GROUP BY refusal_code ORDER BY receipts DESC, reason;

        -- Receipts by the month of their creation and their environment; refused ones have neither.
        CREATE VIEW receipts_by_month AS
            SELECT \(month("created_at")), environment, status, count(*) AS receipts
            FROM receipts GROUP BY 1, environment, status ORDER BY 1, environment, status;

        -- Each purchase once, as the latest receipt tells it. Ids that name nothing (absent, empty, "0", of
        -- Xcode) are each their own purchase.
        CREATE VIEW purchases AS
            SELECT r.environment, r.bundle_id, t.*, max(r.created_at) AS told_at, count(*) AS receipts
            FROM transactions t JOIN receipts r ON r.id = t.receipt_id
            GROUP BY coalesce(r.environment, ''), r.bundle_id,
                CASE WHEN coalesce(t.transaction_id, '') IN ('', '0') OR r.environment = 'Xcode'
                    THEN t.receipt_id || '#' || t.position ELSE t.transaction_id END;

        -- Free trials and other introductory offers by product and month of purchase.
        CREATE VIEW trials_by_product_and_month AS
            SELECT product_id, \(month("purchase_date")),
                sum(coalesce(is_trial_period, 0)) AS trials,
                sum(coalesce(is_in_intro_offer_period, 0) AND NOT coalesce(is_trial_period, 0)) AS introductory
            FROM purchases WHERE is_trial_period OR is_in_intro_offer_period
            GROUP BY product_id, 2 ORDER BY product_id, 2;

        -- Offers that were used, by product.
        CREATE VIEW offers_by_product AS
            SELECT product_id, sum(coalesce(is_trial_period, 0)) AS trials,
                sum(coalesce(is_in_intro_offer_period, 0) AND NOT coalesce(is_trial_period, 0)) AS introductory,
                sum(promotional_offer_identifier IS NOT NULL) AS promotional, count(*) AS purchases
            FROM purchases GROUP BY product_id ORDER BY product_id;

        -- Purchases that were refunded, revoked or replaced by an upgrade.
        CREATE VIEW refunds AS
            SELECT environment, bundle_id, product_id, transaction_id, original_transaction_id,
                \(text("purchase_date", as: "purchase_date")), \(text("cancellation_date", as: "cancellation_date")),
                cancellation_reason, receipt_id, position
            FROM purchases WHERE cancellation_date IS NOT NULL;

        -- How many receipts each certificate signed, and when.
        CREATE VIEW receipts_by_certificate AS
            SELECT c.sha256, c.subject, c.issuer, c.serial, \(text("c.not_before", as: "not_before")),
                \(text("c.not_after", as: "not_after")), r.realm, count(*) AS receipts,
                \(text("min(r.created_at)", as: "first_receipt")), \(text("max(r.created_at)", as: "last_receipt"))
            FROM receipts r JOIN certificates c ON c.id = r.signer_id GROUP BY c.id, r.realm ORDER BY receipts DESC;

        -- How often each rule decided, by offer.
        CREATE VIEW verdicts_by_rule AS
            SELECT 'introductory' AS offer, introductory_outcome AS outcome, introductory_rule AS rule, count(*) AS verdicts
            FROM verdicts GROUP BY 2, 3
            UNION ALL SELECT 'promotional', promotional_outcome, promotional_rule, count(*) FROM verdicts GROUP BY 2, 3
            UNION ALL SELECT 'win_back', win_back_outcome, win_back_rule, count(*) FROM verdicts GROUP BY 2, 3;

        -- Accounts and what they presented; a receipt counts once, however it was wrapped.
        CREATE VIEW subjects AS
            SELECT subject, sum(status <> 'absent') AS presented, sum(status = 'genuine') AS genuine,
                count(DISTINCT coalesce(content_sha256, sha256)) AS receipts
            FROM receipts WHERE subject IS NOT NULL GROUP BY subject;

        -- Findings by kind, with what the kind means.
        CREATE VIEW findings_by_kind AS
            SELECT k.kind, f.severity, count(*) AS findings, k.title, k.reason
            FROM findings f JOIN finding_kinds k USING (kind) GROUP BY k.kind, f.severity ORDER BY findings DESC;
        """
}
