import ReceiptExamination
import RecordSources

/// A signed object of a record, or a record without one, before the eligibility rules are applied. It is a
/// class, because an audit passes it on several times, and copies of its many members take time.
final class ExaminedObject {
    let origin: ReceiptOrigin
    /// The number of the record in its source, from 1.
    let place: Int
    var examination: Examination?
    let found: NamedFields
    let kept: [UInt8]?
    /// The first other field of the record with a receipt, which is not read.
    let unreadField: String?
    let input: InputFacts?
    let isNamedAsSource: Bool
    /// Whether this is the first object of its record.
    let isFirst: Bool

    init(
        origin: ReceiptOrigin, place: Int, examination: Examination?, found: NamedFields, kept: [UInt8]?,
        unreadField: String?, input: InputFacts?, isNamedAsSource: Bool, isFirst: Bool
    ) {
        (self.origin, self.place, self.examination, self.found) = (origin, place, examination, found)
        (self.kept, self.input, self.isNamedAsSource, self.isFirst) = (kept, input, isNamedAsSource, isFirst)
        self.unreadField = unreadField
    }
}
