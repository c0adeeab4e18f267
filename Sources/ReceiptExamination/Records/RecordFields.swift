package import AppReceipt
import StrictJSON

/// The parsed fields of a record: its name, its subject, the text of its receipt, and the other signed
/// objects in it.
package struct RecordFields {
    package let origin: ReceiptOrigin
    /// The receipt, or nil if there are only other signed objects.
    package let receipt: Receipt?
    /// The signed objects in members that have names of the App Store Server API. If the receipt's own member
    /// has no text, receipts beside them are included.
    package private(set) var others: [APIAnswer.Element] = []
    /// The range of the record in its batch.
    package private(set) var whole = 0..<0
    /// The named fields that the record contains.
    package let found: NamedFields
    /// The kept fields as a JSON object of texts, or nil if there are none.
    package private(set) var kept: [UInt8]?
    /// Whether the record has the values that the settings select.
    package private(set) var isSelected = true

    /// The first other member with a receipt, which is not read.
    package private(set) var unreadField: String?

    /// The message for a record that is too long to be read.
    package static let tooLong = "longer than the limit of a record"

    /// The maximum length of an ID or a subject in bytes.
    package static let longestName = 1 << 20

    package enum Receipt {
        /// The export states that there is no receipt.
        case absent
        /// A slice of the batch.
        case slice(Range<Int>)
        case bytes([UInt8])
    }

    /// Reads a line of NDJSON, or an element of a JSON array.
    /// - Parameters:
    ///   - place: The number of the record. It serves as the name of a record without an ID.
    ///   - keys: The keys that name the record in JSON that is keyed by id.
    /// - Throws: `ReceiptError` with code `unreadable`.
    package init(
        line: Range<Int>, of bytes: Span<UInt8>, _ names: FieldNames, place: Int,
        keys: RecordKeys? = nil, limits: ReceiptLimits = ReceiptLimits()
    ) throws(ReceiptError) {
        if keys == nil, names.kept.isEmpty,
            let fields = RecordFields(plainLine: line, of: bytes, names, place)
        {
            self = fields
        } else {
            self = try RecordFields(anyLine: bytes.extracting(line), names, place, keys, limits)
        }
        whole = line
    }

    package init(
        origin: ReceiptOrigin, receipt: Receipt?, others: [APIAnswer.Element], whole: Range<Int>,
        found: NamedFields, kept: [UInt8]? = nil, isSelected: Bool = true, unreadField: String? = nil
    ) {
        (self.origin, self.receipt, self.others, self.whole) = (origin, receipt, others, whole)
        (self.found, self.kept, self.isSelected, self.unreadField) = (found, kept, isSelected, unreadField)
    }

    private init(id: [UInt8]?, subject: [UInt8]?, receipt: Receipt?, _ place: Int) {
        origin = .tokens(id: id ?? Array("\(place)".utf8), subject: subject)
        self.receipt = receipt
        found = [id == nil ? [] : .id, receipt == nil ? [] : .receipt, subject == nil ? [] : .subject]
    }

    /// Reads any JSON with the full parser, and reports errors exactly. It is slower than the plain reader.
    private init(
        anyLine line: Span<UInt8>, _ names: FieldNames, _ place: Int, _ keys: RecordKeys?,
        _ limits: ReceiptLimits
    ) throws(ReceiptError) {
        var search = MemberSearch(names: names)
        var values: [(name: [UInt8], value: [UInt8])] = []
        var isSelected = true
        let signed =
            names.isReceiptNamed || !line.mayHoldSignedMembers ? nil : try line.signedMembers(limits)
        search.takesObjects = signed != nil || names.isReceiptNamed
        do throws(JSONError) {
            var reader = JSONReader(line, maximumMembers: 1 << 16, skipsByteOrderMark: true)
            if try reader.peek() == .string {
                // The line is an element of an array that contains only receipts.
                search.receipt = .bytes(try reader.text(atMost: .max))
            } else {
                try search.read(&reader, below: [])
            }
            try reader.end()
            values = search.taken.compactMap { name, range in
                line.scalar(range).map { (name, $0) }
            }
            isSelected = names.kept.select(Dictionary(values) { first, _ in first })
            if let error = search.objectError, case .slice(let range)? = search.receipt,
                ForeignKind(line.extracting(range)) == nil
            {
                throw error
            }
            if search.receipt == nil, signed == nil, isSelected {
                // Trees keyed by id have no null: a member without a value is missing.
                guard keys != nil else { throw reader.error(.missing(names.receiptName)) }
                search.receipt = .absent
            }
        } catch {
            throw ReceiptError(
                .unreadable, message: "\(error)".cut, offset: error.offset,
                field: error.path.isEmpty ? nil : error.path.cut)
        }
        guard max(search.id?.count ?? 0, search.subject?.count ?? 0) <= Self.longestName else {
            throw .tooLong
        }
        if let keys {
            if search.id == nil { search.id = try keys.token(keys.id) }
            if search.subject == nil, let subject = keys.subject { search.subject = try keys.token(subject) }
        }
        var others = signed?.objects ?? []
        if signed != nil {
            switch search.receipt {
            case .bytes: others.removeAll(where: \.isReceipt)
            // An object without signed objects may be one of another store.
            case .slice(let range)
            where others.isEmpty && !line.extracting(range).hasSignedMembers(limits): break
            // Objects in the receipt's member are reported once. A record without signed objects is reported
            // as absent.
            case .slice, .absent, nil: search.receipt = others.isEmpty ? .absent : nil
            }
        }
        if case .slice(let range)? = search.receipt { search.receipt = .bytes(line.copy(range)) }
        self.init(id: search.id, subject: search.subject, receipt: search.receipt, place)
        unreadField = Self.unreadField(search.passed, in: line, besides: others)
        self.others = others
        self.isSelected = isSelected
        kept = names.kept.kept(values)
    }

    /// Returns the path of the first value with a receipt, of those that were passed over. Objects in them that are read are not
    /// examined.
    private static func unreadField(
        _ passed: [(name: [UInt8], range: Range<Int>)], in line: Span<UInt8>,
        besides read: [APIAnswer.Element]
    ) -> String? {
        var offsets = read.map(\.offset).sorted()[...]
        for (name, range) in passed {
            offsets = offsets.drop { $0 < range.lowerBound }
            if offsets.first == range.lowerBound { continue }
            if line[range.lowerBound] == UInt8(ascii: "\"") {
                let text = line.extracting(range.lowerBound + 1..<range.upperBound - 1)
                if UnreadReceipts.holdsReceipt(text) { return String(decoding: name, as: UTF8.self) }
                continue
            }
            var start = range.lowerBound
            while start < range.upperBound {
                offsets = offsets.drop { $0 < start }
                let end = min(offsets.first ?? range.upperBound, range.upperBound)
                if UnreadReceipts.holdsReceipt(line.extracting(start..<end)) {
                    return String(decoding: name, as: UTF8.self) + ".*"
                }
                guard end < range.upperBound else { break }
                // The end of the object's text, which may have escapes.
                start = end + 1
                while start < range.upperBound, line[start] != UInt8(ascii: "\"") {
                    start += line[start] == UInt8(ascii: "\\") ? 2 : 1
                }
            }
        }
        return nil
    }

    /// Reads typical lines of exports, whose members are plain strings or numbers. Returns nil for any other
    /// line. For the lines that it accepts, the result is that of ``init(anyLine:_:_:_:_:)``.
    private init?(plainLine line: Range<Int>, of bytes: Span<UInt8>, _ names: FieldNames, _ place: Int) {
        var scanner = LineScanner(bytes, line)
        var id: Range<Int>?
        var subject: Range<Int>?
        var receipt: Range<Int>?
        guard scanner.take("{") else { return nil }
        repeat {
            guard let name = scanner.plainString(), scanner.take(":") else { return nil }
            let member = bytes.extracting(name)
            if id == nil, member.equals(names.id) {
                guard let token = scanner.plainToken() else { return nil }
                id = token
                if names.subject == names.id { subject = token }
            } else if receipt == nil, member.equals(names.receipt) {
                guard let text = scanner.plainString() else { return nil }
                receipt = text
            } else if subject == nil, member.equals(names.subject) {
                guard let token = scanner.plainToken() else { return nil }
                subject = token
            } else {
                return nil
            }
        } while scanner.take(",")
        guard scanner.take("}"), scanner.isAtEnd, let receipt,
            max(id?.count ?? 0, subject?.count ?? 0) <= Self.longestName
        else { return nil }
        self.init(
            id: id.flatMap { bytes.token($0) }, subject: subject.flatMap { bytes.token($0) },
            receipt: bytes.extracting(receipt).saysAbsent ? .absent : .slice(receipt), place)
    }
}

