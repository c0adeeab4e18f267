/// One file of a bundle.
package struct EvidenceFile: Hashable, Sendable {
    /// Relative to the bundle's folder, of letters, digits, `.`, `-` and `/`: never a stranger's text.
    package let path: String
    package let bytes: [UInt8]

    package init(_ path: String, _ bytes: [UInt8]) { (self.path, self.bytes) = (path, bytes) }

    package init(_ path: String, _ text: String) { self.init(path, Array(text.utf8)) }
}
