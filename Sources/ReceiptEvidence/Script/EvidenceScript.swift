/// `check.sh`: the same bytes in every bundle, so that whoever reads it reads it once.
package enum EvidenceScript {
    package static let name = "check.sh"

    package static let bytes: [UInt8] =
        PackageResources.steps_sh + PackageResources.values_sh + PackageResources.json_sh
        + PackageResources.inclusion_sh
        + PackageResources.run_sh
}
