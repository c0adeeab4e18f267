/// A verification policy: the expected apps and environments, or explicitly any.
///
/// Every verification requires a policy. There is no default, and no optional that means "no check".
/// Otherwise, a missing setting could accept another app's receipt, which may contain products with the same
/// identifiers.
///
/// ```swift
/// let receipt = try verifier.verify(bytes, for: .app("com.example.app", .production))
/// let reviewed = try verifier.verify(bytes, for: .app("com.example.app", [.production, .sandbox]))
/// ```
public struct ReceiptAudience: Hashable, Sendable {
    /// The expected apps. One app has a separate case, because most policies name one app and need no list.
    private enum Apps: Hashable, Sendable {
        case any
        case one(String)
        case several([String])
    }

    private let apps: Apps
    /// The accepted environments.
    package let environments: Environments
    /// The accepted values of `appAppleId`, or nil if none is expected.
    package private(set) var appAppleIDs: [Int64]?
    /// Whether objects whose kind identifies the app by `appAppleId` alone must also name an expected bundle
    /// ID.
    private(set) var isBundleIDDue = false

    private init(_ apps: Apps, _ environments: Environments, _ appAppleIDs: [Int64]? = nil) {
        self.apps = apps
        self.environments = environments
        self.appAppleIDs = appAppleIDs
    }

    /// Creates a policy for a list of apps.
    /// - Parameter bundleIDs: the expected bundle IDs. Empty ones are ignored, because every app has a bundle
    ///   ID.
    private init(bundleIDs: [String], _ environments: Environments) {
        // Sorts the list and removes duplicates, so that its order affects neither messages nor a replayed
        // audit.
        var apps: [String] = []
        for app in bundleIDs.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        where !app.isEmpty && apps.last.map({ $0.utf8.elementsEqual(app.utf8) }) != true {
            apps.append(app)
        }
        self.init(apps.count == 1 ? .one(apps[0]) : .several(apps), environments)
    }

    /// The accepted bundle IDs, or nil for any app.
    package var bundleIDs: [String]? {
        switch apps {
        case .any: nil
        case .one(let bundleID): [bundleID]
        case .several(let bundleIDs): bundleIDs
        }
    }

    /// Whether the policy expects specific apps.
    package var isForApps: Bool { apps != .any || appAppleIDs != nil }

    /// Whether the policy accepts every genuine object.
    var isAnyone: Bool { !isForApps && environments == .anyEnvironment }

    /// The policy for any app in the same environments, for objects that name no app.
    package var ofAnyApp: ReceiptAudience { ReceiptAudience(.any, environments) }

    /// Returns whether the policy accepts the app.
    /// - Parameter bundleID: the bundle ID, or nil if the object names none. Nil is accepted only if the
    ///   policy accepts any app.
    package func accepts(bundleID: String?) -> Bool {
        if apps == .any { return true }
        guard let bundleID, !bundleID.isEmpty else { return false }
        // Compares bytes, because `String` compares by canonical equivalence, which is too lenient for
        // identifiers.
        return switch apps {
        case .any: true
        case .one(let expected): expected.utf8.elementsEqual(bundleID.utf8)
        case .several(let list): list.contains { $0.utf8.elementsEqual(bundleID.utf8) }
        }
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
    public func expecting(appAppleIDs: [Int64]) -> ReceiptAudience {
        ReceiptAudience(apps, environments, Set(appAppleIDs).sorted())
    }

    /// Returns the policy of ``expecting(appAppleIDs:)`` that also refuses objects without an expected bundle
    /// ID. The list may contain the `appAppleId` of another app.
    package func expecting(someOf appAppleIDs: [Int64]) -> ReceiptAudience {
        var audience = expecting(appAppleIDs: appAppleIDs)
        audience.isBundleIDDue = true
        return audience
    }

    /// Returns a policy for one app.
    /// - Parameters:
    ///   - bundleID: the bundle ID, compared byte for byte. An empty one matches nothing, because every
    ///     receipt has a bundle ID.
    ///   - environments: the accepted environments.
    public static func app(_ bundleID: String, _ environments: Environments) -> ReceiptAudience {
        bundleID.isEmpty
            ? ReceiptAudience(.several([]), environments) : ReceiptAudience(.one(bundleID), environments)
    }

    /// Returns a policy for several apps.
    /// - Parameters:
    ///   - bundleIDs: the bundle IDs, compared byte for byte. An empty list matches nothing.
    ///   - environments: the accepted environments.
    public static func apps(_ bundleIDs: [String], _ environments: Environments) -> ReceiptAudience {
        ReceiptAudience(bundleIDs: bundleIDs, environments)
    }

    /// Returns a policy for any app, for audits.
    /// - Parameter environments: the accepted environments.
    public static func anyApp(_ environments: Environments) -> ReceiptAudience {
        ReceiptAudience(.any, environments)
    }

    /// The policy that accepts any app and environment, for auditors who check both themselves.
    public static let anyApp = ReceiptAudience(.any, .anyEnvironment)
}
