import AppReceipt
import AppReceiptFoundation
import Foundation
import OfferEligibility
import ReceiptASN1
import ReceiptForge
import Testing

/// Descriptions that appear in logs and messages.
struct DescriptionTests {
    private static func receipt() throws -> VerifiedReceipt {
        var content = ReceiptContent(purchases: [
            .subscription(
                productID: "com.example.forge.monthly", transactionID: "530001111222201",
                originalTransactionID: "530001111222200", purchaseDate: "2024-05-20T07:15:00Z",
                expiresDate: "2024-06-20T07:15:00Z")
        ])
        content.otherAttributes = [ReceiptAttribute(9, version: 1, value: [0xAB, 0xCD])]
        let forged = try ReceiptRecipe(content, authority: .test()).forge()
        return try ReceiptVerifier(anchors: .custom(forged.anchor)).verify(forged.bytes, for: .any)
    }

    /// Checks that no description shows payload bytes or transaction identifiers.
    @Test
    func personalDataIsHidden() throws {
        let receipt = try Self.receipt()
        let catalog = try SubscriptionCatalog(
            parsing: #"{"groups": {"g": ["com.example.forge.monthly"]}}"#.utf8)
        let history = PurchaseHistory(receipt)
        let verdict = OfferRules(catalog: catalog).verdicts(
            for: ["com.example.forge.monthly"], in: history, asOf: .date(receipt.verifiedAt))[0]
        let purchase = try #require(receipt.payload.inAppPurchases.first)
        let unknown = try #require(receipt.payload.unknownAttributes.first)
        let values: [Any] = [
            receipt, receipt.payload, receipt.payload.inAppPurchases, purchase, unknown, history, verdict,
            verdict.introductoryOffer, verdict.subscription, verdict.periods,
            HistoryMergeError.Fact.productID,
        ]
        #expect(verdict.promotionalOffer.transactions == ["530001111222201"])
        for value in values {
            for text in ["\(value)", String(reflecting: value), "\([value])", "\(Optional(value) as Any)"] {
                #expect(!text.isEmpty)
                #expect(text.count < 400)
                for secret in ["530001111222201", "530001111222200", "171, 205", "abcd", "UInt8"] {
                    #expect(!text.contains(secret), "\(text)")
                }
            }
        }
    }

    @Test
    func descriptionsNameTheEssentials() throws {
        let receipt = try Self.receipt()
        #expect(
            "\(receipt)" == """
                receipt of com.example.forge, Production, created 2024-06-01T10:00:00Z, 1 purchase, verified: custom
                """)
        #expect(
            "\(receipt.payload.inAppPurchases[0])" == """
                com.example.forge.monthly, auto_renewable_subscription, purchased 2024-05-20T07:15:00Z, \
                expires 2024-06-20T07:15:00Z
                """)
        #expect("\(receipt.payload.unknownAttributes[0])" == "attribute 9, version 1, 2 bytes")
        #expect(
            "\(PurchaseHistory(receipt))" == """
                history of com.example.forge, Production, as of 2024-06-01T10:00:00Z, 1 purchases
                """)
    }

    /// Checks that signed text cannot start a new line in a log.
    @Test
    func descriptionsStayOnOneLine() throws {
        var content = ReceiptContent()
        content.bundleID = "com.example\nERROR \u{202E}"
        let forged = try ReceiptRecipe(content, authority: .test()).forge()
        let receipt = try ReceiptVerifier(anchors: .custom(forged.anchor)).verify(forged.bytes, for: .any)
        #expect("\(receipt)".unicodeScalars.allSatisfy { $0 != "\n" && $0 != "\u{202E}" })
        #expect("\(PurchaseHistory(receipt))".unicodeScalars.allSatisfy { $0 != "\n" && $0 != "\u{202E}" })
    }

    struct Failing: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let run: @Sendable () throws -> Void
        init(_ message: String, _ run: @escaping @Sendable () throws -> Void) {
            testDescription = message
            self.run = run
        }
    }

    /// Checks that `localizedDescription` names the problem and its place for every kind of error that the
    /// libraries throw.
    @Test(arguments: [
        Failing("malformed: the input is empty (input, offset 0)") {
            _ = try ReceiptVerifier().verify([], for: .any)
        },
        Failing("truncated: the input ends inside an element header (offset 0)") {
            throw ASN1Error(.truncatedHeader, at: 0)
        },
        Failing("truncated base64") { throw InputEncoding.Fault.incomplete },
        Failing("evidence 0 and 1 are not known to belong to the same environment") {
            let sandbox = try PurchaseHistory(trusting: #"{"environment": "Sandbox", "in_app": []}"#.utf8)
            _ = try PurchaseHistory(merging: [sandbox, try PurchaseHistory(trusting: "[]".utf8)])
        },
    ])
    func localizedDescriptions(_ failing: Failing) {
        do {
            try failing.run()
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.localizedDescription == failing.testDescription)
            #expect((error as? any LocalizedError)?.errorDescription == failing.testDescription)
        }
    }

    /// Checks that JSON errors name the byte offset and conform to `LocalizedError`.
    @Test
    func everyOtherErrorIsLocalized() {
        let catalog = #expect(throws: (any Error).self) { try SubscriptionCatalog(parsing: "{".utf8) }
        let answer = #expect(throws: (any Error).self) { try PurchaseHistory(trusting: "{".utf8) }
        for error in [catalog, answer] {
            #expect((error as? any LocalizedError)?.errorDescription?.contains("byte 1") == true)
        }
    }
}
