import AppReceipt
import ReceiptExamination
import StrictJSON

/// A search in the first records of an export for the field that holds receipts.
struct FieldSearch {
    private(set) var records = 0
    /// The number of records with members that have names of the App Store Server API. These are read at any
    /// depth.
    private(set) var answers = 0
    /// The names of the fields in the order in which they were first seen.
    private(set) var names: [String] = []
    /// The names of the fields of JSON that had no value in some record.
    private var emptyNames: [String] = []
    private var emptyKeys: Set<[UInt8]> = []
    /// The number of values of each kind, by the field's name.
    private var tallies: [[UInt8]: [FieldKind: Int]] = [:]
    private let limits: ReceiptLimits
    private var bytes = 0

    /// The maximum number of examined records, and their maximum total size in bytes.
    static let (mostRecords, mostBytes) = (1000, 4 << 20)
    /// The maximum number of fields to remember. Exports have fewer.
    private static let mostNames = 1024
    /// The minimum size of a receipt in bytes.
    private static let fewestBytes = 64

    init(limits: ReceiptLimits) { self.limits = limits }

    var isOver: Bool { records >= Self.mostRecords || bytes >= Self.mostBytes }

    /// The first field that holds receipts in most of the records in which it has a value. If there is none, the
    /// first that holds receipts or other evidence in most of them, so that refusals name the field. Purchases of
    /// other stores do not count, because the column of receipts may hold more of them than receipts.
    var result: String? {
        let named = names.map { name in (name, tallies[Array(name.utf8), default: [:]]) }
        func misses(_ tally: [FieldKind: Int]) -> Int {
            tally[.none, default: 0] + tally[.inside, default: 0]
        }
        return named.first { $1[.receipt, default: 0] > $1[.other, default: 0] + misses($1) }?.0
            ?? named.first { $1[.receipt, default: 0] + $1[.other, default: 0] > misses($1) }?.0
    }

    /// Returns further fields that hold receipts. They are not examined, unlike fields with names of the App
    /// Store Server API.
    func others(than found: String) -> [String] {
        names.filter { name in
            guard !name.isExactly(found), !APIAnswer.names.contains(name.ifASCII) else { return false }
            let tally = tallies[Array(name.utf8), default: [:]]
            return tally[.receipt] != nil || tally[.inside] != nil
        }
    }

    /// Whether exactly one field holds receipts so far, or members with Apple's names do. Callers that cannot
    /// wait for more records use it.
    var isSettled: Bool {
        guard let result else { return answers > 0 }
        let key = Array(result.utf8)
        return tallies.allSatisfy { ($0.key == key) == ($0.value[.receipt] != nil) }
    }

    // MARK: - Records

    /// Examines a row.
    mutating func add(row: CSVRow, _ columns: [String]) {
        records += 1
        for (name, field) in zip(columns, row.fields) { add(field.span, name) }
    }

    /// Examines some fields of a row.
    mutating func add(row: CSVRow, _ columns: [(column: Int, name: String)]) {
        records += 1
        bytes += row.fields.reduce(row.count) { $0 + $1.count }
        for (column, name) in columns {
            let field = row.fields[column]
            add(field.span, name)
        }
    }

    /// Examines a line. A line that is not JSON counts as a record too.
    mutating func add(line: Span<UInt8>) {
        records += 1
        bytes += line.count
        let isAnswer = line.mayHoldSignedMembers && line.hasSignedMembers(limits)
        if isAnswer { answers += 1 }
        do throws(JSONError) {
            // With the limits of RecordFields, so that it sees each member that is read later.
            var reader = JSONReader(line, maximumMembers: 1 << 16, skipsByteOrderMark: true)
            // The arrays of an answer are read.
            if try reader.peek() == .object { try read(&reader, below: "", arrays: !isAnswer) }
        } catch {
            // Reading the record later reports the error.
        }
    }

