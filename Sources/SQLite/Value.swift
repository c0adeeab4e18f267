/// The exact value of a column or parameter. Text may contain zero bytes, and need not be valid UTF-8.
package enum Value: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])
}
