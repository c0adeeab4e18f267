package import AppReceipt

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
