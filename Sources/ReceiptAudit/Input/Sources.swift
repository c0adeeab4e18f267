import AppReceipt

/// What a source holds.
public enum SourceFormat: String, Sendable, CaseIterable {
    /// By the name: a folder, `.ndjson`, `.jsonl`, `.csv`, `.tar`, `.tar.gz`, `.tgz`; standard input is NDJSON. Of any
    /// other name, a file that begins with a brace is NDJSON, as no receipt does, and any other is one receipt.
    case auto
    case ndjson
    case csv
    case tar
}

/// All sources of an audit, one behind the other.
final class Sources: BatchSource {
    private var pending: ArraySlice<String>
    private let format: SourceFormat
    private let names: ColumnNames
    private let limits: (line: Int, file: Int)
    private var current: (any BatchSource)?
    private var stream: ByteStream?
    private var path: String?
    private var readBefore = 0
    private let ahead: ReadAhead
    /// For each file; nil where nobody wants to know what was read.
    private let makeDigest: (() -> StreamDigest)?

    /// - Parameters:
    ///   - textBytes: what the text of one receipt may have.
    ///   - makeDigest: where the files' digests are wanted.
    init(
        _ paths: [String], format: SourceFormat, names: ColumnNames, textBytes: Int, ahead: ReadAhead,
        makeDigest: (() -> StreamDigest)? = nil
    ) {
        pending = paths[...]
        self.makeDigest = makeDigest
        self.ahead = ahead
        self.format = format
        self.names = names
        limits = (textBytes + (1 << 16), textBytes)
    }

    /// Files that are a receipt each are not counted.
    private var position: Int { readBefore + (stream?.position ?? 0) }

    func next() throws -> Batch? {
        while true {
            if var batch = try current?.next() {
                batch.position = position
                batch.isEvidence = makeDigest != nil
                return batch
            }
            if let path, let facts = try stream?.facts(of: path) {
                var batch = Batch(source: path)
                batch.position = position
                batch.input = facts
                (self.path, stream) = (nil, nil)
                readBefore = batch.position
                return batch
            }
            guard let path = pending.popFirst() else { return nil }
            readBefore = position
            stream = nil
            self.path = path
            current = try open(path)
        }
    }

    private func open(_ path: String) throws(AuditError) -> any BatchSource {
        var format = format
        let name = path.lowercased()
        let stem = name.hasSuffix(".gz") ? String(name.dropLast(3)) : name
        if format == .auto {
            if path == "-" || [".ndjson", ".jsonl"].contains(where: stem.hasSuffix) { format = .ndjson }
            if stem.hasSuffix(".csv") { format = .csv }
            if stem.hasSuffix(".tar") || name.hasSuffix(".tgz") { format = .tar }
            if format == .auto, try beginsWithBrace(path) { format = .ndjson }
        }
        if format == .auto || InputFile(path: path).isFolder { return FileSource(path: path, ahead: ahead) }
        let stream = try ByteStream(path: path, digest: makeDigest?())
        try stream.inflateIfCompressed()
        self.stream = stream
        return switch format {
        case .tar: TarSource(stream, source: path, limit: limits.file, ahead: ahead)
        case .csv: TextSource(stream, source: path, format: .csv(names), limit: limits.line, ahead: ahead)
        case .ndjson, .auto:
            TextSource(stream, source: path, format: .ndjson, limit: limits.line, ahead: ahead)
        }
    }

    private func beginsWithBrace(_ path: String) throws(AuditError) -> Bool {
        do throws(SystemError) {
            return try InputFile(path: path).start(1) == [UInt8(ascii: "{")]
        } catch {
            throw AuditError("\(path): \(systemMessage(error.number))")
        }
    }
}
