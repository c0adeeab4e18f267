// Descriptions may appear in logs. They contain apps, environments, dates and numbers. They contain no
// payload bytes, and no identifiers of transactions, orders or devices, which are personal data.

extension VerifiedReceipt: CustomStringConvertible {
    /// App, environment, date, number of purchases, and the kind of trust anchor.
    public var description: String { "receipt of \(payload), verified: \(realm.rawValue)" }
}

extension UnverifiedReceipt: CustomStringConvertible {
    /// App, environment, date and number of purchases, as claimed by the container.
    public var description: String { "receipt of \(payload), not verified" }
}

extension ReceiptPayload: CustomStringConvertible {
    /// App, environment, date and number of purchases.
    public var description: String {
        let place = environment?.rawValue ?? "no known environment"
        let purchases = inAppPurchases.count == 1 ? "1 purchase" : "\(inAppPurchases.count) purchases"
        return "\(bundleID.onOneLine), \(place), created \(creationDate), \(purchases)"
    }
}

extension InAppPurchase: CustomStringConvertible {
    /// Product, type and dates.
    public var description: String {
        let product = productID?.onOneLine ?? "a product without id"
        let dates = [
            ("purchased", purchaseDate), ("expires", expiresDate), ("cancelled", cancellationDate),
        ].compactMap { word, date in date.map { "\(word) \($0)" } }
        return ([product, productType?.name].compactMap { $0 } + dates).joined(separator: ", ")
    }
}

extension InAppPurchases: CustomStringConvertible {
    /// The number of purchases.
    public var description: String { count == 1 ? "1 purchase" : "\(count) purchases" }
}

extension UnknownAttribute: CustomStringConvertible {
    /// Type, version and size.
    public var description: String { "attribute \(type), version \(version), \(value.count) bytes" }
}

extension CertificateFacts: CustomStringConvertible {
    /// Subject, serial number and validity.
    public var description: String { "\(subject), serial \(serialNumber), valid \(notBefore) to \(notAfter)" }
}

extension InAppProductType: CustomStringConvertible {
    /// ``name``.
    public var description: String { name }
}
