import AppReceipt
import ReceiptForge
import TestSupport
import Testing

@testable import OfferEligibility

/// The groups of a catalog that are one group at Apple, or share some of their products with one.
struct JoinedGroupTests {
    /// Returns a history of signed transactions and of an empty receipt.
    private func history(_ purchases: [Bought]) throws -> PurchaseHistory {
        let evidence = purchases.map { Evidence.jws("2026-06-05", $0) } + [.receipt("2026-06-06", [])]
        return try PurchaseHistory(objects: evidence.map(\.object))
    }

    private func catalog(_ groups: [[String]]) -> SubscriptionCatalog {
        var builder = CatalogBuilder()
        for (number, products) in groups.enumerated() {
            precondition(builder.addGroup("group \(number)"))
            for product in products {
                precondition(builder.add(SubscriptionProduct(id: product, group: "group \(number)")))
            }
        }
        return builder.catalog
    }

    /// Checks that renewals that may be missing in one group leave the introductory offer of the other unknown, if the
    /// policy says so.
    @Test(arguments: [
        (OfferPolicies.PartialEvidence.accept, "1", "eligible/lapsed/as_of_receipt"),
        (.undetermined, "1", "undetermined/uncatalogued-history/-"),
        // The renewal begins in a known period.
        (.undetermined, "0", "eligible/lapsed/as_of_receipt"),
    ])
    func missingRenewalsOfAnotherGroup(
        policy: OfferPolicies.PartialEvidence, gap: String, answer: String
    ) throws {
        let history = try history([
            Bought(product: "m", id: "1", original: "1", from: "2026-01-01", to: "2026-02-01", group: "100"),
            Bought(product: "y", id: "8", original: "8", from: "2026-01-01", to: "2026-02-01", group: "100"),
            Bought(
                product: "y", id: "9", original: "8", from: "2026-02-\(gap)1", to: "2026-03-01", group: "100"),
        ])
        let rules = OfferRules(
            catalog: catalog([["m"], ["y"]]), policies: OfferPolicies(partialEvidence: policy))
        let verdict = rules.verdicts(for: ["m"], in: history, asOf: .date(at("2026-06-10")))[0]
        #expect(verdict.introductoryOffer.short == answer)
    }

