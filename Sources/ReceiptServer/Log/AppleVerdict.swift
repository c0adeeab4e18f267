#if Server
    import AppReceipt
    import ReceiptJSON

    /// The part of an answer of verifyReceipt that metrics and logs hold.
    struct AppleVerdict: Sendable {
        let status: VerifyReceiptAnswer.Status
        let refusal: ReceiptError.Code?

        init(_ answer: VerifyReceiptAnswer) {
            (status, refusal) = (answer.status, answer.refusal?.code)
        }
    }
#endif
