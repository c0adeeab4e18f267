import ReceiptASN1
public import StrictJSON

/// The caller's own list of certificates to distrust, for stolen keys that no revocation list names.
///
/// ```json
/// {"certificates": [{"key_sha256": "<hexadecimal>", "reason": "key-compromise", "note": "incident 12"},
///   {"serial": "7e570001", "issuer": "CN=…", "from": "2026-03-01T00:00:00Z", "reason": "superseded"}]}
/// ```
///
/// - `sha256` is the digest of the certificate in DER. It also matches a copy with the other valid ECDSA
///   signature, which anyone can compute.
/// - `key_sha256` is the digest of subjectPublicKeyInfo in DER. It matches every certificate of the key. Apple has used a
///   key in several certificates, and anyone can replace a receipt's certificate by another one of the same key.
/// - `serial` is the serial number in hexadecimal. Without `issuer`, it matches certificates of every issuer.
///   `issuer` is the issuer's name as in ``CertificateFacts/issuer``.
/// - `from`, a date: objects that are signed at this date or later are refused. Without it, all are refused.
///   The date of an object is the claim of its signer. A stolen key can sign objects with earlier dates.
/// - `reason`, a ``RevocationReason``, and `note`, one line.
public struct DistrustList: Sendable {
    /// A certificate to distrust.
    public struct Entry: Hashable, Sendable {
        /// The identity of a certificate.
        public enum Identity: Hashable, Sendable {
            /// The SHA-256 of the certificate in DER.
            case sha256([UInt8])
            /// The SHA-256 of subjectPublicKeyInfo in DER, for all certificates of a key.
            case keySHA256([UInt8])
            /// The serial number in hexadecimal, and the issuer's name, or nil for every issuer.
            case serial(String, issuer: String?)
        }

        /// The certificate.
        public let identity: Identity
        /// The date of the first object to refuse, or nil to refuse all.
        public let from: Timestamp?
        /// The reason, or nil if none is given.
        public let reason: RevocationReason?
        /// A line for people.
        public let note: String?

        /// Creates an entry.
        public init(
            _ identity: Identity, from: Timestamp? = nil, reason: RevocationReason? = nil,
            note: String? = nil
        ) {
            (self.identity, self.from, self.reason, self.note) = (identity, from, reason, note)
        }

        func refuses(at date: Timestamp) -> Bool { from.map { $0 <= date } ?? true }

        /// Whether the reason shows that signatures from before `from` are not affected.
        var leavesEarlierSignatures: Bool { reason?.leavesEarlierSignatures == true }

        func facts(depth: Int) -> RevokedCertificate {
            RevokedCertificate(
                depth: depth, date: from, invalidityDate: nil, reason: reason, listIssuedAt: nil, note: note)
        }
    }

    /// The maximum number of entries.
    public static let maximumCount = 100_000
    /// The maximum size of the JSON text in bytes.
    public static let maximumBytes = 16 << 20

    /// The entries in their order.
    public let entries: [Entry]
    // The positions of entries.
    private let bySHA256: [[UInt8]: [Int]]
    private let byKey: [[UInt8]: [Int]]
    private let bySerial: [String: [Int]]

    /// Creates a list.
    public init(_ entries: [Entry]) {
        self.entries = entries
        var (bySHA256, byKey): ([[UInt8]: [Int]], [[UInt8]: [Int]]) = ([:], [:])
        var bySerial: [String: [Int]] = [:]
        for (position, entry) in entries.enumerated() {
            switch entry.identity {
            case .sha256(let digest): bySHA256[digest, default: []].append(position)
            case .keySHA256(let digest): byKey[digest, default: []].append(position)
            case .serial(let serial, _): bySerial[Self.normalized(serial), default: []].append(position)
            }
        }
        (self.bySHA256, self.byKey, self.bySerial) = (bySHA256, byKey, bySerial)
    }

    /// Reads a list from JSON.
    public init(parsing json: [UInt8]) throws(JSONError) {
        guard json.count <= Self.maximumBytes else {
            throw JSONError(.tooLong(limit: Self.maximumBytes), at: Self.maximumBytes)
        }
        var entries: [Entry]?
        var reader = JSONReader(json.span)
        try reader.object { (reader, name) throws(JSONError) in
            guard name.isExactly("certificates") else {
                throw reader.error(.unexpectedValue(name, notOneOf: ["certificates"]))
            }
            entries = try reader.list { (reader, index) throws(JSONError) in
                guard index < Self.maximumCount else {
                    throw reader.error(.invalid("more than \(Self.maximumCount) certificates"))
                }
                return try Self.entry(&reader)
            }
        }
        try reader.end()
        guard let entries else { throw reader.error(.missing("certificates")) }
        self.init(entries)
    }

