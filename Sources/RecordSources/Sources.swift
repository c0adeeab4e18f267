package import AppReceipt
import ReceiptExamination

/// All sources of an audit, one after the other.
package final class Sources: BatchSource {
    private var pending: ArraySlice<SourcePlan.Source>
    private let limits: (line: Int, file: Int)
    private let receiptLimits: ReceiptLimits
    private let filter: PathFilter
    private var current: (any BatchSource)?
    private var stream: ByteStream?
    private var name: String?
    /// The number of the current source, from 1.
    private var number = 0
    /// Whether the current source contained a record.
    private var hasRecords = false
    private var readBefore = 0
    private let ahead: ReadAhead
    /// The function that creates a digest for each file, or nil if no digests are needed.
    private let makeDigest: (() -> StreamDigest)?

    /// Creates the sequence of sources.
    package init(_ plan: SourcePlan, filter: PathFilter, limits: ReceiptLimits, ahead: ReadAhead) {
        (pending, makeDigest) = (plan.sources[...], plan.makeDigest)
        (self.filter, self.ahead, receiptLimits) = (filter, ahead, limits)
        self.limits = (limits.textBytes + (1 << 16), limits.textBytes)
    }

    /// The number of bytes read. Files that each contain one receipt are not counted.
    private var position: Int { readBefore + (stream?.position ?? 0) }

    package func next() throws -> Batch? {
        while true {
            if var batch = try current?.next() {
                batch.position = position
                batch.sourceNumber = number
                batch.isEvidence = makeDigest != nil
                hasRecords = hasRecords || !batch.records.isEmpty
                return batch
            }
            if let batch = try end() { return batch }
            guard let source = pending.popFirst() else { return nil }
            (name, hasRecords) = (source.name, false)
            number += 1
            current = try open(source)
        }
    }

    /// Returns the facts of the current source after its records, or nil if there are none.
    private func end() throws -> Batch? {
        guard let name else { return nil }
        var batch = Batch(source: name)
        // This also reads the bytes after the contents of the source.
        batch.input = try stream?.facts(of: name)
        batch.position = position
        batch.isOfEmptySource = !hasRecords
        (readBefore, stream, self.name) = (position, nil, nil)
        return batch.isEmpty ? nil : batch
    }

    private func open(_ source: SourcePlan.Source) throws -> any BatchSource {
        let (path, name) = (source.path, source.name)
        if case .files = source.form {
            return FileSource(path: path, name: name, filter: filter, ahead: ahead)
        }
        let stream = try source.stream ?? ByteStream(path: path, digest: makeDigest?())
        self.stream = stream
        func rows(_ settings: SourceSettings, _ named: String) -> TableRows {
            TableRows(source: name, name: named, settings, limits: receiptLimits, limit: limits.line)
        }
        // SQLite opens the file itself. The stream computes the digest.
        if case .sqlite(let settings) = source.form {
            let rows = rows(settings, path)
            let database = try SQLiteTables(path, wants: rows.wants)
            return TableSource(rows, ahead: ahead, read: database.next)
        }
        if source.stream == nil {
            try stream.inflateIfCompressed()
            if case .tar = source.form {} else { try stream.skipByteOrderMark() }
            if case .csv = source.form { _ = try stream.skipSeparatorLine() }
        }
        func text(_ format: TextSource.Format, _ names: FieldNames = FieldNames(ColumnNames())) -> TextSource
        {
            TextSource(
                stream, source: name, format: format, names: names, limit: limits.line, ahead: ahead)
        }
        switch source.form {
        case .tree(let pattern, let names):
            return TreeSource(
                stream, source: name, pattern: pattern, names: names, limit: limits.line, ahead: ahead)
        case .sql(let settings):
            let rows = rows(settings, stream.name)
            let dump = SQLDump(stream, limit: limits.line, wants: rows.wants)
            return TableSource(rows, ahead: ahead, read: dump.next)
        case .files, .tar, .sqlite: return TarSource(stream, source: name, limit: limits.file, ahead: ahead)
        case .csv(let columns): return text(.csv(columns))
        case .ndjson(let names): return text(.ndjson, names)
        case .json(let names): return text(.json, names)
        }
    }
}
