import AppReceipt
import ReceiptJSON

/// What a source holds.
public enum SourceFormat: String, Sendable, CaseIterable {
    /// By the name: a folder, `.ndjson`, `.jsonl`, `.json`, `.csv`, `.tsv`, `.tar`, `.tar.gz`, `.tgz`; standard input is
    /// JSON. Of any other name, the first bytes say whether a file is JSON, an archive, a table or one receipt. JSON is
    /// NDJSON unless its first line ends within a value that may go on.
    case auto
    /// A value of JSON a line.
    case ndjson
    /// An array of records, or records one behind another, over any number of lines.
    case json
    /// Comma-separated values, with any delimiter.
    case csv
    case tar
}

/// All sources of an audit, one behind the other.
final class Sources: BatchSource {
    private var pending: ArraySlice<SourcePlan.Source>
    private let limits: (line: Int, file: Int)
    private let filter: PathFilter
    private var current: (any BatchSource)?
    private var stream: ByteStream?
    private var name: String?
    /// Of the source at hand, from 1 on.
    private var number = 0
    /// Whether a record came of the source at hand.
    private var hasRecords = false
    private var readBefore = 0
    private let ahead: ReadAhead
    /// For each file; nil where nobody wants to know what was read.
    private let makeDigest: (() -> StreamDigest)?

    /// - Parameter textBytes: what the text of one receipt may have.
    init(_ plan: SourcePlan, filter: PathFilter, textBytes: Int, ahead: ReadAhead) {
        (pending, makeDigest) = (plan.sources[...], plan.makeDigest)
        (self.filter, self.ahead) = (filter, ahead)
        limits = (textBytes + (1 << 16), textBytes)
    }

    /// Files that are a receipt each are not counted.
    private var position: Int { readBefore + (stream?.position ?? 0) }

    func next() throws -> Batch? {
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

    /// What is to be told of the source at hand, behind its records; nil where that is nothing.
    private func end() throws -> Batch? {
        guard let name else { return nil }
        var batch = Batch(source: name)
        // What was left behind the end of what it holds is read with them.
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
        return switch source.form {
        case .files, .tar: TarSource(stream, source: name, limit: limits.file, ahead: ahead)
        case .csv(let columns): text(.csv(columns))
        case .ndjson(let names): text(.ndjson, names)
        case .json(let names): text(.json, names)
        }
    }
}
