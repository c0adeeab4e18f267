/// The scripts in a bundle. A version writes the same scripts into every bundle, so auditors need to review
/// them only once.
package enum EvidenceScripts {
    package static let shell = PackageResources.check_sh
    package static let python = PackageResources.check_py
    /// The scripts of every release, one per line: SHA-256, name and version. A release adds lines and never
    /// removes any.
    package static let published = String(decoding: PackageResources.published, as: UTF8.self)
}
