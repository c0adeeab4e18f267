import CReceiptCrypto
import Synchronization

/// The revocation settings of a verifier, and what its lists say about the certificates of verified chains.
///
/// Only certificates that a trusted authority signed for this purpose are looked up, so attackers cannot cause
/// many lookups.
final class RevocationStore: Sendable {
    /// A list, and whether a result rests on it.
    final class Source: Sendable {
        let list: RevocationList
        fileprivate let isUsed = Atomic(false)

        fileprivate init(_ list: RevocationList) { self.list = list }

        func noteUse() {
            if !isUsed.load(ordering: .relaxed) { isUsed.store(true, ordering: .relaxed) }
        }
    }

    private struct Memory {
        /// The entries and lists for a certificate, by certificate and issuer.
        var found: [[UInt8]: CertificateRevocation] = [:]
        /// The issuers of these certificates, in DER.
        var issuers: Set<[UInt8]> = []
        /// Whether the issuer signed a list, by number of the list and issuer.
        var signatures: [[UInt8]: RevocationListFault?] = [:]
        /// The reason why a list gave no information about a chain.
        var faults: [RevocationListFault]
        /// The positions of the distrust list's entries that matched a certificate.
        var matches: Set<Int> = []
    }

    private let settings: RevocationSettings
    private let sources: [Source]
    private let context: CryptoContext
    private let memory: Mutex<Memory>

    /// The maximum number of certificates in memory. Apple has used some twenty in ten years.
    private static let capacity = 256

    init(_ settings: RevocationSettings, context: CryptoContext) {
        self.settings = settings
        self.context = context
        sources = settings.lists.map(Source.init)
        memory = Mutex(Memory(faults: settings.lists.map { _ in .issuer }))
    }

    /// Returns what the lists say about a chain.
    /// - Parameter encodings: the certificates in DER, from the signer to the trust anchor.
    /// - Throws: ``ReceiptError`` with code `unreadable` if OpenSSL fails.
    func revocation(of encodings: [[UInt8]]) throws(ReceiptError) -> ChainRevocation {
        var chain = ChainRevocation(policy: settings.policy, isWithLists: !sources.isEmpty)
        for (depth, der) in encodings.enumerated() {
            if let distrust = settings.distrust {
                let matches = try distrust.matches(for: der, in: context)
                memory.withLock { $0.matches.formUnion(matches) }
                for match in matches { chain.distrusted.append((depth, distrust.entries[match])) }
            }
            // The caller trusts the anchor, which can also occur in place of an intermediate.
            guard depth + 1 < encodings.count, der != encodings.last else { continue }
            chain.certificates.append(
                try revocation(of: der, issuedBy: encodings[depth + 1], isAuthority: depth > 0))
        }
        return chain
    }

    private func revocation(
        of der: [UInt8], issuedBy issuerDER: [UInt8], isAuthority: Bool
    ) throws(ReceiptError) -> CertificateRevocation {
        guard let certificate = Certificate(der: der), let issuer = Certificate(der: issuerDER) else {
            return CertificateRevocation()
        }
        let issuerKey = Array(issuerDER[issuer.tbs])
        let key = Array(der[certificate.tbs]) + issuerKey + [isAuthority ? 1 : 0]
        // Another thread with the same certificates waits, because a list can be large.
        let result = memory.withLock { memory in
            Result { () throws(ReceiptError) in
                if let known = memory.found[key] { return known }
                var found = CertificateRevocation()
                for (number, source) in sources.enumerated() {
                    let fault = try look(
                        up: certificate, of: der, in: source, number: number, issuer, issuerDER, issuerKey,
                        isAuthority: isAuthority, &memory, &found)
                    if let fault { memory.faults[number] = memory.faults[number].closest(to: fault) }
                }
                if memory.found.count >= Self.capacity {
                    memory.found.removeAll()
                    memory.issuers.removeAll()
                }
                memory.found[key] = found
                memory.issuers.insert(issuerDER)
                return found
            }
        }
        return try result.get()
    }

