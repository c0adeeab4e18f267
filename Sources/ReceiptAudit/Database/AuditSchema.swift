import ReceiptExamination
import ReceiptJSON

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
    static let version = 10

    /// The mark of an audit's database in `PRAGMA application_id`: "RcAu".
    static let applicationID = 0x5263_4175

    static let tableNames = [
        "runs", "certificates", "receipts", "transactions", "renewals", "notifications", "realtime_requests",
        "app_transactions", "verdicts", "customers", "customer_receipts",
        "subject_verdicts", "finding_kinds", "findings", "finding_evidence", "incidents", "incident_findings",
        "not_looked_for", "inputs", "revocation_lists",
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

    private static let foreignKinds = ForeignKind.allCases.map(\.storedName).joined(separator: ", ")

    static let tables = """
        -- One row, because a database holds one run. `settings` holds the settings that the answers depend on, as a
        -- JSON object of text; a run is resumed and replayed only under the same settings. `records` counts the
        -- records read so far, and is written in the same transaction as the rows. `ended_at` is NULL until the end.
        -- In the text of all tables, ␀ (U+2400) is written as ␀␀, and U+0000, which ends a text for many readers, as ␀0.
        CREATE TABLE runs (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            tool_version TEXT NOT NULL,
            arguments TEXT NOT NULL,               -- JSON array
            settings TEXT NOT NULL,                -- JSON object
            anchors TEXT NOT NULL,                 -- JSON array of objects: name, realm, sha256, subject
            catalog_sha256 TEXT,                   -- of the catalog file
            as_of INTEGER NOT NULL,
            as_of_is_clock INTEGER NOT NULL,       -- 1: read from the clock, 0: given
            started_at INTEGER NOT NULL,
            ended_at INTEGER,
            source_records INTEGER NOT NULL DEFAULT 0, -- records in the sources, regardless of their contents
            records INTEGER NOT NULL DEFAULT 0,    -- rows of receipts: one for each signed object
            genuine INTEGER NOT NULL DEFAULT 0,
            not_apples INTEGER NOT NULL DEFAULT 0, -- genuine, but under a custom root or StoreKit Test
            refused INTEGER NOT NULL DEFAULT 0,    -- without unreadable records and other apps
            unreadable INTEGER NOT NULL DEFAULT 0,
            absent INTEGER NOT NULL DEFAULT 0,     -- records that state that they hold no receipt
            foreign_values INTEGER NOT NULL DEFAULT 0, -- values that other stores or payment systems issued
            other_apps INTEGER NOT NULL DEFAULT 0, -- genuine, but for other apps than the expected ones
            not_selected INTEGER NOT NULL DEFAULT 0, -- source records without a row, because --where excludes them
            hidden INTEGER,                        -- skipped files whose names begin with a period
            filtered INTEGER,                      -- files skipped by --include and --exclude
            links INTEGER,                         -- skipped links within archives
            blank_lines INTEGER,                   -- skipped; these four are set at the end of the run
            missing_fields TEXT,                   -- JSON array: named fields that no record has
            ndjson_bytes INTEGER NOT NULL DEFAULT 0,
            ndjson_digest TEXT,                    -- of these bytes, for --resume
            tree BLOB NOT NULL DEFAULT x'',        -- of the records so far: complete subtrees, the largest first
            root TEXT                              -- Merkle root of all records in order, RFC 6962; set at the end
        );

        -- The certificates of all valid chains, in the order of first use.
        CREATE TABLE certificates (
            id INTEGER PRIMARY KEY,
            sha256 TEXT NOT NULL UNIQUE,
            subject TEXT NOT NULL,
            issuer TEXT NOT NULL,
            serial TEXT NOT NULL,
            not_before INTEGER NOT NULL,
            not_after INTEGER NOT NULL
        );

        -- A row for each record, or for each of its signed objects if it has several. `id` is the place in the whole
        -- input, from 1. Rows are receipts and other objects that Apple signs; `kind` names the kind.
        CREATE TABLE receipts (
            id INTEGER PRIMARY KEY,
            source TEXT NOT NULL,                  -- the SOURCE with the record, as given
            place INTEGER NOT NULL,                -- line, row, member or file of the source, from 1
            record TEXT,                           -- the record's id, or its path; NULL: unreadable
            path TEXT,                             -- of the signed object in the record; NULL: the record is the object
            subject TEXT,                          -- the account that presented the record
            sha256 TEXT,                           -- of the DER bytes, the JWS or the property list; NULL: none
            content_sha256 TEXT,                   -- of the signed content or the JWS's payload; NULL: not verified
            received TEXT,                         -- the bytes received, as in the leaf: base64 (of the bytes of sha256), nothing,
                                                   -- or the SHA-256 of the bytes
            wrapping TEXT,                         -- encodings around the receipt, outermost first, joined by commas
            listing TEXT,                          -- history, statuses: the last object of a complete answer with only genuine
                                                   -- objects; history-page: each object of a page with more pages after it;
                                                   -- empty: an answer without objects
            status TEXT NOT NULL CHECK (status IN ('genuine', 'refused', 'absent', 'foreign')),
            refusal_code TEXT,
            refusal_message TEXT,
            refusal_offset INTEGER,
            refusal_field TEXT,
            kind TEXT,                             -- receipt, transaction, renewal-info, app-transaction, notification,
                                                   -- realtime-request, transaction-receipt; NULL: not verified. Of a foreign
                                                   -- value: \(foreignKinds)
            realm TEXT,
            environment TEXT,                      -- Production, Sandbox, Xcode, LocalTesting; NULL: not named
            digest TEXT,                           -- sha1, sha256, …
            revocation TEXT,                       -- not_checked, good, no_information, and caveats (before-revocation,
                                                   -- before-distrust), joined by commas; NULL: not genuine
            signer_id INTEGER REFERENCES certificates (id),
            intermediate_id INTEGER REFERENCES certificates (id),
            anchor_id INTEGER REFERENCES certificates (id),
            receipt_type TEXT,
            bundle_id TEXT,                        -- of renewal information: that of its notification, its transactions or its
                                                   -- subject; if it is refused: that of its transactions
            application_version TEXT,
            original_application_version TEXT,
            created_at INTEGER,                    -- or the signing date; for a transaction receipt, the purchase date
            original_purchase_date INTEGER,
            expiration_date INTEGER,
            app_item_id TEXT,                      -- or appAppleId, in app transactions, notifications and realtime requests
            download_id TEXT,
            version_external_identifier TEXT,
            opaque_value BLOB,
            sha1_hash BLOB,
            other_app TEXT,                        -- of a genuine object that only --bundle-id or --app-apple-id refused: its
                                                   -- bundle ID or appAppleId
            kept TEXT,                             -- the columns of --keep: a JSON object of texts. The leaf does not cover it
            leaf BLOB                              -- the leaf's hash, which covers the record and its answer; see runs.root
        );

        -- The in-app purchases of the genuine receipts, in the receipt's order, from 0. A signed transaction or a
        -- transaction receipt is one purchase.
        CREATE TABLE transactions (
            receipt_id INTEGER NOT NULL REFERENCES receipts (id),
            position INTEGER NOT NULL,
            quantity INTEGER,
            product_id TEXT,
            product_type TEXT,
            subscription_group TEXT,               -- as in the catalog
            transaction_id TEXT,                   -- "0" in receipts of Xcode, which identifies nothing
            original_transaction_id TEXT,
            purchase_date INTEGER,
            original_purchase_date INTEGER,
            expires_date INTEGER,
            cancellation_date INTEGER,
            cancellation_reason INTEGER,           -- 1: the customer reported a problem with the app; 0: another reason
            is_trial_period INTEGER,
            is_in_intro_offer_period INTEGER,
            promotional_offer_identifier TEXT,
            web_order_line_item_id TEXT,
            subscription_group_identifier TEXT,    -- this and the following columns: only signed transactions
            ownership_type TEXT,                   -- PURCHASED, FAMILY_SHARED; any other value is stored, but never trusted
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
            revocation_reason INTEGER,             -- as cancellation_reason
            revocation_type TEXT,                  -- REFUND_FULL, REFUND_PRORATED, FAMILY_REVOKE
            revocation_percentage INTEGER,         -- thousandths of a percent
            billing_plan_type TEXT,                -- BILLED_UPFRONT, MONTHLY
            commitment_info TEXT,                  -- JSON object, as it was signed
            advanced_commerce_info TEXT,           -- JSON object, as it was signed
            PRIMARY KEY (receipt_id, position)
        ) WITHOUT ROWID;

        -- The members of genuine renewal information, with Apple's names and numbers. If an app is expected, renewal
        -- information without an app is refused by itself, and is listed here too.
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

        -- The members of genuine notifications. An object in a notification has its own row in `receipts`.
        CREATE TABLE notifications (
            receipt_id INTEGER PRIMARY KEY REFERENCES receipts (id),
            notification_type TEXT,
            subtype TEXT,
            notification_uuid TEXT,
            version TEXT,
            body TEXT,                             -- data, summary, externalPurchaseToken, appData
            status INTEGER,                        -- this and the next two: in data
            bundle_version TEXT,
            consumption_request_reason TEXT,
            request_identifier TEXT,               -- this and the next four: in summary
            product_id TEXT,
            storefront_country_codes TEXT,         -- JSON array
            succeeded_count INTEGER,
            failed_count INTEGER,
            external_purchase_id TEXT,             -- this and the next three: in externalPurchaseToken
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

        -- The answer for each product of the catalog from a single genuine receipt, transaction or transaction receipt. Empty
        -- without a catalog.
        CREATE TABLE verdicts (
            receipt_id INTEGER NOT NULL REFERENCES receipts (id),
            \(verdict),
            PRIMARY KEY (receipt_id, product_id)
        ) WITHOUT ROWID;

        -- The customers of a run with a catalog. A customer is all genuine evidence of one app and environment that one
        -- subject presented, including refused renewal information with the bundle_id of its transactions. Evidence without
        -- a subject is one customer's if the names in `linked_by` link it. Evidence without an environment is a customer of
        -- its own. Ordered by subject, then by first receipt.
        CREATE TABLE customers (
            id INTEGER PRIMARY KEY,
            newest_receipt_id INTEGER NOT NULL REFERENCES receipts (id),
            subject TEXT,
            environment TEXT,
            bundle_id TEXT,                        -- NULL: a subject with only renewal information, which names no app
            receipts INTEGER NOT NULL,
            purchases INTEGER,                     -- each counted once
            evidence_date INTEGER,                 -- the creation date of the newest receipt
            linked_by TEXT,                        -- the links used: app_account_token, app_transaction_id,
                                                   -- original_transaction_id, joined by commas; NULL: the subject
            unjudged TEXT                          -- the reason why there are no verdicts and no count of purchases
        );

        -- The receipts of each customer.
        CREATE TABLE customer_receipts (
            customer_id INTEGER NOT NULL REFERENCES customers (id),
            receipt_id INTEGER NOT NULL REFERENCES receipts (id),
            PRIMARY KEY (customer_id, receipt_id)
        ) WITHOUT ROWID;

        -- The answer for each customer and product of the catalog, based on all receipts of the customer. If receipts of
        -- one date conflict, every offer has the caveat told-differently.
        CREATE TABLE subject_verdicts (
            customer_id INTEGER NOT NULL REFERENCES customers (id),
            \(verdict),
            promotional_caveats TEXT NOT NULL,
            win_back_caveats TEXT NOT NULL,
            receipts TEXT NOT NULL,                -- the first 100 that the introductory answer is based on, joined by commas
            PRIMARY KEY (customer_id, product_id)
        ) WITHOUT ROWID;

        -- The meaning of each kind of finding.
        CREATE TABLE finding_kinds (
            kind TEXT PRIMARY KEY,
            title TEXT NOT NULL,
            reason TEXT NOT NULL
        ) WITHOUT ROWID;

        -- Inconsistencies. `id` consists of the kind and a key, and is the same in every run.
        CREATE TABLE findings (
            id TEXT PRIMARY KEY,
            kind TEXT NOT NULL REFERENCES finding_kinds (kind),
            severity TEXT NOT NULL CHECK (severity IN ('alert', 'warning', 'note')),
            summary TEXT NOT NULL
        ) WITHOUT ROWID;

        -- The rows that a finding is based on: receipts, transactions of receipts, certificates.
        CREATE TABLE finding_evidence (
            finding_id TEXT NOT NULL REFERENCES findings (id),
            number INTEGER NOT NULL,               -- from 1
            receipt_id INTEGER REFERENCES receipts (id),
            position INTEGER,                      -- with receipt_id, identifies a transaction
            certificate_id INTEGER REFERENCES certificates (id),
            PRIMARY KEY (finding_id, number),
            FOREIGN KEY (receipt_id, position) REFERENCES transactions (receipt_id, position)
        ) WITHOUT ROWID;

        -- The findings for people, most severe first. All findings about one subject, one purchase, or subjects that share
        -- something form one incident. `kind` is that of its findings; 'sharing' is shared-receipt and shared-purchase.
        CREATE TABLE incidents (
            id INTEGER PRIMARY KEY,
            kind TEXT NOT NULL,
            severity TEXT NOT NULL CHECK (severity IN ('alert', 'warning', 'note')),
            summary TEXT NOT NULL,
            findings INTEGER NOT NULL,
            receipts INTEGER NOT NULL              -- records that its findings are based on
        );

        CREATE TABLE incident_findings (
            incident_id INTEGER NOT NULL REFERENCES incidents (id),
            finding_id TEXT NOT NULL REFERENCES findings (id),
            PRIMARY KEY (incident_id, finding_id)
        ) WITHOUT ROWID;

        -- The checks that were skipped. `kind` is set if all checks of that kind were.
        CREATE TABLE not_looked_for (
            id INTEGER PRIMARY KEY,
            kind TEXT REFERENCES finding_kinds (kind),
            title TEXT NOT NULL,
            reason TEXT NOT NULL                   -- the text after "because"
        );

        -- The files and streams that were read. `sha256` is that of the unchanged file, as `sha256sum` prints it.
        CREATE TABLE inputs (
            id INTEGER PRIMARY KEY,
            source TEXT NOT NULL,                  -- the SOURCE as given
            path TEXT,                             -- of a file in a folder, relative to the folder
            bytes INTEGER NOT NULL,
            sha256 TEXT NOT NULL
        );

        -- The certificate revocation lists of the run, by digest. `settings` has the policy (revocation), these digests (crl)
        -- and the digest of the distrust list (distrust).
        CREATE TABLE revocation_lists (
            id INTEGER PRIMARY KEY,
            sha256 TEXT NOT NULL UNIQUE,           -- of the DER bytes
            issuer TEXT NOT NULL,
            issued_at INTEGER NOT NULL,            -- thisUpdate
            next_update INTEGER,
            entries INTEGER NOT NULL,              -- revoked certificates
            unused_because TEXT                    -- the reason why no result rests on the list; NULL: one does
        );
        """

    /// The tombstones of forgotten records. The table exists only after a record was forgotten.
    static let forgotten = """
        CREATE TABLE forgotten (
            id INTEGER PRIMARY KEY,                -- as in receipts, which no longer has the record
            leaf BLOB NOT NULL                     -- the hash of its leaf, see receipts.leaf
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
