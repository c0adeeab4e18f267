/// Whatever was verified: who signed it, when, and for which app and environment.
public protocol SignedObject: Sendable {
    /// What kind of anchor the chain ends at.
    var realm: TrustRealm { get }
    /// The chain, from the signer to the anchor.
    var certificates: [CertificateFacts] { get }
    /// The instant at which the chain was judged.
    var verifiedAt: Timestamp { get }
    /// Nil where what was signed names none, or one that nobody knows.
    var environment: ReceiptEnvironment? { get }

    /// Fails unless the object proves to be for this audience: what names no app is of none, and what names no
    /// environment likewise. Where `appAppleId` is expected, ``ReceiptAudience/expecting(appAppleIDs:)`` says which kinds must
    /// name it.
    /// - Throws: ``ReceiptError`` with code `wrong_bundle_id` or `wrong_environment`.
    func require(_ audience: ReceiptAudience) throws(ReceiptError)
}

extension VerifiedReceipt: SignedObject {
    /// What the receipt type says; nil where it is absent or not settled.
    public var environment: ReceiptEnvironment? { payload.environment }
}

/// The app and the environment that a signed object names, and the fields that name them.
struct NamedOrigin {
    /// Whether objects of a kind name the app by `appAppleId`.
    enum AppAppleIDUse {
        /// By nothing else: realtime requests.
        case alone
        /// Beside the bundle ID; Apple leaves it out, or writes 0, in the sandbox and in Xcode.
        case besideBundleID
        /// Not, or not in every object.
        case optional
    }

    var bundleID: (value: String?, field: String)
    var environment: (value: ReceiptEnvironment?, field: String)
    /// The value is nil where the object names none, or one that is no such number.
    var appAppleID: (value: Int64?, isNamed: Bool, field: String, use: AppAppleIDUse)

    /// Fails unless the object proves to be of the audience. An app or environment that is not named meets no demand.
    func require(_ audience: ReceiptAudience) throws(ReceiptError) {
        try requireApp(audience)
        guard audience.environments.accepts(environment.value) else {
            throw ReceiptError(
                .wrongEnvironment,
                .environment(expected: audience.environments.named ?? [], found: environment.value),
                field: environment.field)
        }
    }

    private func requireApp(_ audience: ReceiptAudience) throws(ReceiptError) {
        guard let allowed = audience.appAppleIDs else { return try requireBundleID(audience) }
        // An empty list of apps matches nothing, by whatever they are named.
        if appAppleID.use != .alone || audience.isBundleIDDue || audience.bundleIDs?.isEmpty == true {
            try requireBundleID(audience)
        }
        let found = appAppleID.value.flatMap { $0 == 0 ? nil : $0 }
        let isUnreadable = appAppleID.isNamed && appAppleID.value == nil
        let mayBeProvenOtherwise = !allowed.isEmpty && !isAppAppleIDDue && !isUnreadable
        let isAccepted = found.map(allowed.contains) ?? (mayBeProvenOtherwise && audience.bundleIDs != nil)
        guard isAccepted else {
            let isWithoutBundleID = found == nil && mayBeProvenOtherwise && bundleID.value != nil
            throw ReceiptError(
                .wrongBundleID,
                isWithoutBundleID
                    ? .appAppleIDWithoutBundleID(expected: allowed)
                    : .appAppleID(expected: allowed, found: found), field: appAppleID.field)
        }
    }

    /// Whether an object without `appAppleId` proves nothing about it. Apple names it wherever money is paid; an unknown
    /// environment is not taken for a test's.
    private var isAppAppleIDDue: Bool {
        switch (appAppleID.use, environment.value) {
        case (.alone, _), (.besideBundleID, .production), (.besideBundleID, nil): true
        case (.besideBundleID, _), (.optional, _): false
        }
    }

    private func requireBundleID(_ audience: ReceiptAudience) throws(ReceiptError) {
        guard audience.accepts(bundleID: bundleID.value) else {
            throw ReceiptError(
                .wrongBundleID, .bundleID(expected: audience.bundleIDs ?? [], found: bundleID.value),
                field: bundleID.field)
        }
    }
}
