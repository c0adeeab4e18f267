import AppReceipt
import Foundation
import ReceiptJSON

/// The files of expected answers.
enum AnswerFixtures {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Fixtures").standardizedFileURL

    /// The request date that Tests/Peers/answers.py uses: 2023-11-14T22:13:20.123Z.
    static let requestDate = Timestamp(millisecondsSince1970: 1_700_000_000_123)

    static func bytes(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: folder.appending(path: name)))
    }

    /// Returns the container without its text encoding, in the base64 that verifyReceipt accepts.
    static func receiptData(_ name: String) throws -> String {
        Data(try InputEncoding.decode(bytes(name)).der).base64EncodedString()
    }

    static func request(_ receiptData: String, _ more: String = "") -> [UInt8] {
        Array(#"{"receipt-data":"\#(receiptData)"\#(more)}"#.utf8)
    }

    static func object(_ body: [UInt8]) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:]
    }
}
