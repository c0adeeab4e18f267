#if Server
    package import OfferEligibility
    package import ReceiptExamination
    package import ReceiptServices

    /// The content of the files that a server reads when it starts and again on SIGHUP.
    package struct ServerFiles: Sendable {
        /// The product catalog for requests without one, or nil.
        package var catalog: SubscriptionCatalog?
        /// The shared secret of verifyReceipt.
        package var password = VerifyReceiptEndpoint.Password.ignored
        /// The content of the file ``ServerSettings/tokens``.
        package var tokens: [UInt8] = []

        /// The revocation lists, the distrust list and the policy.
        package var revocation = RevocationInputs.none
        /// Warnings about the files.
        package var warnings: [String] = []

        /// Creates an empty value: no catalog, no shared secret, no tokens, no lists.
        package init() {}
    }
#endif
