import AppReceipt

/// The facts other than purchases in signed objects, or in a saved response with groups or family-shared subscriptions.
final class SignedEvidence: Sendable {
    /// The group of a product in its newest signed transaction, as ranges of the history's text.
    struct Naming: Sendable {
        let product: TextSlice
        /// The groups in the order of their text. There are several if signed transactions of one date
        /// differ.
        var groups: [TextSlice]
    }

    /// The creation date of the newest receipt. Of signed objects, only receipts show that the customer
    /// bought nothing else.
    let newestReceipt: Timestamp?
    /// The date of the newest evidence of each purchase, by its index in the history. A missing one is ``newestReceipt``.
    let evidenceDates: [Int: Timestamp]
    let renewals: [SignedRenewal]
    /// The groups of the products, the newest first, each product once.
    let namings: [Naming]
    /// The groups that evidence of the same date names for one transaction, if they differ, sorted by their
    /// text. The key is the transaction's index in the history.
    let contestedGroups: [Int: [TextSlice]]
    /// The indices of renewals before which others may be missing, and the last known end before each, in
    /// seconds since 1970.
    let renewalsAfterGaps: [Int: Int64]
    /// All evidence that conflicts with other evidence of the same date.
    let conflictingEvidence: [Transaction]

    init(
        newestReceipt: Timestamp?, evidenceDates: [Int: Timestamp] = [:], renewals: [SignedRenewal],
        namings: [Naming],
        contestedGroups: [Int: [TextSlice]], renewalsAfterGaps: [Int: Int64] = [:],
        conflictingEvidence: [Transaction]
    ) {
        self.renewalsAfterGaps = renewalsAfterGaps
        self.contestedGroups = contestedGroups
        self.newestReceipt = newestReceipt
        self.evidenceDates = evidenceDates
        self.renewals = renewals
        self.namings = namings
        self.conflictingEvidence = conflictingEvidence
    }
}

extension [TextSlice] {
    /// Returns the distinct texts, sorted.
    func inOrder(of text: [UInt8]) -> [TextSlice] {
        guard count > 1 else { return self }
        var seen = Set<[UInt8]>()
        return filter { seen.insert([UInt8](text[$0.range])).inserted }
            .sorted { text[$0.range].lexicographicallyPrecedes(text[$1.range]) }
    }
}
