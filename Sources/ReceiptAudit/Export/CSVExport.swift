package import RecordSources
import SQLite
import StrictJSON
import SystemLibrary

/// The tables of an audit as CSV for people: a folder with one file each, for their owner alone.
package struct CSVExport {
    private let database: AuditDatabase

    init(of database: AuditDatabase) { self.database = database }

    /// The byte order mark. Without it, spreadsheets do not recognize UTF-8.
    static let start: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Creates the folder if it does not exist, and fails if the files cannot be written, before hours of
    /// work.
    package static func requireWritable(in folder: String, isReplacing: Bool, isForced: Bool = false)
        throws(AuditError)
    {
        let file = InputFile(path: folder)
        if try !file.exists {
            try NewFolder.make(folder)
        } else if try !file.isFolder {
            throw AuditError("\(folder): \(systemMessage(ENOTDIR))")
        }
        for name in tables.map(\.name) {
            let path = "\(folder)/\(name)"
            guard try InputFile(path: path).exists else { continue }
            let isOurs = isReplacing && (try? InputFile(path: path).start(start.count)) == start
            if !isOurs && !isForced { throw AuditError.exists(path) }
        }
        try UnfinishedFile.requireWritable(beside: "\(folder)/\(tables[0].name)", name: folder)
    }

    /// Writes all files, each under a temporary name and then renamed.
    /// - Throws: ``AuditError``.
    func write(to folder: String) throws {
        for (name, query) in Self.tables {
            try UnfinishedFile.write(to: "\(folder)/\(name)") { try write(query, to: $0) }
        }
    }

    private func write(_ query: String, to sink: LineSink) throws {
        try database.access { database in
            let statement = try database.prepare(query)
            var bytes = Self.start
            var names = statement.names
            // The last column of the receipts holds all kept columns.
            let kept = names.last == Self.kept ? try Self.keptColumns(database) : nil
            if let kept {
                names.removeLast()
                names += kept.map { names.contains($0.ifASCII) ? "kept_\($0)" : $0 }
            }
            Self.append(names.map { .text(Array($0.utf8)) }, to: &bytes)
            while var row = try statement.nextRow()?.values {
                if let kept { try Self.expand(&row, kept) }
                Self.append(row, to: &bytes)
                guard bytes.count >= 1 << 16 else { continue }
                try sink.write(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
            try sink.write(bytes)
        }
    }

    /// The name of the column with the kept columns.
    private static let kept = "kept"
    /// The maximum number of kept columns in a file. All are in the database.
    private static let mostKept = 256

    /// Returns the names of the kept columns in alphabetical order.
    private static func keptColumns(_ database: Connection) throws -> [String] {
        let names: [String] = try database.prepare(
            """
            SELECT DISTINCT key FROM main.receipts, json_each(kept) WHERE kept IS NOT NULL LIMIT \(mostKept)
            """
        ).values()
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Replaces the last value, the kept columns as JSON, with a value for each of them.
    private static func expand(_ row: inout [Value], _ names: [String]) throws {
        guard case .text(let json)? = row.popLast() else {
            return row += repeatElement(.null, count: names.count)
        }
        let texts = try StoredJSON.texts(String(decoding: json, as: UTF8.self))
        let kept = Dictionary(uniqueKeysWithValues: texts.map { (Array($0.name.utf8), $0.value) })
        row += names.map { name in kept[Array(name.utf8)].map { .text(Array($0.utf8)) } ?? .null }
    }

    static func append(_ row: [Value], to bytes: inout [UInt8]) {
        for (index, value) in row.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            switch value {
            case .null: break
            case .integer(let number): bytes += "\(number)".utf8
            case .real(let number): bytes += "\(number)".utf8
            case .text(let text), .blob(let text):
                CSVText.append(String(decoding: text, as: UTF8.self), to: &bytes)
            }
        }
        bytes += [0x0D, 0x0A]
    }

    // MARK: - Tables

    static let tables: [(name: String, query: String)] = {
        let queries = AuditQueries.csv.map { (name: $0.name, query: $0.sql) }
        return [queries[0]] + ContentTable.all.map { ($0.file, $0.query) } + queries.dropFirst()
    }()
}
