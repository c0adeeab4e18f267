extension ReceiptPayload {
    /// Attribute 2 as a range of ``bytes``.
    package var bundleIDSlice: TextSlice? { TextSlice(storage.app.bundleID) }

    /// The facts of every purchase, in the receipt's order. Their text is in ``bytes``.
    package var purchaseFacts: [PurchaseFacts] { storage.purchases.map { PurchaseFacts($0) } }
}
