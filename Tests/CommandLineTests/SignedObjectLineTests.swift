import ReceiptForge
import Testing

@Suite("verify and inspect for JWS")
struct SignedObjectLineTests {
    let tool: CommandLineTool
    let authority: Authority

    init() throws {
        tool = try CommandLineTool()
        authority = try .appStoreJWS()
        try tool.write(authority.root.certificate.der, to: "root.cer")
    }

    private func forge(_ payload: JSONMembers) throws -> String {
        try JWSRecipe(payload, authority: authority).forge()
    }

    private func verify(_ text: String, _ options: String...) throws -> CommandLineTool.Answer {
        try tool.write(Array(text.utf8), to: "input")
        return try tool.run("verify", "--json", "--root", "root.cer", files: ["input"] + options)
    }

    @Test("a transaction: the signed members, and the purchase with receipt names")
    func transaction() throws {
        var payload = JSONMembers.transaction
        payload["unknown"] = #"{"a": [1, null,"x y"]}"#
        let answer = try verify(forge(payload) + "\n")
        #expect(answer.status == 0)
        for part in [
            #""source":"input""#, #""status":"genuine","format":"jws","kind":"transaction","realm":"custom""#,
            #""environment":"Sandbox","revocation":{"status":"not_checked","as_of":null,"caveats":[]},"signature":{"algorithm":"ES256","digest":"sha256""#,
            #""verified_at":"2026-06-01T10:00:00.123Z""#, #""price":9990"#,
            #""unknown":{"a":[1,null,"x y"]}"#,
            #""in_app":{"quantity":1,"product_id":"com.example.app.monthly""#,
            #""cancellation_date":null"#, #""subscription_group_identifier":"21000001"}}"#,
        ] { #expect(answer.output.contains(part), "\(part)") }
    }

    @Test("a realtime request, alone and in a response, has no bundle ID")
    func realtimeRequest() throws {
        let text = try forge(.realtimeRequest)
        for input in [text, #"{"signedPayload":"\#(text)"}"#] {
            let answer = try verify(input)
            #expect(answer.status == 0)
            for part in [
                #""status":"genuine","format":"jws","kind":"realtime_request","realm":"custom","environment":"Sandbox""#,
                #""realtime_request":{"originalTransactionId":"2000000000000001","appAppleId":1470168868"#,
            ] { #expect(answer.output.contains(part), "\(part)") }
        }
        let refused = try verify(text, "--bundle-id", "com.example.app")
        #expect(refused.status == 1)
        #expect(refused.output.contains(#""refusal":{"code":"wrong_bundle_id""#))
        try tool.write(Array(text.utf8), to: "request.jws")
        let report = try tool.run("verify", "--root", "root.cer", "request.jws")
        for part in ["request for a retention message", "appAppleId 1470168868", "en-US"] {
            #expect(report.output.contains(part), "\(part)")
        }
        #expect(try tool.run("inspect", "request.jws").output.contains("userLocale"))
    }

    @Test(
        "--app-apple-id applies to realtime requests and to the objects in a notification")
    func appAppleID() throws {
        let request = try forge(.realtimeRequest)
        #expect(
            try verify(request, "--bundle-id", "com.example.app", "--app-apple-id", "1470168868").status == 0)
        let refused = try verify(request, "--app-apple-id", "5", "--app-apple-id", "6")
        #expect(refused.status == 1)
        #expect(
            refused.output.contains(
                #""code":"wrong_bundle_id","message":"appAppleId is '1470168868', not one of '5', '6'","offset":null,"field":"payload.appAppleId""#
            ), "\(refused.output)")
        let notification = try forge(
            .notification([
                "appAppleId": "7", "signedTransactionInfo": "\"\(try forge(.transaction))\"",
                "signedRenewalInfo": "\"\(try forge(.renewalInfo))\"",
            ]))
        for options in [[], ["--bundle-id", "com.example.app"]] {
            try tool.write(Array(notification.utf8), to: "input")
            let answer = try tool.run(
                "verify", "--json", "--root", "root.cer", files: ["input", "--app-apple-id", "7"] + options)
            #expect(answer.status == 0, "\(answer.output)")
            #expect(answer.lines.count == 3, "\(answer.output)")
        }
        // A sandbox app transaction names 0. The notification's appAppleId proves its app, provided that both
        // name the same bundle ID.
        var appTransaction = JSONMembers.appTransaction
        appTransaction["appAppleId"] = "0"
        var payload = JSONMembers.notification()
        payload["data"] = nil
        for (bundleID, appAppleID, status) in [
            (#""com.example.app""#, "7", 0 as Int32), (nil, "7", 1), (#""com.example.app""#, "8", 1),
        ] as [(String?, String, Int32)] {
            var body: JSONMembers = [
                "appAppleId": appAppleID, "environment": #""Sandbox""#,
                "signedAppTransactionInfo": "\"\(try forge(appTransaction))\"",
            ]
            body["bundleId"] = bundleID
            payload["appData"] = body.text
            #expect(try verify(forge(payload), "--app-apple-id", "7").status == status)
        }
        let unnamed = try tool.run("verify", "--bundle-id", "", "input")
        #expect(unnamed.status == 64)
        #expect(unnamed.errors.contains("--bundle-id: is empty"))
        for wrong in ["0", "-1", "x", "9223372036854775808"] {
            let answer = try tool.run("verify", "--app-apple-id=\(wrong)", "input")
            #expect(answer.status == 64)
            #expect(answer.errors.contains("is not a whole number from 1 to"))
        }
    }

    @Test("each object in a notification has a line and is checked against the policy")
    func notification() throws {
        var other = JSONMembers.transaction
        other["bundleId"] = #""com.example.other""#
        let payload = JSONMembers.notification([
            "signedRenewalInfo": "\"\(try forge(.renewalInfo))\"",
            "signedTransactionInfo": "\"\(try forge(other))\"",
        ])
        let answer = try verify(forge(payload), "--bundle-id", "com.example.app")
        #expect(answer.status == 1)
        #expect(answer.lines.count == 3)
        #expect(answer.lines[0].hasPrefix(#"{"source":"input","sha256":""#))
        #expect(answer.lines[0].contains(#""kind":"notification""#))
        #expect(answer.lines[1].hasPrefix(##"{"source":"input#data.signedTransactionInfo""##))
        #expect(
            answer.lines[1].contains(
                #""status":"refused","format":"jws","refusal":{"code":"wrong_bundle_id""#))
        #expect(answer.lines[2].contains(#""status":"genuine","format":"jws","kind":"renewal_info""#))
        // By itself, it names no app.
        #expect(
            try verify(forge(.renewalInfo), "--bundle-id", "com.example.app").output.contains(
                "wrong_bundle_id"))
    }

    @Test("--device-id checks deviceVerification of each JWS; a notification has none")
    func device() throws {
        let device = "00112233-4455-6677-8899-aabbccddeeff"
        let transaction = try forge(.transaction.signed(forDevice: device))
        let own = try forge(
            .notification([
                "signedRenewalInfo": "\"\(try forge(.renewalInfo))\"",
                "signedTransactionInfo": "\"\(transaction)\"",
            ]))
        for (text, id, expected) in [
            (transaction, device, ["genuine"]),
            (transaction, "00112233445566778899AABBCCDDEEFF", ["genuine"]),
            (transaction, "00112233-4455-6677-8899-aabbccddeefe", ["signed for another device"]),
            (
                transaction, "00:11:22:33:44:55",
                [
                    "device identifier has 6 bytes, expected the 16 bytes of a UUID"
                ]
            ),
            // Objects in a refused notification are not verified.
            (own, device, ["names no device: "]),
            (
                #"{"signedTransactions":["\#(transaction)","\#(try forge(.transaction))"]}"#, device,
                ["genuine", "names no device: "]
            ),
        ] {
            let answer = try verify(text, "--device-id", id)
            #expect(answer.lines.count == expected.count)
            for (line, part) in zip(answer.lines, expected) {
                let wanted =
                    part == "genuine" ? #""status":"genuine""# : #""code":"wrong_device","message":"\#(part)"#
                #expect(line.contains(wanted), "\(line.prefix(300))")
            }
            #expect(answer.status == (expected == ["genuine"] ? 0 : 1))
        }
    }

    @Test("an API response: one line for each object, in order")
    func answers() throws {
        let json = #"{"signedTransactions":["\#(try forge(.transaction))","x.y.z",1]}"#
        let answer = try verify(json)
        #expect(answer.status == 1)
        #expect(answer.lines.count == 3)
        #expect(answer.lines[0].hasPrefix(##"{"source":"input#signedTransactions[0]""##))
        for line in answer.lines[1...] { #expect(line.contains(#""code":"malformed""#)) }
        #expect(try verify(#"{"signedTransactions":[]}"#).status == 1)
    }

    @Test(
        "a receipt or JWS beside signed objects is examined, and a null member contains none",
        arguments: [
            // (a member; <R> is a receipt in base64, <H> in hexadecimal, <J> a JWS, <U> an address, and <N> many
            // null members; the other results)
            (#""receipt":"<R>""#, ["untrusted_chain"]),
            (#""a":[{"latest_receipt":"\n<R>"}]"#, ["untrusted_chain"]),
            (#""receipt":"<J>""#, ["genuine"]), (#""receipt":"\"<J>\"""#, ["genuine"]),
            (#""receipt":"{\"receipt-data\":\"<R>\"}""#, ["untrusted_chain"]),
            (#""receipt":{"latest_receipt":"<R>"}"#, ["untrusted_chain"]),
            // Damaged.
            (#""receipt":"MIA<R>""#, ["malformed"]), (#""receipt":"ey<J>""#, ["malformed"]),
            // More than one reading.
            (#""receipt":"{\"receipt-data\":\"<R>\",\"latest_receipt\":\"<R>\"}""#, ["malformed"]),
            // JSON whose objects would escape the limits.
            (#""receipt":"{\"signedPayload\":\"<J>\"}""#, ["malformed"]),
            // As a database writes bytes, and without the first byte.
            (#""receipt":"\\\\x<H>""#, ["untrusted_chain"]), (#""receipt":"IA<R>""#, ["malformed"]),
            // Not Apple's.
            (#""receipt":"<U>""#, []), (#""receipt":"data:image/png;base64,<R>""#, []),
            (#""receipt":"{\"packageName\":\"a\",\"purchaseToken\":\"<U>\"}""#, []),
            (#""other":"<R>""#, []), (#""receipt":null"#, []),
            (#""signedRenewalInfo":null"#, []),
            (#""a":[<N>]"#, []),
        ])
    func receiptBesideObjects(member: String, results: [String]) throws {
        let receipt = String(decoding: ReceiptEncoding.base64.encode(try Receipts.genuine()), as: UTF8.self)
        let member = member.replacing("<R>", with: receipt).replacing("<J>", with: try forge(.transaction))
            .replacing("<U>", with: "https://example.com/\(String(repeating: "a", count: 100))")
            .replacing("<H>", with: receipt.utf8.map { String($0, radix: 16) }.joined())
            .replacing(
                "<N>", with: Array(repeating: #"{"signedPayload":null}"#, count: 500).joined(separator: ","))
        let answer = try verify("{\(member),\"signedTransactionInfo\":\"\(try forge(.transaction))\"}")
        // The receipt has another root.
        let found = answer.lines.map { line in
            ["genuine", "untrusted_chain", "malformed"].first { line.contains("\":\"\($0)\"") }
        }
        #expect(found == ["genuine"] + results, "\(answer.output.prefix(2000))")
    }

    @Test(
        "JSON without a signed object beside the receipt has a result",
        arguments: [
            // (members; <R> is a receipt in base64; the result)
            (#""receipt":"<R>","signedTransactionInfo":null"#, "untrusted_chain"),
            (#""receipt":{"latest_receipt":"<R>"},"signedTransactionInfo":null"#, "untrusted_chain"),
            (#""receipt":"A<R>","signedTransactionInfo":null"#, "malformed"),
            (#""signedTransactionInfo":null,"signedRenewalInfo":null"#, "malformed"),
        ])
    func nullMembersAlone(members: String, result: String) throws {
        let receipt = String(decoding: ReceiptEncoding.base64.encode(try Receipts.genuine()), as: UTF8.self)
        let answer = try verify("{\(members.replacing("<R>", with: receipt))}")
        #expect(answer.status == 1)
        #expect(answer.lines.allSatisfy { $0.contains("\":\"\(result)\"") }, "\(answer.output.prefix(500))")
        #expect(!answer.lines.isEmpty)
    }

    @Test("base64 of base64 is not a receipt")
    func twiceEncoded() throws {
        let once = try ReceiptEncoding.base64.encode(Receipts.genuine())
        let twice = ReceiptEncoding.base64.encode(once)
        #expect(try verify(String(decoding: twice, as: UTF8.self)).output.contains(#""code":"malformed""#))
    }

    @Test("the reports for people of verify and inspect")
    func accounts() throws {
        try tool.write(Array(try forge(.transaction).utf8), to: "transaction.jws")
        try tool.write(Array(try forge(.renewalInfo).utf8), to: "renewal.jws")
        let report = try tool.run("verify", "--root", "root.cer", "transaction.jws", "renewal.jws")
        #expect(report.status == 0)
        for part in ["signed transaction", "9.99 USD", "signed renewal information", "back, again"] {
            #expect(report.output.contains(part), "\(part)")
        }
        let tree = try tool.run("inspect", "transaction.jws")
        #expect(tree.status == 0)
        for part in ["Not verified", "x5c[2]", "productId", "2026-06-20T09:00:00Z", "signature"] {
            #expect(tree.output.contains(part), "\(part)")
        }
    }

    @Test(
        "the report for people states exceptional values",
        arguments: [
            // An owner and a type that this version does not know.
            (
                .transaction, "inAppOwnershipType", #""ASSIGNED""#,
                #"owner         "ASSIGNED", unknown to this version"#
            ),
            (.transaction, "type", #""Membership""#, #"type          "Membership", unknown to this version"#),
            // The date of the revocation.
            (.transaction, "revocationDate", "1781946000000", "cancelled     2026-06-20 09:00:00 UTC"),
            (.appTransaction, "revocationDate", "1781946000000", "cancelled     2026-06-20 09:00:00 UTC"),
        ] as [(JSONMembers, String, String, String)])
    func exceptions(payload: JSONMembers, member: String, value: String, line: String) throws {
        var payload = payload
        payload[member] = value
        #expect(try verify(forge(payload)).output.contains("\"\(member)\":\(value)"))
        #expect(try tool.run("verify", "--root", "root.cer", "input").output.contains("  \(line)\n"))
    }
}
