import AppReceipt
import ArgumentParser

/// The option for saved responses instead of evidence.
struct TrustingOptions: ParsableArguments {
    @Option(
        help: .file(
            """
            Trust this saved response of Apple's verifyReceipt instead of receipts. It is unsigned, as every line of the \
            output says. May be repeated.
            """))
    var trusting: [String] = []

    /// Checks that exactly one kind of input is given.
    /// - Parameter files: The evidence, which excludes saved responses.
    func validate(files: [String], _ options: VerificationOptions) throws {
        if files.isEmpty, trusting.isEmpty {
            throw ValidationError("missing argument '<file> ...' or --trusting FILE")
        }
        if !files.isEmpty, !trusting.isEmpty {
            throw ValidationError("--trusting: cannot be combined with receipts")
        }
        let demandsSomething = options.policy != .any
        if !trusting.isEmpty,
            demandsSomething || options.root != nil || options.crossCheck || options.limits.isGiven
                || options.revocation.isGiven
        {
            throw ValidationError(
                "--trusting: verifies nothing, so roots, limits, --cross-check, --crl, --distrust, --revocation and a verification policy do not apply"
            )
        }
    }
}
