package import ReceiptExamination

/// A part of a source: the complete records that one thread parses and verifies at a time.
package struct Batch: Sendable {
    /// The source as given.
    package let source: String
    /// The number of the source in the audit, from 1.
    package var sourceNumber = 0
    package var bytes: [UInt8] = []
    package private(set) var records: [RawRecord] = []
    /// The number of each record in the source, from 1: its line, row, member or file.
    package private(set) var places: [Int] = []
    /// The positions of the columns in a CSV export.
    package var columns: CSVColumns?
    /// The names of the fields in a JSON export or a database table.
    package var names: FieldNames?
    /// The counts of entries between the records that are not records.
    package var leftOut = LeftOut()
    /// The total size in bytes of names and of files that are still to be read.
    package var otherBytes = 0
    /// The number of bytes read from all files and streams up to this batch.
    package var position = 0

    /// The receipts of the source that were recognized and not read, after its last record.
    package var unread: [String] = []
    /// The facts found out about the source while it was read, one line each.
    package var notes: [String] = []
    /// The detected fields of subjects, if the settings name none.
    package var subjects: [String] = []
    /// The facts of the source, after its last record.
    package var input: InputFacts?
    /// Whether the source has ended without records.
    package var isOfEmptySource = false
    /// Whether the digests of the files are needed.
    package var isEvidence = false

    package init(source: String) { self.source = source }

    package mutating func add(_ record: RawRecord, at place: Int) {
        records.append(record)
        places.append(place)
    }

    /// Whether the batch contains nothing to report.
    package var isEmpty: Bool {
        records.isEmpty && leftOut == LeftOut() && input == nil && !isOfEmptySource && unread.isEmpty
            && notes.isEmpty && subjects.isEmpty
    }

    /// An estimate, up to a constant factor, of the memory that the batch uses until it is written. Each record
    /// counts, because its answer may be longer than the record.
    package var weight: Int { bytes.count + otherBytes + records.count << 10 }
}
