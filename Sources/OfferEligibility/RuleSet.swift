/// A set of rules, stored in four bytes because every verdict contains one.
struct RuleSet: Hashable, Sendable {
    private var bits: UInt32 = 0

    mutating func insert(_ rule: OfferRuleID) { bits |= 1 << UInt32(rule.rawValue) }

    func contains(_ rule: OfferRuleID) -> Bool { bits & 1 << UInt32(rule.rawValue) != 0 }
}
