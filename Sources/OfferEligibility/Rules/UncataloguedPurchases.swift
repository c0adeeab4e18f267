import AppReceipt

/// The purchases that may belong to a group, although neither the catalog nor signed evidence says so.
struct UncataloguedPurchases: Sendable {
    /// The indices of the purchases. If they are more than ``CustomerFacts/namedTransactions``, they are in the order of purchase.
    let indices: [Int]
    /// The last end of their periods. Nil if there are none.
    private let lastEnd: Timestamp?
    /// The last ends of their periods under each offer, by the offer's identifier.
    let offerEnds: [[UInt8]: Timestamp]

    init(_ indices: [Int], of history: PurchaseHistory, asOf instant: Timestamp) {
        let isLong = indices.count > CustomerFacts.namedTransactions
        self.indices = isLong ? indices.sorted(by: history.precedes) : indices
        lastEnd = indices.map { history.transactions[$0].end(asOf: instant) }.max()
        offerEnds = history.offerEnds(of: indices, asOf: instant)
    }

    /// Returns whether the period of a purchase ends after a date.
    func ends(after date: Timestamp) -> Bool { lastEnd.map { $0 > date } ?? false }
}
