// Facts about the settings and the lists for the records of runs.

extension RevocationSettings {
    /// The policy, or ``RevocationPolicy/off`` if nothing is checked.
    package var effectivePolicy: RevocationPolicy { isChecking ? policy : .off }
}

extension RevocationListFault {
    /// The faults that concern the verified chains, in the order of the checks. A later one is closer to use.
    package static let ofChains: [RevocationListFault] = [
        .issuer, .keyUsage, .signature, .scope, .afterExpiry, .outdated,
    ]

    /// Returns whether lists must not go unnoticed: one is unusable, or no result rests on any. A folder of lists may have those of
    /// other issuers, and old lists for old receipts.
    /// - Parameter faults: The description of the reason why no result rests on each list, or nil if one does.
    package static func areUnusable(_ faults: [String?]) -> Bool {
        guard !faults.isEmpty else { return false }
        let others = ofChains.filter { !$0.isOfList }.map(\.description)
        return !faults.contains(nil) || faults.contains { $0.map { !others.contains($0) } ?? false }
    }

    /// Returns the fault that is closer to use, so that the result does not depend on the order of chains.
    func closest(to other: RevocationListFault) -> RevocationListFault {
        let order = Self.ofChains
        return (order.firstIndex(of: other) ?? 0) > (order.firstIndex(of: self) ?? 0) ? other : self
    }
}

extension ReceiptVerifier {
    /// The reason why no result rests on each list of the settings so far, or nil if one does. Empty if
    /// nothing is checked.
    package var revocationListFaults: [RevocationListFault?] { anchors.revocations?.faults ?? [] }

    /// Returns, for each list of the settings, the reason why its issuer did not sign it. Returns nil if it did, or if the earlier
    /// verifier did not meet the issuer. Empty if nothing is checked.
    ///
    /// - Throws: ``ReceiptError`` with code `unreadable` if OpenSSL fails.
    package func signatureFaults(after earlier: ReceiptVerifier) throws(ReceiptError)
        -> [RevocationListFault?]
    {
        guard let own = anchors.revocations, let met = earlier.anchors.revocations else { return [] }
        return try own.signatureFaults(after: met)
    }
}