/// A search for the wanted members at any depth of a record.
private struct MemberSearch {
    let names: FieldNames
    var id: [UInt8]?
    var subject: [UInt8]?
    /// The receipt, with an object as a slice of the record.
    var receipt: RecordFields.Receipt?
    /// Whether an object may be a receipt: a response that contains one.
    var takesObjects = false
    /// The error for an object in place of the receipt. It is thrown unless the object is a purchase of
    /// another store.
    private(set) var objectError: JSONError?
    /// The other fields that are needed, by path, with the ranges of their values in the record.
    private(set) var taken: [(name: [UInt8], range: Range<Int>)] = []
    /// The members that were passed over and are long enough for a receipt, with the ranges of their values.
    private(set) var passed: [(name: [UInt8], range: Range<Int>)] = []

    /// Reads an object. The configured names limit the depth of the recursion, whatever the record contains.
    mutating func read(_ reader: inout JSONReader, below path: [UInt8]) throws(JSONError) {
        try reader.object { (reader, name) throws(JSONError) in
            // Compares bytes, because Swift treats canonically equivalent strings as equal.
            let path = path.isEmpty ? Array(name.utf8) : path + [UInt8(ascii: ".")] + name.utf8
            let isTaken =
                !names.kept.isEmpty && path != names.receipt && names.kept.take(path)
                && !(names.kept.isAll && APIAnswer.names.contains(name.ifASCII))
            var start = 0
            if isTaken {
                _ = try reader.peek()
                start = reader.offset
            }
            defer { if isTaken { taken.append((path, start..<reader.position)) } }
            switch path {
            case names.receipt: try takeReceipt(&reader)
            case names.id:
                id = try token(&reader, after: id)
                if names.subject == names.id { subject = id }
            case names.subject: subject = try token(&reader, after: subject)
            case _ where names.lead(below: path):
                switch try reader.peek() {
                case .object: try read(&reader, below: path)
                // The parent is null, so the receipt below it is absent.
                case .null where receipt == nil && names.receipt.starts(with: path + [UInt8(ascii: ".")]):
                    try reader.skip()
                    receipt = .absent
                default: try pass(&reader, name, at: path)
                }
            default: try pass(&reader, name, at: path)
            }
        }
    }

