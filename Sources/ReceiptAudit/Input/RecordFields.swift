import AppReceipt
import OfferEligibility
import ReceiptJSON
import StrictJSON

/// A record taken apart: how it is called, whose it is, and the text of its receipt.
struct RecordFields {
    let origin: ReceiptOrigin
    let receipt: Receipt

    /// Bytes that an id and a subject may have.
    static let longestName = 1 << 20

    enum Receipt {
        /// A stretch of the batch.
        case slice(Range<Int>)
        case bytes([UInt8])
    }

    /// Reads a line of NDJSON.
    /// - Throws: a ``Refusal`` with code `unreadable`.
    init(line: Range<Int>, of bytes: Span<UInt8>, _ names: FieldNames) throws(Refusal) {
        if let fields = RecordFields(plainLine: line, of: bytes, names) {
            self = fields
        } else {
            self = try RecordFields(anyLine: bytes.extracting(line), names)
        }
    }

    init(origin: ReceiptOrigin, receipt: Receipt) { (self.origin, self.receipt) = (origin, receipt) }

    /// Reads whatever is JSON, exactly and slowly, and says what is wrong with the rest.
    private init(anyLine line: Span<UInt8>, _ names: FieldNames) throws(Refusal) {
        var writer = JSONWriter()
        var id: [UInt8]?
        var subject: [UInt8]?
        var receipt: [UInt8]?
        do throws(JSONError) {
            var reader = JSONReader(line, maximumMembers: 1 << 16, skipsByteOrderMark: true)
            try reader.object { (reader, name) throws(JSONError) in
                // Byte by byte: Swift takes texts for equal that only look alike.
                switch Array(name.utf8) {
                case names.id where try reader.peek() == .number: id = Array(try reader.number().utf8)
                case names.id: id = writer.text(of: try reader.string(atMost: .max))
                case names.receipt: receipt = try reader.text(atMost: .max)
                case names.subject:
                    if try !reader.null() { subject = writer.text(of: try reader.string(atMost: .max)) }
                default: try reader.skip()
                }
            }
            try reader.end()
            if id == nil { throw reader.error(.missing(names.text.id)) }
            if receipt == nil { throw reader.error(.missing(names.text.receipt)) }
        } catch {
            throw Refusal(
                code: .unreadable, message: "\(error)".cut, offset: error.offset,
                field: error.path.isEmpty ? nil : error.path.cut)
        }
        guard max(id?.count ?? 0, subject?.count ?? 0) <= Self.longestName else { throw .tooLong }
        self.init(origin: .tokens(id: id ?? [], subject: subject), receipt: .bytes(receipt ?? []))
    }

    /// Reads the lines that exports are made of: members that are plain strings or numbers. Nil where the line is
    /// anything else; it accepts nothing that ``init(anyLine:_:)`` would not read in the same way.
    private init?(plainLine line: Range<Int>, of bytes: Span<UInt8>, _ names: FieldNames) {
        var scanner = LineScanner(bytes, line)
        var id: Range<Int>?
        var subject: Range<Int>?
        var receipt: Range<Int>?
        guard scanner.take("{") else { return nil }
        repeat {
            guard let name = scanner.plainString(), scanner.take(":") else { return nil }
            if id == nil, bytes.extracting(name).equals(names.id) {
                guard let token = scanner.plainToken() else { return nil }
                id = token
            } else if receipt == nil, bytes.extracting(name).equals(names.receipt) {
                guard let text = scanner.plainString() else { return nil }
                receipt = text
            } else if subject == nil, bytes.extracting(name).equals(names.subject) {
                guard let text = scanner.plainString() else { return nil }
                subject = text.lowerBound - 1..<text.upperBound + 1
            } else {
                return nil
            }
        } while scanner.take(",")
        guard scanner.take("}"), scanner.isAtEnd, let id, let receipt,
            max(id.count, subject?.count ?? 0) <= Self.longestName
        else { return nil }
        self.init(
            origin: .tokens(id: bytes.copy(id), subject: subject.map { bytes.copy($0) }),
            receipt: .slice(receipt))
    }
}

extension Refusal {
    static var tooLong: Refusal {
        let message = "the id or the subject has more than \(RecordFields.longestName) bytes"
        return Refusal(code: .unreadable, message: message)
    }
}

/// The names of the fields, as text and as the bytes that stand in a line.
struct FieldNames: Sendable {
    let text: ColumnNames
    let id: [UInt8]
    let receipt: [UInt8]
    let subject: [UInt8]

    init(_ names: ColumnNames) {
        text = names
        (id, receipt, subject) = (Array(names.id.utf8), Array(names.receipt.utf8), Array(names.subject.utf8))
    }
}

extension Span<UInt8> {
    func copy(_ range: Range<Int>) -> [UInt8] {
        unsafe extracting(range).withUnsafeBufferPointer { unsafe Array($0) }
    }

    fileprivate func equals(_ other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        for index in other.indices where self[index] != other[index] { return false }
        return true
    }
}
