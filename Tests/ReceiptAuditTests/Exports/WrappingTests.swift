import AppReceipt
import Foundation
import ReceiptForge
import ReceiptJSON
import Testing

@testable import ReceiptAudit
@testable import ReceiptExamination

/// Receipts with the wrappings of exports. Only audits unwrap them, and only if there is exactly one
/// interpretation.
struct WrappingTests {
    static let der = Result { try Forged.receipt(ReceiptContent()) }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
    }

    private static func percent(_ text: String) -> String {
        text.replacing("+", with: "%2B").replacing("/", with: "%2f").replacing("=", with: "%3D")
    }

    /// Texts made from DER and base64, each with the names of its wrappings, or nil if it is refused.
    static let cases: [(String, @Sendable ([UInt8], String) -> [UInt8], [String]?)] = [
        ("plain", { Array($1.utf8) }, []), ("DER", { der, _ in der }, []),
        ("url-safe", { Array($1.replacing("+", with: "-").replacing("/", with: "_").utf8) }, []),
        ("lines", { Array($1.replacing("A", with: "A\n", maxReplacements: 9).utf8) }, []),
        ("percent-encoded", { Array(percent($1).utf8) }, ["percent_encoding", "base64"]),
        (
            "twice",
            {
                Array(
                    percent(percent($1)).replacing("%2", with: "%252").replacing("%25252", with: "%252").utf8)
            },
            ["percent_encoding", "percent_encoding", "base64"]
        ),
        (
            "form-encoded with lines", { Array((percent($1) + "%0D%0A").utf8) },
            ["percent_encoding", "base64"]
        ),
        (
            "escaped slashes of JSON", { Array($1.replacing("/", with: "\\/").utf8) },
            ["json_escapes", "base64"]
        ),
        (
            "escaped line ends of JSON", { Array(("MI" + $1.dropFirst(2) + "\\n").utf8) },
            ["json_escapes", "base64"]
        ),
        (
            "escaped letters of JSON",
            { Array($1.replacing("+", with: "\\u002b").replacing("/", with: "\\u002F").utf8) },
            ["json_escapes", "base64"]
        ),
        (
            "a JSON string", { Array("\"\($1.replacing("/", with: "\\/"))\"".utf8) },
            ["quotes", "json_escapes", "base64"]
        ),
        ("quotes", { Array("'\($1)'".utf8) }, ["quotes", "base64"]),
        ("a data URI", { Array("data:application/octet-stream;base64,\($1)".utf8) }, ["data_uri", "base64"]),
        (
            "a data URI, percent-encoded", { Array("data:;base64,\(percent($1))".utf8) },
            ["data_uri", "percent_encoding", "base64"]
        ),
        ("hexadecimal", { der, _ in Array(hex(der).utf8) }, ["hexadecimal"]),
        ("hexadecimal of PostgreSQL", { der, _ in Array("\\x\(hex(der))".utf8) }, ["hexadecimal"]),
        ("hexadecimal of MySQL", { der, _ in Array("0x\(hex(der).uppercased())".utf8) }, ["hexadecimal"]),
        ("hexadecimal of base64", { Array(hex($1.utf8).utf8) }, ["hexadecimal", "base64"]),
        ("base64 twice", { Array(Data($1.utf8).base64EncodedString().utf8) }, ["base64", "base64"]),
        (
            "base64 three times",
            { Array(Data(Data($1.utf8).base64EncodedString().utf8).base64EncodedString().utf8) },
            ["base64", "base64", "base64"]
        ),
        (
            "PEM in base64",
            {
                Array(
                    Data("-----BEGIN PKCS7-----\n\($1)\n-----END PKCS7-----\n".utf8).base64EncodedString()
                        .utf8)
            }, ["base64", "pem"]
        ),
        ("UTF-16", { [0xFF, 0xFE] + $1.utf8.flatMap { [$0, 0] } }, ["utf16", "base64"]),
        (
            "an answer", { Array(#"{"status":0,"latest_receipt":"\#($1)"}"#.utf8) },
            ["verify_receipt_answer", "base64"]
        ),
        (
            "a request", { Array(#"{"receipt-data":"\#($1)","password":"x"}"#.utf8) },
            ["verify_receipt_request", "base64"]
        ),
        (
            "an answer in base64",
            { Array(Data(#"{"latest_receipt":"\#($1)"}"#.utf8).base64EncodedString().utf8) },
            ["base64", "verify_receipt_answer", "base64"]
        ),
        (
            "Unity IAP", { Array(#"{"Store":"AppleAppStore","TransactionID":"1","Payload":"\#($1)"}"#.utf8) },
            ["unity_receipt", "base64"]
        ),
        (
            "Unity IAP on a Mac", { Array(#"{"Payload":"\#($1)","Store":"MacAppStore"}"#.utf8) },
            ["unity_receipt", "base64"]
        ),
        // As two calls of JSON.stringify make it.
        (
            "a request in a JSON string", { Array(#""{\"receipt-data\":\"\#($1)\"}""#.utf8) },
            ["quotes", "json_escapes", "verify_receipt_request", "base64"]
        ),
        (
            "a request in the content of a JSON string", { Array(#"{\"receipt-data\":\"\#($1)\"}"#.utf8) },
            ["json_escapes", "verify_receipt_request", "base64"]
        ),
        // As two calls of json_encode of PHP make it.
        (
            "an answer in a JSON string, with escaped slashes",
            { Array(#""{\"latest_receipt\":\"\#($1.replacing("/", with: #"\\\/"#))\"}""#.utf8) },
            ["quotes", "json_escapes", "verify_receipt_answer", "base64"]
        ),
        // With line ends and indentation.
        (
            "Unity IAP in a JSON string",
            { Array(#""{\n  \"Store\": \"AppleAppStore\",\n  \"Payload\": \"\#($1)\"\n}""#.utf8) },
            ["quotes", "json_escapes", "unity_receipt", "base64"]
        ),
        // Ambiguous or invalid
        (
            "an answer and a request in a JSON string",
            { Array(#""{\"latest_receipt\":\"\#($1)\",\"receipt-data\":\"\#($1)\"}""#.utf8) }, nil
        ),
        ("a JSON string that ends in an escape", { Array(#""{\"receipt-data\":\"\#($1)\"}\""#.utf8) }, nil),
        ("Unity IAP of an unknown store", { Array(#"{"Store":"fake","Payload":"\#($1)"}"#.utf8) }, nil),
        (
            "Unity IAP and an answer",
            { Array(#"{"Store":"AppleAppStore","Payload":"\#($1)","latest_receipt":"\#($1)"}"#.utf8) }, nil
        ),
        ("a + among percent-encodings", { Array(($1.replacing("/", with: "%2F") + "+").utf8) }, nil),
        ("a + replaced by a space", { Array($1.replacing("+", with: " ").utf8) }, nil),
        ("a + replaced by an encoded space", { Array($1.replacing("+", with: "%20").utf8) }, nil),
        (
            "an answer and a request",
            {
                Array(#"{"latest_receipt":"\#($1)","receipt-data":"\#($1)"}"#.utf8)
            }, nil
        ),
        ("a truncated escape", { Array(($1 + "%2").utf8) }, nil),
        ("an odd number of digits", { der, _ in Array((hex(der) + "0").utf8) }, nil),
        ("one quotation mark", { Array("\"\($1)".utf8) }, nil),
        ("truncated", { Array(percent(String($1.dropLast(7))).utf8) }, nil),
        (
            "more layers than the limit",
            {
                Array((0..<6).reduce($1) { text, _ in Data(text.utf8).base64EncodedString() }.utf8)
            }, nil
        ),
    ]

    @Test(arguments: cases.indices)
    func wrappingIsRemoved(index: Int) throws {
        let (name, wrap, layers) = Self.cases[index]
        let der = try Self.der.get()
        let base64 = Data(der).base64EncodedString()
        try #require(base64.contains("+"))
        try #require(base64.contains("/"))
        let text = wrap(der, base64)
        let verifier = try ReceiptVerifier(anchors: .custom(try Forged.root()))
        let examination = Examiner(verifier, policy: .any).examine(
            unwrapping: text.span)
        switch (examination.result, layers) {
        case (.success(.receipt), let layers?):
            #expect(examination.wrapping == layers, "\(name)")
            #expect(examination.sha256 == verifier.sha256(of: der), "\(name)")
        case (.failure(let refusal), nil): #expect(refusal.code == .malformed, "\(name)")
        case (.success, _): Issue.record("\(name): unwrapped")
        case (.failure(let refusal), _): Issue.record("\(name): \(refusal.message)")
        }
        // The library itself does not unwrap.
        if layers != [] { #expect(throws: ReceiptError.self) { try verifier.verify(text, for: .any) } }
    }

    /// Checks that a mutated text yields the same receipt or none, never another one.
    @Test func noMutantIsAnotherReceipt() throws {
        var generator = SplitMix64(seed: 12)
        let der = try Self.der.get()
        let base64 = Data(der).base64EncodedString()
        let verifier = try ReceiptVerifier(anchors: .custom(try Forged.root()))
        let examiner = Examiner(verifier, policy: .any)
        let letters = Array("%+\\/\"'{}0xMI=,: \n\u{0}".utf8)
        for round in 0..<2000 {
            var text = Self.cases[round % Self.cases.count].1(der, base64)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 0..<text.count, using: &generator)
                let letter = letters[Int.random(in: 0..<letters.count, using: &generator)]
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: text[place] = letter
                case 1: text.insert(letter, at: place)
                default: text.remove(at: place)
                }
            }
            let examination = examiner.examine(unwrapping: text.span)
            guard case .success(.receipt(let receipt)) = examination.result else { continue }
            #expect(try receipt.contentDigest == verifier.verify(der, for: .any).contentDigest)
        }
    }

    /// Checks that nested wrappings take time in proportion to their length.
    @Test func deepWrappingsAreLinear() throws {
        let verifier = try ReceiptVerifier(anchors: .custom(try Forged.root()))
        let examiner = Examiner(verifier, policy: .any)
        for text in [
            String(repeating: "\"", count: 4_000_000), String(repeating: "%25", count: 1_500_000),
            String(repeating: "\\\\", count: 2_000_000), String(repeating: "{\"a\":", count: 900_000),
            String(repeating: "{\\\"", count: 1_500_000),
            String(repeating: "30", count: 2_000_000), "data:" + String(repeating: ",", count: 4_000_000),
        ] {
            let start = ContinuousClock.now
            let examination = examiner.examine(unwrapping: Array(text.utf8).span)
            #expect(examination.contentSHA256 == nil)
            // Quadratic time would be a minute. A debug build on a busy machine takes a second.
            #expect(ContinuousClock.now - start < .seconds(30), "\(text.prefix(10))")
        }
    }
}

extension Examiner {
    /// Returns the result for the only signed object of a text.
    fileprivate func examine(unwrapping text: Span<UInt8>) -> Examination {
        var examinations: [Examination] = []
        examine(unwrapping: text) { examinations.append($0) }
        #expect(examinations.count == 1)
        return examinations[0]
    }
}
