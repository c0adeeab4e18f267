import AppReceipt

/// The lines of a `SHA256SUMS`, as sha256sum writes them.
package struct Checksums {
    package struct Line {
        /// Relative to the folder of the list.
        package let path: String
        /// 64 hexadecimal digits, if it is any file's.
        package let digest: String
    }

    /// In their order, each path once.
    package let lines: [Line]
    /// Where the list is not such a list.
    package let faults: [EvidenceCheck.Fault]

    /// A digest, two blanks, and a path as systems take them.
    private static let lengths = 67...66 + 4096

    /// - Parameter name: what the list is called.
    package init(parsing bytes: [UInt8], of name: String) {
        var lines: [Line] = []
        var faults: [EvidenceCheck.Fault] = []
        var named: Set<String> = []
        var offset = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            defer { offset += line.count + 1 }
            guard faults.count < EvidenceCheck.mostFaults else { break }
            guard !line.isEmpty else {
                if offset < bytes.count {
                    faults.append(EvidenceCheck.Fault(name, at: offset, "empty line"))
                }
                continue
            }
            let text = String(decoding: line, as: UTF8.self)
            let path = String(text.dropFirst(66))
            guard Self.lengths.contains(line.count), text.dropFirst(64).hasPrefix("  "),
                named.insert(path).inserted
            else {
                faults.append(
                    EvidenceCheck.Fault(
                        name, at: offset, "not a line of a digest and a file name, or a duplicate"))
                continue
            }
            lines.append(Line(path: path, digest: String(text.prefix(64))))
        }
        (self.lines, self.faults) = (lines, faults)
    }
}
