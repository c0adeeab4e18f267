package import AppReceipt

/// The limit on the verdicts in the answers to one record. With a catalog, each signed object gets a verdict on every
/// product, so without a limit a short record could have gigabytes of answers.
package struct VerdictLimit {
    package let maximumBytes: Int
    /// The number of bytes of the verdicts written so far.
    package var bytes = 0

    /// Creates the limit for a record.
    ///
    /// - Parameter maximumBytes: The default is for audits and the C library, whose catalogs and records are
    ///   trusted more than those of a request.
    package init(maximumBytes: Int = 1 << 29) { self.maximumBytes = maximumBytes }

    /// Whether later objects with purchases are refused. Their verdicts need not be computed.
    package var isExceeded: Bool { bytes > maximumBytes }

    package var refusal: ReceiptError {
        ReceiptError(
            .tooLarge,
            message: "the record's verdicts exceed \(maximumBytes) bytes; "
                + "use records of fewer signed objects, or a catalog of fewer products")
    }
}
