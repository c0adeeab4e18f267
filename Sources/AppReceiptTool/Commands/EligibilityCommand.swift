import AppReceipt
import ArgumentParser
import OfferEligibility
import ReceiptAudit
import ReceiptJSON

struct EligibilityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eligibility",
        abstract: "Says which subscription offers a customer may still get, and how that is known.",
        discussion: """
            Example: appreceipt eligibility receipt.der --catalog Store.storekit --as-of 2026-06-02T00:00:00Z

            For every file and product: the introductory, the promotional and the win-back offer, the rule \
            that decided each, and where the subscription stands. appreceipt rules lists the rules. A receipt \
            shows nothing that happened after it was created.

            appreceipt eligibility --merge receipt.der history.json renewal.jws --catalog Store.storekit

            makes one history of all the evidence of one customer: receipts, signed transactions and renewal \
            information, notifications, app transactions, answers of the App Store Server API. What is refused is \
            told and left out, and the answers say so. Different apps or environments are not merged.

            Exit status: 0 answered, 1 something was refused or is not merged, or no app of the evidence is asked \
            about a product of the catalog, 2 something could not be read or nothing was there to be judged, 64 wrong \
            usage.
            """)

    @Argument(
        help: ArgumentHelp(
            "Receipts or JWS: files, directories, or - for standard input.", valueName: "file"))
    var files: [String] = []

    @OptionGroup var saved: TrustingOptions

    @Flag(help: "All files are evidence of one customer: answer for all of it, one line a product.")
    var merge = false

    @OptionGroup var groups: CatalogOptions

    @OptionGroup var asked: ProductOptions

    @Option(
        help: ArgumentHelp(
            """
            Signed renewal information, or JSON that holds it; or unsigned, a saved verifyReceipt answer or its \
            pending_renewal_info alone. May be repeated.
            """, valueName: "file"))
    var renewalInfo: [String] = []

    @Flag(help: "In place of a catalogue: all subscriptions are one group.")
    var singleGroup = false

    @OptionGroup var policies: PolicyOptions

    @Flag(
        help: "Print one JSON object a line: one for each file and product, or with --merge for each product."
    )
    var json = false

    @OptionGroup var options: VerificationOptions

    func validate() throws {
        try saved.validate(files: files, options)
        if !saved.trusting.isEmpty, merge || !renewalInfo.isEmpty {
            throw ValidationError("--trusting takes neither --merge nor --renewal-info.")
        }
        if !groups.isGiven && !singleGroup && !merge {
            throw ValidationError("Which product is of which group? Give --catalog FILE or --single-group.")
        }
        try asked.requireGroups(hasCatalog: groups.isGiven, singleGroup: singleGroup)
    }

    func run() throws {
        // All input that can be invalid is read before the first answer.
        let rules = OfferRules(
            catalog: try GivenCatalog(groups.catalog)?.catalog ?? (singleGroup ? .singleGroup : .empty),
            policies: policies.policies)
        let products = asked.products.isEmpty ? nil : asked.products
        // All apps are known after the last file. A history belongs to one app.
        let mayBeOfSeveralApps =
            groups.isGiven && rules.catalog.apps == nil && !merge
            && options.demands.audience.bundleIDs?.count != 1
        var shown = mayBeOfSeveralApps ? ShownProducts(of: products ?? rules.catalog.productIDs) : nil
        // Read once, so that all answers have the same evaluation date.
        let asOf = asked.instantAsked
        if !saved.trusting.isEmpty {
            if saved.trusting.count > 1 { TrustedAnswers.take(saved.trusting, into: &shown) }
            var answers = TrustedAnswers(
                asked: AskedOfCustomers(rules: rules, named: products, shown: shown), asOf: asOf, isJSON: json
            )
            defer { answers.asked.tell() }
            try answers.answer(saved.trusting)
            warnOfUnlisted(products ?? [], rules.catalog)
            return try answers.asked.requireAnswers()
        }
        let examiner = try options.makeExaminer().leavingAppOfRenewals
        let renewals = try GivenRenewals(renewalInfo, examiner)
        let files = files.lazy.flatMap(InputFile.files(at:))
        var examined: [String: [SignedExamination]] = [:]
        if shown != nil {
            for (index, file) in files.enumerated() {
                if index == 0, files.dropFirst().first(where: { _ in true }) == nil { break }
                let found = examiner.examinations(in: file)
                // Standard input can be read only once.
                if file.source == "-" { examined[file.source] = found }
                var evidence = CustomerEvidence()
                _ = evidence.take(found, of: file.source, examiner)
                if !evidence.isEmpty, let history = try? PurchaseHistory(evidence: evidence.objects) {
                    shown?.take(history)
                }
            }
        }
        var answers = EligibilityAnswers(
            asked: AskedOfCustomers(rules: rules, named: products, shown: shown), examined: examined,
            asOf: asOf, renewals: renewals, examiner: examiner,
            demands: options.demands, isMerging: merge, isJSON: json)
        if merge {
            try answers.answer(files)
        } else {
            for file in files { try answers.answer(CollectionOfOne(file)) }
        }
        if !answers.isConcerned {
            let names = renewalInfo.joined(separator: ", ")
            StandardError.writeLine(
                "\(names): no entry concerns the catalogue or a receipt: it changed no verdict")
        }
        answers.asked.tell()
        warnOfUnlisted(products ?? [], rules.catalog, answered: answers.answered)
        try answers.status.exit()
        if !answers.hasRead {
            StandardError.writeLine("nothing was judged: there is no file")
            throw ExitCode(2)
        }
        try answers.asked.requireAnswers()
    }

    /// Warns about products in no group. Their verdict is `unknown-product`, and they may be misspelled.
    /// Without a catalog, there is a single group, or signed transactions name the groups.
    ///
    /// - Parameter answered: The products that have a group in signed transactions.
    private func warnOfUnlisted(
        _ products: [String], _ catalog: SubscriptionCatalog, answered: Set<String> = []
    ) {
        guard groups.isGiven else { return }
        let unlisted = Set(products).subtracting(catalog.productIDs).subtracting(answered)
        for product in unlisted.sorted() {
            StandardError.writeLine(
                "--product \(product): no group of the catalog lists it; nothing is said about it")
        }
    }
}
