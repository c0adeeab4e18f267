import EvidenceScripts

/// The scripts among the files of a bundle.
package enum EvidenceScript {
    package static let name = "check.sh"

    package static let files = [
        EvidenceFile(name, EvidenceScripts.shell), EvidenceFile("check.py", EvidenceScripts.python),
    ]

    /// Returns the version that published a script, or nil if none did.
    /// - Parameters:
    ///   - name: The name of the script.
    ///   - digest: The SHA-256 of the script in hexadecimal.
    static func version(of name: String, _ digest: String) -> String? {
        for line in EvidenceScripts.published.split(separator: "\n")
        where line.hasPrefix("\(digest)  \(name) ") {
            return String(line.dropFirst(digest.utf8.count + name.utf8.count + 3))
        }
        return nil
    }
}
