import ArgumentParser
import OfferEligibility

/// Help of options that several commands have, in the same words.
enum SharedHelp {
    static let files = ArgumentHelp("Files, directories, or - for standard input.", valueName: "file")
    static let json: ArgumentHelp = "Print one JSON object per line."
    static let root = ArgumentHelp(
        "Trust this root certificate instead of Apple's (DER or PEM).", valueName: "file")
    static let alsoRoot = ArgumentHelp(
        """
        Also trust this root certificate (DER or PEM), next to Apple's or --root. Each result names the kind of its trust \
        anchor. May be repeated.
        """, valueName: "file")
    static let storeKitTestRoot = ArgumentHelp(
        """
        Also trust this StoreKit Test certificate (DER or PEM): the certificate that Xcode exports, or the certificate in the \
        header of its JWS. May be repeated.
        """, valueName: "file")
    static let singleGroup: ArgumentHelp = "Treat all subscriptions as one group, instead of --catalog."
    static let asOf = ArgumentHelp(
        "Answer for this instant, an RFC 3339 date; the default is the current time.", valueName: "date")

    // Policies

    static let refunds: ArgumentHelp =
        "Whether a refund makes the customer ineligible for introductory offers of its group; the default is block."
    static let staleEvidence: ArgumentHelp =
        "How to answer if the last period may have been renewed after the evidence was signed; the default is accept."
    static let partialEvidence: ArgumentHelp =
        "How to answer if the verdict depends on missing purchases, but no evidence lists all purchases; the default is accept."
    static let promotionalScope: ArgumentHelp =
        "The purchases that count for promotional offers: those in the group or in the app; the default is group."

    /// Returns the help of an option whose values are read later, with their list.
    static func listing<Value: ExpressibleByArgument>(
        _ help: ArgumentHelp, _ values: Value.Type
    ) -> ArgumentHelp {
        var help = help
        help.abstract += " (values: \(values.allValueStrings.joined(separator: ", ")))"
        return help
    }
}
