/// A column of a table with rows of ``RowCells``.
struct RowColumn: Sendable {
    let name: String
    /// The type in SQL and the constraints.
    let type: String
    /// The comment in the schema, which may have several lines.
    let note: String
    /// Whether the value is a key that depends on the row's place in the database. It has no cell.
    let isKey: Bool
    /// The column before this one in the schema, if it is not the previous one.
    let predecessor: String?

    /// The comments on the columns of attributes.
    static let attributeNotes = [
        "bundle_id": """
        of renewal information: that of its notification, its transactions or its
        subject; if it is refused: that of its transactions
        """,
        "created_at": "or the signing date; for a transaction receipt, the purchase date",
        "app_item_id": "or appAppleId, in app transactions, notifications and realtime requests",
        "transaction_id": "\"0\" in receipts of Xcode, which identifies nothing",
        "cancellation_reason": "1: the customer reported a problem with the app; 0: another reason",
    ]

    /// Returns the lines of the schema, with the comments aligned.
    func lines(isLast: Bool) -> [String] {
        let definition = "    \(name) \(type)\(isLast ? "" : ",")"
        let notes = note.split(separator: "\n").map { "-- \($0)" }
        guard let first = notes.first else { return [definition] }
        let column = 43
        let gap = String(repeating: " ", count: max(column - definition.count, 1))
        return [definition + gap + first]
            + notes.dropFirst().map { String(repeating: " ", count: column) + $0 }
    }
}
