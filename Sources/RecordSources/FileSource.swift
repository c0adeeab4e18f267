/// Files that each contain one receipt.
final class FileSource: BatchSource {
    private let source: String
    private var walk: FolderWalk
    private let ahead: ReadAhead
    private var place = 1
    /// The numbers of skipped entries that were already reported.
    private var (hidden, filtered) = (0, 0)

    /// Creates a source.
    /// - Parameters:
    ///   - path: A file, or a folder that is walked in sorted order.
    ///   - name: The name in answers.
    init(
        path: String, name: String? = nil, filter: PathFilter = PathFilter(), ahead: ReadAhead = ReadAhead()
    ) {
        let name = name ?? path
        (source, walk, self.ahead) = (name, FolderWalk(path, name: name, filter: filter), ahead)
    }

    func next() -> Batch? {
        var batch = Batch(source: source)
        // The results of a batch are held until it is written, so the number of bytes is limited too, as in
        // an archive.
        while batch.records.count < 32, batch.weight < ahead.batchBytes, let file = walk.next() {
            batch.otherBytes += file.size ?? 0
            batch.add(.file(file), at: place)
            place += 1
        }
        batch.leftOut.hidden = walk.hidden - hidden
        batch.leftOut.filtered = walk.filtered - filtered
        (hidden, filtered) = (walk.hidden, walk.filtered)
        return batch.isEmpty ? nil : batch
    }
}
