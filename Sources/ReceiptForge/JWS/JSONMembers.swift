/// The members of a JSON object in order: names, and values as JSON text.
public struct JSONMembers: Sendable, ExpressibleByDictionaryLiteral {
    /// The names, and the values as JSON text.
    public var list: [(name: String, value: String)]

    /// Creates an object with these members in this order.
    public init(_ list: [(name: String, value: String)]) { self.list = list }
    /// Creates an object with these members in this order.
    public init(dictionaryLiteral elements: (String, String)...) {
        list = elements.map { ($0.0, $0.1) }
    }

    /// The JSON text of a member. Setting nil removes the member.
    public subscript(name: String) -> String? {
        get { list.first { $0.name == name }?.value }
        set {
            let index = list.firstIndex { $0.name == name } ?? list.count
            let known = index..<min(index + 1, list.count)
            list.replaceSubrange(known, with: newValue.map { [(name, $0)] } ?? [])
        }
    }

    /// The object as JSON without white space.
    public var text: String {
        "{" + list.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}"
    }
}

extension JSONMembers {
    /// A transaction of a renewal, signed on 2026-06-01.
    public static let transaction: JSONMembers = [
        "transactionId": #""2000000000000002""#, "originalTransactionId": #""2000000000000001""#,
        "webOrderLineItemId": #""2000000000000003""#, "bundleId": #""com.example.app""#,
        "productId": #""com.example.app.monthly""#, "subscriptionGroupIdentifier": #""21000001""#,
        "purchaseDate": "1779267600000", "originalPurchaseDate": "1776675601000",
        "expiresDate": "1781946000000", "quantity": "1", "type": #""Auto-Renewable Subscription""#,
        "inAppOwnershipType": #""PURCHASED""#, "signedDate": "1780308000123",
        "environment": #""Sandbox""#, "transactionReason": #""RENEWAL""#, "storefront": #""USA""#,
        "storefrontId": #""143441""#, "price": "9990", "currency": #""USD""#,
    ]

    /// Renewal information of a subscription that renews and is in a grace period.
    public static let renewalInfo: JSONMembers = [
        "originalTransactionId": #""2000000000000001""#, "autoRenewProductId": #""com.example.app.yearly""#,
        "productId": #""com.example.app.monthly""#, "autoRenewStatus": "1",
        "isInBillingRetryPeriod": "true", "gracePeriodExpiresDate": "1781946000000",
        "signedDate": "1780308000123", "environment": #""Sandbox""#,
        "eligibleWinBackOfferIds": #"["back","again"]"#,
    ]

    /// A sandbox app transaction, signed on 2026-06-01.
    public static let appTransaction: JSONMembers = [
        "receiptType": #""Sandbox""#, "appAppleId": "1470168868", "bundleId": #""com.example.app""#,
        "applicationVersion": #""42""#, "receiptCreationDate": "1780308000123",
        "originalPurchaseDate": "1375340400000", "originalApplicationVersion": #""1.0""#,
    ]

    /// A request for a retention message, signed on 2026-06-01.
    public static let realtimeRequest: JSONMembers = [
        "originalTransactionId": #""2000000000000001""#, "appAppleId": "1470168868",
        "productId": #""com.example.app.monthly""#, "userLocale": #""en-US""#,
        "requestIdentifier": #""3db5c98d-8acf-4e29-831e-8e1f82f9f6e9""#,
        "environment": #""Sandbox""#, "signedDate": "1780308000123",
    ]

    /// Returns a notification whose data contains the given members.
    public static func notification(_ data: JSONMembers = [:]) -> JSONMembers {
        var body: JSONMembers = ["bundleId": #""com.example.app""#, "environment": #""Sandbox""#]
        body.list += data.list
        return [
            "notificationType": #""DID_RENEW""#, "notificationUUID": #""0b6e2c9a""#,
            "version": #""2.0""#, "signedDate": "1780308000123", "data": body.text,
        ]
    }
}
