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
