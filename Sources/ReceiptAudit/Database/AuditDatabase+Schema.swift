import CSQLite
import RecordSources
import SQLite

/// Requirements on a database that others may have changed, before anything else is read from it.
extension AuditDatabase {
    /// Fails unless tables, views and indexes are those of this version, and the run and its certificates
    /// have values that this version writes.
    /// - Parameter mayHaveForgotten: Whether records may have been forgotten.
    /// - Throws: ``AuditError`` that names the first fault.
    func requireSchema(mayHaveForgotten: Bool = false) throws(AuditError) {
        if let fault = try schemaFaults().first { throw AuditError("\(path): \(fault)") }
        try requireValues(in: ["runs", "certificates"])
        if !mayHaveForgotten { try requireNoForgotten() }
    }

    /// Fails if records were forgotten, because the sources then give other rows.
    func requireNoForgotten() throws(AuditError) {
        let count = try forgotten()
        guard count > 0 else { return }
        throw AuditError(
            "\(path): \(ReportText.count(count, "record")) forgotten, so the audit cannot be resumed or replayed"
        )
    }

    /// Returns the number of forgotten records.
    func forgotten() throws(AuditError) -> Int {
        try access(Self.forgotten)
    }

    static func forgotten(_ database: Connection) throws -> Int {
        guard try hasForgottenTable(database) else { return 0 }
        return try database.prepare("SELECT count(*) FROM forgotten").firstValue() ?? 0
    }

    func hasForgottenTable() throws(AuditError) -> Bool { try access(Self.hasForgottenTable) }

    static func hasForgottenTable(_ database: Connection) throws -> Bool {
        try database.prepare(
            "SELECT EXISTS (SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND name = 'forgotten')"
        )
        .firstValue() == true
    }

    /// Fails unless this version could have written all values. By default it checks every row of every
    /// table.
    /// - Throws: ``AuditError`` that names the first fault.
    func requireValues(in tables: [String] = AuditSchema.tableNames) throws(AuditError) {
        let isAll = tables == AuditSchema.tableNames
        let hasForgotten = isAll ? try hasForgottenTable() : false
        for table in tables + (hasForgotten ? ["forgotten"] : []) {
            if let fault = try valueFault(in: table) { throw AuditError("\(path): \(fault)") }
        }
    }

    /// Returns what is missing, changed or foreign in the schema, one line each. It reads only the text of
    /// the schema. A view with a table's name, or a trigger, would affect everything else that is read and
    /// written.
    func schemaFaults() throws(AuditError) -> [String] {
        try access { database in
            let found = try Self.objects(of: database)
            let hasIndexes = found.contains { $0.isIndex && $0.sql != .null }
            let hasForgotten = try Self.hasForgottenTable(database)
            let made = try AuditDatabase.temporary().access { fresh in
                try fresh.execute(AuditSchema.tables + AuditSchema.views)
                if hasForgotten { try fresh.execute(AuditSchema.forgotten) }
                if hasIndexes { try fresh.execute(AuditSchema.indexes) }
                return try Self.objects(of: fresh)
            }
            return Set(found.symmetricDifference(made).map(\.name)).sorted {
                $0.lexicographicallyPrecedes($1)
            }.map {
                "\(String(decoding: $0, as: UTF8.self)): other definition than this version writes"
            }
        }
    }

    /// Returns whether the indexes of a finished run exist.
    func hasIndexes() throws(AuditError) -> Bool {
        try access { try Self.objects(of: $0).contains { $0.isIndex && $0.sql != .null } }
    }

    /// Returns the faults that SQLite itself finds, one line each. SQLite checks pages, the order of rows,
    /// and whether indexes match their table.
    func integrityFaults() throws(AuditError) -> [String] {
        try access { database in
            let check = { try database.prepare("PRAGMA integrity_check(20)").values() as [String] }
            let lines = try check()
            if lines == ["ok"] { return [] }
            // The check reports a page that could not be read as a damaged one.
            let codes = lines.compactMap { $0.firstMatch(of: /error code=([0-9]+)/).flatMap { Int32($0.1) } }
            for code in codes.map({ $0 & 0xFF }) where [SQLITE_IOERR, SQLITE_NOMEM].contains(code) {
                throw SQLiteError(code: code)
            }
            guard try check() == lines else { throw AuditError("\(path): contents change between reads") }
            return lines.map { "damaged: \($0)" }
        }
    }

    /// Returns a fault if a column has a value that this version does not write, by type or by size. SQLite
    /// allows any value.
    func valueFault(in table: String) throws(AuditError) -> String? {
        try access { database in
            let columns = try database.prepare("PRAGMA table_info(\(table))").rows()
            let cases = try columns.map { column in
                let (name, type) = (try column["name"] as String, try (column["type"] as String).lowercased())
                // Dates have four-digit years, and counts are numbers of rows. Larger values would overflow
                // in computations.
                let isSmall =
                    type == "integer" && !AuditSchema.shownNumbers.contains(name)
                    ? "AND \(name) BETWEEN -1000000000000000 AND 1000000000000000" : ""
                let isAbsent = try column["notnull"] ? "" : "\(name) IS NULL OR"
                return "WHEN NOT (\(isAbsent) typeof(\(name)) = '\(type)' \(isSmall)) THEN '\(name)'"
            }
            let fault: String? = try database.prepare(
                """
                SELECT fault FROM (SELECT CASE \(cases.joined(separator: " ")) END AS fault FROM \(table))
                WHERE fault IS NOT NULL LIMIT 1
                """
            ).firstValue()
            return fault.map { "\(table): invalid \($0)" }
        }
    }

    private struct SchemaObject: Hashable {
        let name: [UInt8]
        let isIndex: Bool
        let table: Value
        let sql: Value

        init(_ row: Row) {
            name = Array("\(row[0].text) \(row[1].text)".utf8)
            isIndex = row[0] == .text(Array("index".utf8))
            (table, sql) = (row[2], row[3])
        }
    }

    private static func objects(of database: Connection) throws -> Set<SchemaObject> {
        // The limit is far above the real number. An untrusted database may have any number.
        let sql = "SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT 1000"
        return Set(try database.prepare(sql).map(SchemaObject.init))
    }
}
