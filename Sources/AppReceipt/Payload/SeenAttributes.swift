import ReceiptASN1

/// Which attributes a set already held, so that a second one is an error and neither "first" nor "last" wins.
struct SeenAttributes {
    private var bits: UInt64 = 0

    /// - Parameter number: 0 to 63.
    mutating func insert(_ number: Int64, at offset: Int) throws(ASN1Error) {
        let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: number & 63)
        guard bits & bit == 0 else { throw ASN1Error(.duplicate, at: offset) }
        bits |= bit
    }

    func contains(_ number: Int64) -> Bool { bits & 1 << UInt64(truncatingIfNeeded: number & 63) != 0 }
}
