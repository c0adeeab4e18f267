import AppReceipt
import ArgumentParser
import OfferEligibility
import ReceiptAudit
import ReceiptCommands
import ReceiptExamination
import RecordSources

extension AuditCommand {
    /// Returns the command with missing settings taken from the run to replay. The replay checks that given
    /// settings agree. Trust anchors and the catalog are never taken from a database.
    ///
    /// The lists of `--new-lists` may be others than those of the run. The policy never gets weaker than given.
    /// - Throws: ``AuditError`` if a file of the run is missing.
    func completed(by recorded: RecordedSettings, of path: String) throws(AuditError) -> AuditCommand {
        var command = self
        command.asOf = asOf ?? recorded.asOfDay
        if options.bundleIDs.isEmpty { command.options.bundleIDs = recorded.list("bundle-id") }
        if options.appAppleIDs.isEmpty {
            command.options.appAppleIDs = recorded.list("app-apple-id").compactMap { Int64($0) }
        }
        if options.environments.isEmpty {
            command.options.environments = recorded.list("environment").compactMap { .init(argument: $0) }
        }
        if options.deviceID == nil, let recorded = recorded["device-id"] {
            do throws(DeviceIdentifier.Fault) {
                command.options.deviceID = try DeviceIdentifier(recorded)
            } catch {
                throw AuditError("\(path): device-id of the run: \(error.message)")
            }
        }
        command.options.crossCheck = options.crossCheck || recorded["cross-check"] == "yes"
        func take<Policy: RawRepresentable<String>>(_ policy: inout Policy?, _ name: String) {
            policy = policy ?? recorded[name].flatMap { Policy(rawValue: $0) }
        }
        take(&command.policies.refunds, "refunds")
        take(&command.policies.staleEvidence, "stale-evidence")
        take(&command.policies.partialEvidence, "partial-evidence")
        take(&command.policies.promotionalScope, "promotional-scope")
        command.options.limits.complete { recorded[$0] }
        command.reading.complete(by: recorded)
        if walk.include.isEmpty { command.walk.include = recorded.list("include") }
        if walk.exclude.isEmpty { command.walk.exclude = recorded.list("exclude") }
        // A run without lists has the policy off, which does not turn off a check with given lists.
        if options.revocation.revocation == nil,
            recorded["revocation"] == RevocationPolicy.require.rawValue
        {
            command.options.revocation.revocation = .require
        }
        if !newLists { try requireLists(of: recorded, path) }
        if let digest = recorded.catalogDigest, !groups.isGiven {
            throw AuditError(
                "\(path): made with the catalog of SHA-256 \(digest); pass it with --catalog FILE")
        }
        let others = recorded.anchors.filter { $0.realm != "app_store" }
        let isWithApples = recorded.anchors.count > others.count
        if isWithApples ? options.otherRoots.isEmpty : options.root == nil,
            let root = others.first(where: { $0.realm == "custom" })
        {
            throw AuditError(
                "\(path): made under your own root of SHA-256 \(root.sha256); pass it with \(isWithApples ? "--also-root" : "--root") FILE"
            )
        }
        if options.storeKitTestRoots.isEmpty, let root = others.first(where: { $0.realm == "storekit_test" })
        {
            throw AuditError(
                "\(path): made with the StoreKit Test certificate of SHA-256 \(root.sha256); pass it with "
                    + "--storekit-test-root FILE")
        }
        return command
    }

    private func requireLists(of recorded: RecordedSettings, _ path: String) throws(AuditError) {
        let lists = recorded.list("crl")
        if let digest = lists.first, options.revocation.lists.isEmpty {
            let more = lists.count == 1 ? "" : " and \(lists.count - 1) more"
            throw AuditError(
                "\(path): made with the revocation list of SHA-256 \(digest)\(more); pass it with --crl FILE")
        }
        if let digest = recorded["distrust"], digest != "none", options.revocation.distrust == nil {
            throw AuditError(
                "\(path): made with the distrust list of SHA-256 \(digest); pass it with --distrust FILE")
        }
    }
}