    /// Checks whether the used trial of a retired product, of the group 20812345, may belong to the group of "a". Local StoreKit
    /// configurations may have names of digits, as Apple's identifiers are.
    @Test(
        arguments: [
            ([], .uncataloguedHistory),
            // Signed evidence names a group of the catalog.
            ([Bought(product: "b", id: "2", group: "21000002")], .neverSubscribed),
            ([Bought(product: "retired too", id: "2", group: "21000002")], .neverSubscribed),
            // It also has another name for a group of the catalog.
            (
                [
                    Bought(product: "b", id: "2", group: "21000002"),
                    Bought(product: "c", id: "3", group: "20812346"),
                ], .uncataloguedHistory
            ),
            // It names another group of the catalog for a product.
            (
                [
                    Bought(product: "b", id: "2", group: "21000002"),
                    Bought(product: "c", id: "3", group: "21000002"),
                ], .uncataloguedHistory
            ),
            // It has another name for the group of "a" itself.
            ([Bought(product: "a", id: "2", group: "20812347")], .lapsed),
        ] as [([Bought], OfferRuleID)])
    func namesOfDigits(others: [Bought], rule: OfferRuleID) throws {
        let catalog = try SubscriptionCatalog(
            parsing: #"{"groups": {"21000001": ["a"], "21000002": ["b"], "21000003": ["c"]}}"#.utf8)
        let trial = Bought(product: "retired", trial: true, group: "20812345")
        let verdict = OfferRules(catalog: catalog).verdicts(
            for: ["a"], in: try history([trial] + others), asOf: .date(at("2026-06-10")))[0]
        #expect(verdict.introductoryOffer.rule == rule)
    }

    /// Checks a group with a name of its own, in a catalog with Apple's identifier of another group, which the customer bought.
    @Test(arguments: ["Plus", "A1B2C3D4", "2", ""])
    func ownNameBesideAnIdentifier(name: String) throws {
        let catalog = try SubscriptionCatalog(
            parsing: #"{"groups": {"21000002": ["b"], "\#(name)": ["a"]}}"#.utf8)
        let bought = [
            Bought(product: "b", id: "2", group: "21000002"),
            Bought(product: "retired", trial: true, group: "20812345"),
        ]
        let verdict = OfferRules(catalog: catalog).verdicts(
            for: ["a"], in: try history(bought), asOf: .date(at("2026-06-10")))[0]
        #expect(verdict.introductoryOffer.rule == .uncataloguedHistory)
    }

    /// Compares the purchases in answers with those of a search through all groups. A catalog group can share
    /// products with several of Apple's groups, so two groups joined with it need not be joined with each other.
    @Test(arguments: 0..<60 as Range<UInt64>)
    func joinedPurchasesAreThoseOfAllGroupsThatShareASignedGroup(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let products = (0..<12).map { "product \($0)" }
        let signed = products.map { _ in "\(Int.random(in: 1...6, using: &random))" }
        var groups = Array(repeating: [String](), count: 7)
        var groupOfProduct: [Int] = []
        for product in products {
            let group = Int.random(in: 0..<groups.count, using: &random)
            groups[group].append(product)
            groupOfProduct.append(group)
        }
        // Half of the customers have more purchases than an answer names, most of them in one group.
        let count = seed.isMultiple(of: 2) ? 30 : 500
        let purchases = (0..<count).map { id in
            let number = Bool.random(using: &random) ? 0 : Int.random(in: 0..<12, using: &random)
            let isUnlisted = Int.random(in: 0..<40, using: &random) == 0
            return Bought(
                product: isUnlisted ? "unlisted" : products[number], id: "\(id)",
                from: Timestamp.day(Int.random(in: 0..<400, using: &random)), to: "2026-03-01",
                cancelled: Int.random(in: 0..<4, using: &random) == 0 ? "2026-02-20" : nil,
                trial: Int.random(in: 0..<4, using: &random) == 0,
                group: isUnlisted ? nil : signed[number],
                unknownOffer: Int.random(in: 0..<20, using: &random) == 0)
        }
        let bought = Set(purchases.compactMap(\.product))
        let names = groups.indices.map { group in
            Set(
                products.indices.filter { groupOfProduct[$0] == group && bought.contains(products[$0]) }.map {
                    signed[$0]
                })
        }
        let verdicts = OfferRules(catalog: catalog(groups)).verdicts(
            for: products, in: try history(purchases), asOf: .date(at("2026-06-10")))
        for (product, verdict) in zip(products.indices, verdicts) {
            let (group, customer) = (groupOfProduct[product], verdict.customer)
            let slot = try #require(verdict.slot)
            let joined = customer.groups.filter {
                $0.group != group && !names[$0.group].isDisjoint(with: names[group])
            }.flatMap(\.decisive)
            let expected = Set(
                joined + customer.groups[slot].unknownOffers
                    + (customer.uncatalogued(ofSlot: slot)?.indices ?? [])
            )
            .sorted(by: customer.history.precedes)
            #expect(customer.isJoined(slot) == !joined.isEmpty)
            guard verdict.introductoryOffer.rule == .uncataloguedHistory else { continue }
            let ids = expected.compactMap { customer.history.string(customer.history.transactions[$0].id) }
            #expect(verdict.introductoryOffer.transactions == Array(ids.prefix(100)))
            let more = expected.count > 1 ? " and \(expected.count - 1) more " : " is under "
            #expect(verdict.introductoryOffer.explanation.contains(more) || expected.count == 1)
        }
    }

    enum Purchases: CaseIterable {
        /// One group at Apple, a catalog group for each product.
        case oneGroup
        /// Apple's groups each join two catalog groups, as a chain.
        case chain
        /// Half of the products are not in the catalog.
        case unlisted
        /// Half of the products are not in the catalog, and the others have offers of an unknown type.
        case unknownOffers

        func bought(_ number: Int) -> Bought {
            let isListed = number.isMultiple(of: 2) || self == .oneGroup || self == .chain
            var bought = Bought(product: isListed ? "\(number)" : "unlisted \(number)", id: "\(number)")
            switch self {
            case .oneGroup:
                bought.group = "7"
                bought.trial = number.isMultiple(of: 4)
            case .chain:
                bought.group = "\(1_000_000 + (number + 1) / 2)"
                bought.trial = number.isMultiple(of: 4)
            case .unlisted:
                bought.group = "7"
                bought.trial = !isListed
            case .unknownOffers:
                bought.group = isListed ? "\(1_000_000 + number)" : nil
                bought.unknownOffer = isListed
            }
            return bought
        }

        /// Returns the products of each catalog group.
        func groups(_ count: Int) -> [[String]] {
            switch self {
            case .chain: stride(from: 0, to: count, by: 2).map { ["\($0)", "\($0 + 1)"] }
            default: (0..<count).map { ["\($0)"] }
            }
        }
    }

    /// Checks that the time is linear in the number of joined groups. A request may contain the catalog, so a
    /// client can choose that number.
    @Test(arguments: Purchases.allCases)
    func manyJoinedGroupsTakeLinearTime(purchases: Purchases) throws {
        func time(_ count: Int) throws -> UInt64 {
            let history = try history((0..<count).map(purchases.bought))
            let groups = purchases.groups(count)
            let rules = OfferRules(catalog: catalog(groups))
            let products = Array(groups.joined())
            return Cost.time {
                for verdict in rules.verdicts(for: products, in: history, asOf: .date(at("2026-06-10"))) {
                    _ = verdict.introductoryOffer.explanation
                }
            }
        }
        #expect(try time(2_000) < time(250) * 24)
    }
}
