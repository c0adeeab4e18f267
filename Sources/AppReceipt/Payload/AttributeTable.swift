/// A visitor of the rows of a record. There is one row for each attribute with a property: its type number,
/// its member in the JSON contract, and its value.
///
/// Every output of a record visits its rows, so a new attribute is added in one place. Rows are inlined into
/// their visitor, so passing a name costs no more than a literal.
package protocol AttributeVisitor: ~Copyable {
    mutating func text(_ type: Int64, _ name: StaticString, _ value: PayloadSlice, of bytes: [UInt8])
    /// Visits the bytes of an attribute.
    mutating func bytes(_ type: Int64, _ name: StaticString, _ value: PayloadSlice, of bytes: [UInt8])
    mutating func date(_ type: Int64, _ name: StaticString, _ value: Timestamp?)
    /// Visits an identifying number of up to 64 bits.
    mutating func identifier(_ type: Int64, _ name: StaticString, _ value: UInt64?)
    mutating func integer(_ type: Int64, _ name: StaticString, _ value: Int64?)
    mutating func flag(_ type: Int64, _ name: StaticString, _ value: Bool?)
    mutating func productType(_ type: Int64, _ name: StaticString, _ value: InAppProductType?)
}

/// The known attributes of one kind of record, by type number.
package struct AttributeTable: Sendable {
    /// One attribute.
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

    package static let app = AttributeTable(base: 0, AppRecord.others) { AppRecord().visit(&$0, of: []) }
    package static let inApp = AttributeTable(base: 1700, PurchaseRecord.others) {
        PurchaseRecord().visit(&$0, of: [])
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

    private init(base: Int64, _ others: [Row], _ visit: (inout Collector) -> Void) {
        self.base = base
        var collector = Collector()
        visit(&collector)
        for row in collector.rows + others {
            rows[row.type] = row
            if row.isModeled { modeled |= 1 << UInt64(truncatingIfNeeded: row.type - base) }
        }
    }

    private struct Collector: AttributeVisitor {
        var rows: [Row] = []

        private mutating func add(_ type: Int64, _ name: StaticString, isRaw: Bool = false) {
            rows.append(Row(type, name.description, isSettled: true, isRaw: isRaw, isModeled: true))
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
        _ type: Int64, _ name: String, isSettled: Bool = false, isRaw: Bool = false, isModeled: Bool = false
    ) {
        self.init(type: type, name: name, isSettled: isSettled, isRaw: isRaw, isModeled: isModeled)
    }
}
