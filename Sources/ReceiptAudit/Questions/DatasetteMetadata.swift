import ReceiptJSON
import StrictJSON

/// The metadata of a database for Datasette: the questions as canned queries, descriptions of tables and columns,
/// and facets. Datasette reads the foreign keys from the database itself.
package enum DatasetteMetadata {
    /// The columns by which Datasette counts the rows of a table.
    private static let facets = [
        "receipts": ["status", "kind", "environment", "bundle_id", "refusal_code"],
        "transactions": ["product_type", "ownership_type", "currency"],
        "findings": ["kind", "severity"], "incidents": ["kind", "severity"],
        "customers": ["environment", "bundle_id"], "subject_verdicts": ["product_id", "state"],
        "notifications": ["notification_type", "subtype"],
        "purchases": ["environment", "bundle_id", "offer", "ending"],
        "active_periods": ["environment", "bundle_id"], "refunds": ["environment", "bundle_id"],
        "offers_used": ["environment", "bundle_id", "offer"],
    ]

    /// The column that names a row where other tables refer to it.
    private static let labels = [
        "receipts": "record", "certificates": "subject", "finding_kinds": "title", "findings": "summary",
        "incidents": "summary", "customers": "subject",
    ]

    /// Writes the metadata to a new file.
    /// - Parameter database: The path of the database, whose name without extension is its name in Datasette.
    /// - Throws: ``AuditError``.
    package static func write(to path: String, ofDatabase database: String) throws {
        try UnfinishedFile.requireWritable(at: path, replacing: nil) { _ in false }
        try UnfinishedFile.write(to: path) { try $0.write(json(ofDatabase: database)) }
    }

    /// Returns the metadata as JSON.
    static func json(ofDatabase path: String) -> [UInt8] {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        let name = file.lastIndex(of: ".").map { $0 == file.startIndex ? file : String(file[..<$0]) } ?? file
        var json = JSONWriter()
        json.object { json in
            json.string("title", "Audit of App Store receipts")
            json.string("source", "appreceipt")
            json.object("databases") { json in
                json.key(text: name)
                json.object { json in
                    json.object("queries") { json in
                        for question in AuditQuestion.all { write(question, to: &json) }
                    }
                    json.object("tables") { json in
                        for table in tables { write(table, to: &json) }
                    }
                }
            }
        }
        json.endLine()
        return json.bytes
    }

    private static func write(_ question: AuditQuestion, to json: inout JSONWriter) {
        json.key(text: question.name)
        json.object { json in
            json.string("title", question.title)
            json.string("description", question.definition)
            json.string("sql", question.statement)
            json.bool("hide_sql", true)
            json.array("params", AuditQuestion.Parameter.allCases.filter(question.parameters.contains)) {
                $0.string($1.rawValue)
            }
        }
    }

    private static func write(_ table: Table, to json: inout JSONWriter) {
        json.key(text: table.name)
        json.object { json in
            json.string("description", table.description)
            if !table.columns.isEmpty {
                json.object("columns") { json in
                    for (name, meaning) in table.columns {
                        json.key(text: name)
                        json.string(meaning)
                    }
                }
            }
            if let facets = facets[table.name] { json.array("facets", facets) { $0.string($1) } }
            if let label = labels[table.name] { json.string("label_column", label) }
        }
    }

    // MARK: - Descriptions

    private struct Table {
        let name: String
        let description: String
        let columns: [(name: String, meaning: String)]
    }

    /// The tables and views with the comments of their SQL.
    private static let tables: [Table] = {
        var tables: [Table] = []
        var (comment, name): ([Substring], Substring) = ([], "")
        var columns: [(name: String, meaning: String)] = []
        func end() {
            if !name.isEmpty {
                tables.append(
                    Table(
                        name: String(name),
                        description: comment.joined(separator: " ").replacing("`", with: ""), columns: columns
                    ))
            }
            (comment, name, columns) = ([], "", [])
        }
        for line in (AuditSchema.tables + "\n" + AuditSchema.views).split(separator: "\n") {
            if let text = line.wholeMatch(of: /-- *(.*)/)?.1 {
                if !name.isEmpty { end() }
                comment.append(text)
            } else if let made = line.firstMatch(of: /^CREATE (?:TABLE|VIEW) (\w+)/)?.1 {
                if !name.isEmpty { end() }
                name = made
            } else if let found = line.wholeMatch(of: #/ {4}(\w+) [A-Z].*-- (.*)/#) {
                columns.append((String(found.1), String(found.2)))
            } else if let more = line.wholeMatch(of: #/ {5,}-- (.*)/#)?.1, let last = columns.indices.last {
                columns[last].meaning += " \(more)"
            }
        }
        end()
        return tables
    }()
}
