import AppReceipt
import StrictJSON
import Testing

@testable import OfferEligibility

/// A catalog that assigns each product to one app.
struct ScopedCatalogTests {
    // Both apps have a group "main" and a product "monthly", but only in the first app does "main" contain
    // it.
    static let text = """
        {"apps": {
          "com.example.one": {"groups": {"main": ["monthly", "yearly"]}},
          "com.example.two": {"subscriptionGroups": [{"id": "other", "subscriptions": [{"productID": "monthly"}]},
            {"id": "main", "subscriptions": [{"productID": "weekly"}]}]}}}
        """

    private static func history(_ app: String?) -> PurchaseHistory {
        var builder = PurchaseHistory()
        builder.bundle = builder.slice(app)
        builder.evidenceDate = at("2024-06-15")
        var transaction = Transaction()
        transaction.product = builder.slice("weekly")
        transaction.purchased = at("2024-05-01")
        transaction.expires = at("2024-06-01")
        builder.transactions.append(transaction)
        return builder
    }

    private static func rules(_ catalog: String) throws -> OfferRules {
        OfferRules(catalog: try SubscriptionCatalog(parsing: catalog.utf8))
    }

    @Test func eachAppHasItsOwnGroups() throws {
        let catalog = try SubscriptionCatalog(parsing: Self.text.utf8)
        #expect(catalog.apps == ["com.example.one", "com.example.two"])
        #expect(catalog.productIDs == ["monthly", "yearly", "weekly"])
        #expect(catalog.scope(of: "com.example.one")?.product("monthly")?.group == "main")
        #expect(catalog.scope(of: "com.example.two")?.product("monthly")?.group == "other")
        #expect(catalog.scope(of: "com.example.two")?.product("yearly") == nil)
    }

    @Test(
        arguments: [
            // bundle ID, products
            ("com.example.one", ["monthly", "yearly"]),
            ("com.example.two", ["monthly", "weekly"]),
            // unlisted app
            ("com.example.three", []),
            // different bytes
            ("com.example.One", []),
            // no bundle ID
            (nil, []),
        ] as [(String?, [String])])
    func onlyTheAppsProductsAreEvaluated(app: String?, products: [String]) throws {
        #expect(try Self.rules(Self.text).products(for: Self.history(app)) == products)
    }

    @Test(
        arguments: [
            // product of another app
            ("com.example.one", "weekly"),
            // product of no app
            ("com.example.one", "daily"),
            // unlisted app
            ("com.example.three", "monthly"),
            // no bundle ID
            (nil, "monthly"),
        ] as [(String?, String)])
    func productOutsideTheAppsScopeIsUnknown(app: String?, product: String) throws {
        let verdicts = try Self.rules(Self.text).verdicts(
            for: [product], in: Self.history(app), asOf: .date(at("2024-06-15")))
        #expect(verdicts.map(\.introductoryOffer.rule) == [.unknownProduct])
        #expect(verdicts.map(\.introductoryOffer.outcome) == [.undetermined])
    }

    @Test(arguments: [
        // input, path, fault
        (#"{"apps": {}}"#, "", JSONFault.empty),
        (#"{"apps": []}"#, "apps", .unexpectedKind(expected: .object, found: .array)),
        (#"{"apps": {"a": {"groups": {"g": []}}}}"#, "apps.a", .empty),
        (#"{"apps": {"": {"groups": {"g": ["p"]}}}}"#, "apps.", .unexpectedValue("")),
        (
            #"{"apps": {"a": {"groups": {"g": ["p"]}}, "a": {"groups": {"g": ["p"]}}}}"#, "apps.a",
            .duplicateMember
        ),
        // nested scopes
        (
            #"{"apps": {"a": {"apps": {"b": {"groups": {"g": ["p"]}}}}}}"#, "apps.a.apps",
            .invalid("apps cannot be nested")
        ),
        // scoped and unscoped
        (
            #"{"apps": {"a": {"groups": {"g": ["p"]}}}, "groups": {"g": ["q"]}}"#, "",
            .invalid("must have exactly one of groups, apps, subscriptionGroups")
        ),
    ])
    func catalogOfUnclearScopeIsRefused(text: String, path: String, fault: JSONFault) {
        do {
            _ = try SubscriptionCatalog(parsing: text.utf8)
            Issue.record("accepted")
        } catch {
            #expect(error.path == path)
            #expect(error.fault == fault)
        }
    }

    @Test func unscopedProductIsEvaluatedForAppsThatShowIt() {
        var shown = ShownProducts(of: ["monthly", "weekly"])
        let (one, two) = (Self.history("com.example.one"), Self.history("com.example.two"))
        shown.take(one)
        #expect(shown.products(for: one) == ["monthly", "weekly"])
        #expect(shown.unshown.isEmpty)
        shown.take(two)
        #expect(shown.products(for: one) == ["weekly"])
        #expect(shown.unshown == ["monthly"])
        #expect(shown.products(for: Self.history(nil)) == [])
    }
}
