import ReceiptJSON
import SQLite
import StrictJSON

/// The answer to a question: its figures at once, its rows and accounts on request.
///
/// Only one answer at a time exists on a connection, because it uses temporary tables.
package struct QuestionAnswer {
    /// The number of one part, such as an app. The labels are the values of ``AuditQuestion/parts``.
    package struct Part {
        package let labels: [String?]
        package let number: Int
    }

    /// The lists of an answer.
    package enum List {
        case rows, accounts
    }

    package let question: AuditQuestion
    package let number: Int
    /// The parts of the number, largest first.
    package let parts: [Part]
    /// The number of accounts concerned.
    package let accounts: Int
    /// The skipped checks on which the answer depends.
    package let omissions: [AuditOutcome.Omission]
    private let database: Connection

    /// Answers a question.
    /// - Throws: `SQLiteError`.
    init(
        _ question: AuditQuestion, _ scope: QuestionScope = QuestionScope(), of database: Connection
    ) throws {
        (self.question, self.database) = (question, database)
        try database.execute("DROP TABLE IF EXISTS temp.selected; DROP TABLE IF EXISTS temp.concerned")
        try database.prepare(question.selecting).bind(named: scope.parameters).execute()
        try database.execute("CREATE TEMP TABLE concerned AS \(question.accounts)")
        number = try database.prepare("SELECT \(question.number) FROM temp.selected").firstValue() ?? 0
        let columns = question.parts.joined(separator: ", ")
        parts = try database.prepare(
            """
            SELECT \(columns), \(question.number) AS number FROM temp.selected
            GROUP BY \(columns) ORDER BY number DESC, \(columns)
            """
        ).map { row in
            Part(labels: try question.parts.map { try row[$0] }, number: try row["number"])
        }
        accounts = try database.prepare("SELECT count(*) FROM temp.concerned").firstValue() ?? 0
        omissions =
            try question.kind.map { kind in
                // A check that was skipped in part has no kind, and its title names the kind in words.
                try database.prepare(
                    """
                    SELECT title, reason FROM not_looked_for
                    WHERE kind = ?1 OR kind IS NULL AND title LIKE '%' || replace(?1, '-', ' ') || '%' ORDER BY id LIMIT 100
                    """, kind
                ).map { AuditOutcome.Omission(title: try $0["title"], reason: try $0["reason"]) }
            } ?? []
    }

    private func sql(_ list: List) -> String {
        switch list {
        case .rows: question.rows
        case .accounts: "SELECT subject, original_transaction_id FROM temp.concerned ORDER BY 1, 2"
        }
    }

    // MARK: - Output

    /// Returns the names of the columns.
    package func columns(_ list: List) -> [String] {
        switch list {
        case .rows: question.columns.map(\.name)
        case .accounts: ["subject", "original_transaction_id"]
        }
    }

    /// Returns the first rows as text for people, and the number of all rows.
    package func start(_ list: List, limit: Int) throws -> (rows: [[String]], count: Int) {
        let count: Int = try database.prepare("SELECT count(*) FROM (\(sql(list)))").firstValue() ?? 0
        let rows = try database.prepare("SELECT * FROM (\(sql(list))) LIMIT ?", limit)
            .map { $0.values.map(Self.text) }
        return (rows, count)
    }

    /// Writes the rows as CSV that is safe to open in spreadsheets.
    /// - Parameter write: The closure that receives the bytes in order.
    package func writeCSV(_ list: List, to write: ([UInt8]) throws -> Void) throws {
        var bytes = CSVExport.start
        CSVExport.append(columns(list).map(\.value), to: &bytes)
        try database.prepare(sql(list)).forEach { row in
            CSVExport.append(row.values, to: &bytes)
            if bytes.count > 1 << 16 {
                try write(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
        }
        try write(bytes)
    }

    /// Writes an NDJSON line for the answer, each row and each account.
    /// - Parameter write: The closure that receives the bytes in order.
    package func writeJSON(_ scope: QuestionScope, to write: ([UInt8]) throws -> Void) throws {
        var json = JSONWriter()
        json.object { json in
            json.string("question", question.name)
            json.string("definition", question.definition)
            json.number("number", number)
            json.string("unit", question.unit)
            json.object("asked") { json in
                for parameter in AuditQuestion.Parameter.allCases {
                    let isUsed = question.parameters.contains(parameter)
                    let value = isUsed ? scope.parameters[":\(parameter.rawValue)"] : nil
                    json.key(text: parameter.rawValue)
                    json.string(value == "" ? nil : value)
                }
            }
            json.array("parts", parts) { json, part in
                json.object { json in
                    for (name, label) in zip(question.parts, part.labels) {
                        json.key(text: name)
                        json.string(label)
                    }
                    json.number("number", part.number)
                }
            }
            json.number("accounts", accounts)
            json.array("not_checked", omissions) { json, omission in
                json.object { json in
                    json.string("title", omission.title)
                    json.string("reason", omission.reason)
                }
            }
        }
        json.endLine()
        for (list, name) in [(List.rows, "row"), (.accounts, "account")] {
            try database.prepare(sql(list)).forEach { row in
                json.object { json in
                    json.key(text: name)
                    json.object { json in
                        for (name, value) in zip(row.names, row.values) {
                            json.key(text: name)
                            switch value {
                            case .null, .blob: json.null()
                            case .text: json.string(Self.text(value))
                            case .integer, .real:
                                let digits = Array(Self.text(value).utf8)
                                json.json(digits.span)
                            }
                        }
                    }
                }
                json.endLine()
                if json.count > 1 << 16 {
                    try write(json.bytes)
                    json.removeAll()
                }
            }
        }
        try write(json.bytes)
    }

    /// Returns a value as text. Amounts are exact to a thousandth; whole ones have no fraction.
    private static func text(_ value: Value) -> String {
        switch value {
        case .null, .blob: ""
        case .integer(let number): "\(number)"
        case .real(let number): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .text(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }
}
