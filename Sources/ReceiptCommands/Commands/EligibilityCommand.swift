import AppReceipt
import ArgumentParser
import OfferEligibility
import ReceiptExamination
import ReceiptServices
import RecordSources

package struct EligibilityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eligibility",
        abstract: "Decide which subscription offers a customer can still get.",
        discussion: """
            Example: appreceipt eligibility receipt.der --catalog Store.storekit

            Prints for every file and product the state of the subscription, the verdict on the introductory, promotional \
            and win-back offers, and the rule that decided each. appreceipt rules lists the rules. A receipt shows nothing \
            that happened after its creation.

            To combine all the evidence of one customer into one history:

              appreceipt eligibility --merge receipt.der renewal.jws --catalog App.storekit

            Evidence can be receipts, signed transactions, renewal information, notifications, app transactions and App \
            Store Server API responses. Refused evidence is reported and ignored. Evidence of different apps or \
            environments is not merged.

            Exit status: 0 answered, 1 something was refused or not merged, or no product of the catalog applies to the \
            evidence's apps, 2 something could not be read or no files were found, 64 wrong usage.
            """)

    @Argument(
        help: SharedHelp.files)
    var files: [String] = []

    @OptionGroup var saved: TrustingOptions

    @Flag(help: "Treat all files as evidence of one customer, and answer once per product.")
    var merge = false

    @OptionGroup var groups: CatalogOptions

    @OptionGroup var asked: ProductOptions

    @Option(
        help: .file(
            """
            Use this renewal information: signed, as JWS or in JSON, or unsigned, as a saved verifyReceipt response or \
            its pending_renewal_info. May be repeated. With several files and without --merge, it counts only for files \
            with its original transaction.
            """))
    var renewalInfo: [String] = []

    @Flag(help: SharedHelp.singleGroup)
    var singleGroup = false

    @OptionGroup var policies: PolicyOptions

    @Flag(help: SharedHelp.json)
    var json = false

    @OptionGroup var options: VerificationOptions

    package init() {}

    func validate() throws {
        try saved.validate(files: files, options)
        if !saved.trusting.isEmpty, merge || !renewalInfo.isEmpty {
            throw ValidationError("--trusting: cannot be combined with --merge or --renewal-info")
        }
        if !groups.isGiven && !singleGroup && !merge {
            throw ValidationError("missing --catalog FILE or --single-group")
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
            && options.policy.bundleIDs?.count != 1
        var shown = mayBeOfSeveralApps ? ShownProducts(of: products ?? rules.catalog.productIDs) : nil
        // Read once, so that all answers have the same evaluation date.
        let asOf = asked.instantAsked
        if !saved.trusting.isEmpty {
            var contents = TrustedAnswers.Contents()
            if saved.trusting.count > 1 {
                TrustedAnswers.take(saved.trusting, reading: &contents, into: &shown)
            }
            var answers = TrustedAnswers(
                selection: ProductSelection(rules: rules, named: products, shown: shown), contents: contents,
                asOf: asOf, isJSON: json)
            defer { answers.selection.writeSkipped() }
            try answers.answer(saved.trusting)
            warnOfUnlisted(products ?? [], rules.catalog)
            return try answers.selection.requireAnswers()
        }
        let examiner = try options.makeExaminer().leavingAppOfRenewals
        let renewals = try GivenRenewals(renewalInfo, examiner)
        let files = files.lazy.flatMap { FolderWalk($0) }
        let areSeveral = files.dropFirst().contains { _ in true }
        var examined = ReadOnce<[Examination]>()
        if shown != nil, areSeveral {
            for file in files {
                let found = examined.value(of: file, examiner.examinations(in:))
                var evidence = CustomerEvidence()
                _ = evidence.take(found, of: file.source, examiner)
                if !evidence.isEmpty, let history = try? PurchaseHistory(evidence: evidence.objects) {
                    shown?.take(history)
                }
            }
        }
        var answers = EligibilityAnswers(
            selection: ProductSelection(rules: rules, named: products, shown: shown), examined: examined,
            asOf: asOf, renewals: renewals, examiner: examiner,
            policy: options.policy, isMerging: merge, areOfSeveralCustomers: areSeveral && !merge,
            isJSON: json)
        answers.refuseRenewals()
        if merge {
            try answers.answer(files)
        } else {
            for file in files { try answers.answer(CollectionOfOne(file)) }
        }
        let names = renewalInfo.joined(separator: ", ")
        if !renewals.isEmpty, !answers.isConcerned {
            StandardError.writeLine(
                "\(names): no entry matches the catalog or a receipt; it changed no verdict")
        } else if answers.strayRenewals > 0 {
            StandardError.writeLine(
                "\(names): entries whose original_transaction_id is in no file, not used: \(answers.strayRenewals)"
            )
        }
        answers.selection.writeSkipped()
        warnOfUnlisted(products ?? [], rules.catalog, answered: answers.answered)
        var status = answers.status
        status.noteUnusedLists(of: examiner.verifier)
        try status.exit()
        if !answers.hasRead { try ExitStatus.exitWithoutFiles() }
        try answers.selection.requireAnswers()
    }

    /// Warns about products without a group. Their verdict is `unknown-product`, and they may be misspelled.
    /// Without a catalog, there is a single group, or signed transactions name the groups.
    /// - Parameter answered: The products that have a group in signed transactions.
    private func warnOfUnlisted(
        _ products: [String], _ catalog: SubscriptionCatalog, answered: Set<[UInt8]> = []
    ) {
        guard groups.isGiven else { return }
        let unlisted = Set(products.map { Array($0.utf8) })
            .subtracting(catalog.productIDs.map { Array($0.utf8) }).subtracting(answered)
        for product in unlisted.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            StandardError.writeLine(
                "--product \(String(decoding: product, as: UTF8.self)): not in the catalog; the answer is unknown-product"
            )
        }
    }
}
