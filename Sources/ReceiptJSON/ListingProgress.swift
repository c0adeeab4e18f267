import AppReceipt

/// Follows the objects of an input, in their order, to the end of each answer that lists purchases.
struct ListingProgress {
    private var list: APIAnswer.PurchaseList?
    private var genuine = 0
    /// The original transactions of the transactions, and of the renewal information.
    private var bought: Set<[UInt8]> = []
    private var renewed: Set<[UInt8]> = []

    /// Takes what came out for an object of an answer.
    /// - Returns: what the answer lists: of a page with each genuine object, else with the last one, where all are genuine
    ///   and of the answer's app and environment, and all renewal information is of a transaction among them.
    mutating func take(
        _ element: APIAnswer.Element, _ result: Result<VerifiedObject, Refusal>
    ) -> APIAnswer.Listing? {
        guard let list = element.list else { return nil }
        if self.list != list {
            self = ListingProgress()
            self.list = list
        }
        guard case .success(let object) = result else { return nil }
        if list.listing == .historyPage { return .historyPage }
        guard isListed(object, in: list) else { return nil }
        genuine += 1
        guard genuine < list.count || renewed.isSubset(of: bought) else { return nil }
        return genuine == list.count ? list.listing : nil
    }

    /// Whether the object is one that such an answer holds, of the app and environment that it names.
    private mutating func isListed(_ object: VerifiedObject, in list: APIAnswer.PurchaseList) -> Bool {
        guard object.object.environment?.rawValue == list.environment else { return false }
        switch object {
        case .transaction(let transaction):
            if let original = transaction.originalTransactionID { bought.insert(Array(original.utf8)) }
            guard let bundleID = transaction.bundleID else { return false }
            return bundleID.utf8.elementsEqual(list.bundleID.utf8)
        // It names no app.
        case .renewalInfo(let information):
            guard let original = information.originalTransactionID else { return false }
            renewed.insert(Array(original.utf8))
            return list.listing == .statuses
        case .receipt, .appTransaction, .notification, .transactionReceipt, .realtimeRequest: return false
        }
    }
}
