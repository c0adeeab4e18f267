/// A signed request for a retention message in real time (DecodedRealtimeRequestBody of Apple's Retention
/// Messaging API).
///
/// It names the app by `appAppleId`, not by a bundle ID.
public struct VerifiedRealtimeRequest: VerifiedJWS {
    /// The signed payload with its chain.
    public let signed: SignedPayload

    /// `originalTransactionId`: the first transaction of the customer's subscription.
    public var originalTransactionID: String? { members.text("originalTransactionId") }

    /// `productId`: the subscription that the customer may cancel.
    public var productID: String? { members.text("productId") }

    /// `userLocale`: the device's locale.
    public var userLocale: String? { members.text("userLocale") }

    /// `requestIdentifier`: a UUID for each request.
    public var requestIdentifier: String? { members.text("requestIdentifier") }
}
