/// A query with the comment before it.
struct AuditQuery: Sendable {
    let name: String
    let title: String
    /// The text after the title, in one line.
    let details: String
    let sql: String

    /// Reads queries that are separated by blank lines. The comment before each begins with `-- name: title`.
    static func list(_ text: String) -> [AuditQuery] {
        text.split(separator: "\n\n").map { query in
            let lines = query.split(separator: "\n")
            let comment = lines.prefix { $0.hasPrefix("-- ") }.map { $0.dropFirst(3) }
            let head = comment[0].split(separator: ": ", maxSplits: 1)
            return AuditQuery(
                name: String(head[0]), title: String(head[1]),
                details: comment.dropFirst().joined(separator: " "),
                sql: lines.dropFirst(comment.count).joined(separator: "\n"))
        }
    }
}
