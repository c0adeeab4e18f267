/// The purchases that leave the introductory offer of a group unknown.
struct UnknownHistory: Sendable {
    /// The number of purchases.
    var count = 0
    /// The indices of the first purchases in the order of purchase, at most
    /// ``CustomerFacts/namedTransactions``.
    var first: [Int] = []
    /// The number of purchases of joined groups among them.
    var joined = 0
    /// The other facts about joined groups.
    var joinedGroups = JoinedGroups.Traits()

    /// Adds purchases. If they are more than ``CustomerFacts/namedTransactions``, they must be in the order
    /// of purchase. The caller then sorts ``first``.
    mutating func add(_ purchases: [Int]) {
        count += purchases.count
        first += purchases.prefix(CustomerFacts.namedTransactions)
    }
}
