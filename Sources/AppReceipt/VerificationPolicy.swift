/// A verification policy: the expected apps, environments and device, or explicitly any.
///
/// Every verification requires a policy. There is no default, and no optional that means "no check".
/// Otherwise, a missing setting could accept another app's receipt, which may contain products with the same
/// identifiers.
///
/// ```swift
/// let receipt = try verifier.verify(bytes, for: .app("com.example.app", .production))
/// let reviewed = try verifier.verify(bytes, for: .app("com.example.app", [.production, .sandbox]))
/// ```
public struct VerificationPolicy: Hashable, Sendable {
    /// The accepted bundle IDs, sorted and without duplicates, or nil for any app.
    package let bundleIDs: [String]?
    package private(set) var environments: Environments
    /// The accepted values of `appAppleId`, or nil if none is expected.
    package private(set) var appAppleIDs: [Int64]?
    /// Whether even objects whose kind identifies the app by `appAppleId` alone must name an expected bundle
    /// ID.
    private(set) var isBundleIDDue = false
    /// The identifier of the expected device, or nil for any device.
    package private(set) var deviceID: [UInt8]?

    private init(of bundleIDs: [String]?, _ environments: Environments) {
        (self.bundleIDs, self.environments) = (bundleIDs, environments)
    }

    /// Whether the policy expects specific apps.
    package var isForApps: Bool { bundleIDs != nil || appAppleIDs != nil }

    /// Whether the policy accepts every genuine object.
    var isAny: Bool { self == .any }

    /// The policy for any app with the same environments and device, for objects that name no app.
    package var ofAnyApp: VerificationPolicy {
        var policy = VerificationPolicy(of: nil, environments)
        policy.deviceID = deviceID
        return policy
    }

    /// The policy for the same apps in any environment and on any device.
    package var ofAppsAlone: VerificationPolicy {
        var policy = self
        policy.environments = .anyEnvironment
        policy.deviceID = nil
        return policy
    }

    /// Returns whether the policy accepts the app.
    /// - Parameter bundleID: the bundle ID, or nil if the object names none. Nil is accepted only if the
    ///   policy accepts any app.
    package func accepts(bundleID: String?) -> Bool {
        guard let bundleIDs else { return true }
        guard let bundleID, !bundleID.isEmpty else { return false }
        // Compares bytes, because `String` compares by canonical equivalence, which is too lenient for
        // identifiers.
        return bundleIDs.contains { $0.utf8.elementsEqual(bundleID.utf8) }
    }

    /// Returns this policy with an additional check of `appAppleId`, the app's identifier in the App Store.
    ///
    /// The policy then refuses objects with another value. It refuses objects without a value in three cases:
    /// - The kind identifies the app by `appAppleId` alone (realtime requests).
    /// - Apple always names it: receipts, app transactions and notifications, except in the sandbox and
    ///   Xcode.
    /// - The policy expects no bundle ID, which would identify the app instead.
    ///
    /// Realtime requests name no bundle ID, so an expected bundle ID does not apply to them.
    /// - Parameter appAppleIDs: the accepted values. An empty list matches nothing.
    public func expecting(appAppleIDs: [Int64]) -> VerificationPolicy {
        var policy = self
        policy.appAppleIDs = Set(appAppleIDs).sorted()
        policy.isBundleIDDue = false
        return policy
    }

    /// Returns the policy of ``expecting(appAppleIDs:)`` with a further check: it refuses objects without an
    /// expected bundle ID. An `appAppleId` alone is not sufficient, because the list may contain that of
    /// another app.
    package func expecting(someOf appAppleIDs: [Int64]) -> VerificationPolicy {
        var policy = expecting(appAppleIDs: appAppleIDs)
        policy.isBundleIDDue = true
        return policy
    }

    /// Returns this policy with an additional check of the device. ``VerifiedReceipt/require(deviceID:)`` and
    /// ``VerifiedJWS/require(deviceID:)`` describe it. Transaction receipts name no device, and are refused.
    /// - Parameter deviceID: the bytes of the device's identifier.
    public func expecting(deviceID: [UInt8]) -> VerificationPolicy {
        var policy = self
        policy.deviceID = deviceID
        return policy
    }

    /// Returns a policy for one app.
    /// - Parameters:
    ///   - bundleID: the bundle ID, compared byte for byte. An empty one matches nothing, because every
    ///     receipt has a bundle ID.
    ///   - environments: the accepted environments.
    public static func app(_ bundleID: String, _ environments: Environments) -> VerificationPolicy {
        apps([bundleID], environments)
    }

    /// Returns a policy for several apps.
    /// - Parameters:
    ///   - bundleIDs: the bundle IDs, compared byte for byte. Empty ones are ignored, because every app has a
    ///     bundle ID. An empty list matches nothing.
    ///   - environments: the accepted environments.
    public static func apps(_ bundleIDs: [String], _ environments: Environments) -> VerificationPolicy {
        // Sorts the list and removes duplicates, so that its order affects neither messages nor a replayed
        // audit.
        var apps: [String] = []
        for app in bundleIDs.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        where !app.isEmpty && apps.last.map({ $0.utf8.elementsEqual(app.utf8) }) != true {
            apps.append(app)
        }
        return VerificationPolicy(of: apps, environments)
    }

    /// Returns a policy for any app, for audits.
    /// - Parameter environments: the accepted environments.
    public static func anyApp(_ environments: Environments) -> VerificationPolicy {
        VerificationPolicy(of: nil, environments)
    }

    /// The policy that accepts every genuine object, for auditors who check app and environment themselves.
    public static let any = VerificationPolicy(of: nil, .anyEnvironment)
}
