import AppReceipt
public import ReceiptJSON

/// What sources hold that is no record.
public struct LeftOut: Hashable, Sendable {
    /// Files and folders whose names begin with a full stop.
    public var hidden = 0
    /// Files and folders that a ``PathFilter`` does not take.
    public var filtered = 0
    /// Links in archives to files or folders of the same archive.
    public var links = 0
    public var blankLines = 0

    public init() {}

    static func + (one: LeftOut, other: LeftOut) -> LeftOut {
        var sum = one
        sum.hidden += other.hidden
        sum.filtered += other.filtered
        sum.links += other.links
        sum.blankLines += other.blankLines
        return sum
    }

    /// For a person; nil where nothing was.
    public var summary: String? {
        let parts = [
            (hidden, "hidden file", "hidden files"),
            (filtered, "file by --include or --exclude", "files by --include or --exclude"),
            (links, "link within an archive", "links within an archive"),
            (blankLines, "blank line", "blank lines"),
        ]
        let told = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.0 == 1 ? $0.1 : $0.2)" }
        return told.isEmpty ? nil : told.joined(separator: ", ")
    }
}

/// How many records were read, and what became of them. A record of a source that holds several signed objects counts as
/// several: there is a line and a row for each.
public struct AuditCounts: Hashable, Sendable {
    /// Records of the sources, whatever they hold.
    public internal(set) var sourceRecords = 0
    public var genuine = 0
    /// Of the genuine ones: those that a root of the caller's own or StoreKit Test vouches for, and not Apple.
    public var notApples = 0
    /// Of the genuine ones: those that are no receipts, by kind as the database names it.
    public internal(set) var others: [String: Int] = [:]
    /// Receipts that were read and refused.
    public var refused = 0
    /// Records of which no receipt could be read.
    public var unreadable = 0
    /// Records that say that they hold no receipt.
    public var absent = 0
    /// The first record that could not be read, for a message.
    public var firstUnreadable: String?
    public var leftOut = LeftOut()
    /// The files and streams that were read, but for those in folders.
    var inputs: [InputFacts] = []
    /// Nil where findings were not checked.
    public internal(set) var outcome: AuditOutcome?
    /// The fields that some record had.
    public var found: NamedFields = []
    /// Fields that were named and that no record had, by name: what was to be looked for there was not.
    public var missingFields: [String] = []
    /// The sources of which no record came, as given.
    public internal(set) var emptySources: [String] = []

    /// The root of the tree over all records in the order of the input (RFC 6962), hexadecimal: a number that stands for
    /// every record and its answer. Nil where the run did not come to its end.
    public internal(set) var root: String?

    public var records: Int { genuine + refused + unreadable + absent }
    /// Those that a verifier saw.
    public var judged: Int { genuine + refused }

    public init() {}

    mutating func add(_ answer: Answer, from source: String) {
        found.formUnion(answer.found)
        if answer.isFirst { sourceRecords += 1 }
        let refusal: Refusal
        switch answer.examination?.result {
        case nil:
            absent += 1
            return
        case .success(let verified):
            genuine += 1
            if verified.realm != .appStore { notApples += 1 }
            if case .receipt = verified { return }
            others[verified.kind, default: 0] += 1
            return
        case .failure(let failure): refusal = failure
        }
        guard refusal.code == .unreadable else {
            refused += 1
            return
        }
        unreadable += 1
        guard firstUnreadable == nil else { return }
        firstUnreadable = Self.message(refusal, of: answer, from: source)
    }

    /// Of the genuine ones what they are, for a person; nil where all are receipts.
    public var kinds: String? {
        let receipts = genuine - others.values.reduce(0, +)
        let all = [("receipt", receipts)] + others.sorted { $0.key < $1.key }
        let told = all.filter { $0.1 > 0 }.map { "\($0.1) \(Self.shown(kind: $0.0, $0.1))" }
        return others.isEmpty ? nil : told.joined(separator: ", ")
    }

    /// A kind as the database names it, in words.
    static func shown(kind: String, _ count: Int) -> String {
        let words = [
            "transaction": "signed transaction", "renewal-info": "piece",
            "app-transaction": "app transaction", "realtime-request": "realtime request",
            "transaction-receipt": "transaction receipt",
        ]
        let word = (words[kind] ?? kind) + (count == 1 ? "" : "s")
        return kind == "renewal-info" ? "\(word) of renewal information" : word
    }

    /// Why a record could not be read, for a person.
    static func message(_ refusal: Refusal, of answer: Answer, from source: String) -> String {
        let place = if case .source(let path) = answer.origin { path } else { name(answer.place, of: source) }
        return "\(place.cut): \(refusal.message.cut)"
    }

    /// A record, for a message.
    static func name(_ place: Int, of source: String) -> String {
        "\(source == "-" ? "standard input" : source), record \(place)"
    }

    mutating func add(_ other: AuditCounts) {
        add(recordsOf: other)
        leftOut = leftOut + other.leftOut
        inputs += other.inputs
        emptySources += other.emptySources
    }

    mutating func add(recordsOf other: AuditCounts) {
        sourceRecords += other.sourceRecords
        genuine += other.genuine
        notApples += other.notApples
        if !other.others.isEmpty { others.merge(other.others, uniquingKeysWith: +) }
        refused += other.refused
        unreadable += other.unreadable
        absent += other.absent
        found.formUnion(other.found)
        firstUnreadable = firstUnreadable ?? other.firstUnreadable
    }
}
