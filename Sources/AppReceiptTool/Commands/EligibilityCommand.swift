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

            For every receipt and product: the introductory, the promotional and the win-back offer, the rule \
            that decided each, and where the subscription stands. appreceipt rules lists the rules. A receipt \
            shows nothing that happened after it was created.

            Exit status: 0 answered, 1 a receipt was refused, 2 something could not be read, 64 wrong usage.
            """)

    @Argument(help: ArgumentHelp("Receipts: files, directories, or - for standard input.", valueName: "file"))
    var files: [String]

    @Option(
        help: ArgumentHelp(
            "The products by group: a StoreKit configuration file, or JSON of the form {\"groups\": {\"G\": [\"P\"]}}.",
            valueName: "file"))
    var catalog: String?

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

    @Option(
        help: ArgumentHelp(
            "A saved verifyReceipt answer, or its pending_renewal_info alone.", valueName: "file"))
    var renewalInfo: String?

    @Flag(help: "In place of a catalogue: all subscriptions are one group.")
    var singleGroup = false

    @OptionGroup var policies: PolicyOptions

    @Flag(help: "Print one JSON object a line: one for each receipt and product.")
    var json = false

    @OptionGroup var options: VerificationOptions

    func validate() throws {
        if catalog == nil && !singleGroup {
            throw ValidationError("Which product is of which group? Give --catalog FILE or --single-group.")
        }
        if catalog != nil && singleGroup {
            throw ValidationError("--single-group stands in place of a catalogue: give one of the two.")
        }
        if singleGroup && products.isEmpty {
            throw ValidationError("Without a catalogue the products must be named: --product ID.")
        }
    }

    func run() throws {
        // Everything that can be wrong is read before the first answer is given.
        let rules = OfferRules(
            catalog: try catalog.map(readCatalog) ?? .singleGroup,
            policies: policies.policies)
        let renewals = try renewalInfo.map(readRenewals)
        let examiner = try options.makeExaminer()

        // Read once, so that all answers are about one instant.
        let asOf = asOf.map(EligibilityInstant.date) ?? .clock(.now)
        let products = products.isEmpty ? rules.catalog.products.map(\.id) : products
        let unlisted = Set(products).subtracting(singleGroup ? products : rules.catalog.products.map(\.id))
        for product in unlisted.sorted() {
            StandardError.writeLine(
                "--product \(product): no group of the catalogue lists it; nothing is said about it")
        }
        var isConcerned = renewals == nil
        var status = ExitStatus()
        var writer = JSONWriter()
        for file in files.lazy.flatMap(InputFile.files(at:)) {
            let examination = examiner.examine(file)
            status.note(examination)
            switch examination.result {
            case .failure(let refusal):
                StandardError.writeLine(
                    "\(file.source): refused (\(refusal.code.rawValue)): \(refusal.message)")
                if json { try write(&writer) { $0.verification(examination, of: .source(file.source)) } }
            case .success(let receipt):
                let history = PurchaseHistory(receipt)
                isConcerned = isConcerned || renewals?.concerns(rules.catalog, history) == true
                let verdicts = rules.verdicts(
                    for: products, in: history, asOf: asOf, renewals: renewals)
                if json {
                    for verdict in verdicts {
                        try write(&writer) { $0.verdict(verdict, of: .source(file.source)) }
                    }
                } else {
                    let reservations = [
                        receipt.realmReservation, receipt.environmentReservation.map { "environment: \($0)" },
                    ]
                    let account = EligibilityAccount(
                        verdicts, of: file.source, reservations: reservations.compactMap { $0 })
                    try StandardOutput.write(Array(account.text.utf8))
                }
            }
        }
        if let renewalInfo, !isConcerned {
            StandardError.writeLine(
                "\(renewalInfo): no entry concerns the catalogue or a receipt: it changed no verdict")
        }
        try status.exit()
        if unlisted.count == Set(products).count {
            StandardError.writeLine("nothing was judged: no group lists a product that was asked about")
            throw ExitCode(2)
        }
    }

    private func write(_ writer: inout JSONWriter, _ object: (inout JSONWriter) -> Void) throws {
        writer.removeAll()
        object(&writer)
        writer.endLine()
        try StandardOutput.write(writer.bytes)
    }
}