    /// Adds what a list says about a certificate (RFC 5280, 6.3.3).
    /// - Returns: the reason why it gives no information, or nil if it does or has another issuer.
    private func look(
        up certificate: Certificate, of der: [UInt8], in source: Source, number: Int,
        _ issuer: Certificate, _ issuerDER: [UInt8], _ issuerKey: [UInt8], isAuthority: Bool,
        _ memory: inout Memory, _ found: inout CertificateRevocation
    ) throws(ReceiptError) -> RevocationListFault? {
        let list = source.list
        guard list.fault == nil, list.der[list.issuer] == der[certificate.issuer] else { return nil }
        let signatureKey = issuerKey + withBytes(of: number)
        let signatureFault: RevocationListFault?
        if let known = memory.signatures[signatureKey] {
            signatureFault = known
        } else {
            signatureFault = try checkSignature(of: list, by: issuerDER)
            if memory.signatures.count >= Self.capacity { memory.signatures.removeAll() }
            memory.signatures[signatureKey] = .some(signatureFault)
        }
        if let signatureFault { return signatureFault }
        // The issuer and the serial number identify the certificate, so an entry counts whatever the list's scope.
        let entries = list.entries(of: der.span.extracting(certificate.serialNumber))
        found.entries += entries
        if !entries.isEmpty {
            source.noteUse()
            return nil
        }
        // An entry for a number that is not in DER would have other bytes.
        guard der.span.isInteger(certificate.serialNumber),
            list.scope.covers(certificate, of: der.span, isAuthority: isAuthority)
        else { return .scope }
        guard list.issuedAt <= Validity(of: certificate, in: der.span).notAfter,
            list.issuedAt <= Validity(of: issuer, in: issuerDER.span).notAfter
        else { return .afterExpiry }
        found.sources.append(source)
        return .outdated
    }

    private func withBytes(of number: Int) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private func checkSignature(
        of list: RevocationList, by issuer: [UInt8]
    ) throws(ReceiptError) -> RevocationListFault? {
        guard let algorithm = list.algorithm.certificateSignature else { return .algorithm }
        let bytes = list.der.span
        let status = unsafe issuer.span.withSlice { issuer in
            unsafe bytes.extracting(list.tbs).withSlice { tbs in
                unsafe bytes.extracting(list.signature).withSlice { signature in
                    unsafe receipt_crypto_verify_list(
                        context.pointer, issuer, algorithm.digest.crypto, algorithm.isECDSA, tbs, signature)
                }
            }
        }
        switch status {
        case RECEIPT_CRYPTO_OK: return nil
        case RECEIPT_CRYPTO_UNAVAILABLE: throw .cryptographyUnavailable
        case RECEIPT_CRYPTO_BAD_KEY_USAGE: return .keyUsage
        default: return .signature
        }
    }

    /// Checks the signatures of the lists by the issuers that an earlier store has met, and remembers these.
    /// - Returns: The reason why no such issuer signed a list, or nil if one did, or if the list's issuer was not met.
    /// - Throws: ``ReceiptError`` with code `unreadable` if OpenSSL fails.
    func signatureFaults(after earlier: RevocationStore) throws(ReceiptError) -> [RevocationListFault?] {
        let issuers = earlier.memory.withLock { $0.issuers }
        memory.withLock { $0.issuers.formUnion(issuers) }
        var faults: [RevocationListFault?] = []
        for list in settings.lists {
            var (isSigned, closest) = (false, RevocationListFault?.none)
            for der in issuers {
                guard list.fault == nil, let issuer = Certificate(der: der),
                    list.der[list.issuer] == der[issuer.subject]
                else { continue }
                let fault = try checkSignature(of: list, by: der)
                isSigned = isSigned || fault == nil
                closest = fault.map { closest?.closest(to: $0) ?? $0 } ?? closest
            }
            faults.append(isSigned ? nil : closest)
        }
        return faults
    }

    /// The positions of the distrust list's entries that matched no certificate of a verified chain.
    var unmatchedEntries: [Int] {
        let matches = memory.withLock { $0.matches }
        return settings.distrust?.entries.indices.filter { !matches.contains($0) } ?? []
    }

    /// The reason why each list gave no information about any object, or nil if it did.
    var faults: [RevocationListFault?] {
        zip(sources, memory.withLock { $0.faults }).map { source, fault in
            source.list.fault ?? (source.isUsed.load(ordering: .relaxed) ? nil : fault)
        }
    }

    /// The lists that gave no information about any object, with the reasons.
    var unused: [(list: RevocationList, fault: RevocationListFault)] {
        zip(sources, faults).compactMap { source, fault in fault.map { (source.list, $0) } }
    }
}
