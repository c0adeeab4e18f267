/// The facts of an input, which identify the audited bytes of a file later.
package struct InputFacts: Hashable, Sendable {
    /// The SOURCE as given.
    package let source: String
    /// The path below the folder, or nil if the source is the file or stream itself.
    package var path: String?
    package let bytes: Int
    /// The SHA-256 of the bytes before decompression.
    package let sha256: [UInt8]

    package init(source: String, path: String? = nil, bytes: Int, sha256: [UInt8]) {
        (self.source, self.path, self.bytes, self.sha256) = (source, path, bytes, sha256)
    }
}
