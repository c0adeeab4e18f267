/// The scripts in a bundle. A version writes the same scripts into every bundle, so auditors need to review
/// them only once.
package enum EvidenceScript {
    package static let name = "check.sh"

    package static let files = [
        EvidenceFile(name, PackageResources.check_sh), EvidenceFile("check.py", PackageResources.check_py),
    ]

    /// The scripts of every release, one per line: SHA-256, name and version. A release adds lines and never
    /// removes any.
    package static let published = String(decoding: PackageResources.published, as: UTF8.self)

    /// Returns the version that published a script, or nil if none did.
    /// - Parameters:
    ///   - name: The name of the script.
    ///   - digest: The SHA-256 of the script in hexadecimal.
    static func version(of name: String, _ digest: String) -> String? {
        for line in published.split(separator: "\n") where line.hasPrefix("\(digest)  \(name) ") {
            return String(line.dropFirst(digest.utf8.count + name.utf8.count + 3))
        }
        return nil
    }
}
