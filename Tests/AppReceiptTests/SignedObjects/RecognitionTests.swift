import AppReceipt
import ReceiptASN1
import ReceiptForge
import StrictJSON
import Testing

/// The detection of an input's format from its content.
struct RecognitionTests {
    private func kind(_ input: [UInt8]) -> String {
        do throws(ReceiptError) {
            switch try RecognizedInput(input.span, limits: ReceiptLimits()) {
            case .receipt: return "receipt"
            case .jws(let text): return "jws of \(text.count)"
            case .transactionReceipt(let list): return "list of \(list.count)"
            case .json: return "json"
            }
        } catch {
            return error.code.rawValue
        }
    }

    @Test(arguments: [
        ("0\u{3}", "receipt"), ("MAMCAQE=", "receipt"), ("a.b.c", "jws of 5"),
        // One line end after a JWS belongs to the file.
        ("a.b.c\n", "jws of 5"), ("a.b.c\r\n", "jws of 5"), ("a.b.c\n\n", "jws of 6"), (" a.b.c", "jws of 6"),
        ("{\"a\":1}", "json"), ("\n{ }", "json"), ("[1]", "json"), ("{", "json"), ("{\"a", "json"),
        (" { \"a\" = \"b\"; } ", "list of 14"),
        // Base64 of a property list, and of JSON, which is then refused as a property list.
        ("eyAiYSIgPSAiYiI7IH0=", "list of 14"), ("eyJhIjoxfQ==", "list of 7"), ("", "malformed"),
        ("word!", "malformed"),
    ])
    func formatIsDetected(input: String, expected: String) { #expect(kind(Array(input.utf8)) == expected) }

    /// Checks that signed objects are found at any depth, in order. A value that is not a string is an
    /// element, too, but null is none, unless there are only nulls.
    @Test
    func signedObjectsAreFoundInResponses() throws {
        let json =
            #"{"signedTransactions":["a",1],"data":[{"x":{"signedRenewalInfo":"b"}},["c"]],"signedPayload":null}"#
        let answer = try APIAnswer(parsing: Array(json.utf8))
        #expect(
            answer.elements.map(\.path) == [
                "signedTransactions[0]", "signedTransactions[1]", "data[0].x.signedRenewalInfo",
            ])
        #expect(answer.elements.map(\.text) == ["a", nil, "b"])
        #expect(answer.elements.map(\.offset) == [23, 27, 64])
        let nulls = try APIAnswer(
            parsing: Array(#"{"a":{"signedPayload":null},"signedRenewalInfo":null}"#.utf8))
        #expect(nulls.elements.map(\.path) == ["a.signedPayload"])
    }

    /// Checks that JSON without signed objects and malformed JSON are refused.
    @Test(arguments: [
        "{}", #"{"signedTransactions":[]}"#, #"["signedPayload"]"#, #"{"signedPayload":"a"} x"#,
        #"{"signedPayload":"a","signedPayload":"a"}"#,
        #"{"signedPayload":"a""#, #"{"x":"\#u{0}","signedPayload":"a"}"#,
    ])
    func otherJSONIsRefused(json: String) {
        let error = #expect(throws: ReceiptError.self) { try APIAnswer(parsing: Array(json.utf8)) }
        #expect(error?.code == .malformed)
    }

    @Test
    func answersHaveALimit() {
        var limits = ReceiptLimits()
        limits.signedObjects = 2
        let json = Array(#"{"signedTransactions":["a","b","c"]}"#.utf8)
        let error = #expect(throws: ReceiptError.self) { try APIAnswer(parsing: json, limits: limits) }
        #expect(error?.code == .tooLarge)
        #expect(error?.reason == .encoding(.tooMany(limit: 2)))
    }

    /// Checks that many small elements are limited by their total size, because the result for one byte takes
    /// hundreds of bytes.
    @Test(arguments: [
        // (elements, bytes of each, limit in the error)
        (64, 1, nil), (65, 1, 64), (2_000, 1, 67), (32_600, 1, 127), (2_000, 500, 1_042), (2_000, 1_024, nil),
    ])
    func smallElementsHaveALimit(count: Int, length: Int, most: Int?) {
        let element = length > 1 ? "\"\(String(repeating: "a", count: length - 2))\"" : "1"
        let elements = Array(repeating: element, count: count).joined(separator: ",")
        let json = Array("{\"signedTransactions\":[\(elements)]}".utf8)
        do throws(ReceiptError) {
            #expect(try APIAnswer(parsing: json).elements.count == count)
            #expect(most == nil)
        } catch {
            #expect(error.code == .tooLarge)
            #expect(error.reason == most.map { .encoding(.tooMany(limit: $0)) })
        }
    }

    /// Checks that the total length of paths is limited. Long names above thousands of elements would need
    /// gigabytes.
    @Test(arguments: [
        // (names above, bytes of each, elements, whether the limit is exceeded). The first rows are like
        // responses of Apple's server and exports of them.
        (0, 1, 1_000, false), (3, 12, 1_000, false), (3, 1_000, 1, false),
        (9, 15, 1_000, false), (1, 1_000, 1_000, true), (32, 1_000, 1_000, true), (62, 1_000, 100, true),
        (3, 500, 1_000, true),
    ])
    func pathsHaveALimit(depth: Int, length: Int, count: Int, isTooLarge: Bool) {
        let name = String(repeating: "a", count: length)
        let open = String(repeating: "{\"\(name)\":", count: depth)
        let element = "\"\(String(repeating: "0", count: 1_024))\""
        let elements = Array(repeating: element, count: count).joined(separator: ",")
        let json = open + "{\"signedTransactions\":[\(elements)]}" + String(repeating: "}", count: depth)
        do throws(ReceiptError) {
            #expect(try APIAnswer(parsing: Array(json.utf8)).elements.count == count)
            #expect(!isTooLarge)
        } catch {
            #expect(isTooLarge)
            #expect(error.code == .tooLarge)
            #expect(error.reason == .json(.longPaths))
        }
    }

    /// Checks that a receipt beside signed objects is found.
    @Test(arguments: [
        // (JSON, the paths of receipts; <R> begins like a receipt, and <T> has the length of one)
        (#"{"receipt":<R>,"signedTransactions":["a"]}"#, ["receipt"]),
        (#"{"signedPayload":"a","old":{"receipt-data":<R>}}"#, ["old.receipt-data"]),
        (
            #"{"a":[{"signedPayload":"a"},{"latest_receipt":<R>,"receipt":<R>}]}"#,
            ["a[1].latest_receipt", "a[1].receipt"]
        ),
        (#"{"receipt":null,"signedPayload":"a"}"#, []), (#"{"receipt":"","signedPayload":"a"}"#, []),
        (#"{"receipt":{"a":<R>},"signedPayload":"a"}"#, []), (#"{"name":<R>,"signedPayload":"a"}"#, []),
        (#"{"receipt":"MIAG","signedPayload":"a"}"#, []), (#"{"receipt":<T>,"signedPayload":"a"}"#, []),
    ])
    func receiptsBesideSignedObjects(json: String, paths: [String]) throws {
        let receipt = "\" \(String(repeating: "MIAG", count: 16))\""
        let text = "\"https://\(String(repeating: "a", count: 64))\""
        let answer = try APIAnswer(
            parsing: Array(json.replacing("<R>", with: receipt).replacing("<T>", with: text).utf8))
        #expect(answer.receipts.map(\.path) == paths)
        #expect(answer.elements.count == 1)
    }

    /// Checks that an error repeats only the beginning of long names.
    @Test func fieldsOfErrorsAreShort() {
        let open = String(repeating: "{\"\(String(repeating: "a", count: 1_000))\":", count: 60)
        let error = #expect(throws: ReceiptError.self) { try APIAnswer(parsing: Array("\(open)!".utf8)) }
        #expect((error?.field?.utf8.count ?? .max) < 600)
    }

    /// Checks that a short input with many elements below a long name is refused.
    @Test func longPathsOfShortElements() {
        let elements = Array(repeating: "{\"signedPayload\":1}", count: 64).joined(separator: ",")
        let json = "{\"\(String(repeating: "a", count: 1_000))\":[\(elements)]}"
        let error = #expect(throws: ReceiptError.self) { try APIAnswer(parsing: Array(json.utf8)) }
        #expect(error?.reason == .json(.longPaths))
    }
}
