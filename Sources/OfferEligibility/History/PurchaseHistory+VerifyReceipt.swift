public import AppReceipt
import StrictJSON

extension PurchaseHistory {
    /// Creates a history from a saved verifyReceipt response, for apps that stored responses and no receipts.
    ///
    /// Nothing in the response is signed. With the label `trusting`, the caller vouches for it.
    ///
    /// The initializer reads `latest_receipt_info`, `latest_expired_receipt_info`, `receipt.in_app`, a separate `receipt` object, and a bare
    /// array of transactions. It also reads the `unified_receipt` of a notification of version 1. That contains the newest hundred
    /// transactions, and responses about receipts from before iOS 7 contain single ones, so the history may be partial. If there are
    /// several lists, they are merged like receipts, as in ``init(merging:)``, and the least complete one decides ``coverage``. The
    /// date of `in_app` is the receipt's creation, and that of `latest_receipt_info` is the request.
    ///
    /// A family member's purchase (`in_app_ownership_type`) is not the customer's own. The group of a
    /// transaction (`subscription_group_identifier`) counts like that of a signed transaction.
    ///
    /// - Parameters:
    ///   - answer: The JSON.
    ///   - environment: The environment of a response that does not name it.
    ///   - evidenceDate: The date of a response that does not contain it. Without either, the date of the
    ///     latest purchase is used, which is the earliest possible date of the response.
    /// - Throws: ``SavedAnswerError``.
    public init(
        trusting answer: some Sequence<UInt8>, environment: ReceiptEnvironment? = nil,
        evidenceDate: Timestamp? = nil
    ) throws(SavedAnswerError) {
        let bytes = Array(answer)
        let parts: [PurchaseHistory]
        do throws(JSONError) {
            var reader = JSONReader(bytes.span, skipsByteOrderMark: true)
            parts = try VerifyReceiptContent(&reader).parts(environment, evidenceDate)
            try reader.end()
        } catch {
            throw .unreadable(error)
        }
        do throws(HistoryMergeError) {
            // A response has one environment, even if it does not name it.
            try self.init(mergingParts: parts, areOfOneAnswer: true)
        } catch {
            throw .contradiction(error)
        }
        coverage = parts.map(\.coverage).min() ?? .nothing
        signed = groupsAndSharing
    }
}

/// The contents of a response, at any level of nesting.
private struct VerifyReceiptContent {
    /// The lists of the newest transactions, by member. A notification may have one in its `unified_receipt`, and two transactions of
    /// its own.
    private var latest: [String: [PurchaseHistory]] = [:]
    private var inApp: PurchaseHistory?
    private var requestDate: Timestamp?
    private var creationDate: Timestamp?
    private var bundleID: String?
    private var environment: ReceiptEnvironment?
    private var receiptType: String?
    private var problem: JSONError

    init(_ reader: inout JSONReader) throws(JSONError) {
        problem = reader.error(.unknownFormat)
        if try reader.peek() == .array {
            latest[""] = [try PurchaseHistory(answer: &reader)]
        } else {
            try read(&reader)
        }
    }

    private mutating func read(_ reader: inout JSONReader) throws(JSONError) {
        let names = AnswerFields.dateNames("request_date", "receipt_creation_date").union([
            "bundle_id", "bid", "environment", "receipt_type",
        ]).union(transactionMembers)
        let fields = try AnswerFields(&reader, names: names) { (reader, name) throws(JSONError) in
            switch name.ifASCII {
            case "status": try reader.acceptedStatus()
            case "latest_receipt_info", "latest_expired_receipt_info":
                guard latest[name] == nil else { throw reader.error(.duplicateMember) }
                latest[name] = [try PurchaseHistory(answer: &reader)]
            case "in_app":
                guard inApp == nil else { throw reader.error(.duplicateMember) }
                inApp = try PurchaseHistory(answer: &reader)
            case "receipt": try read(&reader)
            case "unified_receipt":
                if try reader.null() { return }
                // It is like a response, but has only the newest hundred transactions.
                let content = try VerifyReceiptContent(&reader)
                for var list in content.lists {
                    list.coverage = .single
                    latest[name, default: []].append(list)
                }
                environment = environment ?? content.environment
            default: try reader.skip()
            }
        }
        requestDate = try fields.date("request_date") ?? requestDate
        creationDate = try fields.date("receipt_creation_date") ?? creationDate
        bundleID = fields["bundle_id"] ?? fields["bid"] ?? bundleID
        // Version 1 of the notifications says PROD.
        environment =
            fields["environment"].flatMap {
                $0.isExactly("PROD") ? .production : ReceiptEnvironment(rawValue: $0.ifASCII)
            } ?? environment
        receiptType = fields["receipt_type"] ?? receiptType
        if inApp == nil, fields["product_id"] != nil, fields["transaction_id"] != nil {
            inApp = try PurchaseHistory(transaction: fields)
        }
    }

    /// The lists of the newest transactions, in an order that does not depend on that of the members.
    private var lists: [PurchaseHistory] { latest.sorted { $0.key < $1.key }.flatMap(\.value) }

