public import StrictJSON

/// A reason why a saved response does not give a history.
public enum SavedAnswerError: Error, Hashable, Sendable {
    /// The response is not JSON in the format of verifyReceipt. The value contains the position and the
    /// problem.
    case unreadable(JSONError)
    /// The two lists of the response contradict each other. Index 0 is `latest_receipt_info`, and 1 is
    /// `in_app`.
    case contradiction(HistoryMergeError)
}
