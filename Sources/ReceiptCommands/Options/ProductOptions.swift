package import AppReceipt
package import ArgumentParser
package import OfferEligibility

/// The products and the date for the eligibility rules.
package struct ProductOptions: ParsableArguments {
    @Option(
        name: .customLong("product"),
        help: ArgumentHelp(
            "Answer for this product; the default is every product of the catalog. May be repeated.",
            valueName: "id"))
    package var products: [String] = []

    @Option(
        help: SharedHelp.asOf,
        transform: instant)
    package var asOf: Timestamp?

    package init() {}

    /// The evaluation date. Each access reads the clock if no date is given.
    package var instantAsked: EligibilityInstant { asOf.map(EligibilityInstant.date) ?? .clock(.now) }

    /// Checks that the groups are known.
    /// - Parameters:
    ///   - hasCatalog: Whether there is a catalog.
    ///   - singleGroup: Whether all subscriptions belong to one group.
    /// - Throws: `ValidationError` if the options contradict each other.
    package func requireGroups(hasCatalog: Bool, singleGroup: Bool) throws {
        if hasCatalog && singleGroup {
            throw ValidationError("--single-group: cannot be combined with --catalog")
        }
        if !hasCatalog && products.isEmpty {
            throw ValidationError("--product: required without --catalog FILE")
        }
    }
}
