import AppReceipt
import ReceiptJSON
import RecordSources
import SQLite
import StrictJSON

/// The ids that the user lists, in a temporary table: those that a back end has already fetched from Apple's server, or
/// those that the server does not know.
///
/// Files hold ids, one a line; NDJSON with `original_transaction_id`; or saved answers of the App Store Server API. An
/// answer counts only if it is a transaction history with all pages. It covers every original transaction whose first
/// transaction it lists, as in `--compare`. Nothing is verified here: the files say what not to fetch again, and prove
/// nothing.
package struct FetchedIDs {
    /// The number of different ids.
    package private(set) var count = 0
    /// The number of answers and lines of comparisons that cover no id.
    package private(set) var uncovering = 0
    private let database: Connection
    /// Whether lines of comparisons without coverage and errors of Apple's server are skipped.
    private let isDone: Bool
    private let insertion: Statement

    /// Creates the table.
    init(table: String, in database: Connection) throws {
        (self.database, isDone) = (database, table == "done")
        try database.execute(
            """
            CREATE TEMP TABLE \(table) (
                id TEXT NOT NULL, environment TEXT NOT NULL, bundle_id TEXT NOT NULL,
                PRIMARY KEY (id, environment, bundle_id)) WITHOUT ROWID;
            """)
        insertion = try database.prepare("INSERT OR IGNORE INTO temp.\(table) VALUES (?, ?, ?)")
    }

    /// The condition of a row in the table `done` for an entry `e`. An empty environment or app means any.
    static let condition = """
        d.id = e.original_transaction_id AND d.environment IN ('', e.environment) AND d.bundle_id IN ('', e.bundle_id)
        """

    private static let limits = ReceiptLimits()
    private static let mostDigits = 20

    /// Reads a file, or all files of a folder.
    mutating func read(_ path: String) throws {
        try InputFile(path: path).requireExistence()
        for file in FolderWalk(path) {
            let isFolder = try InputFile(path: path).isFolder
            try read(file: isFolder ? "\(path)/\(file.source)" : path)
        }
    }

    private mutating func read(file path: String) throws {
        let stream = try ByteStream(path: path)
        try stream.inflateIfCompressed()
        try stream.skipByteOrderMark()
        let start = try stream.peek(1 << 12) { $0.contains { !Self.isSpace($0) } }
        let first = start.first { !Self.isSpace($0) }
        let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        let source = TextSource(
            stream, source: path, format: isJSON ? .json : .ndjson, limit: Self.limits.textBytes)
        while let batch = try source.next() {
            for (record, place) in zip(batch.records, batch.places) {
                let name = "\(path), \(isJSON ? "value" : "line") \(place)"
                switch record {
                case .line(let range, _): try take(Array(batch.bytes[range]), name)
                case .refused(_, let error): throw AuditError("\(name): \(error.message)")
                case .row, .member, .file: throw AuditError("\(name): unexpected record")
                }
            }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private mutating func take(_ bytes: [UInt8], _ name: String) throws {
        let value = bytes.drop(while: Self.isSpace)
        let end = value.lastIndex { !Self.isSpace($0) } ?? value.startIndex
        var text = Array(value[...end])
        if text.count > 1, text.first == UInt8(ascii: "\""), text.last == text.first {
            text = Array(text.dropFirst().dropLast())
        }
        if Self.isID(text) { return try insert(text, nil, nil) }
        switch text.first {
        case UInt8(ascii: "{")?: try take(object: text, name)
        case UInt8(ascii: "e")? where (try? UnverifiedJWS(parsing: text)) != nil: uncovering += 1
        default:
            throw AuditError(
                "\(name): not an original transaction id; expected ids, NDJSON with original_transaction_id, or answers of Apple's server"
            )
        }
    }

    private static func isID(_ text: [UInt8]) -> Bool {
        (1...mostDigits).contains(text.count) && text.allSatisfy { (0x30...0x39).contains($0) }
    }

    private mutating func take(object text: [UInt8], _ name: String) throws {
        guard let answer = try? APIAnswer(parsing: text, limits: Self.limits) else {
            let named = try AuditError.naming(name) { try Named(parsing: text) }
            if isDone, named.isError || named.isUncovered { return uncovering += 1 }
            guard let id = named.id, Self.isID(Array(id.utf8)) else {
                throw AuditError(
                    "\(name): contains neither original_transaction_id nor an answer of Apple's server")
            }
            return try insert(Array(id.utf8), named.environment, named.bundleID)
        }
        let ids = Self.covered(by: answer)
        if ids.isEmpty { uncovering += 1 }
        for named in ids { try insert(Array((named.id ?? "").utf8), named.environment, named.bundleID) }
    }

    /// Returns the first transactions in the histories of a record, or none if a page or an object is missing or out of place.
    private static func covered(by answer: APIAnswer) -> [Named] {
        let listed = answer.elements.filter { $0.listing == .history || $0.listing == .historyPage }
        var pages: [APIAnswer.PurchaseList] = []
        for case let list? in listed.map(\.list) where pages.last?.first != list.first { pages.append(list) }
        // The last page comes last, unless every page is one.
        let last = pages.count { $0.listing == .history }
        guard pages.last?.listing == .history, last == 1 || last == pages.count,
            listed.count == pages.reduce(0, { $0 + $1.count })
        else { return [] }
        var first: [Named] = []
        for element in listed {
            guard let jws = element.text,
                let payload = try? UnverifiedJWS(parsing: Array(jws.utf8)).payload.json,
                let named = try? Named(parsing: payload), let id = named.id, isID(Array(id.utf8)),
                named.bundleID.isExactly(element.list?.bundleID),
                named.environment.isExactly(element.list?.environment)
            else { return [] }
            if named.transaction.isExactly(id) { first.append(named) }
        }
        return first
    }

    private mutating func insert(_ id: [UInt8], _ environment: String?, _ bundleID: String?) throws {
        // The limit on the work for an untrusted database does not include the user's own list.
        if let left = database.stepsLeft { database.limitSteps(to: left + 100) }
        try insertion.bind(Value.text(id), environment ?? "", bundleID ?? "").execute()
        count += database.changes
    }

    /// The members that name an original transaction.
    private struct Named {
        var id: String?
        var transaction: String?
        var environment: String?
        var bundleID: String?
        /// Whether this is an error of Apple's server.
        var isError = false
        /// Whether this is a line of a comparison whose result is not covered.
        var isUncovered = false

        init(parsing text: [UInt8]) throws(JSONError) {
            var named = self
            var reader = JSONReader(text.span)
            try reader.object { (reader, name) throws(JSONError) in
                if name.isExactly("errorCode") { named.isError = true }
                guard try reader.peek() == .string else { return try reader.skip() }
                switch name.ifASCII {
                case "original_transaction_id", "originalTransactionId": named.id = try reader.string()
                case "transactionId": named.transaction = try reader.string()
                case "result": named.isUncovered = !["agrees", "newer"].contains(try reader.string().ifASCII)
                case "environment": named.environment = try reader.string()
                case "bundle_id", "bundleId": named.bundleID = try reader.string()
                default: try reader.skip()
                }
            }
            try reader.end()
            self = named
        }
    }
}
