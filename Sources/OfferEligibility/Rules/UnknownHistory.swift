/// The purchases that leave the introductory offer of a group unknown.
struct UnknownHistory: Sendable {
    /// The number of purchases.
    var count = 0
    /// The indices of the first purchases in the order of purchase, at most
    /// ``CustomerFacts/namedTransactions``.
    var first: [Int] = []
    /// Whether purchases of joined groups are among them.
    var isJoined = false

    /// Adds purchases. If they are more than ``CustomerFacts/namedTransactions``, they must be in the order
    /// of purchase. The caller then sorts ``first``.
    mutating func add(_ purchases: [Int]) {
        count += purchases.count
        first += purchases.prefix(CustomerFacts.namedTransactions)
    }
}
