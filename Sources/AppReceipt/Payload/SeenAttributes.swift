import ReceiptASN1

/// The attributes of a set that were read so far. A second attribute of the same type is an error, so neither
/// the first nor the last takes precedence.
struct SeenAttributes {
    private var bits: UInt64 = 0

    /// Adds an attribute.
    /// - Parameter number: a number from 0 to 63.
    /// - Throws: ``ASN1Fault/duplicate`` if it was added before.
    mutating func insert(_ number: Int64, at offset: Int) throws(ASN1Error) {
        let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: number & 63)
        guard bits & bit == 0 else { throw ASN1Error(.duplicate, at: offset) }
        bits |= bit
    }

    func contains(_ number: Int64) -> Bool { bits & 1 << UInt64(truncatingIfNeeded: number & 63) != 0 }
}
