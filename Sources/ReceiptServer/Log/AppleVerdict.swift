#if Server
    import AppReceipt
    import ReceiptServices

    /// The part of a verifyReceipt answer that metrics and logs contain.
    struct AppleVerdict: Sendable {
        let status: VerifyReceiptAnswer.Status
        let refusal: ReceiptError.Code?

        init(_ answer: VerifyReceiptAnswer) {
            (status, refusal) = (answer.status, answer.refusal?.code)
        }
    }
#endif
