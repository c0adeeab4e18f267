import AppReceipt
import AppReceiptFoundation
import Foundation
import ReceiptForge
import Testing

/// Receipts and dates in Foundation types.
struct FoundationTests {
    let forged: ForgedReceipt
    let verifier: ReceiptVerifier

    init() throws {
        forged = try ReceiptRecipe(authority: .test()).forge()
        verifier = try ReceiptVerifier(anchors: .custom(forged.anchor))
    }

    @Test
    func readsData() throws {
        let padded = Data([0] + forged.bytes)
        let expected = try verifier.verify(forged.bytes, for: .any).payload.bytes
        // The indices of a `Data` slice do not start at zero.
        for data in [Data(forged.bytes), padded.dropFirst(), Data(Data(forged.bytes).base64EncodedData())] {
            #expect(try verifier.verify(data, for: .any).payload.bytes == expected)
            #expect(try UnverifiedReceipt(parsing: data).payload.bytes == expected)
            #expect(throws: ReceiptError.self) {
                try verifier.verify(data, for: .app("com.example.other", .production))
            }
        }
        #expect(throws: ReceiptError.self) { try verifier.verify(Data(), for: .any) }
    }

    @Test
    func readsBase64() throws {
        let text = Data(forged.bytes).base64EncodedString()
        let lines = Data(forged.bytes).base64EncodedString(options: .lineLength64Characters)
        for text in [text, lines, text.replacing("+", with: "-").replacing("/", with: "_")] {
            let receipt = try verifier.verify(base64: text, for: .app("com.example.forge", .production))
            #expect(receipt.payload.bundleID == "com.example.forge")
        }
        for text in ["", "0", "é", text + "!", String(text.dropLast(3))] {
            let error = #expect(throws: ReceiptError.self) { try verifier.verify(base64: text, for: .any) }
            #expect(error?.code == .malformed)
        }
    }

    /// Checks conversions from the first instant that a receipt can name to the last.
    @Test(arguments: [
        "0000-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z",
        "2001-01-01T00:00:00.001Z",
        "2024-02-29T12:00:00.250Z", "9999-12-31T23:59:59.999Z",
    ])
    func datesConvertInBothDirections(text: String) throws {
        let timestamp = try #require(Timestamp(rfc3339: text))
        #expect(Timestamp(Date(timestamp)) == timestamp)
        #expect(
            abs(Date(timestamp).timeIntervalSince1970 * 1000 - Double(timestamp.millisecondsSince1970)) < 0.1)
    }

    /// Checks that no `Date` causes a trap.
    @Test(
        arguments: [
            (0.0004, 0), (0.0006, 1), (-0.0006, -1), (.infinity, .max), (-.infinity, .min), (1e300, .max),
            (.nan, .min),
        ] as [(Double, Int64)])
    func everyDateConvertsToATimestamp(seconds: Double, milliseconds: Int64) {
        let timestamp = Timestamp(Date(timeIntervalSince1970: seconds))
        #expect(timestamp.millisecondsSince1970 == milliseconds)
    }
}
