// The payload: one object of strict JSON (RFC 8259) and of one kind.
extension HostileJWS {
    static let payload: [HostileJWS] = [
        payloadBytes("jws-payload-empty", "an empty payload") { $0 = [] },
        payloadBytes("jws-payload-empty-object", "a payload without members") { $0 = Array("{}".utf8) },
        payloadBytes("jws-payload-array", "the payload in an array") { $0 = [0x5B] + $0 + [0x5D] },
        payloadBytes("jws-payload-text", "the payload is a string") { $0 = Array(#""transactionId""#.utf8) },
        payloadBytes("jws-payload-number", "the payload is a number") { $0 = Array("2000000000000002".utf8) },
        payloadBytes("jws-payload-null", "null") { $0 = Array("null".utf8) },
        payloadBytes("jws-payload-two-objects", "the object twice") { $0 += $0 },
        payloadBytes("jws-payload-trailing", "a letter after the object") { $0.append(0x78) },
        payloadBytes("jws-payload-trailing-nul", "a NUL after the object") { $0.append(0) },
        payloadBytes("jws-payload-bom", "a byte order mark before the object") {
            $0 = [0xEF, 0xBB, 0xBF] + $0
        },
        payloadBytes("jws-payload-utf16", "the object in UTF-16") { $0 = $0.flatMap { [0, $0] } },
        payloadBytes("jws-payload-cut", "the last brace is missing") { $0.removeLast() },
        payloadBytes("jws-payload-comma", "a comma after the last member") {
            $0.removeLast()
            $0 += Array(",}".utf8)
        },
        payloadBytes("jws-payload-comma-first", "a comma before the first member") {
            $0 = Array("{,".utf8) + $0.dropFirst()
        },
        payloadBytes("jws-payload-comment", "a comment before the first member") {
            $0 = Array("{/* */".utf8) + $0.dropFirst()
        },
        payloadBytes("jws-payload-line-comment", "a comment after the object") { $0 += Array("//\n".utf8) },
        payloadBytes("jws-payload-single-quotes", "single quotes") { bytes in
            bytes = bytes.map { $0 == UInt8(ascii: "\"") ? UInt8(ascii: "'") : $0 }
        },
        inserted("jws-payload-no-quotes", "a name without quotes", "x:1,"),
        inserted("jws-payload-plus", "a number with a plus sign", #""x":+1,"#),
        inserted("jws-payload-leading-zero", "a number with a leading zero", #""x":01,"#),
        inserted("jws-payload-no-digits", "a number that ends with the decimal point", #""x":1.,"#),
        inserted("jws-payload-nan", "NaN", #""x":NaN,"#),
        inserted("jws-payload-infinity", "Infinity", #""x":Infinity,"#),
        inserted("jws-payload-hexadecimal", "a number in hexadecimal digits", #""x":0x10,"#),
        inserted("jws-payload-true-in-capitals", "True", #""x":True,"#),
        inserted("jws-nul-raw", "an unescaped NUL in a string", "\"x\":\"a\0b\","),
        inserted("jws-line-break-raw", "an unescaped line break in a string", "\"x\":\"a\nb\","),
        inserted("jws-escape-unknown", "an invalid escape", #""x":"\x41","#),
        inserted("jws-escape-cut", "an escape with three digits", #""x":"\u004","#),
        inserted("jws-surrogate-high", "a high surrogate without a low one", #""x":"\uD800","#),
        inserted("jws-surrogate-low", "a low surrogate without a high one", #""x":"\uDC00","#),
        inserted("jws-surrogates-reversed", "a low surrogate before a high one", #""x":"\uDE00\uD83D","#),
        raw("jws-utf8-invalid", "a byte that is not UTF-8", [0xFF]),
        raw("jws-utf8-overlong", "a quotation mark in two bytes", [0xC0, 0xA2]),
        raw("jws-utf8-surrogate", "a surrogate in UTF-8", [0xED, 0xA0, 0x80]),
        raw("jws-utf8-beyond", "a character beyond U+10FFFF", [0xF4, 0x90, 0x80, 0x80]),
        raw("jws-utf8-cut", "the first byte of two", [0xC3]),
        added("jws-nested-70", "a member nested 70 levels deep", "futureMember", nested(70), .tooLarge),
        added(
            "jws-nested-100000", "a member nested 100,000 levels deep", "futureMember", nested(100_000),
            .tooLarge),
        member("jws-kind-missing", "no member identifies the kind of object", "transactionId", nil),
        added(
            "jws-kind-of-renewals", "a transaction that is also renewal information", "autoRenewStatus", "1"),
        added(
            "jws-kind-of-apps", "a transaction that is also an app transaction", "receiptType", #""Sandbox""#),
        added(
            "jws-kind-of-notifications", "a transaction that is also a notification", "notificationType",
            #""TEST""#),
        added(
            "jws-kind-of-requests", "a transaction that is also a realtime request", "userLocale",
            #""en-US""#),
        HostileJWS("jws-notification-two-bodies", "a notification with data and appData") {
            $0.payload = .notification()
            $0.payload.list.append(("appData", #"{"bundleId":"com.example.app"}"#))
        },
        HostileJWS("jws-notification-data-text", "a notification whose data is a string") {
            $0.payload = .notification()
            $0.payload["data"] = #""{}""#
        },
        HostileJWS("jws-notification-app-twice", "two bundle ids in a notification's data") {
            $0.payload = .notification(["bundleId": #""com.example.other""#])
        },
        HostileJWS("jws-notification-transaction-inside", "an object instead of the signed transaction") {
            $0.payload = .notification(["signedTransactionInfo": JSONMembers.transaction.text])
        },
    ]

    /// Makes a variant that inserts members before the first one.
    private static func inserted(_ id: String, _ summary: String, _ members: String) -> HostileJWS {
        inserted(id, summary, Array(members.utf8))
    }

    private static func inserted(_ id: String, _ summary: String, _ members: [UInt8]) -> HostileJWS {
        payloadBytes(id, summary) { $0.insert(contentsOf: members, at: 1) }
    }

    /// Makes a variant with a string that contains these bytes.
    private static func raw(_ id: String, _ summary: String, _ text: [UInt8]) -> HostileJWS {
        inserted(id, summary, Array(#""x":""#.utf8) + text + Array(#"","#.utf8))
    }
}
