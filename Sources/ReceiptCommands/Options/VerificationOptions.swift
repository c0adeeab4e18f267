package import AppReceipt
package import ArgumentParser
package import ReceiptExamination
package import RecordSources

/// The options shared by the commands that verify.
package struct VerificationOptions: ParsableArguments {
    @Option(help: SharedHelp.root)
    package var root: String?

    @Option(name: .customLong("also-root"), help: SharedHelp.alsoRoot)
    package var otherRoots: [String] = []

    @Option(
        name: .customLong("storekit-test-root"),
        help: SharedHelp.storeKitTestRoot)
    package var storeKitTestRoots: [String] = []

    @Option(
        name: .customLong("bundle-id"),
        help: ArgumentHelp(
            "Refuse receipts of other apps; the default, any, accepts all. May be repeated.", valueName: "id")
    )
    package var bundleIDs: [String] = []

    @Option(
        name: .customLong("app-apple-id"),
        help: ArgumentHelp(
            """
            Refuse objects that name another appAppleId, the app's number in the App Store, or omit a required one. May \
            be repeated.
            """, valueName: "number"),
        transform: { text in
            guard let id = Int64(text), id > 0 else {
                throw ValidationError("is not a whole number from 1 to 9223372036854775807")
            }
            return id
        })
    package var appAppleIDs: [Int64] = []

    @Option(
        name: .customLong("environment"),
        help: ArgumentHelp(
            """
            Refuse receipts of other environments; the default, any, accepts all. May be repeated: App Review uses \
            production builds in the sandbox.
            """, valueName: "environment"))
    package var environments: [ExpectedEnvironment] = []

    @Option(
        name: .customLong("device-id"),
        help: ArgumentHelp(
            """
            Refuse receipts and JWS of other devices. Give identifierForVendor or the MAC address, or for JWS \
            AppStore.deviceVerificationID, as a UUID or hexadecimal digits.
            """, valueName: "hex"),
        transform: { text in
            do throws(DeviceIdentifier.Fault) {
                return try DeviceIdentifier(text)
            } catch {
                throw ValidationError(error.message)
            }
        })
    package var deviceID: DeviceIdentifier?

    @Flag(help: "Cross-check every signature with OpenSSL's PKCS #7 verification.")
    package var crossCheck = false

    @Flag(
        name: .customLong("no-fast-arithmetic"),
        help: "Check RSA signatures one by one, to compare speeds. The answers are the same.")
    var isCheckingOneByOne = false

    @OptionGroup package var revocation: RevocationOptions

    @OptionGroup package var limits: LimitOptions

    package init() {}

    /// Returns the examiner that these options describe.
    /// - Throws: ``AuditError`` if a certificate cannot be read.
    func makeExaminer() throws(AuditError) -> Examiner {
        try makeExaminer(anchors: makeAnchors(), revocation.inputs())
    }

    package var isTrustingAppleAlone: Bool { root == nil && otherRoots.isEmpty && storeKitTestRoots.isEmpty }

    /// Returns the trust anchors of these options.
    /// - Throws: ``AuditError`` if a certificate cannot be read.
    package func makeAnchors() throws(AuditError) -> TrustAnchors {
        var anchors = TrustAnchors.apple
        if let root { anchors = .custom(try certificate(root)) }
        for file in otherRoots { anchors = anchors.adding(root: try certificate(file)) }
        for file in storeKitTestRoots { anchors = anchors.adding(storeKitTest: try certificate(file)) }
        return anchors
    }

    package func makeExaminer(anchors: TrustAnchors, _ revocation: RevocationInputs) throws(AuditError)
        -> Examiner
    {
        let files = ([root].compactMap { $0 } + otherRoots + storeKitTestRoots).joined(separator: ", ")
        let verifier = try naming(files) {
            try ReceiptVerifier(
                anchors: anchors, limits: limits.limits,
                sha1Signatures: limits.sha1Signatures ?? .untilAppleStopped,
                revocation: revocation.settings,
                isCrossChecking: crossCheck,
                checksSignaturesTogether: !isCheckingOneByOne)
        }
        return Examiner(verifier, policy: policy)
    }

    private func certificate(_ path: String) throws(AuditError) -> [UInt8] {
        let bytes = try readSideFile(path, limit: 1 << 20)
        return try naming("\(path): not a certificate in DER or PEM") { try InputEncoding.decode(bytes).der }
    }

    /// The verification policy of these options.
    package var policy: VerificationPolicy {
        let policy = origins ?? .anyApp([])
        return deviceID.map { policy.expecting(deviceID: $0.bytes) } ?? policy
    }

    /// The expected apps and environments, or nil if `any` is combined with other values, which
    /// ``validate()`` refuses.
    private var origins: VerificationPolicy? {
        guard let accepted = VerificationPolicy.Environments(environments.isEmpty ? [.any] : environments)
        else { return nil }
        let policy = VerificationPolicy(
            bundleIDs: bundleIDs.isEmpty ? [VerificationPolicy.anyWord] : bundleIDs, accepted)
        return appAppleIDs.isEmpty ? policy : policy?.expecting(appAppleIDs: appAppleIDs)
    }

    package func validate() throws {
        guard VerificationPolicy.Environments(environments) != nil else {
            throw ValidationError("--environment: 'any' cannot be combined with other environments")
        }
        guard !bundleIDs.contains("") else {
            throw ValidationError("--bundle-id: is empty; name the app or omit the option")
        }
        guard origins != nil else {
            throw ValidationError("--bundle-id: 'any' cannot be combined with other bundle IDs")
        }
    }
}
