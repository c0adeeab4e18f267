import AppReceipt
import OfferEligibility
import ReceiptExamination
import RecordSources

/// The answer to one record, or to one of the signed objects in it.
struct RecordAnswer: Sendable {
    let origin: ReceiptOrigin
    /// The number of the record in its source, from 1.
    let place: Int
    /// The examination. Nil if the record states that it holds no receipt, or is a response without objects.
    private(set) var examination: Examination?
    /// The response without objects, if the record is one.
    let emptyList: APIAnswer.PurchaseList?
    /// The named fields that the record contains.
    let found: NamedFields
    /// The verdicts. Nil if there was no question, or no purchase was verified.
    private(set) var verdicts: [ProductVerdict]?
    /// The facts of the file, if the record is a file and its digest is needed.
    var input: InputFacts?
    /// The app of a genuine object for another app than the expected ones.
    let otherApp: String?
    /// The kept fields of the record as a JSON object, or nil if there are none.
    let kept: [UInt8]?
    /// The first other field of the record with a receipt, which is not read.
    let unreadField: String?
    /// Whether the record has the same name as its source.
    var isNamedAsSource = false
    /// Whether this is the first answer to its record.
    let isFirst: Bool

    /// Refuses the object, as the record's line does.
    mutating func refuse(_ refusal: ReceiptError) {
        examination = examination?.refused(refusal)
        verdicts = nil
    }

    /// Returns the reason for a temporary failure, or nil if there is an answer. If the machine lacked a
    /// resource, the record would stay unreadable in a resumed run.
    func passingFailure(in source: String) -> String? {
        guard let refusal = examination?.refusal, refusal.isTransient else { return nil }
        return AuditCounts.message(refusal, of: self, from: source)
    }
}
