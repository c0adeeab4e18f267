public import AppReceipt
public import StrictJSON

/// The App Store's unsigned renewal information: `pending_renewal_info`, which no receipt contains.
///
/// An entry concerns the group of its product, else the group of the product that it renews to.
public struct RenewalInformation: Sendable {
    /// The renewal information of one subscription.
    public struct Entry: Hashable, Sendable {
        /// The product identifier: `product_id`.
        public var productID: String?
        /// The identifier of the product that the subscription renews to: `auto_renew_product_id`.
        public var autoRenewProductID: String?
        /// The identifier of the subscription's first transaction: `original_transaction_id`.
        public var originalTransactionID: String?
        /// Whether the subscription will renew, or nil if the entry does not state it: `auto_renew_status`.
        public var willRenew: Bool?
        /// Whether the App Store still tries to charge the customer: `is_in_billing_retry_period`.
        public var isInBillingRetry: Bool
        /// The end of the grace period, in which the customer has access without a payment:
        /// `grace_period_expires_date`.
        public var gracePeriodEnd: Timestamp?

        /// Creates an entry. Omitted values are unknown.
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

    /// The entries, one for each subscription, in the order of the source.
    public let entries: [Entry]
    /// The places of the entries of each subscription, by the name of its first transaction.
    private let places: [[UInt8]: [Int]]

    /// Creates renewal information that the caller read from another source.
    public init(entries: [Entry]) {
        self.entries = entries
        places = entries.indices.reduce(into: [:]) { places, index in
            guard let name = entries[index].originalTransactionID else { return }
            places[Array(name.utf8), default: []].append(index)
        }
    }

    /// Reads `pending_renewal_info` from a whole verifyReceipt response or notification of version 1, or a bare array of its entries.
    ///
    /// Values may be strings, numbers or Booleans. Dates may be `…_ms` or text.
    ///
    /// - Throws: `JSONError` with the path of the entry. An object without `pending_renewal_info` is an
    ///   error.
    public init(parsing bytes: some Sequence<UInt8>) throws(JSONError) {
        try self.init(parsing: Array(bytes), atMost: .max)
    }

    /// Reads renewal information, like ``init(parsing:)``, with a limit.
    ///
    /// - Parameter count: The maximum number of entries.
    package init(parsing bytes: [UInt8], atMost count: Int) throws(JSONError) {
        var reader = JSONReader(bytes.span, skipsByteOrderMark: true)
        var entries: [Entry]?
        if try reader.peek() == .array {
            entries = try reader.entries(atMost: count)
        } else {
            entries = try reader.pendingRenewalInfo(atMost: count)
        }
        try reader.end()
        guard let entries else { throw reader.error(.missing("pending_renewal_info")) }
        self.init(entries: entries)
    }

    /// Returns the entries whose `originalTransactionID` the history contains, in the same order.
    package func own(of history: PurchaseHistory) -> RenewalInformation {
        let own = history.transactionNames.flatMap { places[$0] ?? [] }
        return RenewalInformation(entries: own.sorted().map { entries[$0] })
    }

    /// Returns whether any entry concerns a product that the catalog lists or the history contains.
    public func concerns(_ catalog: SubscriptionCatalog, _ history: PurchaseHistory) -> Bool {
        let catalog = catalog.scope(of: history.bundleID) ?? .empty
        let products = Set(
            history.transactions.compactMap { $0.product.map { Array(history.text[$0.range]) } })
        return entries.contains { entry in
            [entry.productID, entry.autoRenewProductID].compactMap(\.self).contains {
                catalog.place(of: $0) != nil || products.contains(Array($0.utf8))
            }
        }
    }
}

extension JSONReader {
    /// Reads the entries of a response, or of a notification's `unified_receipt`. Returns nil if there is no list.
    fileprivate mutating func pendingRenewalInfo(
        atMost count: Int
    ) throws(JSONError) -> [RenewalInformation.Entry]? {
        var entries: [RenewalInformation.Entry]?
        try object { (reader, name) throws(JSONError) in
            let left = count - (entries?.count ?? 0)
            switch name.ifASCII {
            case "status": try reader.acceptedStatus()
            case "pending_renewal_info": entries = (entries ?? []) + (try reader.entries(atMost: left))
            case "unified_receipt":
                if try reader.null() { return }
                guard let unified = try reader.pendingRenewalInfo(atMost: left) else { return }
                entries = (entries ?? []) + unified
            default: try reader.skip()
            }
        }
        return entries
    }

    fileprivate mutating func entries(
        atMost count: Int
    ) throws(JSONError) -> [RenewalInformation.Entry] {
        try list(atMost: count) { (reader, _) throws(JSONError) in
            let fields = try AnswerFields(&reader, names: entryNames)
            guard fields["product_id"] != nil || fields["auto_renew_product_id"] != nil else {
                throw fields.error("product_id", .missing("product_id"))
            }
            // Text that is not a number is an unknown reason, as 0 is.
            let intent = fields["expiration_intent"].map { Int64($0.ifASCII) ?? 0 }
            return RenewalInformation.Entry(
                productID: fields["product_id"], autoRenewProductID: fields["auto_renew_product_id"],
                originalTransactionID: fields["original_transaction_id"],
                willRenew: SignedRenewal.willRenew(try fields.bool("auto_renew_status"), intent: intent),
                isInBillingRetry: try fields.bool("is_in_billing_retry_period") ?? false,
                gracePeriodEnd: try fields.date("grace_period_expires_date"))
        }
    }
}

private let entryNames = AnswerFields.dateNames("grace_period_expires_date").union([
    "product_id", "auto_renew_product_id", "original_transaction_id", "auto_renew_status",
    "is_in_billing_retry_period", "expiration_intent",
])
