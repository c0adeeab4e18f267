package import AppReceipt
package import OfferEligibility
package import ReceiptExamination
package import StrictJSON

extension JSONWriter {
    /// Writes the line for one signed object of a record, or the line that states that there is none.
    /// - Parameter limit: The limit of the record. The line of an object that exceeds it is a refusal, except for
    ///   the record's first verdicts.
    /// - Returns: The refusal that the line states because of the limit, or nil.
    package mutating func answer(
        _ examination: Examination?, of origin: ReceiptOrigin, verdicts: [ProductVerdict]?,
        isAsked: Bool, within limit: inout VerdictLimit
    ) -> ReceiptError? {
        defer { endLine() }
        guard let examination else {
            absence(of: origin, isAsked: isAsked)
            return nil
        }
        let start = count
        let isFirst = limit.bytes == 0
        limit.bytes += verification(
            examination, of: origin, verdicts: verdicts, isAsked: isAsked,
            verdictBytes: isFirst ? .max : limit.maximumBytes - limit.bytes)
        guard verdicts != nil, !isFirst, limit.isExceeded else { return nil }
        remove(from: start)
        let refusal = limit.refusal
        verification(examination.refused(refusal), of: origin, isAsked: isAsked)
        return refusal
    }
}
