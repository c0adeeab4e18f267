/// The known attributes of one kind of record, by type number.
package struct AttributeTable: Sendable {
    package struct Row: Sendable {
        package let type: Int64
        /// The member in the JSON contract, or the presumed meaning of an attribute without one.
        package let name: String
        /// Whether Apple documents the attribute, or enough receipts confirm its meaning.
        package let isSettled: Bool
        /// Whether the value is opaque bytes instead of a DER value.
        package let isRaw: Bool
        /// Whether a record has a property for it. Otherwise, it is an unknown attribute.
        let isModeled: Bool
    }

    private var rows: [Int64: Row] = [:]
    let base: Int64
    /// The types with a property: bit n is set if the type ``base`` + n has one.
    private(set) var modeled: UInt64 = 0

    /// The rows of a record without attributes.
    private let visited: [AttributeRow]

    package static let app = AttributeTable(base: 0, AppRecord.others) { AppRecord().visit(&$0, of: []) }
    package static let inApp = AttributeTable(base: 1700, PurchaseRecord.others) {
        PurchaseRecord().visit(&$0, of: [])
    }

    /// Visits the rows of a record with the values of an object in another format, by type number.
    package func visit(
        _ visitor: inout (some AttributeVisitor & ~Copyable), values: (Int64) -> AttributeRow.Value?
    ) {
        for row in visited { visitor.visit(row.type, row.name, values(row.type) ?? .string(nil), of: []) }
    }

    package subscript(type: Int64) -> Row? { rows[type] }

    /// Returns the field's name in errors.
    func name(of type: Int64) -> String { rows[type]?.name ?? "" }

    /// Returns whether a record has a property for the type. Loops pass ``modeled`` and ``base``, to keep
    /// them in registers.
    @inline(__always)
    static func isModeled(_ type: Int64, _ modeled: UInt64, from base: Int64) -> Bool {
        let bit = UInt64(bitPattern: type &- base)
        return bit < 64 && modeled &>> bit & 1 != 0
    }

    private init(base: Int64, _ others: [Row], _ visit: (inout AttributeRow.List) -> Void) {
        self.base = base
        visited = AttributeRow.list(visit)
        let named = visited.map {
            Row($0.type, "\($0.name)", isSettled: true, isRaw: $0.value.isBytes, isModeled: true)
        }
        for row in named + others {
            rows[row.type] = row
            if row.isModeled { modeled |= 1 << UInt64(truncatingIfNeeded: row.type - base) }
        }
    }
}

extension AttributeTable.Row {
    init(
        _ type: Int64, _ name: String, isSettled: Bool = false, isRaw: Bool = false, isModeled: Bool = false
    ) {
        self.init(type: type, name: name, isSettled: isSettled, isRaw: isRaw, isModeled: isModeled)
    }
}
