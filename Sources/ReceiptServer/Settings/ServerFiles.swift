#if Server
    public import OfferEligibility
    public import ReceiptJSON

    /// The content of the files that a server reads at its start and again on SIGHUP.
    public struct ServerFiles: Sendable {
        /// The products by group, for requests that bring no catalog; nil where none is given.
        public var catalog: SubscriptionCatalog?
        /// The shared secret of verifyReceipt.
        public var password = VerifyReceiptEndpoint.Password.ignored
        /// The file of ``ServerSettings/tokens``.
        public var tokens: [UInt8] = []

        /// No catalog, no shared secret, no tokens.
        public init() {}
    }
#endif
