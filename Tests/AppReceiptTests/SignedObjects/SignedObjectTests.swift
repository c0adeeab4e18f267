import AppReceipt
import ReceiptForge
import Testing

/// The content of signed objects as receipt values, and the checks against a verification policy.
struct SignedObjectTests {
    static let verifier = known { () throws(ReceiptError) in
        try ReceiptVerifier(anchors: .custom(JWSTests.authority.root.certificate.der))
    }

    private func verify(_ payload: JSONMembers) throws -> VerifiedObject {
        try Self.verifier.verify(jws: JWSRecipe(payload, authority: JWSTests.authority).forge(), for: .any)
    }

    private func transaction(_ changes: JSONMembers) throws -> VerifiedTransaction {
        var payload = JSONMembers.transaction
        for (name, value) in changes.list { payload[name] = value }
        guard case .transaction(let transaction) = try verify(payload) else { throw Unexpected() }
        return transaction
    }

    private struct Unexpected: Error {}

    @Test
    func transactionHasReceiptFields() throws {
        let purchase: any AppStorePurchase = try transaction([
            "revocationDate": "1780000000000", "revocationReason": "1", "offerType": "2",
            "offerIdentifier": #""again""#,
        ])
        #expect(purchase.productID == "com.example.app.monthly")
        #expect(purchase.productType == .autoRenewableSubscription)
        #expect(purchase.transactionID == "2000000000000002")
        #expect(purchase.originalTransactionID == "2000000000000001")
        #expect(purchase.quantity == 1)
        #expect(purchase.purchaseDate?.rfc3339 == "2026-05-20T09:00:00Z")
        #expect(purchase.expiresDate?.rfc3339 == "2026-06-20T09:00:00Z")
        #expect(purchase.cancellationDate?.millisecondsSince1970 == 1_780_000_000_000)
        #expect(purchase.cancellationReason == 1)
        #expect(purchase.promotionalOfferIdentifier == "again")
        #expect(purchase.isTrialPeriod == false)
        #expect(purchase.isInIntroOfferPeriod == false)
    }

