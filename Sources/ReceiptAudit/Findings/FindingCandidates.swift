import AppReceipt
import RecordSources
import SQLite

/// Candidates for findings that compare rows with one another, found while the rows are written. Sorting them
/// in SQLite for each rule would take longer than verifying the receipts.
///
/// The candidates are found by hashes with a random key of the process. They include everything that a rule
/// finds, and more. A finding is lost only if two values have the same hash. For texts of up to 1 MiB, this
/// happens about once in 2⁴⁰ pairs.
struct FindingCandidates {
    enum Kind: CaseIterable {
        /// Digests of contents with several subjects.
        case content
        /// Original transaction IDs with several subjects.
        case original
        /// Receipts of subjects that used offers of several purchases or products in a group. Also of those with an offer at or after
        /// a period without one, or long after another offer. At least one receipt represents each such subject and app.
        case subject
        /// Transaction IDs with conflicting evidence.
        case transaction
        /// Receipts that contain a later purchase.
        case receipt
        /// Receipts later than the instant in question. Only their number is recorded, without a table.
        case late
    }

    private var contents = KeyRanges()
    private var originals = KeyRanges()
    private var subjects = KeyRanges()
    private var transactions = KeyRanges()
    private var receipts = KeyRanges()
    private var late = 0
    private let asOf: Int64
    /// The counts of genuine records, made in the same pass.
    private(set) var genuine = GenuineCounts()

    /// Creates candidates without rows.
    init(of database: Connection) throws {
        asOf = try database.prepare("SELECT as_of FROM runs").firstValue() ?? .max
    }

    // MARK: - The rows

    /// Adds a record that is being written.
    mutating func add(_ rows: ReceiptRows, receipt: Int64, signer: Int64?) throws {
        let row = CellRow(cells: rows.cells, start: ReceiptRows.receipt.lowerBound)
        guard row.equals(Context.status, "genuine") else { return }
        let context = try add(row, receipt: receipt, signer: signer)
        for start in stride(
            from: rows.transactions.lowerBound, to: rows.transactions.upperBound, by: rows.width)
        {
            try add(CellRow(cells: rows.cells, start: start), of: receipt, in: context)
        }
    }

    /// Adds all records that were written before.
    mutating func read(_ database: Connection) throws {
        let receipts = try database.prepare(
            """
            SELECT \(RowTable.receipts.cells.joined(separator: ", ")), id, signer_id FROM receipts
            WHERE status = 'genuine' ORDER BY id
            """)
        let transactions = try database.prepare(
            """
            SELECT \(RowTable.transactions.cells.joined(separator: ", ")), receipt_id
            FROM transactions ORDER BY receipt_id, position
            """)
        let (idColumn, receiptColumn) = (RowTable.receipts.width, RowTable.transactions.width)
        var isAtEnd = try !transactions.step()
        while try receipts.step() {
            let id = receipts.integer(idColumn)
            let signer = receipts.isNull(idColumn + 1) ? nil : receipts.integer(idColumn + 1)
            let context = try add(receipts, receipt: id, signer: signer)
            while !isAtEnd, transactions.integer(receiptColumn) <= id {
                if transactions.integer(receiptColumn) == id { try add(transactions, of: id, in: context) }
                isAtEnd = try !transactions.step()
            }
        }
    }

    /// The properties of a receipt that are combined with its transactions.
    private struct Context {
        let realm: UInt64
        let app: UInt64
        let subject: UInt64?
        let createdAt: Int64?
        let isXcode: Bool
        /// The kind. With it, a signed transaction and a receipt are candidates even if all their values are
        /// equal, because a rule compares them.
        let kind: UInt64

        static let kind = RowTable.receipts.cell("kind")
        static let status = RowTable.receipts.cell("status")
        static let realm = RowTable.receipts.cell("realm")
        static let environment = RowTable.receipts.cell("environment")
        static let bundle = RowTable.receipts.cell("bundle_id")
        static let subject = RowTable.receipts.cell("subject")
        static let created = RowTable.receipts.cell("created_at")
        static let content = RowTable.receipts.cell("content_sha256")

        init(_ receipt: some ComparedRow) {
            realm = receipt.hash(Self.realm)
            app = combine(combine(realm, receipt.hash(Self.environment)), receipt.hash(Self.bundle))
            subject = receipt.isNull(Self.subject) ? nil : receipt.hash(Self.subject)
            kind = receipt.hash(Self.kind)
            createdAt = receipt.isNull(Self.created) ? nil : receipt.integer(Self.created)
            isXcode =
                receipt.equals(Self.environment, "Xcode") || receipt.equals(Self.environment, "LocalTesting")
        }
    }

    private mutating func add(_ row: some ComparedRow, receipt: Int64, signer: Int64?) throws -> Context {
        let context = Context(row)
        genuine.add(row, signer: signer, hasSubject: context.subject != nil, isXcode: context.isXcode)
        if let created = context.createdAt, created > asOf { late += 1 }
        if let subject = context.subject {
            try contents.add(
                combine(context.realm, row.hash(Context.content)), value: subject,
                at: .init(receipt: receipt, position: 0))
        }
        return context
    }

    private enum Column {
        static let position = RowTable.transactions.cell("position")
        static let group = RowTable.transactions.cell("subscription_group")
        static let product = RowTable.transactions.cell("product_id")
        static let type = RowTable.transactions.cell("product_type")
        static let id = RowTable.transactions.cell("transaction_id")
        static let original = RowTable.transactions.cell("original_transaction_id")
        static let purchased = RowTable.transactions.cell("purchase_date")
        static let expires = RowTable.transactions.cell("expires_date")
        static let cancelled = RowTable.transactions.cell("cancellation_date")
        static let isTrial = RowTable.transactions.cell("is_trial_period")
        static let isIntro = RowTable.transactions.cell("is_in_intro_offer_period")
        static let offer = RowTable.transactions.cell("promotional_offer_identifier")
    }

