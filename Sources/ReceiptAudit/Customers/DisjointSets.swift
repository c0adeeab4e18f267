import GRDB

/// Disjoint sets of the rows of a table in `temp`, each named by its least id: a map would grow with the input.
struct DisjointSets {
    private let database: Database
    private let table: String
    private let name: String
    private let find: Statement
    private let lead: Statement

    /// - Parameters:
    ///   - table: has a column `id` as its integer primary key.
    ///   - name: the column that names the set of a row; in each row its `id` to begin with.
    init(_ table: String, namedBy name: String, in database: Database) throws {
        (self.database, self.table, self.name) = (database, table, name)
        find = try database.makeStatement(sql: "SELECT \(name) FROM temp.\(table) WHERE id = ?")
        lead = try database.makeStatement(sql: "UPDATE temp.\(table) SET \(name) = ? WHERE id = ?")
    }

    /// Makes the sets of two rows one. ``settle()`` has to follow.
    func join(_ one: Int64, _ other: Int64) throws {
        let (left, right) = (try root(of: one), try root(of: other))
        if left != right { try lead.execute(arguments: [min(left, right), max(left, right)]) }
    }

    /// Names each row's set by its least id.
    func settle() throws {
        let next = "SELECT p.\(name) FROM temp.\(table) p WHERE p.id = \(table).\(name)"
        repeat {
            // Each round halves the way to the least one.
            try database.execute(
                sql: "UPDATE temp.\(table) SET \(name) = (\(next)) WHERE \(name) <> (\(next))")
        } while database.changesCount > 0
    }

    private func root(of id: Int64) throws -> Int64 {
        var id = id
        while let next = try Int64.fetchOne(find, arguments: [id]), next != id {
            // Every other step leads farther from now on.
            if let after = try Int64.fetchOne(find, arguments: [next]), after != next {
                try lead.execute(arguments: [after, id])
            }
            id = next
        }
        return id
    }
}