    /// Reads an object. The reader limits the depth.
    private mutating func read(
        _ reader: inout JSONReader, below path: String, arrays: Bool
    ) throws(JSONError) {
        // A longer name is not counted.
        guard path.utf8.count <= JSONReader.longestName else { return try reader.skip() }
        try reader.object { (reader, name) throws(JSONError) in
            let path = path.isEmpty ? name : "\(path).\(name)"
            switch try reader.peek() {
            case _ where APIAnswer.names.contains(name.ifASCII): try reader.skip()
            case .object: try read(&reader, below: path, arrays: arrays)
            case .string:
                let text = try reader.text(atMost: .max)
                if text.span.saysAbsent { mention(path) } else { add(text.span, path) }
            case .number, .bool:
                try reader.skip()
                count(.none, path)
            case .array where arrays: try lookInside(&reader, path + ".*")
            case .null:
                mention(path)
                try reader.skip()
            case .array: try reader.skip()
            }
        }
    }

    /// Looks for receipts at any depth of an array. They are never read.
    private mutating func lookInside(_ reader: inout JSONReader, _ path: String) throws(JSONError) {
        switch try reader.peek() {
        case .array:
            try reader.array { (reader, _) throws(JSONError) in try lookInside(&reader, path) }
        case .object:
            try reader.object { (reader, name) throws(JSONError) in
                // These are read. The last record may be cut, so that it does not count as an answer.
                if APIAnswer.names.contains(name.ifASCII) {
                    try reader.skip()
                } else {
                    try lookInside(&reader, path)
                }
            }
        case .string:
            let text = try reader.text(atMost: .max)
            if text.count >= Self.fewestBytes,
                Self.isReceipt(text.span, limits) || UnreadReceipts.holdsReceipt(text.span)
            {
                count(.inside, path)
            }
        case .number, .bool, .null: try reader.skip()
        }
    }

    private mutating func add(_ value: Span<UInt8>, _ name: String) {
        guard !value.saysAbsent else { return }
        count(evidence(value), name)
    }

    private mutating func count(_ evidence: FieldKind, _ name: String) {
        guard name.utf8.count <= JSONReader.longestName else { return }
        let key = Array(name.utf8)
        if tallies[key] == nil {
            // Fields with evidence have room after the others.
            guard names.count < (evidence == .none ? 1 : 2) * Self.mostNames else { return }
            names.append(name)
        }
        tallies[key, default: [:]][evidence, default: 0] += 1
    }

    /// Remembers the name of a field without a value.
    private mutating func mention(_ name: String) {
        guard emptyNames.count < Self.mostNames, name.utf8.count <= JSONReader.longestName,
            emptyKeys.insert(Array(name.utf8)).inserted
        else { return }
        emptyNames.append(name)
    }

    /// The field with the customer account, if possible one that had a value.
    var subject: String? { SubjectNames.find(in: names) ?? SubjectNames.find(in: emptyNames) }

    private enum FieldKind {
        case receipt, other, foreign, none
        /// Text or an array with receipts inside.
        case inside
    }

    private func evidence(_ value: Span<UInt8>) -> FieldKind {
        guard value.count >= Self.fewestBytes else { return ForeignKind(value) == nil ? .none : .foreign }
        if Self.isReceipt(value, limits) { return .receipt }
        if Self.isOther(InputResemblance(value)) { return ForeignKind(value) == nil ? .other : .foreign }
        if ForeignKind(value) != nil { return .foreign }
        if UnreadReceipts.holdsReceipt(value) { return .inside }
        let der: [UInt8]
        do throws(ReceiptError) {
            der = try InputEncoding.decode(value, limits: limits).der
        } catch {
            return .none
        }
        return Self.isOther(InputResemblance(der.span)) ? .other : .none
    }

    private static func isOther(_ resemblance: InputResemblance?) -> Bool {
        resemblance == .jws || resemblance == .verifyReceiptAnswer || resemblance == .transactionReceipt
    }

    static func isReceipt(_ value: Span<UInt8>, _ limits: ReceiptLimits) -> Bool {
        switch Unwrapper.read(value, limits: limits) {
        // Any web token is a JWS, but Apple's have certificates.
        case .signed(.jws(let text), _): UnreadReceipts.isReceipt(text.span)
        case .signed: true
        case .none: value.mayHoldSignedMembers && value.hasSignedMembers(limits)
        }
    }

    /// Returns whether a field of the row is a receipt. The row then does not contain column names.
    static func holdsReceipt(_ row: CSVRow, limits: ReceiptLimits) -> Bool {
        for field in row.fields where field.count >= fewestBytes {
            if isReceipt(field.span, limits) { return true }
        }
        return false
    }
}
