import ReceiptAudit
import ReceiptCommands
import RecordSources

/// A progress line of an audit on standard error, if that is a terminal.
final class ProgressLine {
    private let isShown = StandardError.isTerminal
    /// The time and the byte of the sources from which the current pace is measured.
    private var begun = (instant: ContinuousClock.now, bytes: 0)
    private var next: ContinuousClock.Instant
    /// The size of all sources in bytes, or nil if one is a stream or a folder.
    private let total: Int?

    init(sources: [String]) {
        next = begun.instant + .seconds(1)
        let sizes = sources.map { InputFile(path: $0).size }
        total = sizes.contains { $0 == nil } ? nil : sizes.reduce(0) { $0 + ($1 ?? 0) }
    }

    func report(_ progress: Audit.Progress) {
        // Reading again after an interruption has another pace, which does not predict the rest.
        if progress.isReadingAgain || progress.isFinishing { begun = (.now, progress.bytesRead) }
        guard isShown, ContinuousClock.now >= next || progress.isFinishing else { return }
        next = ContinuousClock.now + .milliseconds(500)
        StandardError.show(text(progress))
    }

    private func text(_ progress: Audit.Progress) -> String {
        let counts = progress.counts
        let done = "\(counts.records) receipts"
        let refused = "\(counts.refused + counts.unreadable) refused"
        if progress.isFinishing { return "\(done), \(refused), building indexes and findings" }
        if progress.isReadingAgain { return "reading the records of the interrupted run again" }
        let seconds = max((ContinuousClock.now - begun.instant) / .seconds(1), 0.001)
        let text = "\(done), \(Int(Double(counts.records) / seconds)) a second, \(refused)"
        let read = progress.bytesRead - begun.bytes
        guard let total, read > 0, progress.bytesRead <= total else { return text }
        let left = Int(seconds * Double(total - progress.bytesRead) / Double(read))
        let parts = [(left / 3600, "h"), (left / 60 % 60, "min"), (left % 60, "s")].drop { $0.0 == 0 }
        let time = parts.prefix(2).map { "\($0.0) \($0.1)" }.joined(separator: " ")
        return time.isEmpty ? text : "\(text), \(time) left"
    }

    /// Removes the line, for example before a message.
    func end() { if isShown { StandardError.show("") } }
}
