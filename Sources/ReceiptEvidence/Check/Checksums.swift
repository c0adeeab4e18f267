import AppReceipt

/// The lines of a `SHA256SUMS` file, in the format of sha256sum.
package struct Checksums {
    package struct Line {
        /// The path relative to the folder of the `SHA256SUMS` file.
        package let path: String
        /// The digest as text, which is not validated. Real digests have 64 hexadecimal digits.
        package let digest: String
    }

    /// The lines in file order. Each path occurs once.
    package let lines: [Line]
    /// The places where the file does not follow the format.
    package let faults: [EvidenceCheck.Fault]

    /// The allowed line lengths in bytes: a digest, two spaces, and a path of up to 4096 bytes.
    private static let lengths = 67...66 + 4096

    /// Reads a `SHA256SUMS` file.
    /// - Parameter name: The name of the file in faults.
    package init(parsing bytes: [UInt8], of name: String) {
        var lines: [Line] = []
        var faults: [EvidenceCheck.Fault] = []
        var named: Set<[UInt8]> = []
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
            let path = Array(line.dropFirst(66))
            guard Self.lengths.contains(line.count), line.dropFirst(64).starts(with: "  ".utf8),
                let text = String(validating: path, as: UTF8.self), named.insert(path).inserted
            else {
                faults.append(
                    EvidenceCheck.Fault(
                        name, at: offset, "not a line of a digest and a file name, or a duplicate"))
                continue
            }
            lines.append(Line(path: text, digest: String(decoding: line.prefix(64), as: UTF8.self)))
        }
        (self.lines, self.faults) = (lines, faults)
    }
}
