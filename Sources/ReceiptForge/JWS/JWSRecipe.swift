/// The inputs of a compact JWS as the App Store signs it: payload, authority, header, signer, and edits of
/// the steps.
///
/// ```swift
/// var recipe = JWSRecipe(.transaction, authority: try .testJWS())
/// recipe.payload["environment"] = #""Production""#
/// let jws = try recipe.forge()
/// ```
public struct JWSRecipe: Sendable {
    /// The authority whose certificates the header contains. Setting it replaces `x5c`.
    public var authority: Authority { didSet { header["x5c"] = Self.x5c(of: authority) } }
    /// The root to trust in DER, or nil for the authority's own.
    public var anchor: [UInt8]?
    /// The signed payload.
    public var payload: JSONMembers
    /// The header, by default with `alg` and `x5c`.
    public var header: JSONMembers
    /// The signing key, or nil for the key of the authority's leaf.
    public var signer: PrivateKey?
    /// An edit of the header's bytes before they are signed.
    public var editHeader: ReceiptRecipe.Edit<[UInt8]>?
    /// An edit of the payload's bytes before they are signed.
    public var editPayload: ReceiptRecipe.Edit<[UInt8]>?
    /// An edit of r and s, 32 bytes each.
    public var editSignature: ReceiptRecipe.Edit<[UInt8]>?
    /// An edit of the finished text.
    public var editText: ReceiptRecipe.Edit<String>?

    /// Creates a recipe for a valid JWS of this payload.
    public init(_ payload: JSONMembers = .transaction, authority: Authority) {
        self.authority = authority
        self.payload = payload
        header = JSONMembers([("alg", "\"ES256\""), ("x5c", Self.x5c(of: authority))])
    }

    private static func x5c(of authority: Authority) -> String {
        x5c(of: authority.bag.map { Base64.text($0) })
    }

    static func x5c(of texts: [String]) -> String {
        "[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    }

    mutating func setCertificates(_ certificates: [[UInt8]]) {
        header["x5c"] = Self.x5c(of: certificates.map { Base64.text($0) })
    }

    /// Returns the compact JWS.
    /// - Throws: ``ForgeError`` if libcrypto fails, and any error that an edit throws.
    public func forge() throws(ForgeError) -> String {
        var head = Array(header.text.utf8)
        try editHeader?(&head)
        var bytes = Array(payload.text.utf8)
        try editPayload?(&bytes)
        let input = Base64.text(head, urlSafe: true) + "." + Base64.text(bytes, urlSafe: true)
        var signature = try Self.es256(Array(input.utf8), key: signer ?? authority.leaf.key)
        try editSignature?(&signature)
        var text = input + "." + Base64.text(signature, urlSafe: true)
        try editText?(&text)
        return text
    }

    /// Returns r and s, 32 bytes each (RFC 7518, 3.4).
    /// - Parameters:
    ///   - bytes: The bytes to sign.
    ///   - key: A P-256 key.
    ///   - digest: The digest, which is SHA-256 except in some tests.
    /// - Throws: ``ForgeError`` if libcrypto fails.
    public static func es256(
        _ bytes: [UInt8], key: PrivateKey, digest: Digest = .sha256
    ) throws(ForgeError) -> [UInt8] {
        // Ecdsa-Sig-Value ::= SEQUENCE { r INTEGER, s INTEGER }, whose integers have one length octet each.
        let der = try key.sign(bytes, digest: digest)
        let header = der[1] < 0x80 ? 2 : 3
        let rCount = Int(der[header + 1])
        let numbers = [der[(header + 2)..<(header + 2 + rCount)], der[(header + 4 + rCount)...]]
        return numbers.flatMap { number in
            let digits = number.drop { $0 == 0 }
            return [UInt8](repeating: 0, count: max(0, 32 - digits.count)) + digits
        }
    }
}

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

extension Base64 {
    static func text(_ bytes: [UInt8], urlSafe: Bool = false) -> String {
        String(decoding: encode(bytes, urlSafe: urlSafe), as: UTF8.self)
    }
}
