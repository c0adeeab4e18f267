import AppReceipt
import ReceiptJSON
import RecordSources
import StrictJSON
import SystemLibrary

/// The expected size of a self-contained bundle, from the answers to the first records.
struct BundleForecast {
    /// The sizes of the sources and of the bundle in bytes.
    let sources: Int
    let bundle: Int

    /// The size of the database, the report and the tables for each byte of the lines. Audits with and without a
    /// catalog differ little.
    private static let others = 0.6
    /// The number of bytes of the sources that are examined.
    private static let sample = 1 << 20

    /// Examines the first records of the sources.
    /// - Returns: Nil if the sources have no known size, or contain no record.
    init?(_ audit: Audit) throws {
        var audit = audit
        audit.notify = { _ in }
        let plan = try audit.makePlan(isEvidence: false)
        let sizes = audit.sources.map { path in
            path.lowercased().hasSuffix("gz") ? nil : InputFile(path: path).size
        }
        let known = sizes.compactMap(\.self)
        guard known.count == sizes.count, plan.sources.allSatisfy({ $0.stream == nil }) else { return nil }
        let reader = Sources(
            plan, filter: audit.settings.reading.filter, limits: audit.limits, ahead: ReadAhead())
        let lines = LineBuffer()
        var (read, written) = (0, 0)
        while read < Self.sample, let batch = try reader.next() {
            for (record, place) in zip(batch.records, batch.places) {
                audit.evaluator.examine(record, place, of: batch) { object in
                    var answer = lines.answer(object, by: audit.evaluator)
                    lines.write(&answer, of: batch.source, isAsked: audit.evaluator.question != nil)
                    written += lines.json.count
                    lines.json.removeAll()
                }
            }
            read += batch.bytes.count + batch.otherBytes
        }
        guard read > 0 else { return nil }
        sources = known.reduce(0, +)
        bundle = Int(Double(sources) * Double(written) / Double(read) * (1 + Self.others))
    }

    /// Returns the forecast for a person.
    /// - Parameter free: The free space in bytes, or nil if it is unknown.
    func text(_ free: Int?) -> String {
        let room = free.map { "; \(Self.shown($0)) free" } ?? ""
        return "evidence: about \(Self.shown(bundle)) for \(Self.shown(sources)) of sources\(room)"
    }

    /// Returns the free space in bytes of the file system at a path, or nil if it is unknown.
    static func freeSpace(at path: String) -> Int? {
        var facts = statvfs()
        guard unsafe statvfs(path, &facts) == 0 else { return nil }
        let (bytes, isTooLarge) = Int(clamping: facts.f_bavail).multipliedReportingOverflow(
            by: Int(clamping: facts.f_frsize))
        return isTooLarge ? nil : bytes
    }

    /// Returns a size in decimal units.
    static func shown(_ bytes: Int) -> String {
        let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "KB")]
        guard let (size, unit) = units.first(where: { bytes >= $0.0 }) else { return "\(bytes) bytes" }
        let tenths = bytes / (size / 10)
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(tenths / 10) \(unit)"
    }
}
