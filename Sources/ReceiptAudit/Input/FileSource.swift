/// Files, each of them one receipt.
final class FileSource: BatchSource {
    private let source: String
    private var files: ArraySlice<InputFile>
    private var place = 1

    private static let batchBytes = 1 << 17

    /// - Parameter path: a file, or a folder that is walked in sorted order.
    init(path: String) {
        source = path
        files = InputFile.files(at: path)[...]
    }

    func next() -> Batch? {
        guard !files.isEmpty else { return nil }
        // What comes of a batch is held until its turn to be written, so bytes are limited too, as in an archive.
        var bytes = 0
        let part = files.prefix(32).prefix { file in
            defer { bytes += file.size ?? 0 }
            return bytes < Self.batchBytes
        }
        files.removeFirst(part.count)
        defer { place += part.count }
        return Batch(source: source, records: part.map { .file($0) }, firstPlace: place)
    }
}
