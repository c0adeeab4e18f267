import AppReceipt
import Foundation
import SQLite
import StrictJSON

/// The values of rows for the database, in order. The verifying threads make them, and the writing thread
/// binds them without copying. Text and blobs share one array, so that a record needs only two allocations.
///
/// SQLite stores text with U+0000 completely, but many readers treat the zero as the end. Such text is
/// written with `␀0` for U+0000 and `␀␀` for U+2400. The encoding is visible, and different text stays
/// different.
struct RowCells: Sendable {
    enum Cell: Sendable {
        case null
        case integer(Int64)
        case text(Range<Int>)
        case blob(Range<Int>)

        /// The range of text or a blob in the bytes.
        fileprivate var place: Range<Int>? {
            switch self {
            case .text(let place), .blob(let place): place
            case .null, .integer: nil
            }
        }
    }

    private(set) var cells: [Cell] = []
    private(set) var bytes: [UInt8] = []
    /// The columns of the cells, recorded for a schema only.
    private var columns: [RowColumn]?

    /// Returns the columns that `add` names for the cells of a row without values.
    static func columns(_ add: (inout RowCells) -> Void) -> [RowColumn] {
        var cells = RowCells()
        cells.columns = []
        add(&cells)
        return cells.columns ?? []
    }

    mutating func reserve(cells count: Int) { cells.reserveCapacity(count) }

    mutating func reserve(bytes count: Int) { bytes.reserveCapacity(count) }

    /// Returns the range of the bytes of these cells' text and blobs.
    func bytes(of range: Range<Int>) -> Range<Int> {
        guard let first = range.first(where: { cells[$0].place != nil }),
            let last = range.last(where: { cells[$0].place != nil }),
            let start = cells[first].place?.lowerBound, let end = cells[last].place?.upperBound
        else { return 0..<0 }
        return start..<end
    }

    // MARK: - Columns

    /// Adds the cell of a column.
    /// - Parameters:
    ///   - note: The comment in the schema.
    ///   - rules: The constraints in the schema.
    ///   - predecessor: The column before it in the schema, if it is not the previous one.
    @inline(__always)
    mutating func add<Content: CellValue>(
        _ column: StaticString, _ value: Content?, _ note: @autoclosure () -> String = "",
        rules: StaticString = "", behind predecessor: StaticString? = nil
    ) {
        if columns != nil { name(column, Content.sqlType, note(), rules: rules, behind: predecessor) }
        add(value)
    }

    /// Names a column of keys, which has no cell.
    mutating func key(_ column: StaticString, _ rules: StaticString) {
        if columns != nil { name(column, "INTEGER", "", rules: rules, isKey: true) }
    }

    @inline(never)
    private mutating func name(
        _ column: StaticString, _ type: String, _ note: String, rules: StaticString = "", isKey: Bool = false,
        behind predecessor: StaticString? = nil
    ) {
        columns?.append(
            RowColumn(
                name: "\(column)", type: rules.utf8CodeUnitCount == 0 ? type : "\(type) \(rules)", note: note,
                isKey: isKey, predecessor: predecessor.map { "\($0)" }))
    }

    // MARK: - Cells

    mutating func append(_ cell: Cell) { cells.append(cell) }

    mutating func add(_ value: (some CellValue)?) {
        if let value { value.append(to: &self) } else { cells.append(.null) }
    }

    fileprivate mutating func append(_ text: consuming String) {
        let start = bytes.count
        text.withUTF8 { unsafe bytes.append(contentsOf: $0) }
        endText(from: start)
    }

    /// Adds the cell of a column with JSON as it was signed.
    mutating func add(_ column: StaticString, json: [UInt8]?, _ note: @autoclosure () -> String) {
        if columns != nil { name(column, "TEXT", note()) }
        guard let json else { return cells.append(.null) }
        let start = bytes.count
        bytes += json
        endText(from: start)
    }

    /// Adds the cell of a column with text that was read from the database.
    mutating func add(_ column: StaticString, stored text: [UInt8]?, _ note: @autoclosure () -> String = "") {
        if columns != nil { name(column, "TEXT", note()) }
        guard let text else { return cells.append(.null) }
        let start = bytes.count
        bytes += text
        cells.append(.text(range(from: start)))
    }

