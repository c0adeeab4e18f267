import ReceiptAudit

/// A line on standard error, where that is a terminal, that says how far an audit has come.
final class ProgressLine {
    private let isShown = StandardError.isTerminal
    private let start = ContinuousClock.now
    private var next: ContinuousClock.Instant
    /// Bytes of all sources; nil where one of them is a stream or a folder.
    private let total: Int?

    init(sources: [String]) {
        next = start + .seconds(1)
        let sizes = sources.map { InputFile(path: $0).size }
        total = sizes.contains { $0 == nil } ? nil : sizes.reduce(0) { $0 + ($1 ?? 0) }
    }

    func report(_ progress: Audit.Progress) {
        guard isShown, ContinuousClock.now >= next else { return }
        next = ContinuousClock.now + .milliseconds(500)
        let seconds = max((ContinuousClock.now - start) / .seconds(1), 0.001)
        let counts = progress.counts
        var text = "\(counts.records) receipts, \(Int(Double(counts.records) / seconds)) a second"
        text += ", \(counts.refused + counts.unreadable) refused"
        if let total, progress.bytesRead > 0, progress.bytesRead <= total {
            let left = seconds * Double(total - progress.bytesRead) / Double(progress.bytesRead)
            text += ", \(Int(left / 60)) min \(Int(left) % 60) s left"
        }
        StandardError.show(text)
    }

    /// Takes the line away.
    func end() { if isShown { StandardError.show("") } }
}
