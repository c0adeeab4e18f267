/// A row of a record: an attribute with a property, its member in the JSON contract, and its value.
package struct AttributeRow: Sendable {
    package let type: Int64
    package let name: StaticString
    package let value: Value

    /// The value of an attribute, with text and bytes as ranges of the payload.
    package enum Value: Sendable {
        case text(PayloadSlice)
        case bytes(PayloadSlice)
        case date(Timestamp?)
        /// An identifying number of up to 64 bits.
        case identifier(UInt64?)
        case integer(Int64?)
        case flag(Bool?)
        case productType(InAppProductType?)
        /// Text of an object in another format.
        case string(String?)

        package var isAbsent: Bool {
            switch self {
            case .text(let slice), .bytes(let slice): slice.range == nil
            case .date(let date): date == nil
            case .identifier(let number): number == nil
            case .integer(let number): number == nil
            case .flag(let flag): flag == nil
            case .productType(let type): type == nil
            case .string(let text): text == nil
            }
        }

        package var isBytes: Bool { if case .bytes = self { true } else { false } }
    }

    /// Returns the rows that `visit` passes to its visitor, in order.
    package static func list(_ visit: (inout List) -> Void) -> [AttributeRow] {
        var list = List()
        visit(&list)
        return list.rows
    }

    package struct List: AttributeVisitor {
        fileprivate var rows: [AttributeRow] = []

        package mutating func visit(_ type: Int64, _ name: StaticString, _ value: Value, of bytes: [UInt8]) {
            rows.append(AttributeRow(type: type, name: name, value: value))
        }
    }
}
