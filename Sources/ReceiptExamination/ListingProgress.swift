import AppReceipt
import StrictJSON

/// The progress through the objects of an input, in their order. Detects when a response that lists purchases
/// is complete.
struct ListingProgress {
    private var list: APIAnswer.PurchaseList?
    private var genuine = 0
    /// Whether an object is missing, refused, or of another app on a page before this list.
    private var hasGap = false
    /// The original transaction IDs of the transactions (`bought`) and of the renewal information
    /// (`renewed`).
    private var bought: Set<[UInt8]> = []
    private var renewed: Set<[UInt8]> = []

    /// Adds the result for one object of a response.
    ///
    /// In a history page that other pages follow, each genuine object completes the listing. In other
    /// listings, the last object does, under three conditions:
    /// - All objects are genuine, also those of the pages before a history's last page.
    /// - They have the app and environment that the response names.
    /// - All renewal information belongs to a transaction among them.
    /// - Returns: The listing that the object completes, or nil.
    mutating func take(
        _ element: APIAnswer.Element, _ result: Result<VerifiedObject, ReceiptError>
    ) -> APIAnswer.Listing? {
        guard let list = element.list else { return nil }
        if self.list?.first != list.first {
            let hasGap = hasGap || self.list.map { $0.listing == .historyPage && genuine < $0.count } ?? false
            self = ListingProgress()
            (self.list, self.hasGap) = (list, hasGap)
        }
        guard case .success(let object) = result else { return nil }
        let isListed = isListed(object, in: list)
        if isListed { genuine += 1 }
        if list.listing == .historyPage { return .historyPage }
        guard isListed, !hasGap || list.listing != .history else { return nil }
        guard genuine < list.count || renewed.isSubset(of: bought) else { return nil }
        return genuine == list.count ? list.listing : nil
    }

    /// Returns whether the object has the response's app and environment and a kind that such a response
    /// contains.
    private mutating func isListed(_ object: VerifiedObject, in list: APIAnswer.PurchaseList) -> Bool {
        guard object.object.environment?.rawValue.isExactly(list.environment) == true else { return false }
        switch object {
        case .transaction(let transaction):
            if let original = transaction.originalTransactionID { bought.insert(Array(original.utf8)) }
            guard let bundleID = transaction.bundleID else { return false }
            return bundleID.utf8.elementsEqual(list.bundleID.utf8)
        // Renewal information names no app.
        case .renewalInfo(let information):
            guard let original = information.originalTransactionID else { return false }
            renewed.insert(Array(original.utf8))
            return list.listing == .statuses
        case .receipt, .appTransaction, .notification, .transactionReceipt, .realtimeRequest: return false
        }
    }
}
