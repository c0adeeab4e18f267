package import OfferEligibility
package import ReceiptExamination
package import StrictJSON

extension JSONWriter {
    /// Writes the line for one signed object of a record, or the line that states that there is none.
    /// - Parameter limit: The limit of the record. The line of an object that exceeds it is a refusal, except for
    ///   the record's first verdicts.
    /// - Returns: The examination that the line states.
    package mutating func answer(
        _ examination: Examination?, of origin: ReceiptOrigin, verdicts: [ProductVerdict]?,
        isAsked: Bool, within limit: inout VerdictLimit
    ) -> Examination? {
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
        guard verdicts != nil, !isFirst, limit.isExceeded else { return examination }
        remove(from: start)
        let refused = examination.refused(limit.refusal)
        verification(refused, of: origin, isAsked: isAsked)
        return refused
    }
}
