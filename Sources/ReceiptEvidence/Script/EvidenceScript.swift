/// The scripts of a bundle: the same bytes in every bundle of a version, so that an auditor reads them once.
package enum EvidenceScript {
    package static let name = "check.sh"

    package static let files = [
        EvidenceFile(name, PackageResources.check_sh), EvidenceFile("check.py", PackageResources.check_py),
    ]

    package static var bytes: [UInt8] { PackageResources.check_sh }

    /// The scripts of every release: SHA-256, name and version, a line each. A release adds lines and takes none away.
    package static let published = String(decoding: PackageResources.published, as: UTF8.self)

    /// - Parameter digest: hexadecimal.
    /// - Returns: the version that published a script of this digest; nil where none did.
    static func version(of name: String, _ digest: String) -> String? {
        for line in published.split(separator: "\n") where line.hasPrefix("\(digest)  \(name) ") {
            return String(line.dropFirst(digest.utf8.count + name.utf8.count + 3))
        }
        return nil
    }
}
