/// A record of an audit, as the bytes that its leaf of the tree is the hash of.
package struct AuditLeaf: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }
}
