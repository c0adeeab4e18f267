import ReceiptExamination
import RecordSources

/// A signed object of a record, or a record without one, before the eligibility rules are applied.
struct ExaminedObject {
    let origin: ReceiptOrigin
    /// The number of the record in its source, from 1.
    let place: Int
    var examination: Examination?
    let found: NamedFields
    let kept: [UInt8]?
    let input: InputFacts?
    let isNamedAsSource: Bool
    /// Whether this is the first object of its record.
    let isFirst: Bool
}
