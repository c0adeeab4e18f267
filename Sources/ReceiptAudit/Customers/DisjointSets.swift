import SQLite

/// Disjoint sets of the rows of a table in `temp`, each named by its least ID. A map in memory would grow
/// with the input.
struct DisjointSets {
    private let database: Connection
    private let table: String
    private let name: String
    private let find: Statement
    private let lead: Statement

    /// Creates sets over a table.
    /// - Parameters:
    ///   - table: A table with an integer primary key `id`.
    ///   - name: The column that names the set of a row. Initially each row contains its own `id`.
    init(_ table: String, namedBy name: String, in database: Connection) throws {
        (self.database, self.table, self.name) = (database, table, name)
        find = try database.prepare("SELECT \(name) FROM temp.\(table) WHERE id = ?")
        lead = try database.prepare("UPDATE temp.\(table) SET \(name) = ? WHERE id = ?")
    }

    /// Joins the sets of two rows. The caller must call ``settle()`` afterwards.
    func join(_ one: Int64, _ other: Int64) throws {
        let (left, right) = (try root(of: one), try root(of: other))
        if left != right { try lead.bind(min(left, right), max(left, right)).execute() }
    }

    /// Names each row's set by its least ID.
    func settle() throws {
        let next = "SELECT p.\(name) FROM temp.\(table) p WHERE p.id = \(table).\(name)"
        repeat {
            // Each round halves the distance to the least ID.
            try database.execute("UPDATE temp.\(table) SET \(name) = (\(next)) WHERE \(name) <> (\(next))")
        } while database.changes > 0
    }

    private func root(of id: Int64) throws -> Int64 {
        var id = id
        while true {
            let next = try name(of: id)
            if next == id { return id }
            // Path halving: the row now points to its grandparent.
            let after = try name(of: next)
            if after != next { try lead.bind(after, id).execute() }
            id = next
        }
    }

    private func name(of id: Int64) throws -> Int64 {
        try find.bind(id)
        defer { find.reset() }
        return try find.step() ? find.integer(0) : id
    }
}
