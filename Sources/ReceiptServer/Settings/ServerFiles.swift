#if Server
    public import OfferEligibility
    package import ReceiptExamination
    public import ReceiptServices

    /// The content of the files that a server reads when it starts and again on SIGHUP.
    public struct ServerFiles: Sendable {
        /// The product catalog for requests without one, or nil.
        public var catalog: SubscriptionCatalog?
        /// The shared secret of verifyReceipt.
        public var password = VerifyReceiptEndpoint.Password.ignored
        /// The content of the file ``ServerSettings/tokens``.
        public var tokens: [UInt8] = []

        /// The revocation lists, the distrust list and the policy.
        package var revocation = RevocationInputs.none

        /// Creates an empty value: no catalog, no shared secret, no tokens, no lists.
        public init() {}
    }
#endif
