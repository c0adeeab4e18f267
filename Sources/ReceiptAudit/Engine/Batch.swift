/// A stretch of a source: as many whole records as one thread takes apart and judges at a time.
struct Batch: Sendable {
    /// The source as given.
    let source: String
    var bytes: [UInt8] = []
    var records: [RawRecord] = []
    /// The place of the first record in the source, from 1 on.
    var firstPlace: Int
    /// Where the columns of a CSV export are.
    var columns: CSVColumns?
    /// Bytes that were read of all files and streams up to here.
    var position = 0
}

/// A record as its source delivers it. Readers only cut; taking apart is work for many threads.
enum RawRecord: Sendable {
    /// A line of NDJSON in the batch's bytes.
    case line(Range<Int>)
    /// A row of CSV in the batch's bytes.
    case row(Range<Int>)
    /// A file of an archive: its path there, and its bytes in the batch's bytes.
    case member(path: String, Range<Int>)
    /// A file, read by the thread that judges it.
    case file(InputFile)
    /// A record that is longer than a receipt may be; its bytes were skipped. With the path of an archive's file.
    case tooLong(path: String?)
}

/// Hands out the records of a source, in order.
protocol BatchSource: AnyObject {
    /// The next records, at least one; nil at the end.
    /// - Throws: ``AuditError``.
    func next() throws -> Batch?
}