    /// Checks offerType, offerDiscountType and offerIdentifier against trial, introductory and promotional
    /// identifier.
    @Test(
        arguments: [
            (nil, nil, false, false, nil), ("1", #""FREE_TRIAL""#, true, false, nil),
            ("1", #""PAY_UP_FRONT""#, false, true, nil), ("1", #""PAY_LATER""#, false, true, nil),
            // Xcode omits the kind of the offer.
            ("1", nil, nil, true, nil), ("2", #""FREE_TRIAL""#, false, false, "o"),
            ("3", nil, false, false, nil),
            ("4", nil, false, false, nil), ("5", nil, false, false, nil),
        ] as [(String?, String?, Bool?, Bool, String?)])
    func offers(type: String?, discount: String?, trial: Bool?, intro: Bool, promotional: String?) throws {
        var changes: JSONMembers = ["offerIdentifier": #""o""#]
        changes["offerType"] = type
        changes["offerDiscountType"] = discount
        let transaction = try transaction(changes)
        #expect(transaction.isTrialPeriod == trial)
        #expect(transaction.isInIntroOfferPeriod == intro)
        #expect(transaction.promotionalOfferIdentifier == promotional)
    }

    @Test(arguments: [
        (#""Consumable""#, InAppProductType.consumable), (#""Non-Consumable""#, .nonConsumable),
        (#""Non-Renewing Subscription""#, .nonRenewingSubscription), (#""Membership""#, .undocumented),
    ])
    func types(type: String, expected: InAppProductType) throws {
        #expect(try transaction(["type": type]).productType == expected)
    }

    /// Checks the members of API 1.21. Unknown values are kept as text.
    @Test
    func newestMembersOfTransactions() throws {
        let transaction = try transaction([
            "appTransactionId": #""704346128300986174""#, "offerDiscountType": #""PAY_LATER""#,
            "offerPeriod": #""P1Y""#, "revocationType": #""REFUND_PARTIAL""#, "revocationPercentage": "33333",
            "billingPlanType": #""WEEKLY""#, "appAccountToken": #""7e3fb20b-4cdb-47cc-936d-99d65f608138""#,
            "commitmentInfo":
                #"{"billingPeriodNumber":3,"totalBillingPeriods":12,"commitmentExpiresDate":1781946000000,"commitmentPrice":"9"}"#,
        ])
        #expect(transaction.appTransactionID == "704346128300986174")
        #expect(transaction.offerDiscountType == "PAY_LATER")
        #expect(transaction.offerPeriod == "P1Y")
        #expect(transaction.revocationType == "REFUND_PARTIAL")
        #expect(transaction.revocationPercentage == 33333)
        #expect(transaction.billingPlanType == "WEEKLY")
        #expect(transaction.commitmentInfo?.billingPeriodNumber == 3)
        #expect(transaction.commitmentInfo?.totalBillingPeriods == 12)
        #expect(transaction.commitmentInfo?.commitmentExpiresDate?.rfc3339 == "2026-06-20T09:00:00Z")
        // The member's type differs from Apple's documentation.
        #expect(transaction.commitmentInfo?.commitmentPrice == nil)
        let plain = try self.transaction([:])
        #expect(plain.commitmentInfo == nil)
        #expect(plain.advancedCommerceInfo == nil)
    }

    @Test
    func newestMembersOfRenewalInformation() throws {
        var payload = JSONMembers.renewalInfo
        for (name, value) in [
            ("appTransactionId", #""704346128300986174""#), ("appAccountToken", #""7e3fb20b""#),
            ("offerDiscountType", #""FREE_TRIAL""#), ("offerPeriod", #""P1M""#),
            ("renewalBillingPlanType", #""MONTHLY""#),
            (
                "commitmentInfo",
                #"{"commitmentAutoRenewProductId":"p","commitmentAutoRenewStatus":1,"commitmentRenewalBillingPlanType":"MONTHLY","commitmentRenewalDate":1781946000000,"commitmentRenewalPrice":9990}"#
            ),
        ] { payload[name] = value }
        guard case .renewalInfo(let information) = try verify(payload) else { throw Unexpected() }
        #expect(information.appTransactionID == "704346128300986174")
        #expect(information.appAccountToken == "7e3fb20b")
        #expect(information.offerDiscountType == "FREE_TRIAL")
        #expect(information.offerPeriod == "P1M")
        #expect(information.renewalBillingPlanType == "MONTHLY")
        #expect(information.commitmentInfo?.commitmentAutoRenewProductID == "p")
        #expect(information.commitmentInfo?.commitmentAutoRenewStatus == 1)
        #expect(information.commitmentInfo?.commitmentRenewalBillingPlanType == "MONTHLY")
        #expect(information.commitmentInfo?.commitmentRenewalDate?.rfc3339 == "2026-06-20T09:00:00Z")
        #expect(information.commitmentInfo?.commitmentRenewalPrice == 9990)
    }

    @Test
    func advancedCommerceOfTransactions() throws {
        let info = try #require(
            transaction([
                "advancedCommerceInfo": #"""
                { "descriptors":{"description":"All films","displayName":"Films"},"estimatedTax":1990,"period":"P1M",
                  "requestReferenceId":"r","taxCode":"C003-00-1","taxExclusivePrice":8000,"taxRate":"0.25","items":[
                    {"SKU":"a","description":"d","displayName":"n","price":9990,"revocationDate":1781946000000,
                     "offer":{"period":"P1W","periodCount":2,"price":0,"reason":"WIN_BACK"},
                     "refunds":[ {"refundAmount":500,"refundDate":1781946000001,"refundReason":"LEGAL","refundType":"CUSTOM"}, {} ]},
                    {"SKU":"b"}] }
                """#
            ]).advancedCommerceInfo)
        #expect(info.descriptors?.description == "All films")
        #expect(info.descriptors?.displayName == "Films")
        #expect(info.estimatedTax == 1990)
        #expect(info.taxExclusivePrice == 8000)
        #expect(info.taxRate == "0.25")
        #expect(info.period == "P1M")
        #expect(info.requestReferenceID == "r")
        #expect(info.taxCode == "C003-00-1")
        #expect(info.items?.map(\.sku) == ["a", "b"])
        let item = try #require(info.items?.first)
        #expect(item.description == "d")
        #expect(item.displayName == "n")
        #expect(item.price == 9990)
        #expect(item.revocationDate?.rfc3339 == "2026-06-20T09:00:00Z")
        #expect(item.offer?.period == "P1W")
        #expect(item.offer?.periodCount == 2)
        #expect(item.offer?.price == 0)
        #expect(item.offer?.reason == "WIN_BACK")
        #expect(item.refunds?.map(\.refundAmount) == [500, nil])
        #expect(item.refunds?.first?.refundDate?.millisecondsSince1970 == 1_781_946_000_001)
        #expect(item.refunds?.first?.refundReason == "LEGAL")
        #expect(item.refunds?.first?.refundType == "CUSTOM")
        #expect(info.items?.last?.offer == nil)
        #expect(info.items?.last?.refunds == nil)
        #expect(try transaction([:]).advancedCommerceInfo == nil)
    }

    @Test
    func advancedCommerceOfRenewalInformation() throws {
        var payload = JSONMembers.renewalInfo
        payload["advancedCommerceInfo"] = #"""
            {"consistencyToken":"c","descriptors":{"displayName":"Films"},"period":"P1Y","requestReferenceId":"r","taxCode":"t",
             "items":[{"SKU":"a","description":"d","displayName":"n","price":9990,"offer":{"reason":"RETENTION"},
               "priceIncreaseInfo":{"dependentSKUs":["b","c"],"price":10990,"status":"PENDING"}}]}
            """#
        guard case .renewalInfo(let information) = try verify(payload) else { throw Unexpected() }
        let info = try #require(information.advancedCommerceInfo)
        #expect(info.consistencyToken == "c")
        #expect(info.descriptors?.displayName == "Films")
        #expect(info.period == "P1Y")
        #expect(info.requestReferenceID == "r")
        #expect(info.taxCode == "t")
        let item = try #require(info.items?.first)
        #expect(item.sku == "a")
        #expect(item.description == "d")
        #expect(item.displayName == "n")
        #expect(item.price == 9990)
        #expect(item.offer?.reason == "RETENTION")
        #expect(item.priceIncreaseInfo?.dependentSKUs == ["b", "c"])
        #expect(item.priceIncreaseInfo?.price == 10990)
        #expect(item.priceIncreaseInfo?.status == "PENDING")
    }

    /// Checks that a list with an element of another type reads as nil, and that the object stays genuine.
    @Test(arguments: [
        (#"{"items":[{"SKU":"a"},7]}"#, nil), (#"{"items":{"SKU":"a"}}"#, nil), (#"{"items":[]}"#, 0),
        (#"{"items":[{"SKU":7,"price":"9","offer":[],"refunds":[[]],"revocationDate":1e99}]}"#, 1),
        ("{}", nil),
        (#"{"items":null}"#, nil), (#"{"items":[{},{},{}]}"#, 3),
    ])
    func unreadableAdvancedCommerceIsNil(json: String, count: Int?) throws {
        let info = try #require(try transaction(["advancedCommerceInfo": json]).advancedCommerceInfo)
        #expect(info.items?.count == count)
        for item in info.items ?? [] {
            #expect(item.sku == nil)
            #expect(item.price == nil)
            #expect(item.offer == nil)
            #expect(item.refunds == nil)
            #expect(item.revocationDate == nil)
        }
    }

    @Test
    func onlyKindsThatNameADeviceHaveDeviceMembers() throws {
        for var payload in [JSONMembers.transaction, .renewalInfo, .appTransaction, .realtimeRequest] {
            let names = payload["userLocale"] == nil
            #expect(try verify(payload).jws?.deviceVerification == nil)
            payload["deviceVerification"] = #""AAAA""#
            payload["deviceVerificationNonce"] = #""48c8b92d-ce0d-4229-bedf-e61b4f9cfc92""#
            let object = try #require(try verify(payload).jws)
            #expect(object.deviceVerification == (names ? "AAAA" : nil))
            #expect(object.deviceVerificationNonce == (names ? "48c8b92d-ce0d-4229-bedf-e61b4f9cfc92" : nil))
        }
    }

    @Test
    func membersOfNotificationBodies() throws {
        func notification(_ body: String, _ value: String) throws -> VerifiedNotification {
            var payload = JSONMembers.notification()
            payload["data"] = nil
            payload[body] = value
            guard case .notification(let notification) = try verify(payload) else { throw Unexpected() }
            return notification
        }
        let data = try notification(
            "data", #"{"appAppleId":1,"bundleVersion":"42","status":4,"consumptionRequestReason":"LEGAL"}"#)
        #expect(data.version == "2.0")
        #expect(data.appAppleID == 1)
        #expect(data.bundleVersion == "42")
        #expect(data.status == 4)
        #expect(data.consumptionRequestReason == "LEGAL")
        let summary = try notification(
            "summary",
            #"{"productId":"p","requestIdentifier":"r","storefrontCountryCodes":["USA"],"succeededCount":5,"failedCount":2}"#
        )
        #expect(summary.productID == "p")
        #expect(summary.requestIdentifier == "r")
        #expect(summary.storefrontCountryCodes == ["USA"])
        #expect(summary.succeededCount == 5)
        #expect(summary.failedCount == 2)
        let token = try notification(
            "externalPurchaseToken",
            #"{"externalPurchaseId":"SANDBOX_1","tokenCreationDate":1781946000000,"tokenExpirationDate":1781946000001,"tokenType":"SERVICES"}"#
        )
        #expect(token.externalPurchaseID == "SANDBOX_1")
        #expect(token.tokenType == "SERVICES")
        #expect(token.tokenCreationDate?.rfc3339 == "2026-06-20T09:00:00Z")
        #expect(token.tokenExpirationDate?.rfc3339 == "2026-06-20T09:00:00.001Z")
    }

    @Test
    func environmentIsNeverGuessed() throws {
        #expect(try transaction(["environment": #""Staging""#]).environment == nil)
        #expect(try transaction([:]).environment == .sandbox)
    }

    @Test
    func renewalInformation() throws {
        guard case .renewalInfo(let information) = try verify(.renewalInfo) else { throw Unexpected() }
        #expect(information.autoRenewStatus == 1)
        #expect(information.autoRenewProductID == "com.example.app.yearly")
        #expect(information.gracePeriodExpiresDate?.rfc3339 == "2026-06-20T09:00:00Z")
        #expect(information.isInBillingRetryPeriod == true)
        #expect(information.eligibleWinBackOfferIDs == ["back", "again"])
        // It names no app, so it matches no expected app.
        let error = #expect(throws: ReceiptError.self) {
            try information.require(.app("com.example.app", .anyEnvironment))
        }
        #expect(error?.code == .wrongBundleID)
    }

    @Test
    func appTransaction() throws {
        guard case .appTransaction(let transaction) = try verify(.appTransaction) else { throw Unexpected() }
        #expect(transaction.appAppleID == 1_470_168_868)
        #expect(transaction.environment == .sandbox)
        #expect(transaction.verifiedAt.millisecondsSince1970 == 1_780_308_000_123)
    }

    @Test(
        arguments: [
            // (the member, the date of the revocation)
            (nil, nil), ("1781946000000", "2026-06-20T09:00:00Z"),
            // Apple does not document how the date is signed, so any other value is genuine, too.
            (#""2026-06-20T09:00:00Z""#, nil), ("null", nil), ("true", nil), ("{}", nil), ("1e99", nil),
        ] as [(String?, String?)])
    func revokedAppTransaction(member: String?, date: String?) throws {
        var payload = JSONMembers.appTransaction
        payload["revocationDate"] = member
        guard case .appTransaction(let transaction) = try verify(payload) else { throw Unexpected() }
        #expect(transaction.revocationDate?.rfc3339 == date)
    }

    @Test(
        arguments: [
            // (the member, the transaction)
            (nil, nil), (#""2000000000000009""#, "2000000000000009"),
            // Apple does not document how the number is signed.
            ("2000000000000009", nil), ("null", nil), ("[]", nil),
        ] as [(String?, String?)])
    func subscriptionBeforeASwitchOfBundles(member: String?, transactionID: String?) throws {
        var changes: JSONMembers = [:]
        changes["previousOriginalTransactionId"] = member
        #expect(try transaction(changes).previousOriginalTransactionID == transactionID)
    }

    @Test
    func realtimeRequestNamesTheAppByAppAppleIDAlone() throws {
        var payload = JSONMembers.realtimeRequest
        payload["bundleId"] = #""com.example.app""#
        guard case .realtimeRequest(let request) = try verify(payload) else { throw Unexpected() }
        #expect(request.originalTransactionID == "2000000000000001")
        #expect(request.appAppleID == 1_470_168_868)
        #expect(request.productID == "com.example.app.monthly")
        #expect(request.userLocale == "en-US")
        #expect(request.requestIdentifier == "3db5c98d-8acf-4e29-831e-8e1f82f9f6e9")
        #expect(request.environment == .sandbox)
        #expect(request.verifiedAt.rfc3339 == "2026-06-01T10:00:00.123Z")
        // An undocumented member has no effect.
        #expect(request.bundleID == nil)
        let error = #expect(throws: ReceiptError.self) {
            try request.require(.app("com.example.app", .sandbox))
        }
        #expect(error?.code == .wrongBundleID)
    }

    /// Checks members of another type, and members that identify another kind.
    @Test(arguments: [
        ("appAppleId", #""1470168868""#, "payload.appAppleId"), ("userLocale", "1", "payload.userLocale"),
        ("requestIdentifier", "null", "payload.requestIdentifier"),
        ("productId", "true", "payload.productId"),
        ("originalTransactionId", "1", "payload.originalTransactionId"),
        ("environment", "0", "payload.environment"), ("signedDate", #""1""#, "payload.signedDate"),
        ("transactionId", #""1""#, "payload"), ("autoRenewStatus", "1", "payload"),
        ("receiptType", #""Sandbox""#, "payload"), ("notificationType", #""TEST""#, "payload"),
    ])
    func malformedRealtimeRequestIsRefused(member: String, value: String, field: String) throws {
        var payload = JSONMembers.realtimeRequest
        payload[member] = value
        let error = #expect(throws: ReceiptError.self) { try verify(payload) }
        #expect(error?.code == .malformed)
        #expect(error?.field == field)
    }

    /// Checks members of an external purchase token and the environment that they name.
    @Test(
        arguments: [
            (#""externalPurchaseId":"b2158121-7af9-49d4-9561-1f588205523e""#, .production),
            (#""externalPurchaseId":"SANDBOX_b2158121""#, .sandbox),
            (#""externalPurchaseId":"SANDBOX""#, .sandbox),
            // Only the exact prefix counts.
            (#""externalPurchaseId":"sandbox_b2158121""#, .production),
            (#""externalPurchaseId":"x_SANDBOX""#, .production),
            (#""externalPurchaseId":"\u0053ANDBOX_1""#, .sandbox),
            // An absent or empty identifier names no environment.
            (#""tokenType":"SERVICES""#, nil), (#""externalPurchaseId":"""#, nil),
            // The token has no documented member `environment`.
            (#""environment":"Sandbox""#, nil),
            (#""externalPurchaseId":"1","environment":"Sandbox""#, .production),
        ] as [(String, ReceiptEnvironment?)])
    func externalPurchaseTokenIdentifierNamesItsEnvironment(
        members: String, environment: ReceiptEnvironment?
    ) throws {
        var payload = JSONMembers.notification()
        payload["data"] = nil
        payload["externalPurchaseToken"] = #"{"bundleId":"com.example.app",\#(members)}"#
        let object = try verify(payload).object
        #expect(object.environment == environment)
        for demanded in [ReceiptEnvironment.production, .sandbox, .xcode] {
            let code = refusal { () throws(ReceiptError) in
                try object.require(.app("com.example.app", .only(demanded)))
            }
            #expect(code == (demanded == environment ? nil : .wrongEnvironment))
        }
    }

    /// Checks that notifications without an app or environment are genuine, and refused if the policy expects
    /// one.
    @Test(
        arguments: [
            ("data", #"{"environment":"Sandbox"}"#, .wrongBundleID, nil, "payload.data.bundleId"),
            ("data", #"{"bundleId":"com.example.app"}"#, nil, .wrongEnvironment, "payload.data.environment"),
            ("summary", "{}", .wrongBundleID, .wrongEnvironment, "payload.summary.bundleId"),
            ("appData", "{}", .wrongBundleID, .wrongEnvironment, "payload.appData.bundleId"),
            (
                "externalPurchaseToken", "{}", .wrongBundleID, .wrongEnvironment,
                "payload.externalPurchaseToken.bundleId"
            ),
            // No body.
            (nil, "", .wrongBundleID, .wrongEnvironment, "payload.data.bundleId"),
        ] as [(String?, String, ReceiptError.Code?, ReceiptError.Code?, String)])
    func notificationWithoutAppMatchesNoApp(
        body: String?, value: String, app: ReceiptError.Code?, environment: ReceiptError.Code?, field: String
    ) throws {
        var payload = JSONMembers.notification()
        payload["data"] = nil
        if let body { payload[body] = value }
        let object = try verify(payload).object
        #expect(
            refusal { () throws(ReceiptError) in
                try object.require(.app("com.example.app", .anyEnvironment))
            } == app)
        #expect(
            refusal { () throws(ReceiptError) in try object.require(.anyApp(.sandbox)) } == environment)
        let error = #expect(throws: ReceiptError.self) {
            try object.require(.app("com.example.app", .sandbox))
        }
        #expect(error?.field == field)
    }

    /// Checks the policy for each kind: values are compared by bytes, and an absent value does not match.
    @Test(
        arguments: [
            ("com.example.app", .sandbox, nil), ("com.example", nil, .wrongBundleID),
            ("com.example.App", nil, .wrongBundleID),
            (nil, .production, .wrongEnvironment), (nil, .xcode, .wrongEnvironment),
            ("", nil, .wrongBundleID),
        ] as [(String?, ReceiptEnvironment?, ReceiptError.Code?)])
    func policyMatches(bundleID: String?, environment: ReceiptEnvironment?, code: ReceiptError.Code?) throws {
        let environment = environment.map(VerificationPolicy.Environments.only) ?? .anyEnvironment
        let policy = bundleID.map { VerificationPolicy.app($0, environment) } ?? .anyApp(environment)
        let receipt = ReceiptRecipe(
            .sandbox(bundleID: "com.example.app"), authority: try .test())
        let receipts = try ReceiptVerifier(anchors: .custom(receipt.authority.root.certificate.der))
        let bytes = try receipt.forge().bytes
        #expect(
            refusal { () throws(ReceiptError) in _ = try receipts.verify(signedObject: bytes, for: policy) }
                == code)
        for payload in [JSONMembers.transaction, .appTransaction, .notification()] {
            let jws = try JWSRecipe(payload, authority: JWSTests.authority).forge()
            let object = try verify(payload).object
            #expect(refusal { () throws(ReceiptError) in try object.require(policy) } == code)
            #expect(
                refusal { () throws(ReceiptError) in _ = try Self.verifier.verify(jws: jws, for: policy) }
                    == code)
            let text = Array(jws.utf8)
            #expect(
                refusal { () throws(ReceiptError) in
                    _ = try Self.verifier.verify(signedObject: text, for: policy)
                } == code)
        }
    }

    private func refusal(_ work: () throws(ReceiptError) -> Void) -> ReceiptError.Code? {
        do throws(ReceiptError) {
            try work()
            return nil
        } catch {
            return error.code
        }
    }

    /// Checks that descriptions contain no payload bytes and no transaction identifiers.
    @Test
    func descriptions() throws {
        let payloads: [JSONMembers] = [
            .transaction, .renewalInfo, .appTransaction, .notification(), .realtimeRequest,
        ]
        for payload in payloads {
            let object = try verify(payload)
            for text in ["\(object)", "\(object.object)", String(reflecting: object)] {
                #expect(text.contains(", Sandbox, signed 2026-06-01T10:00:00.123Z, verified: custom"))
                #expect(!text.contains("000000000000"))
                #expect(text.utf8.count < 160)
            }
        }
    }

    // MARK: - Notifications

    /// Checks that objects in a notification must match its app and environment. nil: accepted.
    @Test(
        arguments: [
            ("bundleId", #""com.example.app""#, nil), ("bundleId", #""com.example.App""#, .wrongBundleID),
            ("bundleId", nil, .wrongBundleID),
            ("environment", #""Production""#, .wrongEnvironment), ("environment", nil, .wrongEnvironment),
        ] as [(String, String?, ReceiptError.Code?)])
    func enclosedTransactions(member: String, value: String?, code: ReceiptError.Code?) throws {
        guard
            case .notification(let notification) = try verify(
                .notification(["signedTransactionInfo": #""x""#])),
            let enclosure = notification.enclosures.first
        else { throw Unexpected() }
        #expect(enclosure.path == "data.signedTransactionInfo")
        var payload = JSONMembers.transaction
        payload[member] = value
        guard case .transaction(let transaction) = try verify(payload) else { throw Unexpected() }
        do throws(ReceiptError) {
            try notification.require(transaction, at: enclosure)
            #expect(code == nil)
        } catch {
            #expect(error.code == code)
        }
        guard case .renewalInfo(let information) = try verify(.renewalInfo) else { throw Unexpected() }
        let error = #expect(throws: ReceiptError.self) {
            try notification.require(information, at: enclosure)
        }
        #expect(error?.reason == .jws(.unexpectedKind))
    }

    /// Checks the appAppleId of a notification and of its app transaction, and whether both match. 0 and
    /// absent match any.
    @Test(
        arguments: [
            ("1", "1", true), ("1", "2", false), ("1", nil, true), ("1", "0", true), (nil, "2", true),
            ("0", "2", true),
        ]
            as [(String?, String?, Bool)])
    func enclosedAppTransactionsOfAnotherNumber(outer: String?, inner: String?, isAccepted: Bool) throws {
        var body: JSONMembers = [
            "bundleId": #""com.example.app""#, "environment": #""Sandbox""#,
            "signedAppTransactionInfo": #""x""#,
        ]
        body["appAppleId"] = outer
        var payload = JSONMembers.notification()
        payload["data"] = nil
        payload["appData"] = body.text
        var transaction = JSONMembers.appTransaction
        transaction["appAppleId"] = inner
        guard case .notification(let notification) = try verify(payload),
            let enclosure = notification.enclosures.first,
            case .appTransaction(let enclosed) = try verify(transaction)
        else { throw Unexpected() }
        let code = refusal { () throws(ReceiptError) in try notification.require(enclosed, at: enclosure) }
        #expect(code == (isAccepted ? nil : .wrongBundleID))
    }

    /// Checks that a notification from the App Store cannot contain an object that Xcode signed.
    @Test
    func enclosedObjectsOfAnotherAnchorKind() throws {
        var payload = JSONMembers.notification()
        payload["data"] = #"{"bundleId":"com.example.app","signedTransactionInfo":"x"}"#
        guard case .notification(let notification) = try verify(payload),
            let enclosure = notification.enclosures.first
        else { throw Unexpected() }
        let xcode = try Authority.storeKitTestJWS()
        var transaction = JSONMembers.transaction
        transaction["environment"] = #""Xcode""#
        let verifier = try ReceiptVerifier(anchors: .storeKitTest(xcode.root.certificate.der))
        let jws = try JWSRecipe(transaction, authority: xcode).forge()
        guard case .transaction(let enclosed) = try verifier.verify(jws: jws, for: .any) else {
            throw Unexpected()
        }
        let error = #expect(throws: ReceiptError.self) { try notification.require(enclosed, at: enclosure) }
        #expect(error?.code == .untrustedChain)
        #expect(error?.reason == .realm(.storeKitTest))
    }

    /// Checks notifications with two bodies or an invalid body.
    @Test(arguments: [
        ("summary", "{}", "payload.summary"), ("data", #""x""#, "payload.data"),
        ("data", #"{"status":"1"}"#, "payload.data.status"),
        ("data", #"{"environment":true}"#, "payload.data.environment"),
        ("data", #"{"status":1,"status":2}"#, "payload.data.status"),
    ])
    func bodies(member: String, value: String, field: String) throws {
        var payload = JSONMembers.notification()
        payload[member] = value
        let error = #expect(throws: ReceiptError.self) { try verify(payload) }
        #expect(error?.code == .malformed)
        #expect(error?.field == field)
    }
}
