import AppReceipt
package import ReceiptExamination
import StrictJSON

/// The place of the receipts in JSON that is keyed by id, such as `users.*.purchases.*.receipt`. An asterisk
/// stands for any key of an object and any index of an array.
package struct TreePattern: Hashable, Sendable {
    /// A name, or nil for an asterisk.
    package typealias Component = [UInt8]?

    /// The path of a record, which ends with the last asterisk.
    package let record: [Component]
    /// The path of the receipt in the record. Empty if the record is the receipt.
    package let receipt: [[UInt8]]

    /// Creates a pattern, or returns nil if it has no asterisk.
    package init?(_ components: [Component]) {
        guard let last = components.lastIndex(of: nil) else { return nil }
        record = Array(components[...last])
        receipt = components[(last + 1)...].compactMap(\.self)
    }

    /// Parses a pattern, or returns nil if the text has no asterisk between periods.
    package init?(_ text: String) {
        self.init(
            text.split(separator: ".", omittingEmptySubsequences: false).map {
                $0 == "*" ? nil : Array($0.utf8)
            })
    }

    package var text: String { Self.text(of: record + receipt) }

    static func text(of components: [Component]) -> String {
        components.map { $0.map { String(decoding: $0, as: UTF8.self) } ?? "*" }.joined(separator: ".")
    }

    /// Returns the names of the record's members.
    /// - Parameter subject: The member in which subjects were found.
    package func names(
        _ columns: ColumnNames, subject: String? = nil, kept: KeptFields, isNoticing: Bool = false
    ) -> FieldNames {
        let name = receipt.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
        // Members with names of the App Store Server API are read at any depth of a record.
        guard !receipt.isEmpty, !APIAnswer.names.contains(name.ifASCII) else {
            return FieldNames(
                id: columns.id, subject: columns.subject, foundSubject: subject, kept: kept,
                isNoticing: isNoticing)
        }
        return FieldNames(
            id: columns.id, subject: columns.subject, found: name, foundSubject: subject, kept: kept,
            isNoticing: isNoticing)
    }

    /// Returns the name of a member at a path in a record, or nil if the path is elsewhere.
    func member(at path: [TreeScanner.Level]) -> String? {
        let place = record.count
        guard path.count > place, matches(Array(path[..<place])) else { return nil }
        return path[place...].map { String(decoding: $0.key, as: UTF8.self) }.joined(separator: ".")
    }

    /// Returns whether a record is at a path.
    func matches(_ path: [TreeScanner.Level]) -> Bool {
        guard path.count == record.count else { return false }
        for (component, level) in zip(record, path) where component.map({ $0 != level.key }) == true {
            return false
        }
        return true
    }

    /// Whether keys name the subject.
    var hasSubject: Bool {
        record.count { $0 == nil } == 2
            || zip(record, record.dropFirst()).contains { name, key in
                key == nil && name.map(Self.isAccounts) == true
            }
    }

    private static func isAccounts(_ key: [UInt8]) -> Bool {
        accounts.contains(String(decoding: key, as: UTF8.self).ifASCII.lowercased())
    }

    /// Returns the keys that name the record at a path.
    ///
    /// The last key is the id. The subject is the key below a collection of accounts, otherwise the first of
    /// exactly two keys.
    func keys(of path: [TreeScanner.Level]) -> RecordKeys {
        let places = record.indices.filter { record[$0] == nil }
        let account = places.last {
            $0 > 0 && Self.isAccounts(path[$0 - 1].key)
        }
        let subject = account ?? (places.count == 2 ? places[0] : nil)
        return RecordKeys(id: places.last.map { path[$0].key } ?? [], subject: subject.map { path[$0].key })
    }

    private static let accounts: Set = [
        "users", "accounts", "customers", "players", "members", "profiles", "subscribers", "clients",
    ]
}
