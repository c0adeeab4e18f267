/// The database of an audit: one run, its input and its findings.
///
/// Dates are milliseconds since 1970-01-01T00:00:00Z in UTC, so that they compare exactly. The views show
/// them as text. Digests of receipts and certificates are lower-case hexadecimal text. 64-bit identifiers are
/// text. A value that the receipt does not contain is NULL. ``RowCells`` describes the encoding of text with
/// U+0000.
///
/// The contents of a refused receipt are not recorded, because its signature may be forged. The exception is
/// genuine renewal information that is refused only because it names no app. It counts for the customer whose
/// evidence has its transaction.
enum AuditSchema {
    /// The schema version in `PRAGMA user_version`.
    static let version = 8

    /// The mark of an audit's database in `PRAGMA application_id`: "RcAu".
    static let applicationID = 0x5263_4175

    static let tableNames = [
        "runs", "certificates", "receipts", "transactions", "renewals", "notifications", "realtime_requests",
        "app_transactions", "verdicts", "customers", "customer_receipts",
        "subject_verdicts", "finding_kinds", "findings", "finding_evidence", "incidents", "incident_findings",
        "not_looked_for", "inputs",
    ]

    /// The columns of a verdict on a receipt or a customer.
    private static let verdict = """
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
            state_until INTEGER
        """

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
            source_records INTEGER NOT NULL DEFAULT 0, -- of the sources; one with several signed objects is one
            records INTEGER NOT NULL DEFAULT 0,    -- rows of receipts: such a one is several
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
            ndjson_digest TEXT,                    -- of these bytes, so that --resume knows them again
            tree BLOB NOT NULL DEFAULT x'',        -- over the records so far: its whole subtrees, the largest first
            root TEXT                              -- of all records in their order, RFC 6962; when the run has ended
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

        -- Every record that was read, and of a record with several signed objects each; `id` is its place in the whole
        -- input, from 1 on. Receipts, and whatever else Apple signs: `kind` says what it is.
        CREATE TABLE receipts (
            id INTEGER PRIMARY KEY,
            source TEXT NOT NULL,                  -- the SOURCE that it stood in, as given
            place INTEGER NOT NULL,                -- line, row, member or file of the source, from 1 on
            record TEXT,                           -- its id there: as given, or the path; NULL: unreadable
            path TEXT,                             -- of the signed object in the record; NULL: the record is one
            subject TEXT,                          -- the account that presented it
            sha256 TEXT,                           -- of the DER bytes, a JWS's text, a property list; NULL: there are none
            content_sha256 TEXT,                   -- of the signed content, a JWS's payload: its name; NULL: not verified
            received TEXT,                         -- what the record held, as its leaf has it: base64 (of the bytes of sha256),
                                                   -- nothing, or the SHA-256 of the bytes
            wrapping TEXT,                         -- what it was wrapped in, from the outside in, joined by commas
            listing TEXT,                          -- what the answer lists that it is the last object of, all of them genuine:
                                                   -- history, statuses; of each object of a page that others follow:
                                                   -- history-page; of an answer without objects: empty
            status TEXT NOT NULL CHECK (status IN ('genuine', 'refused', 'absent')),
            refusal_code TEXT,
            refusal_message TEXT,
            refusal_offset INTEGER,
            refusal_field TEXT,
            kind TEXT,                             -- receipt, transaction, renewal-info, app-transaction, notification,
                                                   -- realtime-request, transaction-receipt; NULL: not verified
            realm TEXT,
            environment TEXT,                      -- Production, Sandbox, Xcode, LocalTesting; NULL: not named
            digest TEXT,                           -- sha1, sha256, …
            signer_id INTEGER REFERENCES certificates (id),
            intermediate_id INTEGER REFERENCES certificates (id),
            anchor_id INTEGER REFERENCES certificates (id),
            receipt_type TEXT,
            bundle_id TEXT,                        -- of renewal information: of what carries it, its transactions or its subject;
                                                   -- where it is refused: of its transactions
            application_version TEXT,
            original_application_version TEXT,
            created_at INTEGER,                    -- or signed; of a transaction receipt its purchase
            original_purchase_date INTEGER,
            expiration_date INTEGER,
            app_item_id TEXT,                      -- or appAppleId: of app transactions, notifications, realtime requests
            download_id TEXT,
            version_external_identifier TEXT,
            opaque_value BLOB,
            sha1_hash BLOB,
            leaf BLOB                              -- of the record and its answer in the tree whose root runs has: its hash
        );

