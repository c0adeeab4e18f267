/// Certificates that were read before. Most containers have the same ones.
struct KnownCertificates {
    /// The certificates in DER, concatenated. Entries without references take less time to pass over.
    private var bytes: [UInt8] = []
    private var entries: [(der: Range<Int>, certificate: Certificate)] = []

    private static let capacity = 64

    /// Adds a certificate, unless there are already too many.
    mutating func insert(_ der: [UInt8]) {
        guard entries.count < Self.capacity, find(der.span) == nil, let certificate = Certificate(der: der)
        else { return }
        entries.append((bytes.count..<bytes.count + der.count, certificate))
        bytes += der
    }

    /// Returns the certificate with exactly these bytes, as ranges in them.
    func find(_ der: Span<UInt8>) -> Certificate? {
        let bytes = bytes
        for entry in entries where entry.der.count == der.count {
            if der.isEqual(to: bytes.span.extracting(entry.der)) { return entry.certificate }
        }
        return nil
    }
}
