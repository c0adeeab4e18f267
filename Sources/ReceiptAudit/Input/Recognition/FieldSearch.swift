import AppReceipt
import ReceiptJSON
import StrictJSON

/// Finds the field of an export that holds receipts, by what stands in its first records.
struct FieldSearch {
    /// What was seen of one field.
    private struct Tally {
        /// Values that say something.
        var values = 0
        /// Those that are receipts, and those that are signed by Apple in another form.
        var receipts = 0
        var others = 0
    }

    private(set) var records = 0
    /// Those with members of the App Store Server API's names, which are read wherever they stand.
    private(set) var answers = 0
    /// In the order in which they were first seen.
    private(set) var names: [String] = []
    private var tallies: [String: Tally] = [:]
    private let limits: ReceiptLimits

    /// Records that are looked at, and bytes of them.
    static let (mostRecords, mostBytes) = (1000, 4 << 20)
    /// Fields that are remembered: exports have fewer.
    private static let mostNames = 1024
    /// Fewer bytes are no receipt.
    private static let fewestBytes = 64

    init(limits: ReceiptLimits) { self.limits = limits }

    var isOver: Bool { records >= Self.mostRecords }

    /// The first field that holds receipts in most of the records in which it holds anything; where there is none, the
    /// first of other evidence, so that its refusals name it.
    var result: String? {
        let named = names.compactMap { name in tallies[name].map { (name, $0) } }
        return named.first { 2 * $1.receipts > $1.values }?.0
            ?? named.first { 2 * ($1.receipts + $1.others) > $1.values }?.0
    }

    /// Further fields that hold receipts in most of the records in which they hold anything, and are not looked at: those of
    /// the App Store Server API's names are.
    func others(than found: String) -> [String] {
        names.filter { name in
            name != found && !APIAnswer.names.contains(name)
                && tallies[name].map { 2 * $0.receipts > $0.values } == true
        }
    }

    /// Whether one field alone holds receipts so far, or members of Apple's names do, for whoever cannot wait for more.
    var isSettled: Bool {
        guard let result else { return answers > 0 }
        return tallies.allSatisfy { ($0.key == result) == ($0.value.receipts > 0) }
    }

    // MARK: - Records

    /// Looks at a row.
    mutating func add(row: CSVRow, _ columns: [String]) {
        records += 1
        for (name, field) in zip(columns, row.fields) { add(field.span, name) }
    }

    /// Looks at a line; what is no JSON counts as a record all the same.
    mutating func add(line: Span<UInt8>) {
        records += 1
        if line.mayHoldSignedMembers, line.hasSignedMembers(limits) { answers += 1 }
        do throws(JSONError) {
            var reader = JSONReader(line, maximumDepth: 16, maximumMembers: 1 << 12)
            if try reader.peek() == .object { try read(&reader, below: "") }
        } catch {
            // Its record is going to say so.
        }
    }

    /// As deep as the reader goes.
    private mutating func read(_ reader: inout JSONReader, below path: String) throws(JSONError) {
        try reader.object { (reader, name) throws(JSONError) in
            let path = path.isEmpty ? name : "\(path).\(name)"
            switch try reader.peek() {
            case _ where APIAnswer.names.contains(name): try reader.skip()
            case .object: try read(&reader, below: path)
            case .string:
                let text = try reader.text(atMost: .max)
                add(text.span, path)
            case .number, .bool:
                try reader.skip()
                count(.none, path)
            case .null, .array: try reader.skip()
            }
        }
    }

    private mutating func add(_ value: Span<UInt8>, _ name: String) {
        guard !value.saysAbsent else { return }
        count(evidence(value), name)
    }

    private mutating func count(_ evidence: Evidence, _ name: String) {
        if tallies[name] == nil {
            guard names.count < Self.mostNames, name.utf8.count <= JSONReader.longestName else { return }
            names.append(name)
        }
        var tally = tallies[name, default: Tally()]
        tally.values += 1
        switch evidence {
        case .receipt: tally.receipts += 1
        case .other: tally.others += 1
        case .none: break
        }
        tallies[name] = tally
    }

    private enum Evidence { case receipt, other, none }

    private func evidence(_ value: Span<UInt8>) -> Evidence {
        guard value.count >= Self.fewestBytes else { return .none }
        if Self.isReceipt(value, limits) { return .receipt }
        if Self.isOther(InputResemblance(value)) { return .other }
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

    private static func isReceipt(_ value: Span<UInt8>, _ limits: ReceiptLimits) -> Bool {
        switch Unwrapper.read(value, limits: limits) {
        case .signed: true
        case .none: value.mayHoldSignedMembers && value.hasSignedMembers(limits)
        }
    }

    /// Whether a field of the row is a receipt: then it is no row of column names.
    static func holdsReceipt(_ row: CSVRow, limits: ReceiptLimits) -> Bool {
        for field in row.fields where field.count >= fewestBytes {
            if isReceipt(field.span, limits) { return true }
        }
        return false
    }
}
