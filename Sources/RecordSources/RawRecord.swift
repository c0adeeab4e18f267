package import AppReceipt
package import ReceiptExamination

/// A record as its source delivers it. Readers only split the source, and many threads parse the records.
package enum RawRecord: Sendable {
    /// A line of NDJSON, or a value of JSON, in the batch's bytes, and its keys if it is keyed by id.
    case line(Range<Int>, RecordKeys? = nil)
    /// A row of CSV in the batch's bytes.
    case row(Range<Int>)
    /// A file of an archive: its path in the archive, and its bytes in the batch's bytes.
    case member(path: String, Range<Int>)
    /// A file that the verifying thread reads.
    case file(InputFile)
    /// A record that cannot be verified, with its path if it is a file of an archive.
    case refused(path: String?, ReceiptError)

    package static func unreadable(_ message: String, path: String? = nil) -> RawRecord {
        .refused(path: path, ReceiptError(.unreadable, message: message))
    }
}
