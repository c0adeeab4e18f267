package import AppReceipt

/// The sources of a run and how to read them. The plan is made before verification, from the first records of
/// each source. It depends only on the sources and the settings. A run records its plan, and is resumed only
/// with the same plan.
package final class SourcePlan {
    package struct Source {
        let path: String
        /// The name in answers.
        let name: String
        let form: SourceForm
        /// The opened stream, if the source cannot be read twice.
        package let stream: ByteStream?
    }

    package private(set) var sources: [Source] = []
    /// The decisions made without settings, one line for each source.
    package private(set) var notes: [String] = []
    /// The fields with receipts that will not be read, with their sources.
    package private(set) var unread: [String] = []
    /// The detected fields of subjects, if the settings name none, with their sources.
    package private(set) var subjects: [String] = []
    /// The function that creates a digest for each file and stream, or nil if no digests are needed.
    package let makeDigest: (() -> StreamDigest)?

    /// Creates a plan.
    /// - Parameter names: The names of the sources, if they differ from the paths.
    /// - Throws: ``AuditError`` if a source does not exist, or does not contain a named field.
    package init(
        _ paths: [String], names: [String]? = nil, _ settings: SourceSettings, limits: ReceiptLimits,
        makeDigest: (() -> StreamDigest)? = nil
    ) throws(AuditError) {
        self.makeDigest = makeDigest
        for (path, name) in zip(paths, names ?? paths) {
            do {
                var finder = FormFinder(path, settings, limits: limits, makeDigest: makeDigest)
                let form = try finder.form()
                try form.require(settings.conditions, path)
                sources.append(Source(path: path, name: name, form: form, stream: finder.kept))
                notes += finder.notes
                if let fields = finder.unread { unread.append(fields) }
                if let field = finder.subject { subjects.append("\(path): \(field)") }
            } catch let error as AuditError {
                throw error
            } catch {
                throw AuditError("\(path): \(error)")
            }
        }
    }

    /// The forms of the sources in order, for the run's settings.
    package var text: String { list(sources.map(\.form.text)) }
}
