/// The facts of an input, which identify the audited bytes of a file later.
struct InputFacts: Hashable, Sendable {
    /// The SOURCE as given.
    let source: String
    /// The path below the folder, or nil if the source is the file or stream itself.
    var path: String?
    let bytes: Int
    /// The SHA-256 of the bytes before decompression.
    let sha256: [UInt8]
}
