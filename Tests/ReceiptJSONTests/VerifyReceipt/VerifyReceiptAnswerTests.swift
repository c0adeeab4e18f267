import AppReceipt
import Foundation
import ReceiptForge
import ReceiptJSON
import Testing

@testable import ReceiptServices

/// The members of the answer, for receipts forged for these tests.
struct VerifyReceiptAnswerTests {
    static let authority = Result { try Authority.test() }
    static let now = Timestamp(millisecondsSince1970: 1_735_113_600_250)

    let verifier: ReceiptVerifier

    init() throws {
        verifier = try ReceiptVerifier(anchors: .custom(Self.authority.get().root.certificate.der))
    }

    static func receiptData(_ content: ReceiptContent) throws -> String {
        Data(try ReceiptRecipe(content, authority: authority.get()).forge().bytes).base64EncodedString()
    }

    static func subscription(_ id: Int, of original: Int, bought: String) -> PurchaseContent {
        .subscription(
            productID: "com.example.forge.monthly", transactionID: "\(id)",
            originalTransactionID: "\(original)",
            purchaseDate: bought, expiresDate: "2025-01-01T00:00:00Z")
    }

    func endpoint(
        _ environment: VerifyReceiptEndpoint.Environment = .production,
        for policy: VerificationPolicy = .any, password: VerifyReceiptEndpoint.Password = .ignored,
        latest: VerifyReceiptEndpoint.LatestReceiptInfo = .leftOut
    ) throws -> VerifyReceiptEndpoint {
        var endpoint = try VerifyReceiptEndpoint(
            environment, for: policy, password: password, verifier: verifier)
        endpoint.latestReceiptInfo = latest
        return endpoint
    }

    // MARK: - Members

