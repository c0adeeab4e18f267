package import ArgumentParser
import OfferEligibility

/// Help of options that several commands have, in the same words.
package enum SharedHelp {
    static let files: ArgumentHelp = .file("Files, directories, or - for standard input.")
    static let json: ArgumentHelp = "Print one JSON object per line."
    package static let root: ArgumentHelp = .file(
        "Trust this root certificate instead of Apple's (DER or PEM).")
    package static let alsoRoot: ArgumentHelp = .file(
        """
        Also trust this root certificate (DER or PEM), next to Apple's or --root. Each result names the kind of its trust \
        anchor. May be repeated.
        """)
    package static let storeKitTestRoot: ArgumentHelp = .file(
        """
        Also trust this StoreKit Test certificate (DER or PEM): the certificate that Xcode exports, or the certificate in the \
        header of its JWS. May be repeated.
        """)
    package static let singleGroup: ArgumentHelp =
        "Treat all subscriptions as one group, instead of --catalog."
    package static let asOf = ArgumentHelp(
        "Answer for this instant, an RFC 3339 date; the default is the current time.", valueName: "date")

    // Revocation

    package static let revocationLists: ArgumentHelp = .file(
        """
        Check the certificates with these certificate revocation lists (DER or PEM): a file, or a folder of which every file \
        is read. May be repeated; at most 64 MiB in total. An unusable list makes the exit status 2.
        """)
    package static let distrust: ArgumentHelp = .file(
        """
        Refuse objects of the certificates in this list: JSON with the key_sha256, the sha256, or the serial and issuer of \
        certificates, the first date to refuse, and the reason. appreceipt schema distrust describes it.
        """)
    package static let distrustKey: ArgumentHelp = .file(
        """
        Require that this public key, of minisign or ssh-ed25519, signed the distrust list. The signature is beside the list: \
        FILE.minisig, or FILE.sig of ssh-keygen -Y sign -n appreceipt-distrust.
        """)
    package static let revocation = ArgumentHelp(
        """
        Whether to check for revocation: check, the default with --crl or --distrust, refuses revoked certificates; require \
        also refuses those that no list covers; off checks nothing.
        """, valueName: "policy")

    // Policies

    package static let refunds: ArgumentHelp =
        "Whether a refund makes the customer ineligible for introductory offers of its group; the default is block."
    package static let staleEvidence: ArgumentHelp =
        "How to answer if the last period may have been renewed after the evidence was signed; the default is accept."
    package static let partialEvidence: ArgumentHelp =
        "How to answer if the verdict depends on missing purchases, but the evidence may not list all purchases; the default is accept."
    package static let promotionalScope: ArgumentHelp =
        "The purchases that count for promotional offers: those in the group or in the app; the default is group."

    /// Returns the help of an option whose values are read later, with their list.
    package static func listing<Value: ExpressibleByArgument>(
        _ help: ArgumentHelp, _ values: Value.Type
    ) -> ArgumentHelp {
        var help = help
        help.abstract += " (values: \(values.allValueStrings.joined(separator: ", ")))"
        return help
    }
}

extension ArgumentHelp {
    package static func file(_ abstract: String) -> ArgumentHelp { ArgumentHelp(abstract, valueName: "file") }
    package static func folder(_ abstract: String) -> ArgumentHelp {
        ArgumentHelp(abstract, valueName: "folder")
    }
}
