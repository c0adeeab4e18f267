import AppReceipt
import ArgumentParser
import OfferEligibility

/// What the rules of eligibility are asked about.
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

    /// A clock is read at each call.
    var instantAsked: EligibilityInstant { asOf.map(EligibilityInstant.date) ?? .clock(.now) }

    /// - Parameters:
    ///   - hasCatalog: whether there is a catalog.
    ///   - singleGroup: whether all subscriptions are one group.
    /// - Throws: `ValidationError` where these do not go together.
    func requireGroups(hasCatalog: Bool, singleGroup: Bool) throws {
        if hasCatalog && singleGroup {
            throw ValidationError("--single-group stands in place of a catalogue: give one of the two.")
        }
        if !hasCatalog && products.isEmpty {
            throw ValidationError("Without a catalogue the products must be named: --product ID.")
        }
    }
}
