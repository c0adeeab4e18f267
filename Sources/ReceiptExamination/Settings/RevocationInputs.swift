package import AppReceipt
package import StrictJSON

/// The revocation lists and the distrust list of a run, with the bytes that identify them.
package struct RevocationInputs: Sendable {
    package let settings: RevocationSettings
    /// The distrust list's JSON as it was given, or nil if there is none.
    package let distrust: [UInt8]?

    /// No lists, so that nothing is checked.
    package static let none = RevocationInputs()

    private init() { (settings, distrust) = (RevocationSettings(), nil) }

    /// Creates inputs.
    /// - Parameters:
    ///   - distrust: The distrust list's JSON.
    ///   - policy: The policy, or nil for the default, which checks with the lists that there are.
    package init(
        lists: [RevocationList], distrust: [UInt8]?, policy: RevocationPolicy?
    ) throws(JSONError) {
        self.distrust = distrust
        settings = RevocationSettings(
            lists: lists,
            distrust: try distrust.map { text throws(JSONError) in try DistrustList(parsing: text) },
            policy: policy ?? .check)
    }
}

/// The facts that identify the lists of a run, and the policy.
package struct RevocationFacts: Sendable {
    package struct List: Sendable {
        /// The caller's name, which is not part of the identity.
        package let name: String
        /// The SHA-256 of the DER bytes, in hexadecimal.
        package let sha256: String
        package let issuer: String
        package let issuedAt: Timestamp
        package let nextUpdate: Timestamp?
        package let count: Int
        /// The positions in the verifier's settings. A list that is given twice has two.
        package fileprivate(set) var positions: [Int]
    }

    package let policy: RevocationPolicy
    /// The lists by digest, each once.
    package let lists: [List]
    /// The SHA-256 of the distrust list's JSON in hexadecimal, or nil if there is none.
    package let distrust: String?

    package static let none = RevocationFacts()

    private init() { (policy, lists, distrust) = (.off, [], nil) }

    /// - Throws: ``ReceiptError`` with code `unreadable` if OpenSSL fails.
    package init(_ inputs: RevocationInputs, _ verifier: ReceiptVerifier) throws(ReceiptError) {
        policy = inputs.settings.effectivePolicy
        guard policy != .off else {
            (lists, distrust) = ([], nil)
            return
        }
        var found: [String: List] = [:]
        for (position, list) in inputs.settings.lists.enumerated() {
            let digest = try Self.digest(of: list.der, verifier)
            found[
                digest,
                default: List(
                    name: list.name, sha256: digest, issuer: list.issuerName, issuedAt: list.issuedAt,
                    nextUpdate: list.nextUpdate, count: list.count, positions: [])
            ].positions.append(position)
        }
        lists = found.values.sorted { $0.sha256 < $1.sha256 }
        distrust = try inputs.distrust.map { text throws(ReceiptError) in try Self.digest(of: text, verifier)
        }
    }

    private static func digest(of bytes: [UInt8], _ verifier: ReceiptVerifier) throws(ReceiptError) -> String
    {
        guard let digest = verifier.sha256(of: bytes) else { throw .cryptographyUnavailable }
        return hexadecimal(digest)
    }
}

extension RevocationFacts.List {
    /// Returns the reason why no result of the verifier rests on the list, or nil if one does.
    package func fault(of verifier: ReceiptVerifier) -> RevocationListFault? {
        let faults = verifier.revocationListFaults
        var first: RevocationListFault?
        for position in positions where faults.indices.contains(position) {
            guard let fault = faults[position] else { return nil }
            first = first ?? fault
        }
        return first
    }
}

extension RevocationStatus {
    /// The result and its caveats, joined by commas.
    package var summary: String { ([outcome.rawValue] + caveats.map(\.rawValue)).joined(separator: ",") }
}
