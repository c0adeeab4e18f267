import AppReceipt
import Foundation
import Testing

@testable import ReceiptEvidence

/// The byte ranges of values in signed objects.
@Suite("citations")
struct CitationsTests {
    static let json = Array(
        #"{"x5c":["a", "b"],"alg":"ES256","da":{"ta":1},"n":{"\u0061":true,"l":[[2],{"k":null}]},"e":{}}"#
            .utf8)

    /// Paths, each with the token at that path.
    static let places: [(path: String, token: String?)] = [
        ("header.x5c[0]", #""a""#), ("header.x5c[1]", #""b""#), ("header.alg", #""ES256""#),
        // A path contains unescaped names.
        ("header.n.a", "true"), ("header.n.l[0][0]", "2"), ("header.n.l[1].k", "null"),
        // Prefixes of paths, and containers.
        ("header.data", nil), ("header.x5c[10]", nil), ("header.x5c", nil), ("header.n", nil),
        ("header.e", nil),
        ("header.", nil), ("", nil),
    ]

    @Test("a single citation equals that among all", arguments: places)
    func place(path: String, token: String?) {
        let range = [Citation].place(path, ofJSON: Self.json, below: "header")
        #expect(range.map { String(decoding: Self.json[$0], as: UTF8.self) } == token)
        let all = [Citation](ofJSON: Self.json, below: "header")
        let written = path.replacing("n.a", with: #"n.\u0061"#)
        #expect(all.first { $0.path == Array(written.utf8) }?.range == range)
        #expect(all.count == 7)
    }

    @Test("citations contain only the names on their path")
    func names() {
        #expect(
            [Citation](namesOfJSON: Self.json).map { String(decoding: $0.path, as: UTF8.self) }
                == ["[0]", "[1]", ".alg", ".ta", ".a", "[0]", ".k"])
    }

    /// Checks a hostile header with the longest name that can be read. Its paths would take 100 MB if each
    /// were stored in full.
    @Test("a long name is not stored for each value below it")
    func longNames() {
        let list = "[" + String(repeating: "1,", count: 100_000) + "1]"
        let json = Array("{\"\(String(repeating: "n", count: 1024))\":\(list),\"x5c\":[\"a\"]}".utf8)
        #expect([Citation].place("header.x5c[0]", ofJSON: json, below: "header") != nil)
        #expect([Citation](namesOfJSON: json).count == 100_002)
    }

    /// Checks that citations count the version byte, which is signed before the purchase information.
    @Test("citations of a transaction receipt point into its signed content")
    func transactionReceipts() throws {
        let info = Array(
            "{\n\t\"product-id\" = \"com.example.a\";\n\t\"original-transaction-id\" = \"7\";\n}".utf8)
        let blob = [2] + [UInt8](repeating: 0xAA, count: 128) + [0, 0, 0, 3] + Array("DER".utf8)
        let list =
            "{\n\"signature\" = \"\(Data(blob).base64EncodedString())\";\n"
            + "\"purchase-info\" = \"\(Data(info).base64EncodedString())\";\n}"
        let receipt = try UnverifiedTransactionReceipt(parsing: Array(list.utf8))
        let content = [2] + info
        let cited = [Citation](of: receipt, from: 1).map { citation in
            [citation.path, Array(content[citation.range]), citation.value]
                .map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(
            cited == [
                ["transaction.product-id", "com.example.a", "\"com.example.a\""],
                ["transaction.original-transaction-id", "7", "\"7\""],
            ])
    }
}
