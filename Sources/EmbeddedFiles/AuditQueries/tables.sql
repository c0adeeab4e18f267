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
CREATE TABLE certificates;

-- A row for each record, or for each of its signed objects if it has several. `id` is the place in the whole
-- input, from 1. Rows are receipts and other objects that Apple signs; `kind` names the kind.
CREATE TABLE receipts;

-- The in-app purchases of the genuine receipts, in the receipt's order, from 0. A signed transaction or a
-- transaction receipt is one purchase.
CREATE TABLE transactions;

-- The members of genuine renewal information, with Apple's names and numbers. If an app is expected, renewal
-- information without an app is refused by itself, and is listed here too.
CREATE TABLE renewals;

-- The members of genuine app transactions that `receipts` has no column for.
CREATE TABLE app_transactions;

-- The members of genuine notifications. An object in a notification has its own row in `receipts`.
CREATE TABLE notifications;

-- Genuine requests for a retention message in real time. They name the app by appAppleId: receipts.app_item_id.
CREATE TABLE realtime_requests;

-- The answer for each product of the catalog from a single genuine receipt, transaction or transaction receipt. Empty
-- without a catalog.
CREATE TABLE verdicts;

-- The customers of a run with a catalog. A customer is all genuine evidence of one app and environment that one
-- subject presented, including refused renewal information with the bundle_id of its transactions. Evidence without
-- a subject is one customer's if the names in `linked_by` link it. Evidence without an environment is a customer of
-- its own. Ordered by subject, then by first receipt.
CREATE TABLE customers;

-- The receipts of each customer.
CREATE TABLE customer_receipts (
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    receipt_id INTEGER NOT NULL REFERENCES receipts (id),
    PRIMARY KEY (customer_id, receipt_id)
) WITHOUT ROWID;

-- The answer for each customer and product of the catalog, based on all receipts of the customer. If receipts of
-- one date conflict, every offer has the caveat told-differently.
CREATE TABLE subject_verdicts;

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
