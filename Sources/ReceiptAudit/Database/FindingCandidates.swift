import AppReceipt
import GRDB
import GRDBSQLite

/// What may be evidence of a finding that compares rows with one another, found in one pass over the rows as they lie:
/// to have SQLite sort them for each rule takes longer than verifying the receipts.
///
/// Hashes are compared, with a key of the process's own. What comes out holds everything that is found, and more.
struct FindingCandidates {
    /// The columns that are compared across rows.
    enum Kind: CaseIterable {
        /// Digests of contents that have several subjects.
        case content
        /// Original transaction ids that have several subjects.
        case original
        /// Subjects that had offers of several purchases in a group, or one again after a period without.
        case subject
        /// Transaction ids that are told in several ways.
        case transaction
        /// Receipts with a purchase that was made after them.
        case receipt
    }

    private var ranges = Kind.allCases.map { _ in KeyRanges() }

    // MARK: - The pass

    mutating func read(_ database: Database) throws {
        let receipts = try database.makeStatement(
            sql: """
                SELECT id, environment, bundle_id, subject, created_at, content_sha256 FROM receipts
                WHERE status = 'genuine' ORDER BY id
                """)
        let transactions = try database.makeStatement(
            sql: """
                SELECT receipt_id, position, transaction_id, original_transaction_id, product_id, subscription_group,
                    product_type, purchase_date, expires_date, cancellation_date, is_trial_period,
                    is_in_intro_offer_period, promotional_offer_identifier
                FROM transactions ORDER BY receipt_id, position
                """)
        defer {
            StoredValue.reset(receipts)
            StoredValue.reset(transactions)
        }
        let (receipt, transaction) = (StatementRow(receipts), StatementRow(transactions))
        var isAtEnd = try !transaction.step()
        while try receipt.step() {
            let id = receipt.integer(0)
            let context = Context(receipt)
            if let subject = context.subject {
                let subject = Int64(truncatingIfNeeded: subject)
                try ranges[.content].add(
                    receipt.hash(5), low: subject, high: subject, at: .init(receipt: id, position: 0))
            }
            while !isAtEnd, transaction.integer(0) <= id {
                if transaction.integer(0) == id { try add(transaction, in: context) }
                isAtEnd = try !transaction.step()
            }
        }
    }

    /// What the receipt of a transaction adds to it.
    private struct Context {
        let app: UInt64
        let subject: UInt64?
        let createdAt: Int64?
        let isXcode: Bool

        init(_ receipt: StatementRow) {
            app = StatementRow.combine(receipt.hash(1), receipt.hash(2))
            subject = receipt.isNull(3) ? nil : receipt.hash(3)
            createdAt = receipt.isNull(4) ? nil : receipt.integer(4)
            isXcode = receipt.equals(1, "Xcode")
        }
    }

    private mutating func add(_ row: StatementRow, in context: Context) throws {
        let place = KeyRanges.Place(receipt: row.integer(0), position: row.integer(1))
        let purchased = row.isNull(7) ? .min + 1 : row.integer(7)
        if let created = context.createdAt, !row.isNull(7), purchased > created {
            try ranges[.receipt].add(UInt64(bitPattern: row.integer(0)), low: 0, high: 1, at: place)
        }
        guard row.isNamed(2), !context.isXcode else { return }
        let isOffer = row.integer(10) != 0 || row.integer(11) != 0
        let id = row.hash(2)
        let transaction = StatementRow.combine(context.app, id)
        let settled = StatementRow.hash { hasher in
            for column: Int32 in [3, 4, 6, 10, 11, 12] { row.hash(column, into: &hasher) }
            row.hash(seconds: 7, into: &hasher)
        }
        try ranges[.transaction].add(transaction, value: settled, at: place)
        let ofOneInstant = StatementRow.hash { hasher in
            row.hash(seconds: 8, into: &hasher)
            row.hash(seconds: 9, into: &hasher)
        }
        let instant = UInt64(bitPattern: context.createdAt ?? .min)
        try ranges[.transaction].add(
            StatementRow.combine(transaction, instant), value: ofOneInstant, at: place)

        guard let subject = context.subject else { return }
        let hasOriginal = row.isNamed(3)
        let original = row.hash(3)
        if hasOriginal {
            try ranges[.original].add(StatementRow.combine(context.app, original), value: subject, at: place)
        }
        guard !row.isNull(4) else { return }
        let group = row.isNull(5) ? row.hash(4, after: "product ") : row.hash(5)
        let ofSubject = StatementRow.combine(StatementRow.combine(subject, context.app), group)
        let purchase = hasOriginal ? original : id
        if isOffer { try ranges[.subject].add(ofSubject, value: purchase, at: place) }
        // An offer at or after a period that was none.
        try ranges[.subject].add(
            StatementRow.combine(ofSubject, purchase), low: isOffer ? .max : purchased,
            high: isOffer ? purchased &+ 1 : .min, at: place)
    }

    // MARK: - What was found

    /// Makes the table `temp.candidates` of one kind.
    /// - Returns: how many there are.
    mutating func insert(_ kind: Kind, into database: Database) throws -> Int {
        try database.execute(
            sql: """
                DROP TABLE IF EXISTS temp.candidates;
                CREATE TEMP TABLE candidates (name PRIMARY KEY) WITHOUT ROWID
                """)
        let source =
            switch kind {
            case .content: "content_sha256 FROM receipts WHERE id = ?"
            case .subject: "subject FROM receipts WHERE id = ?"
            case .receipt: "id FROM receipts WHERE id = ?"
            case .original: "original_transaction_id FROM transactions WHERE receipt_id = ? AND position = ?"
            case .transaction: "transaction_id FROM transactions WHERE receipt_id = ? AND position = ?"
            }
        let insertion = try database.makeStatement(
            sql: "INSERT OR IGNORE INTO temp.candidates SELECT \(source)")
        let isOfTransaction = kind == .original || kind == .transaction
        try ranges[kind].forEachContradiction { place in
            try insertion.execute(
                arguments: isOfTransaction ? [place.receipt, place.position] : [place.receipt])
        }
        ranges[kind] = KeyRanges()
        return try Int.fetchOne(database, sql: "SELECT count(*) FROM temp.candidates") ?? 0
    }
}

extension [KeyRanges] {
    fileprivate subscript(kind: FindingCandidates.Kind) -> KeyRanges {
        get { self[Self.index(kind)] }
        _modify { yield &self[Self.index(kind)] }
    }

    private static func index(_ kind: FindingCandidates.Kind) -> Int {
        switch kind {
        case .content: 0
        case .original: 1
        case .subject: 2
        case .transaction: 3
        case .receipt: 4
        }
    }
}

extension KeyRanges {
    fileprivate mutating func add(_ key: UInt64, value: UInt64, at place: Place) throws(AuditError) {
        let value = Int64(truncatingIfNeeded: value)
        try add(key, low: value, high: value, at: place)
    }
}