    /// Ends text whose bytes were added.
    private mutating func endText(from start: Int) {
        if isOdd(from: start) { escape(from: start) }
        cells.append(.text(range(from: start)))
    }

    /// Returns whether the bytes may contain U+0000 or its substitute.
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

    /// Adds an unsigned 64-bit identifier as text, because it may not fit into SQLite's integers.
    private mutating func add(identifier: UInt64?) {
        guard var rest = identifier else { return cells.append(.null) }
        let start = bytes.count
        // A 64-bit number has at most 20 digits.
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

    fileprivate mutating func append(_ digest: SHA256Digest) {
        let start = bytes.count
        digest.append(to: &bytes)
        cells.append(.blob(range(from: start)))
    }

    /// Replaces the digest in a cell, if it has one.
    mutating func replace(_ digest: SHA256Digest, at index: Int) {
        if case .blob(let range) = cells[index] { bytes.replaceSubrange(range, with: digest.bytes) }
    }

    /// Adds the cell of a column with a digest as hexadecimal text.
    mutating func add(
        _ column: StaticString, hexadecimal digest: [UInt8]?, _ note: @autoclosure () -> String = "",
        rules: StaticString = ""
    ) {
        if columns != nil { name(column, "TEXT", note(), rules: rules) }
        guard let digest else { return cells.append(.null) }
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: 2 * digest.count))
        for index in digest.indices {
            bytes[start + 2 * index] = hexadecimalDigit(digest[index] >> 4)
            bytes[start + 2 * index + 1] = hexadecimalDigit(digest[index] & 15)
        }
        cells.append(.text(range(from: start)))
    }

    private func range(from start: Int) -> Range<Int> { start..<bytes.count }

    /// Returns the value of one cell as it is read back.
    func value(_ index: Int) -> Value {
        switch cells[index] {
        case .null: .null
        case .integer(let number): .integer(number)
        case .text(let range): .text(Array(bytes[range]))
        case .blob(let range): .blob(Array(bytes[range]))
        }
    }
}

/// Adds the rows of a record as cells, in the order of the contract.
extension RowCells: AttributeVisitor {
    @inline(__always)
    mutating func visit(
        _ type: Int64, _ name: StaticString, _ value: AttributeRow.Value, of payload: [UInt8]
    ) {
        if columns != nil { self.name(name, value) }
        switch value {
        case .text(let slice):
            guard let range = slice.range else { return cells.append(.null) }
            let start = bytes.count
            append(payload.span.extracting(range))
            endText(from: start)
        case .bytes(let slice):
            guard let range = slice.range else { return cells.append(.null) }
            let start = bytes.count
            append(payload.span.extracting(range))
            cells.append(.blob(self.range(from: start)))
        case .date(let date): add(date)
        case .identifier(let number): add(identifier: number)
        case .integer(let number): add(number)
        case .flag(let flag): add(flag)
        case .productType(let type): add(type?.name)
        case .string(let text): add(text)
        }
    }

    @inline(never)
    private mutating func name(_ member: StaticString, _ value: AttributeRow.Value) {
        let name: StaticString = "\(member)" == "receipt_creation_date" ? "created_at" : member
        let type =
            switch value {
            case .text, .identifier, .productType, .string: "TEXT"
            case .bytes: "BLOB"
            case .date, .integer, .flag: "INTEGER"
            }
        self.name(name, type, RowColumn.attributeNotes["\(name)"] ?? "")
    }

    /// Appends bytes without the retain and release that an array slice needs.
    @inline(__always)
    private mutating func append(_ part: Span<UInt8>) {
        unsafe part.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }
}

extension String: CellValue {
    static var sqlType: String { "TEXT" }
    func append(to cells: inout RowCells) { cells.append(self) }
}

extension SHA256Digest: CellValue {
    static var sqlType: String { "BLOB" }
    func append(to cells: inout RowCells) { cells.append(self) }
}

extension UInt64 {
    /// Whether any of the eight bytes is 0 or 0xE2.
    fileprivate var isOdd: Bool {
        let other = self ^ (Self.ones &* 0xE2)
        return ((self &- Self.ones) & ~self | (other &- Self.ones) & ~other) & (Self.ones &* 0x80) != 0
    }
}
