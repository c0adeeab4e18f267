/// A line that answers one signed object of a record, when it was written.
package struct AnsweredLine {
    /// Where it begins in what is written.
    package let start: Int
    /// What the record held.
    package let received: ReceivedBytes
    /// Nil where nothing was refused.
    package let refusal: Refusal?
}
