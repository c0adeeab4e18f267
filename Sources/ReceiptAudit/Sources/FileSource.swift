/// Files, each of them one receipt.
final class FileSource: BatchSource {
    private let source: String
    private var files: ArraySlice<InputFile>
    private var place = 1

    /// - Parameter path: a file, or a folder that is walked in sorted order.
    init(path: String) {
        source = path
        files = InputFile.files(at: path)[...]
    }

    func next() -> Batch? {
        guard !files.isEmpty else { return nil }
        let part = files.prefix(32)
        files.removeFirst(part.count)
        defer { place += part.count }
        return Batch(source: source, records: part.map { .file($0) }, firstPlace: place)
    }
}
