import AppReceipt
import ReceiptExamination
import StrictJSON

/// A search in the beginning of a JSON document for records that are keyed by id, and for their place.
struct TreeSearch {
    /// The path of a receipt.
    private typealias Path = [TreeScanner.Level]

    private var paths: [Path] = []
    /// The paths of members that may name the subject.
    private var named: [Path] = []
    private let limits: ReceiptLimits

    /// The maximum number of receipts to examine.
    private static let most = 1000

    init(limits: ReceiptLimits) { self.limits = limits }

    /// The result: the pattern of the records, and the other places with receipts.
    struct Result {
        let pattern: TreePattern
        let others: [String]
        /// The member of the records that names the subject.
        let subject: String?
    }

    /// Examines a stream, which is at the beginning of the document.
    /// - Returns: Nil unless the stream is one object in which receipts are keyed by id.
    static func result(of stream: ByteStream, limits: ReceiptLimits) throws -> Result? {
        var search = TreeSearch(limits: limits)
        return try stream.look(upTo: FieldSearch.mostBytes) { try search.read(stream) }
    }

    /// Returns the member that names the subject of the records at a given place, or nil if there is none.
    static func subject(
        in pattern: TreePattern, of stream: ByteStream, limits: ReceiptLimits
    ) throws -> String? {
        var search = TreeSearch(limits: limits)
        return try stream.look(upTo: FieldSearch.mostBytes) {
            _ = try search.read(stream)
            return search.subject(in: pattern)
        }
    }

    private mutating func read(_ stream: ByteStream) throws -> Result? {
        var (scanner, bytes, isOver) = (TreeScanner(), [UInt8](), false)
        while paths.count < Self.most {
            let (found, text) = unsafe bytes.withUnsafeBufferPointer {
                buffer -> (TreeScanner.Found, [UInt8]?) in
                let found = unsafe scanner.next(in: buffer, isOver: isOver) { _, _ in false }
                // The shortest receipt is longer.
                guard case .value(let range) = found, range.count >= 64,
                    unsafe buffer[range.lowerBound] == UInt8(ascii: "\"")
                else { return (found, nil) }
                return (found, unsafe Array(buffer[range]))
            }
            guard scanner.tops <= 1, scanner.path.first?.isArray != true else { return nil }
            switch found {
            case .value:
                if let text { add(text, at: scanner.path) }
                note(scanner.path)
            case .more:
                // A program that sends records one by one may wait for an answer to the first one.
                if scanner.isAtTop, scanner.tops == 1, result == nil { return nil }
                bytes.removeFirst(scanner.needed)
                scanner.drop(scanner.needed)
                isOver = try stream.append(to: &bytes, upTo: 1 << 16) == 0
            case .end, .damage: return result
            }
        }
        return result
    }

    private mutating func add(_ quoted: [UInt8], at path: Path) {
        guard !path.isEmpty else { return }
        do throws(JSONError) {
            var reader = JSONReader(quoted.span)
            let text = try reader.text(atMost: .max)
            if FieldSearch.isReceipt(text.span, limits) { paths.append(path) }
        } catch {
            // Reading the record later reports the error.
        }
    }

    private mutating func note(_ path: Path) {
        let keys = path.suffix(2).map(\.key)
        // A cheap test first: the names have 4 to 17 letters, and others may separate them.
        guard named.count < Self.most, (4...40).contains(keys.reduce(0) { $0 + $1.count }) else { return }
        let names = keys.map { String(decoding: $0, as: UTF8.self) }
        let isName = [names.joined(), names.last ?? ""].contains { SubjectNames.find(in: [$0]) != nil }
        if isName { named.append(path) }
    }

    /// The pattern with most receipts.
    private var result: Result? {
        let all = Set(paths.map(\.count)).sorted().flatMap(patterns(at:))
        var best: (pattern: TreePattern, candidate: Candidate)?
        // Of equal numbers, the first counts.
        for candidate in all where candidate.receipts > best?.candidate.receipts ?? 1 && candidate.isKeyed {
            if let pattern = TreePattern(candidate.components) { best = (pattern, candidate) }
        }
        guard let best, !all.contains(where: { $0.text.isExactly(FieldNames.receipt) }) else { return nil }
        let others = all.filter { candidate in
            guard !candidate.text.isExactly(best.pattern.text) else { return false }
            guard candidate.isIn(best.pattern) else { return true }
            // Members of the same record with names of the App Store Server API are read with it.
            let names = candidate.components.dropFirst(best.pattern.record.count).compactMap(\.self)
            return names.last.map(Self.isOfAPI) != true
        }
        return Result(
            pattern: best.pattern, others: others.map { $0.text }, subject: subject(in: best.pattern))
    }

    private func subject(in pattern: TreePattern) -> String? {
        // Keys take precedence over members with such names.
        guard !pattern.hasSubject else { return nil }
        var members: [String] = []
        for member in named.compactMap(pattern.member) where !members.contains(where: member.isExactly) {
            members.append(member)
        }
        return SubjectNames.find(in: members)
    }

    private static func isOfAPI(_ name: [UInt8]) -> Bool {
        APIAnswer.names.contains(String(decoding: name, as: UTF8.self).ifASCII)
    }

    private struct Candidate {
        var components: [TreePattern.Component]
        var receipts: Int
        /// Whether an asterisk stands for different keys of objects, or the place cannot be in an App Store
        /// Server API response.
        var isKeyed: Bool

        /// Returns whether the place may be inside a record. An asterisk, in the pattern or here, stands for any key.
        func isIn(_ pattern: TreePattern) -> Bool {
            components.count >= pattern.record.count
                && zip(components, pattern.record).allSatisfy { $0 == nil || $1 == nil || $0 == $1 }
        }

        var text: String { TreePattern.text(of: components) }
    }

    /// Returns the patterns of the receipts at a depth. Different keys on one level make it an asterisk. The
    /// last level has names if its keys recur in several objects.
    private func patterns(at depth: Int) -> [Candidate] {
        let paths = paths.filter { $0.count == depth }
        var components: [TreePattern.Component] = []
        var isKeyed = false
        for level in 0..<depth - 1 {
            let keys = Set(paths.map { $0[level].key })
            let isArray = paths.allSatisfy { $0[level].isArray }
            components.append(keys.count > 1 || isArray ? nil : keys.first ?? [])
            isKeyed = isKeyed || keys.count > 1 && !isArray
        }
        let last = depth - 1
        let keys = Dictionary(grouping: paths) { $0[last].key }
        let parents = Set(paths.map { path in path.dropLast().map(\.key) }).count
        let isArray = paths.allSatisfy { $0[last].isArray }
        let areNames = keys.count == 1 || paths.count >= 2 * keys.count || parents == 1 && keys.count == 2
        // Answers of the App Store Server API have their members in arrays only.
        guard !isArray, areNames else {
            let isAnswer = (components.last ?? nil).map(Self.isOfAPI) == true
            return [
                Candidate(
                    components: components + [nil], receipts: paths.count, isKeyed: isKeyed || !isAnswer)
            ]
        }
        let usual = Array(FieldNames.receipt.utf8)
        let names = keys.keys.sorted { first, second in
            first == usual || second != usual && first.lexicographicallyPrecedes(second)
        }
        return names.map { name in
            Candidate(
                components: components + [name], receipts: keys[name]?.count ?? 0,
                isKeyed: isKeyed || !Self.isOfAPI(name))
        }
    }
}
