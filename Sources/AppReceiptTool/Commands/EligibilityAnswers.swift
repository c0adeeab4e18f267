import AppReceipt
import OfferEligibility
import ReceiptAudit
import ReceiptExamination
import ReceiptJSON
import ReceiptServices
import RecordSources
import StrictJSON

/// The evaluation of the rules for each customer, which prints the verdicts.
struct EligibilityAnswers: ~Copyable {
    private(set) var selection: ProductSelection
    /// The results of files that were read before, by source.
    private let examined: [String: [Examination]]
    private let asOf: EligibilityInstant
    private let renewals: GivenRenewals
    private let examiner: Examiner
    private let policy: VerificationPolicy
    private let isMerging: Bool
    private let isJSON: Bool
    private var writer = JSONWriter()
    private(set) var status = ExitStatus()
    /// Whether any file was read.
    private(set) var hasRead = false
    /// The products with a group in the catalog or in some customer's evidence.
    private(set) var answered: Set<String> = []
    /// Whether the renewal information concerns a customer, or none was given.
    private(set) var isConcerned: Bool

    /// Creates the answers.
    ///
    /// - Parameters:
    ///   - examiner: The examiner of renewal information, which names no app. It expects no app.
    ///   - policy: The verification policy for all other evidence.
    ///   - isMerging: Whether all files belong to one customer.
    init(
        selection: ProductSelection, examined: [String: [Examination]], asOf: EligibilityInstant,
        renewals: GivenRenewals,
        examiner: Examiner, policy: VerificationPolicy, isMerging: Bool, isJSON: Bool
    ) {
        self.selection = selection
        self.examined = examined
        self.asOf = asOf
        self.renewals = renewals
        self.examiner = examiner
        self.policy = policy
        self.isMerging = isMerging
        self.isJSON = isJSON
        isConcerned = renewals.isEmpty
        for refusal in renewals.refusals { refuse(refusal.refusal, of: refusal.source) }
    }

    /// Answers for the customer of these files.
    mutating func answer(_ files: some Sequence<InputFile>) throws {
        var evidence = CustomerEvidence()
        for file in files {
            hasRead = true
            let examinations = examined[file.source] ?? examiner.examinations(in: file)
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
                refuse(refusal.refusal, of: refusal.source)
            }
            history = try evidence.history()
        } catch {
            status.noteRefusal()
            return StandardError.writeLine(evidence.explanation(of: error))
        }
        guard !evidence.sources.isEmpty else { return }
        isConcerned = isConcerned || renewals.unsigned?.concerns(selection.rules.catalog, history) == true
        try write(
            selection.rules.verdicts(
                for: selection.products(for: history), in: history, asOf: asOf, renewals: renewals.unsigned),
            history, of: evidence)
    }

    private mutating func write(
        _ verdicts: [ProductVerdict], _ history: PurchaseHistory, of evidence: CustomerEvidence
    ) throws {
        let sources = evidence.sources
        answered.formUnion(
            verdicts.lazy.filter { $0.introductoryOffer.rule != .unknownProduct }.map(\.productID))
        guard isJSON || verdicts.isEmpty else {
            let report = EligibilityReport(
                verdicts, of: sources, reservations: evidence.reservations(history))
            return try StandardOutput.write(Array(report.text.utf8))
        }
        for verdict in verdicts {
            try write { [isMerging] json in
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
        refuse(refusal, of: source + examination.place)
        if isJSON && !isMerging { try write { $0.verification(examination, of: source) } }
    }

    private mutating func refuse(_ refusal: ReceiptError, of source: String) {
        status.note(Result<Never, ReceiptError>.failure(refusal))
        guard refusal.code != .unreadable else {
            return StandardError.writeError("\(source): \(refusal.message)")
        }
        StandardError.writeLine("\(source): refused (\(refusal.code.rawValue)): \(refusal.message)")
    }

    private mutating func write(_ object: (inout JSONWriter) -> Void) throws {
        writer.removeAll()
        object(&writer)
        writer.endLine()
        try StandardOutput.write(writer.bytes)
    }
}
