import AppReceipt
import Foundation
import StrictJSON

/// Values of rows as they go into the database, one behind the other: made by the threads that judge and bound by
/// the one that writes, without a copy. Texts and blobs share one array, so that a record costs two allocations.
///
/// SQLite keeps a text with U+0000 whole, but much that reads it takes the zero for the end. Such a text is
/// written with `␀0` for U+0000 and `␀␀` for U+2400: visible, and still another text for every other text.
struct RowCells: Sendable {
    enum Cell: Sendable {
        case null
        case integer(Int64)
        case text(Range<Int>)
        case blob(Range<Int>)

        /// Of a text or blob among the bytes.
        fileprivate var place: Range<Int>? {
            switch self {
            case .text(let place), .blob(let place): place
            case .null, .integer: nil
            }
        }
    }

    private(set) var cells: [Cell] = []
    private(set) var bytes: [UInt8] = []

    mutating func reserve(cells count: Int) { cells.reserveCapacity(count) }

    mutating func addNulls(_ count: Int) { cells.append(contentsOf: repeatElement(.null, count: count)) }

    mutating func reserve(bytes count: Int) { bytes.reserveCapacity(count) }

    /// Where the texts and blobs of these cells stand in the bytes, one behind the other.
    func bytes(of range: Range<Int>) -> Range<Int> {
        guard let first = range.first(where: { cells[$0].place != nil }),
            let last = range.last(where: { cells[$0].place != nil }),
            let start = cells[first].place?.lowerBound, let end = cells[last].place?.upperBound
        else { return 0..<0 }
        return start..<end
    }

    mutating func add(_ text: String?) {
        guard var text else { return cells.append(.null) }
        let start = bytes.count
        text.withUTF8 { unsafe bytes.append(contentsOf: $0) }
        endText(from: start)
    }

    /// JSON as it was signed.
    mutating func add(json: [UInt8]?) {
        guard let json else { return cells.append(.null) }
        let start = bytes.count
        bytes += json
        endText(from: start)
    }

    /// A text as it stands in the database.
    mutating func add(stored text: [UInt8]?) {
        guard let text else { return cells.append(.null) }
        let start = bytes.count
        bytes += text
        cells.append(.text(range(from: start)))
    }

    /// Ends a text whose bytes were added.
    private mutating func endText(from start: Int) {
        if isOdd(from: start) { escape(from: start) }
        cells.append(.text(range(from: start)))
    }

    /// Whether U+0000 may stand there, or what stands for it.
    private func isOdd(from start: Int) -> Bool {
        let text = bytes.span.extracting(start...)
        if text.allWords({ !$0.isOdd }) { return false }
        for index in text.indices where text[index] == 0 || text[index] == 0xE2 { return true }
        return false
    }

    private mutating func escape(from start: Int) {
        let text = String(decoding: bytes[start...], as: UTF8.self)
        if text.unicodeScalars.contains(where: { $0 == "\0" || $0 == "\u{2400}" }) {
            bytes.removeSubrange(start...)
            for scalar in text.unicodeScalars {
                let written: String =
                    switch scalar {
                    case "\0": "\u{2400}0"
                    case "\u{2400}": "\u{2400}\u{2400}"
                    default: String(scalar)
                    }
                bytes += written.utf8
            }
        }
    }

    mutating func add(_ number: Int?) { cells.append(number.map { .integer(Int64($0)) } ?? .null) }

    mutating func add(_ number: Int64?) { cells.append(number.map { .integer($0) } ?? .null) }

    mutating func add(_ flag: Bool?) { cells.append(flag.map { .integer($0 ? 1 : 0) } ?? .null) }

    mutating func add(_ date: Timestamp?) {
        cells.append(date.map { .integer(Int64($0.millisecondsSince1970)) } ?? .null)
    }

    /// 64 bits without a sign do not fit into SQLite's integers.
    mutating func add(_ identifier: UInt64?) {
        guard var rest = identifier else { return cells.append(.null) }
        let start = bytes.count
        // 64 bits have 20 digits at most.
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var first = 20
            repeat {
                first -= 1
                unsafe digits[first] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[first...]))
        }
        cells.append(.text(range(from: start)))
    }

    mutating func add(blob: [UInt8]?) {
        guard let blob else { return cells.append(.null) }
        let start = bytes.count
        bytes += blob
        cells.append(.blob(range(from: start)))
    }

    mutating func add(_ digest: SHA256Digest?) {
        guard let digest else { return cells.append(.null) }
        let start = bytes.count
        digest.append(to: &bytes)
        cells.append(.blob(range(from: start)))
    }

    mutating func add(hexadecimal digest: [UInt8]?) {
        guard let digest else { return cells.append(.null) }
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: 2 * digest.count))
        for index in digest.indices {
            bytes[start + 2 * index] = Self.digit(digest[index] >> 4)
            bytes[start + 2 * index + 1] = Self.digit(digest[index] & 15)
        }
        cells.append(.text(range(from: start)))
    }

    private static func digit(_ nibble: UInt8) -> UInt8 { nibble &+ (nibble < 10 ? 0x30 : 0x57) }

    private func range(from start: Int) -> Range<Int> { start..<bytes.count }

    /// The value of one cell, as it is read back.
    func value(_ index: Int) -> StoredValue {
        switch cells[index] {
        case .null: .null
        case .integer(let number): .integer(number)
        case .text(let range): .text(Array(bytes[range]))
        case .blob(let range): .blob(Array(bytes[range]))
        }
    }
}

/// The rows of a record as cells, in the order of the contract.
extension RowCells: AttributeVisitor {
    @inline(__always)
    mutating func text(_: Int64, _: StaticString, _ value: PayloadSlice, of payload: [UInt8]) {
        guard let range = value.range else { return cells.append(.null) }
        let start = bytes.count
        append(payload.span.extracting(range))
        endText(from: start)
    }

    @inline(__always)
    mutating func bytes(_: Int64, _: StaticString, _ value: PayloadSlice, of payload: [UInt8]) {
        guard let range = value.range else { return cells.append(.null) }
        let start = bytes.count
        append(payload.span.extracting(range))
        cells.append(.blob(self.range(from: start)))
    }

    /// A slice of an array would be retained and released.
    @inline(__always)
    private mutating func append(_ part: Span<UInt8>) {
        unsafe part.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    mutating func date(_: Int64, _: StaticString, _ value: Timestamp?) { add(value) }

    mutating func identifier(_: Int64, _: StaticString, _ value: UInt64?) { add(value) }

    mutating func integer(_: Int64, _: StaticString, _ value: Int64?) { add(value) }

    mutating func flag(_: Int64, _: StaticString, _ value: Bool?) { add(value) }

    mutating func productType(_: Int64, _: StaticString, _ value: InAppProductType?) { add(value?.name) }
}

extension UInt64 {
    /// Whether one of eight bytes is 0 or 0xE2.
    fileprivate var isOdd: Bool {
        let other = self ^ (Self.ones &* 0xE2)
        return ((self &- Self.ones) & ~self | (other &- Self.ones) & ~other) & (Self.ones &* 0x80) != 0
    }
}