        -- The in-app purchases of the genuine receipts, in the receipt's order, from 0 on; a signed transaction and a
        -- transaction receipt is one purchase.
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
            subscription_group_identifier TEXT,    -- from here on what only a signed transaction tells
            ownership_type TEXT,                   -- PURCHASED, FAMILY_SHARED; another value is kept and never believed
            is_upgraded INTEGER,
            offer_type INTEGER,                    -- 1 introductory, 2 promotional, 3 offer code, 4 win-back
            offer_identifier TEXT,
            offer_discount_type TEXT,              -- FREE_TRIAL, PAY_AS_YOU_GO, PAY_UP_FRONT, ONE_TIME
            offer_period TEXT,                     -- ISO 8601
            storefront TEXT,                       -- ISO 3166-1 alpha-3
            storefront_id TEXT,
            price INTEGER,                         -- in thousandths of the currency
            currency TEXT,                         -- ISO 4217
            transaction_reason TEXT,               -- PURCHASE, RENEWAL
            app_account_token TEXT,                -- chosen by the app
            app_transaction_id TEXT,               -- one for each Apple Account and app
            revocation_reason INTEGER,
            revocation_type TEXT,                  -- REFUND_FULL, REFUND_PRORATED, FAMILY_REVOKE
            revocation_percentage INTEGER,         -- thousandths of a percent
            billing_plan_type TEXT,                -- BILLED_UPFRONT, MONTHLY
            commitment_info TEXT,                  -- JSON object, as it was signed
            advanced_commerce_info TEXT,           -- JSON object, as it was signed
            PRIMARY KEY (receipt_id, position)
        ) WITHOUT ROWID;

        -- What genuine renewal information says, as Apple names it; numbers as Apple documents them. Where an app is
        -- demanded, what names none is refused by itself and stands here too.
        CREATE TABLE renewals (
            receipt_id INTEGER PRIMARY KEY REFERENCES receipts (id),
            original_transaction_id TEXT,
            product_id TEXT,
            auto_renew_product_id TEXT,
            auto_renew_status INTEGER,
            expiration_intent INTEGER,
            is_in_billing_retry_period INTEGER,
            grace_period_expires_date INTEGER,
            renewal_date INTEGER,
            recent_subscription_start_date INTEGER,
            offer_type INTEGER,
            offer_identifier TEXT,
            offer_discount_type TEXT,
            offer_period TEXT,                     -- ISO 8601
            renewal_price INTEGER,                 -- in thousandths of the currency
            currency TEXT,
            eligible_win_back_offer_ids TEXT,      -- JSON array, Apple's first choice first
            price_increase_status INTEGER,
            app_account_token TEXT,                -- chosen by the app
            app_transaction_id TEXT,               -- one for each Apple Account and app
            renewal_billing_plan_type TEXT,        -- BILLED_UPFRONT, MONTHLY
            commitment_info TEXT,                  -- JSON object, as it was signed
            advanced_commerce_info TEXT            -- JSON object, as it was signed
        );

        -- The members of genuine app transactions that `receipts` has no column for.
        CREATE TABLE app_transactions (
            receipt_id INTEGER PRIMARY KEY REFERENCES receipts (id),
            app_transaction_id TEXT,               -- one for each Apple Account and app
            original_platform TEXT,                -- iOS, macOS, tvOS, visionOS
            preorder_date INTEGER
        );

        -- What genuine notifications say; what one carries is a receipt of its own.
        CREATE TABLE notifications (
            receipt_id INTEGER PRIMARY KEY REFERENCES receipts (id),
            notification_type TEXT,
            subtype TEXT,
            notification_uuid TEXT,
            version TEXT,
            body TEXT,                             -- data, summary, externalPurchaseToken, appData
            status INTEGER,                        -- these three of data
            bundle_version TEXT,
            consumption_request_reason TEXT,
            request_identifier TEXT,               -- these five of summary
            product_id TEXT,
            storefront_country_codes TEXT,         -- JSON array
            succeeded_count INTEGER,
            failed_count INTEGER,
            external_purchase_id TEXT,             -- these four of externalPurchaseToken
            token_type TEXT,
            token_creation_date INTEGER,
            token_expiration_date INTEGER
        );

        -- Genuine requests for a retention message in real time. They name the app by appAppleId: receipts.app_item_id.
        CREATE TABLE realtime_requests (
            receipt_id INTEGER PRIMARY KEY REFERENCES receipts (id),
            original_transaction_id TEXT,
            product_id TEXT,
            user_locale TEXT,
            request_identifier TEXT                -- a UUID for each request
        );

        -- The answer for each genuine receipt, transaction or transaction receipt by itself and product of the catalogue; empty
        -- without a catalogue.
        CREATE TABLE verdicts (
            receipt_id INTEGER NOT NULL REFERENCES receipts (id),
            \(verdict),
            PRIMARY KEY (receipt_id, product_id)
        ) WITHOUT ROWID;

        -- The customers of a run with a catalogue: all genuine evidence of one app and environment that one subject
        -- presented, refused renewal information with the bundle_id of its transactions included. Evidence without a subject
        -- is one customer's where the names in `linked_by` link it. What names no environment is a customer of its own. By
        -- subject, then by first receipt.
        CREATE TABLE customers (
            id INTEGER PRIMARY KEY,
            newest_receipt_id INTEGER NOT NULL REFERENCES receipts (id),
            subject TEXT,
            environment TEXT,
            bundle_id TEXT,                        -- NULL: of a subject's renewal information alone, which names none
            receipts INTEGER NOT NULL,
            purchases INTEGER,                     -- each once
            evidence_date INTEGER,                 -- when the newest receipt was created
            linked_by TEXT,                        -- app_account_token, app_transaction_id, original_transaction_id: those
                                                   -- that it took, joined by commas; NULL: the subject
            unjudged TEXT                          -- why there are no verdicts, and no purchases counted
        );

        -- The receipts of each customer.
        CREATE TABLE customer_receipts (
            customer_id INTEGER NOT NULL REFERENCES customers (id),
            receipt_id INTEGER NOT NULL REFERENCES receipts (id),
            PRIMARY KEY (customer_id, receipt_id)
        ) WITHOUT ROWID;

        -- The answer for each customer and product of the catalogue, over all receipts of the customer; the caveat
        -- told-differently, by receipts of one date, is on every offer.
        CREATE TABLE subject_verdicts (
            customer_id INTEGER NOT NULL REFERENCES customers (id),
            \(verdict),
            promotional_caveats TEXT NOT NULL,
            win_back_caveats TEXT NOT NULL,
            receipts TEXT NOT NULL,                -- that the introductory answer rests on: up to 100, joined by commas
            PRIMARY KEY (customer_id, product_id)
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

    /// The columns with numbers that are shown as they were signed. Nothing is computed from them.
    static let shownNumbers: Set<String> = [
        "price", "renewal_price", "offer_type", "cancellation_reason", "revocation_reason",
        "auto_renew_status",
        "expiration_intent", "status", "revocation_percentage", "price_increase_status",
        "succeeded_count", "failed_count",
    ]

    /// The indexes, created after all rows: an index that grows row by row costs several times as much.
    /// Purchases have none, because one would take a twelfth of the run's time on one core, and a tenth of
    /// the file. A single pass over the purchases finds them instead. It takes a tenth of a second for a
    /// million rows in memory.
    static let indexes = """
        CREATE INDEX receipts_by_subject ON receipts (subject) WHERE subject IS NOT NULL;
        CREATE INDEX receipts_by_refusal ON receipts (refusal_code) WHERE refusal_code IS NOT NULL;
        CREATE INDEX customers_by_receipt ON customer_receipts (receipt_id);
        CREATE INDEX evidence_by_receipt ON finding_evidence (receipt_id, position);
        """
}
