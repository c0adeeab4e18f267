package import OfferEligibility
package import ReceiptExamination
package import StrictJSON

extension JSONWriter {
    /// Writes the line for one signed object of a record, or the line that states that there is none.
    package mutating func answer(
        _ examination: Examination?, of origin: ReceiptOrigin, verdicts: [ProductVerdict]?,
        isAsked: Bool
    ) {
        if let examination {
            verification(examination, of: origin, verdicts: verdicts, isAsked: isAsked)
        } else {
            absence(of: origin, isAsked: isAsked)
        }
        endLine()
    }
}