    func parts(_ environment: ReceiptEnvironment?, _ evidenceDate: Timestamp?) throws(JSONError)
        -> [PurchaseHistory]
    {
        let newest = lists.map { ($0, requestDate ?? evidenceDate ?? creationDate) }
        let inReceipt = inApp.map { ($0, creationDate ?? evidenceDate ?? requestDate) }
        let parts = (newest + [inReceipt].compactMap(\.self)).map { history, date in
            var history = history
            history.bundle = history.slice(bundleID)
            history.environment =
                self.environment ?? receiptType.flatMap(ReceiptEnvironment.init(receiptType:)) ?? environment
            history.evidenceDate = date ?? history.transactions.compactMap(\.purchased).max()
            return history
        }
        guard !parts.isEmpty else { throw problem }
        return parts
    }
}

extension PurchaseHistory {
    /// Reads an array of all transactions. Responses about receipts from before iOS 7 contain a single transaction instead.
    fileprivate init(answer reader: inout JSONReader) throws(JSONError) {
        guard try reader.peek() == .array else {
            try self.init(transaction: AnswerFields(&reader, names: transactionMembers))
            return
        }
        self.init()
        var beginnings = Beginnings()
        try reader.array { (reader, _) throws(JSONError) in
            let fields = try AnswerFields(&reader, names: transactionMembers)
            try append(fields)
            try beginnings.add(fields)
        }
        coverage = beginnings.areListed ? .complete : .single
    }

    /// Creates a history of one transaction.
    fileprivate init(transaction fields: AnswerFields) throws(JSONError) {
        self.init()
        coverage = .single
        try append(fields)
    }

    private mutating func append(_ fields: AnswerFields) throws(JSONError) {
        guard fields["product_id"] != nil else { throw fields.error("product_id", .missing("product_id")) }
        var transaction = Transaction()
        transaction.product = slice(fields["product_id"])
        transaction.id = slice(fields["transaction_id"])
        transaction.original = slice(fields["original_transaction_id"])
        transaction.offer = slice(fields["promotional_offer_id"])
        transaction.purchased = try fields.date("purchase_date")
        transaction.expires = try fields.date("expires_date")
        transaction.cancelled = try fields.date("cancellation_date")
        transaction.hasUnknownReason =
            fields["cancellation_reason"].map { !["0", "1"].contains($0.ifASCII) } ?? false
        transaction.isTrial = try fields.bool("is_trial_period")
        transaction.isIntro = try fields.bool("is_in_intro_offer_period")
        transaction.settleTrial(isOfferCode: fields["offer_code_ref_name"]?.isEmpty == false)
        transaction.isUpgraded = try fields.bool("is_upgraded") ?? false
        transaction.take(
            group: slice(fields["subscription_group_identifier"]?.unlessUnnamed),
            ownership: fields["in_app_ownership_type"])
        transactions.append(transaction)
    }
}

/// The first known purchases of the subscriptions in a list. Of longer lists, the `unified_receipt` of a notification contains only the
/// newest hundred purchases, and a response without old transactions only the last of each product.
private struct Beginnings {
    /// Whether the list contains the first purchase, by original transaction.
    private var isListed: [[UInt8]: Bool] = [:]

    /// Whether the first purchases of all subscriptions are in the list.
    var areListed: Bool { isListed.values.allSatisfy(\.self) }

    /// Adds a transaction. The original date of a restored subscription may be that of its restoration, after its first purchase.
    mutating func add(_ fields: AnswerFields) throws(JSONError) {
        guard let original = fields["original_transaction_id"], try fields.date("expires_date") != nil,
            fields["original_purchase_date"] ?? fields["original_purchase_date_ms"] != nil,
            let purchased = try fields.date("purchase_date")
        else { return }
        let begin = try? fields.date("original_purchase_date")
        let isFirst =
            fields["transaction_id"]?.isExactly(original) == true
            || begin.map { purchased.millisecondsSince1970 <= $0.millisecondsSince1970 + 60_000 } ?? false
        let name = Array(original.utf8)
        isListed[name] = isListed[name] == true || isFirst
    }
}

private let transactionMembers = AnswerFields.dateNames(
    "purchase_date", "original_purchase_date", "expires_date", "cancellation_date"
).union([
    "product_id", "transaction_id", "original_transaction_id", "promotional_offer_id", "is_trial_period",
    "is_in_intro_offer_period", "is_upgraded", "in_app_ownership_type", "subscription_group_identifier",
    "offer_code_ref_name", "cancellation_reason",
])

extension PurchaseHistory {
    /// The groups that the response names for its transactions. Nil if it names none and no subscription is family-shared.
    fileprivate var groupsAndSharing: SignedEvidence? {
        var namings: [[UInt8]: SignedEvidence.Naming] = [:]
        for transaction in transactions where transaction.isSubscription {
            guard let product = transaction.product, let group = transaction.group else { continue }
            namings[Array(text[product.range]), default: .init(product: product, groups: [])]
                .groups.append(group)
        }
        let isShared = transactions.contains { $0.isSubscription && $0.standing == .familyShared }
        guard !namings.isEmpty || isShared else { return nil }
        let inOrder = namings.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { _, naming in
            SignedEvidence.Naming(product: naming.product, groups: naming.groups.inOrder(of: text))
        }
        return SignedEvidence(
            newestReceipt: evidenceDate, renewals: [], namings: inOrder, contestedGroups: [:],
            conflictingEvidence: [])
    }
}
