// For logs, the rules of Descriptions.swift apply to signed objects, too.

extension SignedPayload: CustomStringConvertible {
    /// Kind, app, environment, date, and the kind of trust anchor.
    public var description: String {
        let app = payload.bundleID?.onOneLine ?? "no app"
        let place = payload.environment?.rawValue ?? "no known environment"
        return
            "\(kind.rawValue) of \(app), \(place), signed \(payload.date), verified: \(chain.realm.rawValue)"
    }
}

extension VerifiedJWS {
    /// Kind, app, environment, date, and the kind of trust anchor.
    public var description: String { signed.description }
}

extension VerifiedTransaction: CustomStringConvertible {}
extension VerifiedRenewalInfo: CustomStringConvertible {}
extension VerifiedAppTransaction: CustomStringConvertible {}
extension VerifiedRealtimeRequest: CustomStringConvertible {}
extension VerifiedNotification: CustomStringConvertible {}

extension VerifiedNotification.Enclosure: CustomStringConvertible {
    /// The path, and the expected kind.
    public var description: String { "\(path), \(kind.rawValue), not verified" }
}

extension APIAnswer.Element: CustomStringConvertible {
    /// The path.
    public var description: String { "\(path.onOneLine), not verified" }
}

extension VerifiedTransactionReceipt: CustomStringConvertible {
    /// App, date of the purchase, and the kind of trust anchor.
    public var description: String {
        "transaction receipt of \(bundleID?.onOneLine ?? "no app"), purchased \(purchaseInstant), "
            + "verified: \(realm.rawValue)"
    }
}
