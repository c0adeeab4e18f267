package import AppReceipt
package import ReceiptExamination
import ReceiptJSON
package import RecordSources

/// The numbers of records by result. A source record with several signed objects counts as several, because
/// each has its own line and row.
package struct AuditCounts: Hashable, Sendable {
    /// The number of source records, regardless of their contents.
    package internal(set) var sourceRecords = 0
    package var genuine = 0
    /// The number of genuine objects that do not chain to Apple's roots, but to a custom root or StoreKit
    /// Test.
    package var notApples = 0
    /// The numbers of genuine objects other than receipts, by kind as in the database.
    package internal(set) var others: [String: Int] = [:]
    /// The number of objects that were read and refused, without those for other apps.
    package var refused = 0
    /// The number of genuine objects for other apps than the expected ones. Their lines are refusals.
    package var otherApps = 0
    /// The number of records in which no receipt could be read.
    package var unreadable = 0
    /// The number of records that state that they hold no receipt.
    package var absent = 0
    /// The numbers of values that other stores or payment systems issued, by kind.
    package internal(set) var foreign: [ForeignKind: Int] = [:]
    /// The number of source records that `--where` did not select. They have no line and no row.
    package var notSelected = 0
    /// The first record that could not be read, for a message.
    package var firstUnreadable: String?
    package var leftOut = LeftOut()
    /// The files and streams that were read, except those in folders.
    var inputs: [InputFacts] = []
    /// The outcome, or nil if findings were not checked.
    package internal(set) var outcome: AuditOutcome?
    /// The named fields that at least one record contains.
    package var found: NamedFields = []
    /// The fields that the settings name but no record contains. Checks that need them found nothing.
    package var missingFields: [String] = []
    /// The detected fields of subjects, if the settings name none, with their sources.
    package internal(set) var subjectFields: [String] = []
    /// The fields with receipts that were recognized and not read, with their sources.
    package internal(set) var unreadFields: [String] = []
    /// The receipts in other fields than those that were read, by source.
    var unreadReceipts: [String: UnreadReceipts] = [:]
    /// The facts found out about the sources while they were read, one line each.
    var notes: [String] = []
    /// The sources without records, as given.
    package internal(set) var emptySources: [String] = []

    /// The revocation lists on which no result rests, with the reasons, one line each.
    package internal(set) var unusedLists: [String] = []
    /// Whether one of these lists is unusable, or no result rests on any list.
    package internal(set) var hasUnusableList = false

    /// The Merkle root of all records in the order of the input (RFC 6962), in hexadecimal. It commits to
    /// every record and its answer. Nil if the run did not end.
    package internal(set) var root: String?

    package var records: Int { evaluated + unreadable + absent + foreignValues }
    /// The number of verified records, genuine and refused.
    package var evaluated: Int { genuine + refused + otherApps }
    /// Whether records were verified, and all of them are for other apps than the expected ones.
    package var isOfOtherAppsAlone: Bool { otherApps > 0 && evaluated == otherApps }
    /// The number of values that other stores or payment systems issued.
    package var foreignValues: Int { foreign.values.reduce(0, +) }

    package init() {}

    /// The counts that the run's row has, by column.
    static let columns: [(name: String, count: any WritableKeyPath<AuditCounts, Int> & Sendable)] = [
        ("source_records", \.sourceRecords), ("genuine", \.genuine), ("not_apples", \.notApples),
        ("refused", \.refused), ("unreadable", \.unreadable), ("absent", \.absent),
        ("other_apps", \.otherApps), ("not_selected", \.notSelected),
    ]

    mutating func add(_ answer: RecordAnswer, from source: String) {
        note(answer, from: source)
        if answer.isFirst { sourceRecords += 1 }
        if let kind = answer.examination?.foreign {
            foreign[kind, default: 0] += 1
            return
        }
        let refusal: ReceiptError
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
            if answer.otherApp == nil { refused += 1 } else { otherApps += 1 }
            return
        }
        unreadable += 1
        guard firstUnreadable == nil else { return }
        firstUnreadable = Self.message(refusal, of: answer, from: source)
    }

    /// Notes the fields that a record has.
    mutating func note(_ answer: RecordAnswer, from source: String) {
        found.formUnion(answer.found)
        guard answer.isFirst, let field = answer.unreadField else { return }
        unreadReceipts[source, default: UnreadReceipts()].add("\(field.cut) in record \(answer.place)")
    }

    /// The kinds of the genuine objects for a person, or nil if all are receipts.
    package var kinds: String? {
        let receipts = genuine - others.values.reduce(0, +)
        let all = [("receipt", receipts)] + others.sorted { $0.key < $1.key }
        let told = all.filter { $0.1 > 0 }.map { "\($0.1) \(Self.shown(kind: $0.0, $0.1))" }
        return others.isEmpty ? nil : told.joined(separator: ", ")
    }

    /// The kinds of the foreign values for a person, or nil if there are none.
    package var foreignKinds: String? {
        let told = ForeignKind.allCases.compactMap { kind in
            foreign[kind].map { "\($0) \(kind.shown($0))" }
        }
        return told.isEmpty ? nil : told.joined(separator: ", ")
    }

    /// Returns the words for a kind in the database.
    static func shown(kind: String, _ count: Int) -> String {
        let words = [
            "transaction": "signed transaction", "renewal-info": "piece",
            "app-transaction": "app transaction", "realtime-request": "realtime request",
            "transaction-receipt": "transaction receipt",
        ]
        let word = (words[kind] ?? kind) + (count == 1 ? "" : "s")
        return kind == "renewal-info" ? "\(word) of renewal information" : word
    }

    /// Returns the reason why a record could not be read, for a person.
    static func message(_ refusal: ReceiptError, of answer: RecordAnswer, from source: String) -> String {
        let place = if case .source(let path) = answer.origin { path } else { name(answer.place, of: source) }
        return "\(place.cut): \(refusal.message.cut)"
    }

    /// Returns the name of a record for a message.
    static func name(_ place: Int, of source: String) -> String {
        "\(source == "-" ? "standard input" : source), record \(place)"
    }

    mutating func add(_ other: AuditCounts) {
        add(recordsOf: other)
        leftOut = leftOut + other.leftOut
        inputs += other.inputs
        emptySources += other.emptySources
        unreadFields += other.unreadFields
        for (source, receipts) in other.unreadReceipts {
            unreadReceipts[source, default: UnreadReceipts()] += receipts
        }
        notes += other.notes
        subjectFields += other.subjectFields
    }

    mutating func add(recordsOf other: AuditCounts) {
        for (_, count) in Self.columns { self[keyPath: count] += other[keyPath: count] }
        if !other.others.isEmpty { others.merge(other.others, uniquingKeysWith: +) }
        if !other.foreign.isEmpty { foreign.merge(other.foreign, uniquingKeysWith: +) }
        found.formUnion(other.found)
        firstUnreadable = firstUnreadable ?? other.firstUnreadable
    }
}
