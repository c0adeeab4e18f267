import ReceiptASN1

// IssuingDistributionPoint ::= SEQUENCE {
//     distributionPoint          [0] DistributionPointName OPTIONAL,
//     onlyContainsUserCerts      [1] BOOLEAN DEFAULT FALSE,
//     onlyContainsCACerts        [2] BOOLEAN DEFAULT FALSE,
//     onlySomeReasons            [3] ReasonFlags OPTIONAL,
//     indirectCRL                [4] BOOLEAN DEFAULT FALSE,
//     onlyContainsAttributeCerts [5] BOOLEAN DEFAULT FALSE }
//
// DistributionPointName ::= CHOICE {
//     fullName                [0] GeneralNames,
//     nameRelativeToCRLIssuer [1] RelativeDistinguishedName }
//
// DistributionPoint ::= SEQUENCE {
//     distributionPoint [0] DistributionPointName OPTIONAL,
//     reasons           [1] ReasonFlags OPTIONAL,
//     cRLIssuer         [2] GeneralNames OPTIONAL }
//
// RFC 5280, 5.2.5 and 4.2.1.13.

/// The certificates that a list covers.
struct RevocationScope: Sendable {
    private var coversSigners = true
    private var coversAuthorities = true
    /// The names of the distribution point in DER, or nil if the list is for all of them.
    private var names: [[UInt8]]?
    private(set) var fault: RevocationListFault?

    /// Creates the scope of a list without the extension, which covers all certificates of its issuer.
    init() {}

    /// Reads the extension's value.
    init(_ range: Range<Int>, of bytes: Span<UInt8>) throws(ASN1Error) {
        var outer = ASN1Reader(bytes, in: range)
        try outer.constructed(.sequence) { (reader) throws(ASN1Error) in
            if reader.nextTag == .context(0) { names = try reader.distributionPointNames(of: bytes) }
            for number in UInt8(1)...5 {
                guard reader.nextTag?.rawValue == 0x80 | number else { continue }
                let start = reader.position
                let content = try reader.primitive(ASN1Tag(rawValue: 0x80 | number))
                // DER omits the default value, FALSE.
                guard number == 3 || (content.count == 1 && bytes[content.lowerBound] == 0xFF) else {
                    throw ASN1Error(.unexpectedValue, at: start)
                }
                switch number {
                case 1: coversAuthorities = false
                case 2: coversSigners = false
                case 3: fault = fault ?? .someReasons
                case 4: fault = fault ?? .indirect
                default: (coversSigners, coversAuthorities) = (false, false)
                }
            }
        }
        try outer.finish()
        guard outer.leniencies.isEmpty else { throw ASN1Error(.notDER, at: range.lowerBound) }
    }

    /// Returns whether the list covers a certificate.
    /// - Parameter isAuthority: whether the certificate issued another one of the chain.
    func covers(_ certificate: Certificate, of bytes: Span<UInt8>, isAuthority: Bool) -> Bool {
        guard isAuthority ? coversAuthorities : coversSigners else { return false }
        guard let names else { return true }
        return certificate.distributionPointNames(of: bytes).contains(where: names.contains)
    }
}

extension ASN1Reader {
    /// Reads a `[0]` with a DistributionPointName.
    /// - Returns: the names of fullName in DER. Empty for a relative name, which is not supported.
    fileprivate mutating func distributionPointNames(of bytes: Span<UInt8>) throws(ASN1Error) -> [[UInt8]] {
        try constructed(.context(0)) { (reader) throws(ASN1Error) in
            guard reader.nextTag == .context(0) else {
                _ = try reader.element()
                return []
            }
            return try reader.constructed(.context(0)) { (reader) throws(ASN1Error) in
                try reader.elements(atMost: 64) { (reader) throws(ASN1Error) in
                    try reader.element().map { bytes[$0] }
                }
            }
        }
    }
}

extension Certificate {
    /// Returns the names of the distribution points whose lists this certificate's issuer signs, for all
    /// reasons.
    fileprivate func distributionPointNames(of bytes: Span<UInt8>) -> [[UInt8]] {
        guard let value = extensionValue(.distributionPoints, of: bytes) else { return [] }
        var reader = ASN1Reader(bytes, in: value)
        let points = try? reader.constructed(.sequence) { (reader) throws(ASN1Error) in
            try reader.elements(atMost: 64) { (reader) throws(ASN1Error) in
                try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
                    let names =
                        reader.nextTag == .context(0) ? try reader.distributionPointNames(of: bytes) : []
                    let isWhole = reader.isAtEnd
                    while !reader.isAtEnd { _ = try reader.element() }
                    return isWhole ? names : []
                }
            }
        }
        return points?.flatMap { $0 } ?? []
    }

    /// Returns the content of an extension's OCTET STRING, or nil if the certificate does not have it.
    private func extensionValue(_ identifier: ASN1ObjectIdentifier, of bytes: Span<UInt8>) -> Range<Int>? {
        var reader = ASN1Reader(bytes, in: tbs)
        let extensions = try? reader.constructed(.sequence) { (reader) throws(ASN1Error) in
            while !reader.isAtEnd, reader.nextTag != .context(3) { _ = try reader.element() }
            if reader.isAtEnd { return [RevocationExtension]() }
            return try reader.constructed(.context(3)) { (reader) throws(ASN1Error) in
                try reader.revocationExtensions(of: bytes)
            }
        }
        return extensions?.first { $0.identifier == identifier }?.value
    }
}
