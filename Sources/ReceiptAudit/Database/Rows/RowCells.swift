import AppReceipt
import Foundation

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
    }

    private(set) var cells: [Cell] = []
    private(set) var bytes: [UInt8] = []

    mutating func reserve(cells count: Int) { cells.reserveCapacity(count) }

    mutating func addNulls(_ count: Int) { cells.append(contentsOf: repeatElement(.null, count: count)) }

    mutating func reserve(bytes count: Int) { bytes.reserveCapacity(count) }

    mutating func add(_ text: String?) {
        guard let text else { return cells.append(.null) }
        let start = bytes.count
        bytes += text.utf8
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
        if bytes[start...].contains(where: { $0 == 0 || $0 == 0xE2 }) { escape(from: start) }
        cells.append(.text(range(from: start)))
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
    mutating func add(_ identifier: UInt64?) { add(identifier.map { String($0) }) }

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
        for byte in digest {
            bytes.append(Self.digit(byte >> 4))
            bytes.append(Self.digit(byte & 15))
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
        bytes += payload[range]
        endText(from: start)
    }

    @inline(__always)
    mutating func bytes(_: Int64, _: StaticString, _ value: PayloadSlice, of payload: [UInt8]) {
        guard let range = value.range else { return cells.append(.null) }
        let start = bytes.count
        bytes += payload[range]
        cells.append(.blob(self.range(from: start)))
    }

    mutating func date(_: Int64, _: StaticString, _ value: Timestamp?) { add(value) }

    mutating func identifier(_: Int64, _: StaticString, _ value: UInt64?) { add(value) }

    mutating func integer(_: Int64, _: StaticString, _ value: Int64?) { add(value) }

    mutating func flag(_: Int64, _: StaticString, _ value: Bool?) { add(value) }

    mutating func productType(_: Int64, _: StaticString, _ value: InAppProductType?) { add(value?.name) }
}
