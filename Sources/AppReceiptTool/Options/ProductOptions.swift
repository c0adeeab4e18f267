import AppReceipt
import ArgumentParser
import OfferEligibility

/// What the rules of eligibility are asked about.
struct ProductOptions: ParsableArguments {
    @Option(
        name: .customLong("product"),
        help: ArgumentHelp(
            "Answer for this product; the default is every product of the catalog. May be repeated.",
            valueName: "id"))
    var products: [String] = []

    @Option(
        help: SharedHelp.asOf,
        transform: instant)
    var asOf: Timestamp?

    /// A clock is read at each call.
    var instantAsked: EligibilityInstant { asOf.map(EligibilityInstant.date) ?? .clock(.now) }

    /// - Parameters:
    ///   - hasCatalog: whether there is a catalog.
    ///   - singleGroup: whether all subscriptions are one group.
    /// - Throws: `ValidationError` where these do not go together.
    func requireGroups(hasCatalog: Bool, singleGroup: Bool) throws {
        if hasCatalog && singleGroup {
            throw ValidationError("--single-group: cannot be combined with --catalog")
        }
        if !hasCatalog && products.isEmpty {
            throw ValidationError("--product: required without --catalog FILE")
        }
    }
}
