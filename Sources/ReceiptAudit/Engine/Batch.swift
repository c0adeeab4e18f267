import AppReceipt
import ReceiptJSON

/// A stretch of a source: as many whole records as one thread takes apart and judges at a time.
struct Batch: Sendable {
    /// The source as given.
    let source: String
    /// Among the audit's sources, from 1 on.
    var sourceNumber = 0
    var bytes: [UInt8] = []
    private(set) var records: [RawRecord] = []
    /// Of each record in the source, from 1 on: its line, row, member or file.
    private(set) var places: [Int] = []
    /// Where the columns of a CSV export are.
    var columns: CSVColumns?
    /// What the fields of an NDJSON export are called.
    var names: FieldNames?
    /// What stood between the records and is none.
    var leftOut = LeftOut()
    /// Bytes of files that are still to be read, and of names.
    var otherBytes = 0
    /// Bytes that were read of all files and streams up to here.
    var position = 0

    /// Of the source, behind its last record.
    var input: InputFacts?
    /// Whether the source is over, and no record came of it.
    var isOfEmptySource = false
    /// Whether the digests of its files are wanted.
    var isEvidence = false

    init(source: String) { self.source = source }

    mutating func add(_ record: RawRecord, at place: Int) {
        records.append(record)
        places.append(place)
    }

    /// Whether it tells of nothing.
    var isEmpty: Bool { records.isEmpty && leftOut == LeftOut() && input == nil && !isOfEmptySource }

    /// Bytes that it takes until it is written, but for a factor: a record has an answer however short it is.
    var weight: Int { bytes.count + otherBytes + records.count << 10 }
}

/// A record as its source delivers it. Readers only cut; taking apart is work for many threads.
enum RawRecord: Sendable {
    /// A line of NDJSON, or a value of JSON, in the batch's bytes.
    case line(Range<Int>)
    /// A row of CSV in the batch's bytes.
    case row(Range<Int>)
    /// A file of an archive: its path there, and its bytes in the batch's bytes.
    case member(path: String, Range<Int>)
    /// A file, read by the thread that judges it.
    case file(InputFile)
    /// What is there and cannot be judged, with the path of an archive's file.
    case refused(path: String?, Refusal)

    static func unreadable(_ message: String, path: String? = nil) -> RawRecord {
        .refused(path: path, Refusal(code: .unreadable, message: message))
    }
}

/// Hands out the records of a source, in order.
protocol BatchSource: AnyObject {
    /// The next records, or what was left out; nil at the end.
    /// - Throws: ``AuditError``.
    func next() throws -> Batch?
}

/// What a source holds that is damaged: it is a record that says so, and the source ends there. What the system
/// refuses, on the other hand, ends the run, which can be resumed.
struct SourceDamage: Error {
    let description: String
}
