public import AppReceipt
public import StrictJSON

/// What the App Store said of coming renewals: `pending_renewal_info`, which no receipt holds.
///
/// An entry speaks of the group of its product, else of the group of the product that it renews to.
public struct RenewalInformation: Sendable {
    /// One subscription's entry.
    public struct Entry: Hashable, Sendable {
        /// `product_id`
        public var productID: String?
        /// `auto_renew_product_id`
        public var autoRenewProductID: String?
        /// `original_transaction_id`
        public var originalTransactionID: String?
        /// `auto_renew_status`: whether it will renew; nil where the entry does not say.
        public var willRenew: Bool?
        /// `is_in_billing_retry_period`: whether the App Store still tries to charge the customer.
        public var isInBillingRetry: Bool
        /// `grace_period_expires_date`: until when access is to be given although no payment was made.
        public var gracePeriodEnd: Timestamp?

        /// What the App Store said of one subscription; what is left out is not known.
        public init(
            productID: String?, autoRenewProductID: String? = nil, originalTransactionID: String? = nil,
            willRenew: Bool? = nil, isInBillingRetry: Bool = false, gracePeriodEnd: Timestamp? = nil
        ) {
            self.productID = productID
            self.autoRenewProductID = autoRenewProductID
            self.originalTransactionID = originalTransactionID
            self.willRenew = willRenew
            self.isInBillingRetry = isInBillingRetry
            self.gracePeriodEnd = gracePeriodEnd
        }
    }

    /// One for each subscription, in the order of the answer.
    public let entries: [Entry]

    /// Information that the caller read from somewhere else.
    public init(entries: [Entry]) { self.entries = entries }

    /// Reads `pending_renewal_info` out of a whole verifyReceipt answer, or a bare array of its entries.
    /// Values may be strings, numbers or booleans, dates `…_ms` or text.
    ///
    /// - Throws: `JSONError`, naming the entry; an object without `pending_renewal_info` is none.
    public init(parsing bytes: some Sequence<UInt8>) throws(JSONError) {
        try self.init(parsing: Array(bytes), atMost: .max)
    }

    /// - Parameter count: the most entries.
    package init(parsing bytes: [UInt8], atMost count: Int) throws(JSONError) {
        var reader = JSONReader(bytes.span, skipsByteOrderMark: true)
        var entries: [Entry]?
        if try reader.peek() == .array {
            entries = try reader.entries(atMost: count)
        } else {
            try reader.object { (reader, name) throws(JSONError) in
                switch name.ifASCII {
                case "status": try reader.acceptedStatus()
                case "pending_renewal_info": entries = try reader.entries(atMost: count)
                default: try reader.skip()
                }
            }
        }
        try reader.end()
        guard let entries else { throw reader.error(.missing("pending_renewal_info")) }
        self.entries = entries
    }

    /// Whether any entry speaks of a product that the catalogue lists, or that the history holds.
    public func concerns(_ catalog: SubscriptionCatalog, _ history: PurchaseHistory) -> Bool {
        let catalog = catalog.scope(of: history.bundleID) ?? .empty
        let products = Set(history.transactions.compactMap { history.string($0.product) })
        return entries.contains { entry in
            [entry.productID, entry.autoRenewProductID].compactMap(\.self).contains {
                catalog.place(of: $0) != nil || products.contains($0)
            }
        }
    }
}

extension JSONReader {
    fileprivate mutating func entries(
        atMost count: Int
    ) throws(JSONError) -> [RenewalInformation.Entry] {
        var entries: [RenewalInformation.Entry] = []
        try array { (reader, index) throws(JSONError) in
            guard index < count else { throw reader.error(.tooManyMembers(limit: count)) }
            let fields = try AnswerFields(&reader, names: entryNames)
            guard fields["product_id"] != nil || fields["auto_renew_product_id"] != nil else {
                throw fields.error("product_id", .missing("product_id"))
            }
            entries.append(
                RenewalInformation.Entry(
                    productID: fields["product_id"],
                    autoRenewProductID: fields["auto_renew_product_id"],
                    originalTransactionID: fields["original_transaction_id"],
                    willRenew: try fields.bool("auto_renew_status"),
                    isInBillingRetry: try fields.bool("is_in_billing_retry_period") ?? false,
                    gracePeriodEnd: try fields.date("grace_period_expires_date")))
        }
        return entries
    }
}

private let entryNames = AnswerFields.dateNames("grace_period_expires_date").union([
    "product_id", "auto_renew_product_id", "original_transaction_id", "auto_renew_status",
    "is_in_billing_retry_period",
])
