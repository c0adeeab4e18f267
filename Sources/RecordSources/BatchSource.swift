/// A source that delivers its records in order.
package protocol BatchSource: AnyObject {
    /// Returns the next records or counts of skipped entries, or nil at the end.
    /// - Throws: ``AuditError``.
    func next() throws -> Batch?
}
