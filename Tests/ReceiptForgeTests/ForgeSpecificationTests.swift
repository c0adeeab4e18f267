import Foundation
import ReceiptForge
import Testing

@Suite("Specifications")
struct ForgeSpecificationTests {
    private func stories() throws -> ForgeSpecification {
        let url = URL(filePath: #filePath).appending(path: "../../../Fixtures/specs/stories.json")
            .standardized
        return try ForgeSpecification(json: Array(try Data(contentsOf: url)))
    }

    @Test("the committed specifications give the same files every time")
    func storiesAreForged() throws {
        let first = try stories()
        let second = try stories()
        #expect(first.count >= 24)
        for index in 0..<first.count { #expect(try first.forge(index) == second.forge(index)) }
        #expect(try first.roots() == second.roots())
        #expect(try first.roots().map(\.name) == ["root.cer", "storekit-test-root.cer"])
        #expect(try first.roots()[0].bytes == Authority.test().root.certificate.der)
        #expect(try first.roots()[1].bytes == Authority.storeKitTest().root.certificate.der)
    }

    /// Returns the DER encoding of the receipt that a specification with one receipt forges.
    private func forge(_ receipt: String, in document: String = #"{"receipts": [$]}"#) throws -> [UInt8] {
        let specification = try ForgeSpecification(json: Array(document.replacing("$", with: receipt).utf8))
        return try specification.forge(0).bytes
    }

    @Test("omitted fields have the library's defaults")
    func defaults() throws {
        #expect(try forge(#"{"name": "a"}"#) == ReceiptRecipe(authority: .test()).forge().bytes)
        let xcode = try forge(#"{"name": "a", "receipt": {"receipt_type": "Xcode"}}"#)
        #expect(try xcode == ReceiptRecipe.xcode().forge().bytes)
    }

    @Test("every field is used")
    func fields() throws {
        let receipt = #"""
            {"name": "a", "story": "all", "container": {"digest": "sha512", "signing_time": "2024-01-02T03:04:05Z"},
             "receipt": {"receipt_type": "ProductionSandbox", "bundle_id": "com.example.x", "application_version": null,
               "original_application_version": "7", "receipt_creation_date": "2024-01-02T03:04:05Z",
               "original_purchase_date": null, "expiration_date": "2025-01-01T00:00:00Z", "app_item_id": "9007199254740993",
               "download_id": 5, "version_external_identifier": null, "opaque_value": "0a0B", "sha1_hash": "ff",
               "unknown": [{"type": 77, "version": 2, "value": "0500"}], "extra": [{"type": 2, "value": ""}], "omit": [3],
               "in_app": [{"product_id": "p", "transaction_id": "10", "purchase_date": "2024-01-31T00:00:00Z",
                 "expires_date": "2024-02-28T00:00:00Z", "web_order_line_item_id": "30", "quantity": 2,
                 "cancellation_date": "2024-02-01T00:00:00Z", "cancellation_reason": 1, "is_trial_period": true,
                 "is_in_intro_offer_period": null, "promotional_offer_identifier": "o", "unknown": [],
                 "original_purchase_date": "2024-01-31T00:00:09Z", "repeat": {"count": 2, "days": 30}}]}}
            """#
        var content = ReceiptContent.sandbox(bundleID: "com.example.x")
        content.originalApplicationVersion = "7"
        content.creationDate = "2024-01-02T03:04:05Z"
        content.originalPurchaseDate = ""
        content.expirationDate = "2025-01-01T00:00:00Z"
        content.appItemID = 9_007_199_254_740_993
        content.downloadID = 5
        content.versionExternalIdentifier = nil
        content.opaqueValue = [0x0A, 0x0B]
        content.sha1Hash = [0xFF]
        content.otherAttributes = [
            ReceiptAttribute(77, version: 2, value: BER.null), ReceiptAttribute(2, value: []),
        ]
        content.omittedTypes = [3]
        var purchase = PurchaseContent.subscription(
            productID: "p", transactionID: "10", purchaseDate: "2024-01-31T00:00:00Z",
            expiresDate: "2024-02-28T00:00:00Z")
        purchase.webOrderLineItemID = 30
        purchase.quantity = 2
        purchase.cancellationDate = "2024-02-01T00:00:00Z"
        purchase.cancellationReason = 1
        purchase.isTrialPeriod = true
        purchase.isInIntroOfferPeriod = nil
        purchase.promotionalOfferIdentifier = "o"
        purchase.otherAttributes = []
        purchase.originalPurchaseDate = "2024-01-31T00:00:09Z"
        var second = purchase
        second.transactionID = "11"
        second.webOrderLineItemID = 31
        second.purchaseDate = "2024-03-01T00:00:00Z"
        second.expiresDate = "2024-03-29T00:00:00Z"
        second.cancellationDate = "2024-03-02T00:00:00Z"
        content.purchases = [purchase, second]
        var recipe = ReceiptRecipe(content, authority: try .test())
        recipe.digest = .sha512
        recipe.signedAttributes = .usual(signingTime: "2024-01-02T03:04:05Z")
        #expect(try forge(receipt) == recipe.forge().bytes)
    }

    @Test("shared changes to the chain, and those of an entry")
    func chain() throws {
        let document =
            #"{"authority": {"leaf": {"not_after": "2030-01-01T00:00:00Z", "serial_number": 7}}, "receipts": [$]}"#
        let entry =
            #"{"name": "a", "chain": {"leaf": {"serial_number": "9", "marker": false}, "root": {"digest": "sha1"}}}"#
        let authority = try Authority.test {
            $0.leaf.notAfter = "2030-01-01T00:00:00Z"
            $0.leaf.serialNumber = [9]
            $0.leaf[.receiptSigningMarker] = nil
            $0.root.digest = .sha1
        }
        #expect(try forge(entry, in: document) == ReceiptRecipe(authority: authority).forge().bytes)
    }

    @Test("encodings decode to the same receipt")
    func encodings() throws {
        let der = try forge(#"{"name": "a"}"#)
        for name in ["base64", "base64-wrapped", "pem", "base64url"] {
            let text = String(
                decoding: try forge("{\"name\": \"a\", \"encoding\": \"\(name)\"}"), as: UTF8.self)
            var plain = text.replacingOccurrences(
                of: "-----(BEGIN|END) PKCS7-----|\\s", with: "", options: .regularExpression)
            plain = plain.replacing("-", with: "+").replacing("_", with: "/")
            plain += String(repeating: "=", count: (4 - plain.count % 4) % 4)
            #expect(Data(base64Encoded: plain) == Data(der), "\(name)")
            if name == "base64-wrapped" {
                #expect(text.components(separatedBy: "\r\n").dropLast(2).allSatisfy { $0.count == 64 })
            }
        }
        for length in 0...4 {
            let bytes = [UInt8](repeating: 0xFB, count: length)
            #expect(ReceiptEncoding.base64.encode(bytes) == Array(Data(bytes).base64EncodedString().utf8))
        }
    }

    @Test("a hostile variant applies to the entry's receipt")
    func hostile() throws {
        let valid = try forge(#"{"name": "a", "receipt": {"bundle_id": "com.example.y"}}"#)
        let bad = try forge(
            #"{"name": "a", "hostile": "trailing-byte", "receipt": {"bundle_id": "com.example.y"}}"#)
        #expect(bad == valid + [0])
    }

    @Test("a JWS has the given members and defaults for the others")
    func signedTransaction() throws {
        let text = try forge(
            #"""
            {"name": "a", "header": {"kid": "k"}, "transaction": {"productId": "p\"\u0001\u00e9", "price": 9223372036854775807,
              "purchaseDate": 1697679936049.7297, "isUpgraded": true, "expiresDate": null, "future": [null, {"a": -1}]}}
            """#)
        var recipe = JWSRecipe(authority: try .testJWS())
        recipe.header["kid"] = #""k""#
        recipe.payload["expiresDate"] = nil
        recipe.payload["productId"] = #""p\"\u0001é""#
        recipe.payload["price"] = "9223372036854775807"
        recipe.payload["purchaseDate"] = "1697679936049.7297"
        recipe.payload.list += [("future", #"[null,{"a":-1}]"#), ("isUpgraded", "true")]
        #expect(try String(decoding: text, as: UTF8.self) == recipe.forge())
    }

    @Test("objects in notifications and responses are signed")
    func nestedJWS() throws {
        let authority = try Authority.testJWS()
        var renewal = JSONMembers.renewalInfo
        renewal["autoRenewStatus"] = "0"
        let inner = try JWSRecipe(renewal, authority: authority).forge()
        let notification = try forge(
            #"{"name": "a", "notification": {"data": {"signedRenewalInfo": {"autoRenewStatus": 0}}}}"#)
        var payload = JSONMembers.notification(["signedRenewalInfo": "\"\(inner)\""])
        // An explicit `data` member is the last member of the payload.
        let data = try #require(payload["data"])
        payload["data"] = nil
        payload["data"] = data
        #expect(
            try String(decoding: notification, as: UTF8.self)
                == JWSRecipe(payload, authority: authority).forge())
        let answer = try forge(
            #"{"name": "a", "answer": {"data": [{"signedRenewalInfo": {"autoRenewStatus": 0}}], "signedTransactions": [{}]}}"#
        )
        let transaction = try JWSRecipe(authority: authority).forge()
        #expect(
            String(decoding: answer, as: UTF8.self)
                == #"{"data":[{"signedRenewalInfo":"\#(inner)"}],"signedTransactions":["\#(transaction)"]}"#
                + "\n")
    }

    @Test("only the identifier of a token names its environment")
    func externalPurchaseToken() throws {
        let notification = try forge(
            #"{"name": "a", "notification": {"externalPurchaseToken": {"externalPurchaseId": "1", "appAppleId": null}}}"#
        )
        var payload = JSONMembers.notification()
        payload["data"] = nil
        payload["externalPurchaseToken"] =
            #"{"externalPurchaseId":"1","tokenCreationDate":1777593600000,"bundleId":"com.example.app"}"#
        #expect(
            try String(decoding: notification, as: UTF8.self)
                == JWSRecipe(payload, authority: .testJWS()).forge())
    }

    @Test("file names and roots of entries other than receipts")
    func filesOfJWS() throws {
        let json = #"""
            {"receipts": [{"name": "a", "hostile": "jws-alg-none"}, {"name": "b", "app_transaction": {"receiptType": "Xcode"}},
              {"name": "c", "answer": {}}, {"name": "d", "transaction_receipt": {}},
              {"name": "e", "transaction_receipt": {"version": 2, "purchase_info": {"bid": "x", "bvrs": null}}, "encoding": "der"},
              {"name": "f", "realtime_request": {"userLocale": "da"}}]}
            """#
        let specification = try ForgeSpecification(json: Array(json.utf8))
        let files = try (0..<specification.count).map { try specification.forge($0) }
        #expect(files.map(\.name) == ["a.jws", "b.jws", "c.json", "d.b64", "e.plist", "f.jws"])
        #expect(
            try String(decoding: files[0].bytes, as: UTF8.self)
                == HostileJWS.named("jws-alg-none").forge().text)
        var xcode = JSONMembers.appTransaction
        xcode["receiptType"] = #""Xcode""#
        #expect(
            try String(decoding: files[1].bytes, as: UTF8.self)
                == JWSRecipe(xcode, authority: .storeKitTestJWS()).forge())
        var request = JSONMembers.realtimeRequest
        request["userLocale"] = #""da""#
        #expect(
            try String(decoding: files[5].bytes, as: UTF8.self)
                == JWSRecipe(request, authority: .testJWS()).forge())
        let list = String(decoding: files[4].bytes, as: UTF8.self)
        // Version 2, and a purchase-info list that starts with {"bid" = "x"; "product-id" …
        #expect(list.hasPrefix("{\n\t\"signature\" = \"A"))
        #expect(list.contains("\t\"purchase-info\" = \"ewoJImJpZCIgPSAieCI7CgkicHJvZHVjdC1pZCIg"))
        #expect(try specification.roots().map(\.name) == ["root.cer", "storekit-test-jws-root.cer"])
        #expect(try specification.roots()[1].bytes == Authority.storeKitTestJWS().root.certificate.der)
    }

    @Test(
        "errors name the place",
        arguments: [
            (#"{"name": "a", "recipt": {}}"#, "receipts[0].recipt: unknown field"),
            (#"{"story": "s"}"#, "receipts[0].name: missing"),
            (#"{"name": null}"#, "receipts[0].name: must be a string, not null"),
            (
                #"{"name": "../a"}"#,
                "receipts[0].name: must be letters, digits, '-', '_' and '.', and not begin with '.'"
            ),
            (
                #"{"name": "a", "encoding": "hex"}"#,
                "receipts[0].encoding: 'hex' is not one of der, base64, base64-wrapped, pem, base64url"
            ),
            (
                #"{"name": "a", "hostile": "x"}"#,
                "receipts[0].hostile: unknown hostile variant 'x'; appreceipt forge --list-variants lists them"
            ),
            (
                #"{"name": "a", "receipt": {"bundle_id": 7}}"#,
                "receipts[0].receipt.bundle_id: must be a string"
            ),
            (
                #"{"name": "a", "receipt": {"app_item_id": "x"}}"#,
                "receipts[0].receipt.app_item_id: must be a number of up to 64 bits"
            ),
            (
                #"{"name": "a", "receipt": {"opaque_value": "abc"}}"#,
                "receipts[0].receipt.opaque_value: must be hexadecimal, two digits per byte"
            ),
            (#"{"name": "a", "receipt": {"in_app": {}}}"#, "receipts[0].receipt.in_app: must be a list"),
            (
                #"{"name": "a", "receipt": {"in_app": [{"product_id": "p"}]}}"#,
                "receipts[0].receipt.in_app[0].transaction_id: missing"
            ),
            (
                #"{"name": "a", "receipt": {"in_app": [{"product_id": "p", "transaction_id": "1", "purchase_date": "x", "product_type": "y"}]}}"#,
                "receipts[0].receipt.in_app[0].product_type: 'y' is not a product type"
            ),
            (
                #"{"name": "a", "receipt": {"in_app": [{"product_id": "p", "transaction_id": "x", "purchase_date": "x", "repeat": {"count": 2, "days": 1}}]}}"#,
                "receipts[0].receipt.in_app[0].repeat.count: requires a numeric transaction_id and dates in UTC"
            ),
            (
                #"{"name": "a", "chain": {"leaf": {"not_after": "2030"}}}"#,
                "receipts[0].chain.leaf.not_after: not an RFC 3339 date, for example 2040-01-01T00:00:00Z"
            ),
            (#"{"name": "a"}, {"name": "A"}"#, "receipts[1].name: 'A' is used twice"),
            (#"{"name": "a", "receipt": []}"#, "receipts[0].receipt: must be an object"),
            (
                #"{"name": "a", "receipt": {}, "transaction": {}}"#,
                "receipts[0].transaction: cannot be combined with 'receipt'"
            ),
            (#"{"name": "a", "transaction": []}"#, "receipts[0].transaction: must be an object"),
            (#"{"name": "a", "transaction": {}, "header": 1}"#, "receipts[0].header: must be an object"),
            (#"{"name": "a", "transaction": {}, "encoding": "der"}"#, "receipts[0].encoding: unknown field"),
            (#"{"name": "a", "receipt": {}, "header": {}}"#, "receipts[0].header: unknown field"),
            (
                #"{"name": "a", "receipt": {}, "hostile": "jws-alg-none"}"#,
                "receipts[0].hostile: 'jws-alg-none' does not apply to this kind of entry"
            ),
            (
                #"{"name": "a", "notification": {}, "hostile": "valid"}"#,
                "receipts[0].hostile: 'valid' does not apply to this kind of entry"
            ),
            (
                #"{"name": "a", "transaction_receipt": {"version": 5}}"#,
                "receipts[0].transaction_receipt.version: must be 2, 3 or 4"
            ),
            (
                #"{"name": "a", "transaction_receipt": {"purchase_info": {"bid": "\""}}}"#,
                "receipts[0].transaction_receipt.purchase_info: must be strings without quotes and backslashes"
            ),
        ])
    func mistakes(receipt: String, message: String) throws {
        let error = #expect(throws: ForgeError.self) { try forge(receipt) }
        #expect(error?.description == message)
    }

    @Test(
        "what is no JSON, or no specification", arguments: ["", "{", "[]", "null", "{}", #"{"receipts": 7}"#])
    func noSpecification(json: String) {
        let error = #expect(throws: ForgeError.self) { try ForgeSpecification(json: Array(json.utf8)) }
        #expect(error?.description.contains("\n") == false)
    }

    // MARK: - Revocation lists

    /// Returns the file that a specification with one revocation list forges.
    private func forge(list: String) throws -> ForgeSpecification.File {
        let json = #"{"receipts": [], "revocation_lists": [\#(list)]}"#
        return try ForgeSpecification(json: Array(json.utf8)).forgeList(0)
    }

    @Test("every field of a revocation list is used")
    func listFields() throws {
        let authority = try Authority.test()
        let intermediate = try #require(authority.intermediate)
        let usual = try forge(list: #"{"name": "a"}"#)
        #expect(usual.name == "a.crl")
        #expect(try usual.bytes == RevocationListProfile().signed(by: intermediate))
        let file = try forge(
            list: #"""
                {"name": "b", "story": "all", "encoding": "pem", "signer": "root", "this_update": "2024-01-01T00:00:00Z",
                 "next_update": null, "kind": "delta", "fillers": 3, "revoked": [
                   {"serial": "a0", "date": "2023-01-01T00:00:00Z", "reason": "remove-from-crl",
                    "invalidity_date": "2022-01-01T00:00:00Z"},
                   {"serial": "01", "date": "2051-01-01T00:00:00Z"}]}
                """#)
        var profile = RevocationListProfile(thisUpdate: "2024-01-01T00:00:00Z", nextUpdate: nil)
        profile.entries = [
            .init(
                [0, 0xA0], date: "2023-01-01T00:00:00Z", reason: 8, invalidityDate: "2022-01-01T00:00:00Z"),
            .init([1], date: "2051-01-01T00:00:00Z"),
        ]
        profile.fillers = 3
        profile.extensions.append(.deltaCRLIndicator(base: 1))
        #expect(file.name == "b.pem")
        #expect(
            try file.bytes
                == ReceiptEncoding.pem.encode(profile.signed(by: authority.root), label: "X509 CRL"))
    }

    @Test(
        "mistakes in revocation lists",
        arguments: [
            (#"{}"#, "revocation_lists[0].name: missing"),
            (#"{"name": "a", "crl": 1}"#, "revocation_lists[0].crl: unknown field"),
            (
                #"{"name": "a", "kind": "full"}"#,
                "revocation_lists[0].kind: 'full' is not one of complete, delta, indirect"
            ),
            (
                #"{"name": "a", "this_update": "2024"}"#,
                "revocation_lists[0].this_update: not an RFC 3339 date, for example 2040-01-01T00:00:00Z"
            ),
            (
                #"{"name": "a", "fillers": -1}"#,
                "revocation_lists[0].fillers: must be a number from 0 to 2000000"
            ),
            (
                #"{"name": "a", "revoked": [{"date": "2024-01-01T00:00:00Z"}]}"#,
                "revocation_lists[0].revoked[0].serial: missing"
            ),
            (#"{"name": "a"}, {"name": "A"}"#, "revocation_lists[1].name: 'A' is used twice"),
        ])
    func mistakesInLists(list: String, message: String) throws {
        let error = #expect(throws: ForgeError.self) { try forge(list: list) }
        #expect(error?.description == message)
    }
}