    private mutating func add(_ row: some ComparedRow, of receipt: Int64, in context: Context) throws {
        let place = KeyRanges.Place(receipt: receipt, position: row.integer(Column.position))
        let purchased = row.isNull(Column.purchased) ? .min + 1 : row.integer(Column.purchased)
        if let created = context.createdAt, purchased > created {
            let key = combine(UInt64(bitPattern: receipt), 0)
            try receipts.add(key, 0, .low, at: place)
            try receipts.add(key, 1, .high, at: place)
        }
        guard row.isNamed(Column.id), !context.isXcode else { return }
        // A free period with the identifier of another offer is none.
        let isOffer =
            row.integer(Column.isIntro) != 0
            || row.integer(Column.isTrial) != 0 && row.isNull(Column.offer)
        let id = row.hash(Column.id)
        let original = row.hash(Column.original)
        let product = row.hash(Column.product)
        let transaction = combine(context.app, id)
        var settled = KeyedHash()
        settled.combine(context.kind)
        settled.combine(original)
        settled.combine(product)
        row.hash(Column.type, into: &settled)
        row.hash(Column.offer, into: &settled)
        for flag in [Column.isTrial, Column.isIntro] { row.hash(flag, into: &settled) }
        row.hash(seconds: Column.purchased, into: &settled)
        try transactions.add(transaction, value: settled.value, at: place)
        var ofOneInstant = KeyedHash()
        row.hash(seconds: Column.expires, into: &ofOneInstant)
        row.hash(seconds: Column.cancelled, into: &ofOneInstant)
        let instant = UInt64(bitPattern: context.createdAt.map { $0 / 1000 } ?? .min)
        try transactions.add(combine(transaction, instant), value: ofOneInstant.value, at: place)

        guard let subject = context.subject else { return }
        let hasOriginal = row.isNamed(Column.original)
        if hasOriginal { try originals.add(combine(context.app, original), value: subject, at: place) }
        guard !row.isNull(Column.product) else { return }
        let group =
            row.isNull(Column.group) ? combine(product, Self.ofProduct) : Self.hash(group: row)
        let ofSubject = combine(combine(subject, context.app), group)
        let purchase = hasOriginal ? original : id
        if isOffer { try subjects.add(ofSubject, value: combine(purchase, product), at: place) }
        // An offer at or after a period without one.
        let ofPurchase = combine(ofSubject, purchase)
        try isOffer
            ? subjects.add(ofPurchase, purchased &+ 1, .high, at: place)
            : subjects.add(ofPurchase, purchased, .low, at: place)
        // An offer that begins more than 61 days after another one ended.
        guard isOffer else { return }
        let ofProduct = combine(ofPurchase, product)
        try subjects.add(ofProduct, purchased, .high, at: place)
        guard !row.isNull(Column.expires) else { return }
        try subjects.add(ofProduct, row.integer(Column.expires) &+ 61 * 86_400_000, .low, at: place)
    }

    /// The second part of the hash of a product that forms its own group.
    private static let ofProduct: UInt64 = 1

    /// Returns the hash of a group. A product that forms its own group is compared as the group "product "
    /// followed by its ID. A group of the catalog may have that name, and then has the same hash.
    @inline(__always)
    private static func hash(group row: some ComparedRow) -> UInt64 {
        row.hash(Column.group, behind: "product ").map { combine($0, ofProduct) } ?? row.hash(Column.group)
    }

    // MARK: - What was found

    /// Creates the table `temp.candidates` of one kind, whose rows are consumed.
    /// - Returns: The number of candidates.
    mutating func insert(_ kind: Kind, into database: Connection) throws -> Int {
        if kind == .late { return late }
        try database.execute(
            """
            DROP TABLE IF EXISTS temp.candidates;
            CREATE TEMP TABLE candidates (name PRIMARY KEY) WITHOUT ROWID
            """)
        switch kind {
        case .late: break
        case .content: try insert(&contents, "content_sha256 FROM receipts WHERE id = ?", database)
        case .subject: try insert(&subjects, "id FROM receipts WHERE id = ?", database)
        case .receipt: try insert(&receipts, "id FROM receipts WHERE id = ?", database)
        case .original:
            try insert(&originals, "original_transaction_id \(Self.ofTransaction)", database)
        case .transaction:
            try insert(&transactions, "transaction_id \(Self.ofTransaction)", database)
        }
        return try database.prepare("SELECT count(*) FROM temp.candidates").firstValue() ?? 0
    }

    private static let ofTransaction = "FROM transactions WHERE receipt_id = ? AND position = ?"

    private func insert(_ ranges: inout KeyRanges, _ source: String, _ database: Connection) throws {
        let insertion = try database.prepare("INSERT OR IGNORE INTO temp.candidates SELECT \(source)")
        let isOfTransaction = source.hasSuffix(Self.ofTransaction)
        try ranges.forEachContradiction { place in
            let bound =
                try isOfTransaction
                ? insertion.bind(place.receipt, place.position) : insertion.bind(place.receipt)
            try bound.execute()
        }
        ranges = KeyRanges()
    }
}

extension KeyRanges {
    fileprivate mutating func add(_ key: UInt64, value: UInt64, at place: Place) throws(AuditError) {
        try add(key, Int64(bitPattern: value), at: place)
    }
}