    /// Checks every member against an answer written by hand.
    @Test func everyMember() throws {
        var content = ReceiptContent()
        content.receiptType = "ProductionVPP"
        content.appItemID = 9_007_199_254_740_993  // not representable as a double
        content.expirationDate = "2025-03-09T09:59:59Z"  // the last second before daylight saving time
        content.otherAttributes.append(.ia5String(32, "2022-03-01T00:00:00Z"))
        var purchase = Self.subscription(
            100_000_000_000_002, of: 100_000_000_000_001, bought: "2024-05-02T10:00:00Z")
        purchase.quantity = 3
        purchase.originalPurchaseDate = "2024-04-02T10:00:05Z"
        purchase.expiresDate = "2024-11-03T09:00:00Z"  // the first second after daylight saving time
        purchase.webOrderLineItemID = 100_000_000_000_099
        purchase.cancellationDate = "2024-05-10T00:00:00Z"
        purchase.cancellationReason = 1
        purchase.isTrialPeriod = true
        purchase.promotionalOfferIdentifier = "\"summer\"\n"
        content.purchases = [purchase]
        let answer = try endpoint().answer(
            to: AnswerFixtures.request(Self.receiptData(content)), at: Self.now)
        let expected = #"""
            {"status":0,"environment":"Production","receipt":{"receipt_type":"ProductionVPP",
            "adam_id":9007199254740993,"app_item_id":9007199254740993,"bundle_id":"com.example.forge",
            "application_version":"2.5.8","download_id":63950712884401,"version_external_identifier":847120556,
            "receipt_creation_date":"2024-06-01 10:00:00 Etc/GMT","receipt_creation_date_ms":"1717236000000",
            "receipt_creation_date_pst":"2024-06-01 03:00:00 America/Los_Angeles",
            "request_date":"2024-12-25 08:00:00 Etc/GMT","request_date_ms":"1735113600250",
            "request_date_pst":"2024-12-25 00:00:00 America/Los_Angeles",
            "original_purchase_date":"2022-03-14 08:21:55 Etc/GMT","original_purchase_date_ms":"1647246115000",
            "original_purchase_date_pst":"2022-03-14 01:21:55 America/Los_Angeles",
            "expiration_date":"2025-03-09 09:59:59 Etc/GMT","expiration_date_ms":"1741514399000",
            "expiration_date_pst":"2025-03-09 01:59:59 America/Los_Angeles","original_application_version":"1.0",
            "preorder_date":"2022-03-01 00:00:00 Etc/GMT","preorder_date_ms":"1646092800000",
            "preorder_date_pst":"2022-02-28 16:00:00 America/Los_Angeles",
            "in_app":[{"quantity":"3","product_id":"com.example.forge.monthly","transaction_id":"100000000000002",
            "original_transaction_id":"100000000000001",
            "purchase_date":"2024-05-02 10:00:00 Etc/GMT","purchase_date_ms":"1714644000000",
            "purchase_date_pst":"2024-05-02 03:00:00 America/Los_Angeles",
            "original_purchase_date":"2024-04-02 10:00:05 Etc/GMT","original_purchase_date_ms":"1712052005000",
            "original_purchase_date_pst":"2024-04-02 03:00:05 America/Los_Angeles",
            "expires_date":"2024-11-03 09:00:00 Etc/GMT","expires_date_ms":"1730624400000",
            "expires_date_pst":"2024-11-03 01:00:00 America/Los_Angeles",
            "cancellation_date":"2024-05-10 00:00:00 Etc/GMT","cancellation_date_ms":"1715299200000",
            "cancellation_date_pst":"2024-05-09 17:00:00 America/Los_Angeles","cancellation_reason":"1",
            "web_order_line_item_id":"100000000000099","is_trial_period":"true",
            "is_in_intro_offer_period":"false","promotional_offer_id":"\"summer\"\n"}]}}
            """#
        #expect(answer.status == .valid)
        #expect(String(decoding: answer.body, as: UTF8.self) == expected.replacing("\n", with: ""))
    }

    /// Checks that members without a value are omitted, never null and never guessed.
    @Test func absentMembers() throws {
        var content = ReceiptContent()
        content.applicationVersion = ""
        content.originalApplicationVersion = nil
        content.originalPurchaseDate = ""
        (content.appItemID, content.downloadID, content.versionExternalIdentifier) = (nil, 0, nil)
        var purchase = PurchaseContent(productID: "p", transactionID: "1", purchaseDate: "", type: 1)
        (purchase.originalTransactionID, purchase.quantity, purchase.isTrialPeriod) = (nil, nil, nil)
        content.purchases = [purchase]
        // Two preorder dates: neither counts.
        content.otherAttributes += [
            .ia5String(32, "2022-03-01T00:00:00Z"), .ia5String(32, "2022-03-02T00:00:00Z"),
        ]
        let answer = try endpoint(latest: .asOfReceipt).answer(
            to: AnswerFixtures.request(Self.receiptData(content)), at: Self.now)
        let object = try AnswerFixtures.object(answer.body)
        #expect(object.keys.sorted() == ["environment", "receipt", "status"])
        let receipt = try #require(object["receipt"] as? [String: Any])
        let dates = ["receipt_creation_date", "request_date"].flatMap { [$0, $0 + "_ms", $0 + "_pst"] }
        #expect(Set(receipt.keys) == Set(["receipt_type", "bundle_id", "download_id", "in_app"] + dates))
        #expect(receipt["download_id"] as? Int == 0)
        #expect(receipt["in_app"] as? [[String: String]] == [["product_id": "p", "transaction_id": "1"]])
    }

    // MARK: - App and environment

    @Test(arguments: [
        // the answers of Apple's two hosts to each type
        ("Production", 0, 21008), ("ProductionVPP", 0, 21008),
        ("ProductionSandbox", 21007, 0), ("ProductionVPPSandbox", 21007, 0),
        // neither environment: Xcode under another root, an unknown type, no type
        ("Xcode", 21003, 21003), ("production", 21003, 21003), (nil, 21003, 21003),
    ])
    func environments(type: String?, production: Int, sandbox: Int) throws {
        var content = ReceiptContent()
        content.receiptType = type
        let request = try AnswerFixtures.request(Self.receiptData(content))
        #expect(try endpoint(.production).answer(to: request, at: Self.now).status.rawValue == production)
        #expect(try endpoint(.sandbox).answer(to: request, at: Self.now).status.rawValue == sandbox)
    }

    @Test(arguments: [
        (["com.example.forge"], 0), (["com.example.other", "com.example.forge"], 0),
        // another app, none, and a bundle ID in other case
        (["com.example.other"], 21003), ([], 21003), (["com.example.Forge"], 21003), ([""], 21003),
    ])
    func apps(bundleIDs: [String], status: Int) throws {
        let request = try AnswerFixtures.request(Self.receiptData(ReceiptContent()))
        let answer = try endpoint(for: .apps(bundleIDs, .anyEnvironment)).answer(to: request, at: Self.now)
        #expect(answer.status.rawValue == status)
        #expect(answer.refusal?.code == (status == 0 ? nil : .wrongBundleID))
    }

    /// Checks that bundle IDs are compared by bytes. "é" has two encodings in Unicode, which Swift strings
    /// treat as equal.
    @Test func bundleIDsAreComparedByBytes() throws {
        let request = try AnswerFixtures.request(Self.receiptData(ReceiptContent(bundleID: "caf\u{E9}")))
        #expect(
            try endpoint(for: .app("caf\u{E9}", .anyEnvironment)).answer(to: request, at: Self.now).status
                == .valid)
        #expect(
            try endpoint(for: .app("cafe\u{301}", .anyEnvironment)).answer(to: request, at: Self.now).status
                == .notAuthenticated)
    }

    // MARK: - Password

    /// Checks that a policy that excludes the host's environment, or expects a device, refuses the receipt.
    @Test(arguments: [
        (VerificationPolicy.any, VerifyReceiptAnswer.Status.valid), (.anyApp(.production), .valid),
        (.anyApp(.sandbox), .notAuthenticated), (.any.expecting(deviceID: [1]), .notAuthenticated),
    ])
    func wholePolicyApplies(policy: VerificationPolicy, status: VerifyReceiptAnswer.Status) throws {
        let request = AnswerFixtures.request(try Self.receiptData(ReceiptContent()))
        #expect(try endpoint(for: policy).answer(to: request, at: Self.now).status == status)
    }

    @Test(arguments: [
        (#","password":"secret""#, 0), (#","password":"s\u0065cret""#, 0),
        // absent, null, empty, longer, shorter, other case, same length
        ("", 21004), (#","password":null"#, 21004), (#","password":"""#, 21004),
        (#","password":"secret1""#, 21004), (#","password":"secre""#, 21004),
        (#","password":"Secret""#, 21004),
        (#","password":"tercse""#, 21004), (#","password":"secret\u0000""#, 21004),
        // not a string
        (#","password":7"#, 21002),
    ])
    func passwords(member: String, status: Int) throws {
        let data = try Self.receiptData(ReceiptContent())
        let answer = try endpoint(password: .required("secret")).answer(
            to: AnswerFixtures.request(data, member), at: Self.now)
        #expect(answer.status.rawValue == status)
        #expect(answer.status == .valid || answer.body == Array(#"{"status":\#(status)}"#.utf8))
    }

    /// Checks that an empty password setting accepts no request, and that a wrong password is reported before
    /// anything about the receipt.
    @Test func passwordsComeFirst() throws {
        let data = try Self.receiptData(ReceiptContent())
        for request in [AnswerFixtures.request(data, #","password":"""#), AnswerFixtures.request(data)] {
            #expect(
                try endpoint(password: .required("")).answer(to: request, at: Self.now).status
                    == .wrongPassword)
        }
        let wrong = AnswerFixtures.request("AAAA", #","password":"guess""#)
        #expect(
            try endpoint(password: .required("secret")).answer(to: wrong, at: Self.now).status
                == .wrongPassword)
    }

    @Test func theSecretIsNotPrinted() throws {
        let endpoint = try endpoint(password: .required("hush-hush"))
        var dumped = ""
        dump(endpoint, to: &dumped)
        #expect(!dumped.contains("hush"))
        #expect(!"\(endpoint)".contains("hush"))
    }

    // MARK: - Requests that are not in the fixtures

    @Test func sizes() throws {
        let data = try Self.receiptData(ReceiptContent())
        let request = AnswerFixtures.request(data)
        let room = VerifyReceiptEndpoint.maximumRequestBytes - request.count
        let full = request + [UInt8](repeating: 0x20, count: room)
        #expect(try endpoint().answer(to: full, at: Self.now).status == .valid)
        let answer = try endpoint().answer(to: full + [0x20], at: Self.now)
        #expect(answer.status == .malformed)
        #expect(answer.refusal?.offset == full.count + 1)
    }

    @Test func badUTF8() throws {
        let answer = try endpoint().answer(
            to: Array(#"{"password":""#.utf8) + [0xC3, 0x28, 0x22, 0x7D], at: Self.now)
        #expect(answer.status == .malformed)
        #expect(answer.refusal?.offset == 13)
        #expect(answer.refusal?.field == "password")
    }

    /// Checks that the answer to a damaged request is a status alone, or equals the answer to the original.
    @Test func damagedRequests() throws {
        let endpoint = try endpoint()
        let request = try AnswerFixtures.request(
            Self.receiptData(ReceiptContent()), #", "password": "x", "unknown": [1, {"a": null}] "#)
        let whole = endpoint.answer(to: request, at: Self.now)
        #expect(whole.status == .valid)
        var generator = SplitMix64(seed: 14)
        var accepted = 0
        for _ in 0..<400 {
            var damaged = request
            // Most of the request is the receipt, so half of the changes target the rest.
            let place = Bool.random(using: &generator) ? request.count - 60 : 0
            let index = Int.random(in: place..<request.count, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: damaged[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1: damaged[index] = UInt8.random(in: .min ... .max, using: &generator)
            case 2: damaged.remove(at: index)
            default: damaged.insert(damaged[Int.random(in: request.indices, using: &generator)], at: index)
            }
            let answer = endpoint.answer(to: damaged, at: Self.now)
            if answer.status == .valid {
                accepted += 1
                #expect(answer.body == whole.body)
            } else {
                #expect(answer.body == Array(#"{"status":\#(answer.status.rawValue)}"#.utf8))
            }
        }
        // Changes to white space, digits, and letters of the ignored password have no effect.
        #expect(accepted > 20)
        #expect(accepted < 200)
    }

    /// Checks that a refusal names the fault's place in the request or in the receipt.
    @Test func refusalsNameTheirPlace() throws {
        let data = try Self.receiptData(ReceiptContent())
        let damaged = try endpoint().answer(to: AnswerFixtures.request("@" + data.dropFirst()), at: Self.now)
        #expect(damaged.refusal?.field == "receipt-data")
        #expect(damaged.refusal?.message.contains("character 0") == true)
        let other = try ReceiptVerifier()
        let untrusted = try VerifyReceiptEndpoint(
            .production, for: .any, password: .ignored, verifier: other
        ).answer(to: AnswerFixtures.request(data), at: Self.now)
        #expect(untrusted.status == .notAuthenticated)
        #expect(untrusted.refusal?.code == .untrustedChain)
    }
}
