package import AppReceipt
package import ReceiptExamination

/// The revocation lists and the distrust list behind verdicts, which bundles carry for their check.
package struct EvidenceLists: Sendable {
    package let inputs: RevocationInputs
    package let facts: RevocationFacts
    /// Whether each bundle has the lists. An audit's bundle has them once for all records.
    package var isCarried = true

    package static let none = EvidenceLists()

    /// The maximum number of revocation lists, because check.sh lists every file of a bundle.
    static let mostLists = 50
    static let distrust = "distrust.json"

    private init() { (inputs, facts) = (.none, .none) }

    /// - Throws: ``ReceiptError`` with code `too_large` if there are too many lists, or `unreadable` if OpenSSL
    ///   fails.
    package init(_ inputs: RevocationInputs, _ verifier: ReceiptVerifier) throws(ReceiptError) {
        self.inputs = inputs
        facts = try RevocationFacts(inputs, verifier)
        guard facts.lists.count <= Self.mostLists else {
            throw ReceiptError(
                .tooLarge,
                message: "\(facts.lists.count) revocation lists, evidence has at most \(Self.mostLists)")
        }
    }

    /// Returns the name of the revocation list at this position, from 0, in the order of the digests.
    static func name(_ position: Int) -> String { "\(position + 1).crl" }

    package var files: [EvidenceFile] {
        let lists = inputs.settings.lists
        var files = facts.lists.enumerated().compactMap { index, list in
            list.positions.first.map { EvidenceFile(Self.name(index), lists[$0].der) }
        }
        if facts.distrust != nil, let distrust = inputs.distrust {
            files.append(EvidenceFile(Self.distrust, distrust))
        }
        return files
    }
}
