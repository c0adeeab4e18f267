// For logs, the rules of Descriptions.swift apply to signed objects, too.

extension SignedPayload: CustomStringConvertible, CustomDebugStringConvertible {
    /// Kind, app, environment, date, and the kind of trust anchor.
    public var description: String {
        let app = payload.bundleID?.onOneLine ?? "no app"
        let place = payload.environment?.rawValue ?? "no known environment"
        return
            "\(kind.rawValue) of \(app), \(place), signed \(payload.date), verified: \(chain.realm.rawValue)"
    }
    public var debugDescription: String { description }
}

extension VerifiedJWS {
    /// Kind, app, environment, date, and the kind of trust anchor.
    public var description: String { signed.description }
    /// The same text.
    public var debugDescription: String { description }
}

extension VerifiedTransaction: CustomStringConvertible, CustomDebugStringConvertible {}
extension VerifiedRenewalInfo: CustomStringConvertible, CustomDebugStringConvertible {}
extension VerifiedAppTransaction: CustomStringConvertible, CustomDebugStringConvertible {}
extension VerifiedRealtimeRequest: CustomStringConvertible, CustomDebugStringConvertible {}
extension VerifiedNotification: CustomStringConvertible, CustomDebugStringConvertible {}

extension VerifiedNotification.Enclosure: CustomStringConvertible, CustomDebugStringConvertible {
    /// The path, and the expected kind.
    public var description: String { "\(path), \(kind.rawValue), not verified" }
    public var debugDescription: String { description }
}

extension APIAnswer.Element: CustomStringConvertible, CustomDebugStringConvertible {
    /// The path.
    public var description: String { "\(path.onOneLine), not verified" }
    public var debugDescription: String { description }
}

extension VerifiedTransactionReceipt: CustomStringConvertible, CustomDebugStringConvertible {
    /// App, date of the purchase, and the kind of trust anchor.
    public var description: String {
        "transaction receipt of \(bundleID?.onOneLine ?? "no app"), purchased \(purchaseInstant), "
            + "verified: \(realm.rawValue)"
    }
    public var debugDescription: String { description }
}
