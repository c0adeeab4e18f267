/// The contents of a certificate revocation list (RFC 5280, 5.1). Every property can be changed.
public struct RevocationListProfile: Sendable {
    /// An entry of the list.
    public struct Entry: Sendable {
        /// The content octets of the serial number.
        public var serialNumber: [UInt8]
        /// The revocation date: RFC 3339 in UTC, to the second.
        public var date: String
        /// The extensions of the entry, in order.
        public var extensions: [CertificateExtension]

        /// Creates an entry.
        /// - Parameters:
        ///   - serialNumber: The content octets of the serial number.
        ///   - date: The revocation date.
        ///   - reason: The number of the reason (RFC 5280, 5.3.1), or nil to omit it.
        ///   - invalidityDate: The date since which the certificate was invalid, or nil to omit it.
        public init(
            _ serialNumber: [UInt8], date: String, reason: UInt8? = nil, invalidityDate: String? = nil
        ) {
            (self.serialNumber, self.date) = (serialNumber, date)
            extensions = [
                reason.map(CertificateExtension.reasonCode),
                invalidityDate.map(CertificateExtension.invalidityDate),
            ].compactMap { $0 }
        }

        fileprivate var encoded: [UInt8] {
            BER.sequence(
                BER.element(BER.Tag.integer, serialNumber), BER.time(date),
                extensions.isEmpty ? [] : BER.element(BER.Tag.sequence, extensions.flatMap(\.encoded)))
        }
    }

    /// The encoded version, which is one less than its name: 1 is v2. Nil omits the field, which means v1.
    public var version: Int? = 1
    /// The issuer's name, or nil for the signer's subject.
    public var issuer: DistinguishedName?
    /// The issue date.
    public var thisUpdate: String
    /// The date of the next list, or nil to omit it.
    public var nextUpdate: String?
    /// The entries, in order.
    public var entries: [Entry]
    /// The number of further entries with serial numbers of 16 octets, for large lists.
    public var fillers = 0
    /// The extensions of the list, in order.
    public var extensions: [CertificateExtension] = [
        CertificateExtension([2, 5, 29, 20], value: BER.integer(1))
    ]
    /// The digest algorithm of the signature.
    public var digest: Digest = .sha256

    /// Creates the profile of a list.
    public init(
        thisUpdate: String = "2025-01-01T00:00:00Z", nextUpdate: String? = "2039-01-01T00:00:00Z",
        entries: [Entry] = []
    ) {
        (self.thisUpdate, self.nextUpdate, self.entries) = (thisUpdate, nextUpdate, entries)
    }

    /// Returns the list in DER, signed by `signer`.
    /// - Throws: ``ForgeError`` if libcrypto fails.
    public func signed(by signer: Identity) throws(ForgeError) -> [UInt8] {
        let algorithm = SignatureAlgorithm.identifier(for: signer.key, digest: digest)
        let content = entries.flatMap(\.encoded) + fillerEntries
        let tbsCertList = BER.sequence(
            version.map { BER.integer($0) } ?? [],
            algorithm,
            (issuer ?? signer.certificate.subject).encoded,
            BER.time(thisUpdate),
            nextUpdate.map { BER.time($0) } ?? [],
            content.isEmpty ? [] : BER.element(BER.Tag.sequence, content),
            extensions.isEmpty
                ? []
                : BER.element(
                    BER.Tag.context(0), BER.element(BER.Tag.sequence, extensions.flatMap(\.encoded))))
        let signature = try signer.key.sign(tbsCertList, digest: digest)
        return BER.sequence(tbsCertList, algorithm, BER.bitString(signature))
    }

    /// Entries of equal length, of which only the serial numbers differ.
    private var fillerEntries: [UInt8] {
        guard fillers > 0 else { return [] }
        let serialNumber = [UInt8](repeating: 0x7F, count: 16)
        let pattern = Entry(serialNumber, date: thisUpdate).encoded
        var bytes: [UInt8] = []
        bytes.reserveCapacity(fillers * pattern.count)
        for number in 0..<fillers {
            let start = bytes.count
            bytes += pattern
            // The serial number begins after two headers of two octets.
            for octet in 0..<8 {
                bytes[start + 4 + 8 + octet] = UInt8(truncatingIfNeeded: number >> (56 - 8 * octet))
            }
        }
        return bytes
    }
}

extension CertificateExtension {
    /// Returns the extension of an entry with the reason's number (RFC 5280, 5.3.1).
    public static func reasonCode(_ number: UInt8) -> Self {
        Self([2, 5, 29, 21], value: BER.element(0x0A, [number]))
    }

    /// Returns the extension of an entry with the date since which the certificate was invalid (RFC 5280,
    /// 5.3.2).
    public static func invalidityDate(_ date: String) -> Self {
        let digits = date.utf8.filter { (0x30...0x39).contains($0) }.prefix(14)
        return Self([2, 5, 29, 24], value: BER.element(BER.Tag.generalizedTime, digits + [0x5A]))
    }

    /// Returns the extension of an entry with another issuer, in indirect lists (RFC 5280, 5.3.3).
    public static func certificateIssuer(_ name: DistinguishedName) -> Self {
        Self(
            [2, 5, 29, 29], critical: true,
            value: BER.sequence(BER.element(BER.Tag.context(4), name.encoded)))
    }

    /// Returns the extension that makes a list a delta CRL (RFC 5280, 5.2.4).
    public static func deltaCRLIndicator(base: Int) -> Self {
        Self([2, 5, 29, 27], critical: true, value: BER.integer(base))
    }

    /// Returns the extension of a list that covers only some certificates (RFC 5280, 5.2.5).
    /// - Parameters:
    ///   - uri: The name of the distribution point, or nil to omit it.
    ///   - flags: The numbers of the fields that are true: 1 onlyContainsUserCerts, 2 onlyContainsCACerts, 4
    ///     indirectCRL, 5 onlyContainsAttributeCerts. With 3, onlySomeReasons has a value.
    public static func issuingDistributionPoint(uri: String? = nil, flags: [UInt8] = []) -> Self {
        let name = uri.map { BER.element(BER.Tag.context(0), fullName($0)) } ?? []
        let fields = flags.flatMap {
            BER.element(BER.Tag.primitiveContext($0), $0 == 3 ? [6, 0x40] : [0xFF])
        }
        return Self([2, 5, 29, 28], critical: true, value: BER.sequence(name, fields))
    }

    /// Returns the extension of a certificate that names the place of its issuer's lists (RFC 5280, 4.2.1.13).
    public static func cRLDistributionPoint(uri: String) -> Self {
        Self(
            [2, 5, 29, 31],
            value: BER.sequence(BER.sequence(BER.element(BER.Tag.context(0), fullName(uri)))))
    }

    private static func fullName(_ uri: String) -> [UInt8] {
        BER.element(BER.Tag.context(0), BER.element(BER.Tag.primitiveContext(6), Array(uri.utf8)))
    }
}
