import Foundation
import ReceiptForge
import Testing

@testable import AppReceipt

/// The values of other stores, and values that must not be taken for them.
struct ForeignKindTests {
    private func kind(_ text: some Sequence<UInt8>) -> ForeignKind? {
        let bytes = Array(text)
        return ForeignKind(bytes.span)
    }

    private static let googleToken =
        "mbpkhfgjdaklmfnhnjpkhlpc.AO-J1OyIpbAIXgCSVFm4Xz_m3Jh1pT9dDqYk2-LrW8sQeVnBtGxUoZaKcHiEjMfP"

    @Test(arguments: [
        (googleToken, ForeignKind.googlePlayToken),
        // A token whose first letters are those of a JWS.
        ("ey" + googleToken, .googlePlayToken), ("  \(googleToken)\n", .googlePlayToken),
        ("GPA.3372-4150-8203-17209", .googlePlayOrder), ("GPA.3372-4150-8203-17209..12", .googlePlayOrder),
        (#"{"packageName":"com.example","productId":"p","purchaseToken":"abc"}"#, .googlePlayPurchase),
        (#"{"kind":"androidpublisher#subscriptionPurchaseV2","latestOrderId":"x"}"#, .googlePlayPurchase),
        // The purchase as text, as Unity and Google's own library write it.
        (
            #"{"json":"{\"packageName\":\"com.example\",\"purchaseToken\":\"abc\"}","signature":"AAAA"}"#,
            .googlePlayPurchase
        ),
        (#"{"Store":"GooglePlay","TransactionID":"GPA.1","Payload":"{}"}"#, .googlePlayPurchase),
        // JSON in a JSON string.
        (#""{\"packageName\":\"com.example\",\"purchaseToken\":\"abc\"}""#, .googlePlayPurchase),
        ("sub_1MowQVLkdIwHu7ixeraBm864", .stripeID), ("cus_NffrFeUfNV2Hib", .stripeID),
        ("cs_test_a11YYufWQzNY63zpQ6QSNRQhkUpVph4WRmzW0zWJO2znZKdVujZ0N0S22u", .stripeID),
        ("in_1MtHbELkdIwHu7ixl4OzzPMv", .stripeID), ("pi_3MtwBwLkdIwHu7ix28a3tqPa", .stripeID),
        ("ch_3MmlLrLkdIwHu7ix0snN0B15", .stripeID), ("price_1MoBy5LkdIwHu7ixZhnattbh", .stripeID),
        ("q1YqVbJbtVLSVSSs3cyVqjLgUIUa3NBcpFJ8S4VLsyPiisNrXH-fgBL2JL4r8MC6:3:11", .amazonReceipt),
        ("1fBSoxAzfuMbQq0OzZQFsUR6EzW3dpnoTuiRVIr7pB0=:2:11", .amazonReceipt),
        (
            "00000173741056a37eef310dff9c6a86fec57efafe318ae478e52d9c4261994d64c8f6fc8ea1abbdx5347.5.3089",
            .huaweiToken
        ),
        (
            #"{"applicationId":1,"packageName":"com.example","purchaseToken":"a","payOrderId":"b"}"#,
            .huaweiPurchase
        ),
        ("I-BW452GLLEP1G", .paypalSubscription),
    ])
    func valueOfAnotherStoreIsRecognized(text: String, expected: ForeignKind) {
        #expect(kind(text.utf8) == expected)
    }

    @Test(arguments: [
        // Truncated receipts in base64, once and twice, and a truncated JWS.
        "MIIUVQYJKoZIhvcNAQcCoIIURjCCFEICAQExDzANBglghkgBZQMEAgEFADCCA4sGCSqGSIb3DQEHAaCCA3w",
        "TUlJVVZRWUpLb1pJaHZjTkFRY0NvSUlVUmpDQ0ZFSUNBUUV4RHpBTkJnbGdoa2dCWlFNRUFnRUY",
        "eyJhbGciOiJFUzI1NiIsIng1YyI6WyJNSUlFTURDQ0E3YWdBd0lCQWdJUWZUbGZk",
        "eyJhbGciOiJFUzI1NiJ9.eyJidW5kbGVJZCI6ImNvbS5leGFtcGxlIn0",
        // Receipts with text after them that has an Amazon receipt's form.
        "MIIUVQYJKoZIhvcNAQcCoIIURjCCFEICAQExDzANBglg:3:11", "eyJhbGciOiJFUzI1NiJ9AAAAAAAAAAAAAAAA:3:11",
        // JSON of another store that contains an object of Apple's.
        #"{"packageName":"com.example","purchaseToken":"abc","receipt":"MIIUVQYJKoZIhvcNAQcC"}"#,
        #"{"packageName":"com.example","purchaseToken":"abc","x":{"y":["eyJhbGciOiJFUzI1NiJ9"]}}"#,
        #"{"Store":"GooglePlay","Payload":"MIIUVQYJKoZIhvcNAQcC"}"#,
        // Truncated JSON, and JSON without positive evidence.
        #"{"packageName":"com.example","purchaseToken":"abc""#, #"{"packageName":"com.example"}"#,
        #"{"Store":"AppleAppStore","Payload":"x"}"#, "{}", "[]",
        // Words and numbers.
        "", "pending", "in_progress", "in_administration", "sub_scription", "1000000123456789",
        "I-BW452GLLEP1",
        "GPA.3372-4150-8203", "GPA.3372-4150-8203-17209..x", "com.example.AO-J1O", "sub_", "N/A",
        "0f4c6a86fec57efafe318ae478e52d9cx5347.5.3089", "12:3:11",
    ])
    func otherTextIsNot(text: String) {
        #expect(kind(text.utf8) == nil)
    }

    /// Checks the parts of a receipt before and after every seventh character of its base64, base64url, and
    /// base64 of base64.
    @Test func damagedObjectIsNotForeign() throws {
        let receipt = try ReceiptRecipe(ReceiptContent(), authority: .test()).forge().bytes
        let once = Data(receipt).base64EncodedString()
        let url = once.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        let twice = Data(once.utf8).base64EncodedString()
        for text in [once, url, twice].map({ Array($0.utf8) }) {
            for place in stride(from: 1, to: text.count, by: 7) {
                #expect(kind(text[..<place]) == nil)
                #expect(kind(text[place...]) == nil)
            }
        }
    }

    /// Checks that long input is not examined, and that deep input costs no recursion.
    @Test func hostileTextIsNotForeign() {
        let long = Array(
            #"{"packageName":"a","purchaseToken":"\#(String(repeating: "a", count: 1 << 17))"}"#.utf8)
        #expect(kind(long) == nil)
        #expect(kind([UInt8](repeating: UInt8(ascii: "{"), count: 1 << 16)) == nil)
        #expect(kind([UInt8](repeating: UInt8(ascii: "\""), count: 1 << 16)) == nil)
        #expect(kind([UInt8](repeating: UInt8(ascii: "a"), count: 1 << 16)) == nil)
    }
}
