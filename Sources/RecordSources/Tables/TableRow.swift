import Foundation
import ReceiptExamination
import StrictJSON

/// A row of a database table.
struct TableRow {
    enum Cell {
        case null
        /// Text, the text of a number, or the bytes of a blob.
        case bytes([UInt8])
        /// An SQL expression, which only a database can evaluate.
        case expression

        /// Whether the text is a receipt or contains one.
        var holdsReceipt: Bool {
            if case .bytes(let bytes) = self { UnreadReceipts.holdsReceipt(bytes.span) } else { false }
        }
    }

    var cells: [Cell] = []

    /// Returns the row as a JSON object, like a record of an NDJSON export. Bytes that are not UTF-8 become
    /// base64.
    func line(_ columns: [String]) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            for (name, cell) in zip(columns, cells) {
                json.key(text: name)
                switch cell {
                case .null: json.null()
                case .bytes(let bytes):
                    if let text = String(validating: bytes, as: UTF8.self) {
                        json.string(text)
                    } else {
                        json.string(Data(bytes).base64EncodedString())
                    }
                // No member that is read may have this type, so the record becomes unreadable.
                case .expression: json.bool(true)
                }
            }
        }
        return json.bytes
    }
}
