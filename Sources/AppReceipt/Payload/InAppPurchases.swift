/// The in-app purchases of a receipt, in the receipt's order.
public struct InAppPurchases: RandomAccessCollection, Sendable {
    let storage: PayloadStorage

    public var startIndex: Int { 0 }
    public var endIndex: Int { storage.purchases.count }

    public subscript(index: Int) -> InAppPurchase {
        precondition(indices.contains(index), "no in-app purchase \(index)")
        return InAppPurchase(storage: storage, index: index)
    }
}