    private mutating func pass(
        _ reader: inout JSONReader, _ name: String, at path: [UInt8]
    ) throws(JSONError) {
        let range = try reader.slice()
        guard names.isNoticing, range.count > 64, !APIAnswer.names.contains(name.ifASCII) else { return }
        passed.append((path, range))
    }

    private mutating func takeReceipt(_ reader: inout JSONReader) throws(JSONError) {
        // Two members may have the same path if a name contains a period.
        guard receipt == nil else { throw reader.error(.duplicateMember) }
        guard try !reader.null() else {
            receipt = .absent
            return
        }
        if try reader.peek() == .object {
            if !takesObjects {
                var copy = reader
                do throws(JSONError) { _ = try copy.text(atMost: .max) } catch { objectError = error }
            }
            receipt = .slice(try reader.slice())
            return
        }
        let text = try reader.text(atMost: .max)
        receipt = text.span.saysAbsent ? .absent : .bytes(text)
    }

    /// Returns the JSON text of a string or a number, or nil for null.
    private mutating func token(
        _ reader: inout JSONReader, after found: [UInt8]?
    ) throws(JSONError) -> [UInt8]? {
        guard found == nil else { throw reader.error(.duplicateMember) }
        switch try reader.peek() {
        case .number: return Array(try reader.number().utf8)
        case .null:
            _ = try reader.null()
            return nil
        default:
            let text = try reader.string(atMost: .max)
            return Array(text.utf8).span.saysAbsent ? nil : JSONWriter.text { $0.string(text) }
        }
    }
}

extension ReceiptError {
    package static var tooLong: ReceiptError {
        let message = "the id or the subject has more than \(RecordFields.longestName) bytes"
        return ReceiptError(.unreadable, message: message)
    }
}

extension Span<UInt8> {
    /// Returns the text of a JSON string or the characters of another scalar. Returns nil for null, objects and
    /// arrays.
    fileprivate func scalar(_ range: Range<Int>) -> [UInt8]? {
        let value = copy(trimmed(range))
        switch value.first {
        case UInt8(ascii: "\""):
            do throws(JSONError) {
                var reader = JSONReader(value.span)
                return try reader.text(atMost: .max)
            } catch {
                return nil
            }
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "n"), nil: return nil
        default: return value
        }
    }

    package func equals(_ other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        for index in other.indices where self[index] != other[index] { return false }
        return true
    }

    /// Returns the bytes of a plain token, including the quotes of a string. Returns nil if the token is a
    /// marker for a missing value.
    fileprivate func token(_ range: Range<Int>) -> [UInt8]? {
        let isText = self[range.lowerBound] == UInt8(ascii: "\"")
        let content = isText ? range.lowerBound + 1..<range.upperBound - 1 : range
        return extracting(content).saysAbsent ? nil : copy(range)
    }

    /// Whether the text is one of the markers that exports write for a missing value.
    package var saysAbsent: Bool {
        var (start, end) = (0, count)
        while start < end, self[start] == 0x20 || self[start] == 0x09 { start += 1 }
        // A fast path: nearly all cells have a value.
        guard start < end, count > 64 + start else {
            while start < end, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
            let text = extracting(start..<end)
            return text.isEmpty || text.equals(nullTexts[0]) || text.equals(nullTexts[1])
                || text.equals(nullTexts[2])
        }
        return false
    }
}

/// The markers for a missing value. Most databases write the first, MySQL and PostgreSQL the second, and
/// programs the third.
private let nullTexts = ["NULL", "\\N", "null"].map { Array($0.utf8) }
