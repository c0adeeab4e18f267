import AppReceipt
import SQLite

extension Value: CustomStringConvertible {
    /// The value for a message. Long values are shortened and have their size.
    package var description: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        // The output escapes control characters, which could end the line or the text.
        case .text(let bytes): text.debugDescription + Self.length(bytes)
        case .blob(let bytes): "x'\(hexadecimal(bytes.prefix(Self.shownBytes)))'\(Self.length(bytes))"
        }
    }

    /// The start of a text, or empty for other values.
    var text: String {
        guard case .text(let bytes) = self else { return "" }
        return String(decoding: bytes.prefix(Self.shownBytes), as: UTF8.self)
    }

    private static let shownBytes = 200

    private static func length(_ bytes: [UInt8]) -> String {
        bytes.count > shownBytes ? "… (\(bytes.count) bytes)" : ""
    }

    /// Returns whether this value comes first in SQLite's order: NULL, numbers, text, blobs.
    func isBefore(_ other: Value) -> Bool {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left < right
        case (.text(let left), .text(let right)), (.blob(let left), .blob(let right)):
            left.lexicographicallyPrecedes(right)
        default: rank == other.rank ? number < other.number : rank < other.rank
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }

    private var number: Double {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: 0
        }
    }
}
