import AppReceipt
import OfferEligibility
import ReceiptExamination
import ReceiptJSON
import ReceiptServices
import RecordSources

/// The evaluation of the rules for each customer, which prints the verdicts.
struct EligibilityAnswers {
    private(set) var selection: ProductSelection
    private(set) var examined: ReadOnce<[Examination]>
    let asOf: EligibilityInstant
    let renewals: GivenRenewals
    /// The examiner of renewal information, which names no app. It expects no app.
    let examiner: Examiner
    /// The verification policy for all other evidence.
    let policy: VerificationPolicy
    /// Whether all files belong to one customer.
    let isMerging: Bool
    /// Whether each of several files belongs to a customer of its own.
    let areOfSeveralCustomers: Bool
    let isJSON: Bool
    private(set) var status = ExitStatus()
    /// Whether any file was read.
    private(set) var hasRead = false
    /// The products with a group in the catalog or in some customer's evidence.
    private(set) var answered: Set<[UInt8]> = []
    /// Whether the renewal information concerns a customer.
    private(set) var isConcerned = false
    /// The entries of unsigned renewal information that belong to a customer.
    private(set) var ownRenewals: Set<RenewalInformation.Entry> = []

    /// The number of entries of unsigned renewal information that belong to none of several customers.
    var strayRenewals: Int {
        guard areOfSeveralCustomers, let entries = renewals.unsigned?.entries else { return 0 }
        return entries.count { !ownRenewals.contains($0) }
    }

    /// Reports the refused renewal information.
    mutating func refuseRenewals() {
        for refusal in renewals.refusals { status.report(refusal.refusal, of: refusal.source) }
    }

    /// Answers for the customer of these files.
    mutating func answer(_ files: some Sequence<InputFile>) throws {
        var evidence = CustomerEvidence()
        for file in files {
            hasRead = true
            let examinations = examined.value(of: file, examiner.examinations(in:))
            for examination in evidence.take(examinations, of: file.source, examiner) {
                try refuse(examination, of: file.source)
            }
        }
        for (source, examination) in evidence.unsupported { try refuse(examination, of: source) }
        guard !evidence.isEmpty else { return }
        let history: PurchaseHistory
        do throws(HistoryMergeError) {
            if isMerging {
                evidence.add(renewals.signed)
                isConcerned = isConcerned || !renewals.signed.isEmpty
            } else if !renewals.signed.isEmpty, try evidence.addOwn(of: renewals.signed) {
                isConcerned = true
            }
            for refusal in try evidence.settleRenewals(for: policy) {
                status.report(refusal.refusal, of: refusal.source)
            }
            history = try evidence.history()
        } catch {
            status.noteRefusal()
            return StandardError.writeLine(evidence.explanation(of: error))
        }
        guard !evidence.sources.isEmpty else { return }
        let unsigned = areOfSeveralCustomers ? renewals.unsigned?.own(of: history) : renewals.unsigned
        ownRenewals.formUnion(unsigned?.entries ?? [])
        isConcerned = isConcerned || unsigned?.concerns(selection.rules.catalog, history) == true
        try write(
            selection.rules.verdicts(
                for: selection.products(for: history), in: history, asOf: asOf, renewals: unsigned),
            history, of: evidence)
    }

    private mutating func write(
        _ verdicts: [ProductVerdict], _ history: PurchaseHistory, of evidence: CustomerEvidence
    ) throws {
        let sources = evidence.sources
        answered.formUnion(
            verdicts.lazy.filter { $0.introductoryOffer.rule != .unknownProduct }.map {
                Array($0.productID.utf8)
            })
        guard isJSON || verdicts.isEmpty else {
            let report = EligibilityReport(
                verdicts, of: sources, reservations: evidence.reservations(history))
            return try StandardOutput.write(Array(report.text.utf8))
        }
        for verdict in verdicts {
            try StandardOutput.writeLine { json in
                if isMerging {
                    json.verdict(verdict, ofSources: sources)
                } else {
                    json.verdict(verdict, of: .source(sources[0]))
                }
            }
        }
    }

    private mutating func refuse(_ examination: Examination, of source: String) throws {
        guard case .failure(let refusal) = examination.result else { return }
        status.report(refusal, of: source + examination.place)
        if isJSON && !isMerging { try StandardOutput.writeLine { $0.verification(examination, of: source) } }
    }
}
