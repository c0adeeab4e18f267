/// Is shown the rows of a record, one for each attribute that has a property: its type number, its member in the JSON
/// contract, and its value as the kind that it is read as.
///
/// Whoever shows a record goes through its rows; an attribute is added there. Rows are inlined into their visitor, so
/// that a name costs no more than where it is written out.
package protocol AttributeVisitor: ~Copyable {
    mutating func text(_ type: Int64, _ name: StaticString, _ value: PayloadSlice, of bytes: [UInt8])
    /// Bytes as they stand in the attribute.
    mutating func bytes(_ type: Int64, _ name: StaticString, _ value: PayloadSlice, of bytes: [UInt8])
    mutating func date(_ type: Int64, _ name: StaticString, _ value: Timestamp?)
    /// A number of up to 64 bits that names something.
    mutating func identifier(_ type: Int64, _ name: StaticString, _ value: UInt64?)
    mutating func integer(_ type: Int64, _ name: StaticString, _ value: Int64?)
    mutating func flag(_ type: Int64, _ name: StaticString, _ value: Bool?)
    mutating func productType(_ type: Int64, _ name: StaticString, _ value: InAppProductType?)
}

/// What is known of the attributes of one kind of record, by type number.
package struct AttributeTable: Sendable {
    /// One attribute.
    package struct Row: Sendable {
        package let type: Int64
        /// The member in the JSON contract; where the meaning is not settled, what it seems to be.
        package let name: String
        /// Whether Apple documents it, or enough receipts show it.
        package let isSettled: Bool
        /// Whether the value is bytes rather than one more DER value.
        package let isRaw: Bool
        /// Whether a record has a property for it; else it stands among the unknown ones.
        let isModelled: Bool
    }

    private var rows: [Int64: Row] = [:]
    let base: Int64
    /// Bit n: ``base`` + n has a property.
    private(set) var modelled: UInt64 = 0

    package static let app = AttributeTable(base: 0, AppRecord.others) { AppRecord().visit(&$0, of: []) }
    package static let inApp = AttributeTable(base: 1700, PurchaseRecord.others) {
        PurchaseRecord().visit(&$0, of: [])
    }

    package subscript(type: Int64) -> Row? { rows[type] }

    /// The field's name in errors.
    func name(of type: Int64) -> String { rows[type]?.name ?? "" }

    /// Whether a record has a property for it, by ``modelled`` and ``base``, which a loop keeps at hand.
    @inline(__always)
    static func isModelled(_ type: Int64, _ modelled: UInt64, from base: Int64) -> Bool {
        let bit = UInt64(bitPattern: type &- base)
        return bit < 64 && modelled &>> bit & 1 != 0
    }

    private init(base: Int64, _ others: [Row], _ visit: (inout Collector) -> Void) {
        self.base = base
        var collector = Collector()
        visit(&collector)
        for row in collector.rows + others {
            rows[row.type] = row
            if row.isModelled { modelled |= 1 << UInt64(truncatingIfNeeded: row.type - base) }
        }
    }

    private struct Collector: AttributeVisitor {
        var rows: [Row] = []

        private mutating func add(_ type: Int64, _ name: StaticString, isRaw: Bool = false) {
            rows.append(Row(type, name.description, isSettled: true, isRaw: isRaw, isModelled: true))
        }

        mutating func text(_ type: Int64, _ name: StaticString, _: PayloadSlice, of _: [UInt8]) {
            add(type, name)
        }
        mutating func bytes(_ type: Int64, _ name: StaticString, _: PayloadSlice, of _: [UInt8]) {
            add(type, name, isRaw: true)
        }
        mutating func date(_ type: Int64, _ name: StaticString, _: Timestamp?) { add(type, name) }
        mutating func identifier(_ type: Int64, _ name: StaticString, _: UInt64?) { add(type, name) }
        mutating func integer(_ type: Int64, _ name: StaticString, _: Int64?) { add(type, name) }
        mutating func flag(_ type: Int64, _ name: StaticString, _: Bool?) { add(type, name) }
        mutating func productType(_ type: Int64, _ name: StaticString, _: InAppProductType?) {
            add(type, name)
        }
    }
}

extension AttributeTable.Row {
    init(
        _ type: Int64, _ name: String, isSettled: Bool = false, isRaw: Bool = false, isModelled: Bool = false
    ) {
        self.init(type: type, name: name, isSettled: isSettled, isRaw: isRaw, isModelled: isModelled)
    }
}