    private static func entry(_ reader: inout JSONReader) throws(JSONError) -> Entry {
        var (serial, issuer, note): (String?, String?, String?) = (nil, nil, nil)
        var (sha256, keySHA256): ([UInt8]?, [UInt8]?) = (nil, nil)
        var (from, reason): (Timestamp?, RevocationReason?) = (nil, nil)
        let members = ["serial", "sha256", "key_sha256", "issuer", "from", "reason", "note"]
        try reader.object { (reader, name) throws(JSONError) in
            let offset = reader
            guard members.contains(name.ifASCII) else {
                throw reader.error(.unexpectedValue(name, notOneOf: members))
            }
            let text = try reader.string(atMost: 1024)
            switch name {
            case "serial":
                guard !text.isEmpty, text.utf8.allSatisfy({ $0.hexadecimalDigit != nil }),
                    Self.normalized(text).utf8.count <= Self.mostDigits
                else { throw offset.error(.invalid("not a serial number in hexadecimal digits")) }
                serial = text
            case "sha256", "key_sha256":
                guard let digest = [UInt8](hexadecimal: text.utf8), digest.count == SHA256Digest.count else {
                    throw offset.error(.invalid("not a SHA-256 digest of 64 hexadecimal digits"))
                }
                if name == "sha256" { sha256 = digest } else { keySHA256 = digest }
            case "issuer":
                guard !text.isEmpty else { throw offset.error(.invalid("empty")) }
                issuer = text
            case "from":
                // A day means its first instant in UTC.
                guard let date = Timestamp(rfc3339: text) ?? Timestamp(rfc3339: text + "T00:00:00Z") else {
                    throw offset.error(.invalidDate)
                }
                from = date
            case "reason":
                reason = RevocationReason(rawValue: text.ifASCII)
                if reason == nil {
                    throw offset.error(
                        .unexpectedValue(text, notOneOf: RevocationReason.allCases.map(\.rawValue)))
                }
            default:
                guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                    throw offset.error(.invalid("more than one line"))
                }
                note = text
            }
        }
        let identity: Entry.Identity
        switch (sha256, keySHA256, serial, issuer) {
        case (let digest?, nil, nil, nil): identity = .sha256(digest)
        case (nil, let digest?, nil, nil): identity = .keySHA256(digest)
        case (nil, nil, let serial?, let issuer): identity = .serial(serial, issuer: issuer)
        default:
            throw reader.error(
                .invalid("must have one of sha256, key_sha256, and serial with an optional issuer"))
        }
        return Entry(identity, from: from, reason: reason, note: note)
    }

    /// The maximum number of digits of a serial number that ``CertificateFacts/serialNumber`` has.
    private static let mostDigits = 254

    /// Returns the digits in lower case without leading zeros.
    private static func normalized(_ serial: String) -> String {
        String(decoding: serial.lowercased().utf8.drop { $0 == UInt8(ascii: "0") }, as: UTF8.self)
    }

    /// Returns the positions of the entries for a certificate.
    /// - Parameter der: the certificate.
    func matches(for der: [UInt8], in context: CryptoContext) throws(ReceiptError) -> [Int] {
        guard let certificate = Certificate(der: der) else { return [] }
        let facts = CertificateFacts(certificate, of: der.span, in: context)
        var found = (bySerial[Self.normalized(facts.serialNumber)] ?? []).filter { position in
            guard case .serial(_, let issuer?) = entries[position].identity else { return true }
            return issuer.utf8.elementsEqual(facts.issuer.utf8)
        }
        if !byKey.isEmpty, let key = certificate.publicKey(of: der.span) {
            found += byKey[try context.digest(.sha256, of: der.span.extracting(key)).bytes] ?? []
        }
        if bySHA256.isEmpty { return found }
        for form in [der] + certificate.twins(of: der) {
            let digest = try context.digest(.sha256, of: form.span).bytes
            found += bySHA256[digest] ?? []
        }
        return found
    }
}

extension Certificate {
    /// Returns subjectPublicKeyInfo, including tag and length.
    fileprivate func publicKey(of bytes: Span<UInt8>) -> Range<Int>? {
        var reader = ASN1Reader(bytes, in: tbs)
        return try? reader.constructed(.sequence) { (reader) throws(ASN1Error) in
            if reader.nextTag == .context(0) { _ = try reader.element() }
            // The serial number, the signature algorithm, the issuer, the validity and the subject.
            for _ in 0..<5 { _ = try reader.element() }
            let key = try reader.element()
            while !reader.isAtEnd { _ = try reader.element() }
            return key
        }
    }
}
