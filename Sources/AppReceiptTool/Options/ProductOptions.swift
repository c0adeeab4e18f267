import AppReceipt
import ArgumentParser
import OfferEligibility

/// The products and the date for the eligibility rules.
struct ProductOptions: ParsableArguments {
    @Option(
        name: .customLong("product"),
        help: ArgumentHelp(
            "Ask about this product; may be repeated. Without it, about all of the catalogue.",
            valueName: "id"))
    var products: [String] = []

    @Option(
        help: ArgumentHelp(
            "Ask about this instant, RFC 3339. Without it, the machine's clock is read.", valueName: "date"),
        transform: instant)
    var asOf: Timestamp?

    /// The evaluation date. Each access reads the clock if no date is given.
    var instantAsked: EligibilityInstant { asOf.map(EligibilityInstant.date) ?? .clock(.now) }

    /// Checks that the groups are known.
    ///
    /// - Parameters:
    ///   - hasCatalog: Whether there is a catalog.
    ///   - singleGroup: Whether all subscriptions belong to one group.
    /// - Throws: `ValidationError` if the options contradict each other.
    func requireGroups(hasCatalog: Bool, singleGroup: Bool) throws {
        if hasCatalog && singleGroup {
            throw ValidationError("--single-group stands in place of a catalogue: give one of the two.")
        }
        if !hasCatalog && products.isEmpty {
            throw ValidationError("Without a catalogue the products must be named: --product ID.")
        }
    }
}
