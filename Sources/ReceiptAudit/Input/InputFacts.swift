/// What was read as it was read: the evidence that the bytes of a file are still those that were audited.
struct InputFacts: Hashable, Sendable {
    /// The SOURCE as given.
    let source: String
    /// Of a file in a folder, below it; nil where the source is the file or the stream itself.
    var path: String?
    let bytes: Int
    /// Of the bytes as they lie there, compressed ones where they are.
    let sha256: [UInt8]
}
