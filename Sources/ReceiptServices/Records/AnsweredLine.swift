package import AppReceipt
package import ReceiptExamination

/// The line that was written for one signed object of a record.
package struct AnsweredLine {
    /// The offset of the line in the output.
    package let start: Int
    /// The bytes of the record.
    package let received: ReceivedBytes
    /// The refusal in the line, or nil if nothing was refused.
    package let refusal: ReceiptError?
}
