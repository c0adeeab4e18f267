/// The app and the environment that a signed object names, and the fields that name them.
struct NamedOrigin {
    /// The use of `appAppleId` in objects of one kind.
    enum AppAppleIDUse {
        /// It alone identifies the app, in realtime requests.
        case alone
        /// It occurs in addition to the bundle ID. Apple omits it, or writes 0, in the sandbox and in Xcode.
        case besideBundleID
        /// It does not occur, or not in every object.
        case optional
    }

    var bundleID: (value: String?, field: String)
    var environment: (value: ReceiptEnvironment?, field: String)
    /// The value is nil if the object names none, or if it is not a 64-bit integer.
    var appAppleID: (value: Int64?, isNamed: Bool, field: String, use: AppAppleIDUse)

    /// Checks that the policy accepts the object's app and environment. If the policy expects an app or an
    /// environment, the object must name it.
    func require(_ policy: VerificationPolicy) throws(ReceiptError) {
        try requireApp(policy)
        guard policy.environments.accepts(environment.value) else {
            throw ReceiptError(
                .wrongEnvironment,
                .environment(expected: policy.environments.named ?? [], found: environment.value),
                field: environment.field)
        }
    }

    private func requireApp(_ policy: VerificationPolicy) throws(ReceiptError) {
        guard let allowed = policy.appAppleIDs else { return try requireBundleID(policy) }
        // An empty list of apps matches nothing, even if an object names its app in another way.
        if appAppleID.use != .alone || policy.isBundleIDDue || policy.bundleIDs?.isEmpty == true {
            try requireBundleID(policy)
        }
        let found = appAppleID.value.flatMap { $0 == 0 ? nil : $0 }
        let isUnreadable = appAppleID.isNamed && appAppleID.value == nil
        let mayBeProvenOtherwise = !allowed.isEmpty && !isAppAppleIDDue && !isUnreadable
        let isAccepted = found.map(allowed.contains) ?? (mayBeProvenOtherwise && policy.bundleIDs != nil)
        guard isAccepted else {
            let isWithoutBundleID = found == nil && mayBeProvenOtherwise && bundleID.value != nil
            throw ReceiptError(
                .wrongBundleID,
                isWithoutBundleID
                    ? .appAppleIDWithoutBundleID(expected: allowed)
                    : .appAppleID(expected: allowed, found: found), field: appAppleID.field)
        }
    }

    /// Whether the policy refuses an object without `appAppleId`. Apple always names it in production. An
    /// unknown environment counts as production here.
    private var isAppAppleIDDue: Bool {
        switch (appAppleID.use, environment.value) {
        case (.alone, _), (.besideBundleID, .production), (.besideBundleID, nil): true
        case (.besideBundleID, _), (.optional, _): false
        }
    }

    private func requireBundleID(_ policy: VerificationPolicy) throws(ReceiptError) {
        guard policy.accepts(bundleID: bundleID.value) else {
            throw ReceiptError(
                .wrongBundleID, .bundleID(expected: policy.bundleIDs ?? [], found: bundleID.value),
                field: bundleID.field)
        }
    }
}
