package import AppReceipt
package import ArgumentParser
package import ReceiptExamination

/// The policy on SHA-1 and the limits, which can refuse a genuine receipt.
package struct LimitOptions: ParsableArguments {
    @Option(
        name: .customLong(SHA1Signatures.setting),
        help: ArgumentHelp(stringLiteral: SHA1Signatures.help))
    package var sha1Signatures: SHA1Signatures?

    @Option(help: .of(.signatureChecks)) var signatureChecks: Int?
    @Option(help: .of(.inputBytes)) var inputBytes: Int?
    @Option(help: .of(.nesting)) var nesting: Int?
    @Option(help: .of(.certificates)) var certificates: Int?
    @Option(help: .of(.certificateBytes)) var certificateBytes: Int?
    @Option(help: .of(.purchases)) var purchases: Int?
    @Option(help: .of(.signedTextBytes)) var signedTextBytes: Int?
    @Option(help: .of(.signedObjects)) var signedObjects: Int?

    package init() {}

    /// The options in the order of ``LimitSetting/all``.
    private static var options: [WritableKeyPath<LimitOptions, Int?>] {
        [
            \.signatureChecks, \.inputBytes, \.nesting, \.certificates, \.certificateBytes, \.purchases,
            \.signedTextBytes, \.signedObjects,
        ]
    }

    /// The limits that were given.
    package var given: [(setting: LimitSetting, value: Int)] {
        zip(LimitSetting.all, Self.options).compactMap { setting, option in
            self[keyPath: option].map { (setting, $0) }
        }
    }

    var isGiven: Bool { sha1Signatures != nil || !given.isEmpty }

    var limits: ReceiptLimits {
        given.reduce(into: ReceiptLimits()) { $0[keyPath: $1.setting.limit] = $1.value }
    }

    package func validate() throws {
        for (setting, value) in given {
            if let fault = setting.fault(value) { throw ValidationError("--\(setting.name): \(fault)") }
        }
    }

    /// Takes missing settings from a run.
    /// - Parameter recorded: Returns the recorded value of a setting.
    package mutating func complete(by recorded: (_ setting: String) -> String?) {
        sha1Signatures = sha1Signatures ?? recorded(SHA1Signatures.setting).flatMap { .init(rawValue: $0) }
        for (setting, option) in zip(LimitSetting.all, Self.options) where self[keyPath: option] == nil {
            let value = recorded(setting.name).flatMap { Int($0) }
            self[keyPath: option] = value.flatMap { setting.fault($0) == nil ? $0 : nil }
        }
    }
}

extension ArgumentHelp {
    fileprivate static func of(_ setting: LimitSetting) -> ArgumentHelp {
        ArgumentHelp(stringLiteral: setting.help)
    }
}
