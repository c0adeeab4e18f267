import EmbeddedFiles

/// The scripts among the files of a bundle. A version writes the same scripts into every bundle, so auditors need
/// to review them only once.
package enum EvidenceScript {
    package static let name = "check.sh"

    package static let files = [name, "check.py"].map { EvidenceFile($0, Array(text(of: $0).utf8)) }

    /// The scripts of every release, one per line: SHA-256, name and version. A release adds lines and never
    /// removes any.
    package static let published = text(of: "published")

    /// Returns the version that published a script, or nil if none did.
    /// - Parameters:
    ///   - name: The name of the script.
    ///   - digest: The SHA-256 of the script in hexadecimal.
    static func version(of name: String, _ digest: String) -> String? {
        let start = "\(digest)  \(name) "
        return published.split(separator: "\n").first { $0.hasPrefix(start) }
            .map { String($0.dropFirst(start.utf8.count)) }
    }

    private static func text(of file: String) -> String { unsafe String(cString: embedded_script(file)) }
}
