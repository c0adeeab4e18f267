package struct EvidenceFile: Hashable, Sendable {
    /// The path relative to the bundle's folder. It consists of letters, digits, `.`, `-` and `/`, and never
    /// contains untrusted text.
    package let path: String
    package let bytes: [UInt8]

    package init(_ path: String, _ bytes: [UInt8]) { (self.path, self.bytes) = (path, bytes) }

    package init(_ path: String, _ text: String) { self.init(path, Array(text.utf8)) }
}
