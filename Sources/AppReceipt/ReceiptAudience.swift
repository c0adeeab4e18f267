/// The apps and environments that a verification accepts, or in so many words any.
///
/// Every verification names them. There is no default and no optional that means "no check", so that a missing setting
/// cannot let a receipt of another app pass, which may hold products of the same names.
///
/// ```swift
/// let receipt = try verifier.verify(bytes, for: .app("com.example.app", .production))
/// let reviewed = try verifier.verify(bytes, for: .app("com.example.app", [.production, .sandbox]))
/// ```
public struct ReceiptAudience: Hashable, Sendable {
    /// One app is no list: most verifications name one, and are to allocate nothing for it.
    private enum Apps: Hashable, Sendable {
        case any
        case one(String)
        case several([String])
    }

    private let apps: Apps
    /// The environments that are accepted.
    package let environments: Environments
    /// The values of `appAppleId` that are accepted, or nil where none is expected.
    package private(set) var appAppleIDs: [Int64]?
    /// Whether the bundle ID must be named too where a kind of objects names the app only by `appAppleId`.
    private(set) var isBundleIDDue = false

    private init(_ apps: Apps, _ environments: Environments, _ appAppleIDs: [Int64]? = nil) {
        self.apps = apps
        self.environments = environments
        self.appAppleIDs = appAppleIDs
    }

    /// - Parameter bundleIDs: empty ones are left out: no object is of an app without a name.
    private init(bundleIDs: [String], _ environments: Environments) {
        // Each once and in one order: how the caller wrote a set changes neither a message nor a replayed audit.
        var apps: [String] = []
        for app in bundleIDs.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        where !app.isEmpty && apps.last.map({ $0.utf8.elementsEqual(app.utf8) }) != true {
            apps.append(app)
        }
        self.init(apps.count == 1 ? .one(apps[0]) : .several(apps), environments)
    }

    /// The apps that are accepted, or nil for any app.
    package var bundleIDs: [String]? {
        switch apps {
        case .any: nil
        case .one(let bundleID): [bundleID]
        case .several(let bundleIDs): bundleIDs
        }
    }

    /// Whether an app is expected.
    package var isForApps: Bool { apps != .any || appAppleIDs != nil }

    /// Whether everything that is genuine is accepted.
    var isAnyone: Bool { !isForApps && environments == .anyEnvironment }

    /// The same environments, and any app: for objects that name no app.
    package var ofAnyApp: ReceiptAudience { ReceiptAudience(.any, environments) }

    /// Returns whether the app is accepted.
    /// - Parameter bundleID: nil, where no app is named, is accepted only where any app is.
    package func accepts(bundleID: String?) -> Bool {
        if apps == .any { return true }
        guard let bundleID, !bundleID.isEmpty else { return false }
        // String equality is canonical equivalence, which is too kind for an identifier.
        return switch apps {
        case .any: true
        case .one(let expected): expected.utf8.elementsEqual(bundleID.utf8)
        case .several(let list): list.contains { $0.utf8.elementsEqual(bundleID.utf8) }
        }
    }

    /// Returns the same apps and environments, and also expects one of these values of `appAppleId`, the app's identifier in
    /// the App Store.
    ///
    /// An object that names another is refused. One that names none is refused where its kind names the app only by it
    /// (realtime requests); where Apple always names it (receipts, app transactions and notifications that are not of the
    /// sandbox or Xcode); and where no bundle ID is expected, which would prove the app instead. A realtime request names no
    /// bundle ID, so that an expected one is not compared with it.
    /// - Parameter appAppleIDs: an empty list matches nothing.
    public func expecting(appAppleIDs: [Int64]) -> ReceiptAudience {
        ReceiptAudience(apps, environments, Set(appAppleIDs).sorted())
    }

    /// Like ``expecting(appAppleIDs:)``, and refuses what does not name a bundle ID of these apps: an `appAppleId` of this list
    /// may be another app's.
    package func expecting(someOf appAppleIDs: [Int64]) -> ReceiptAudience {
        var audience = expecting(appAppleIDs: appAppleIDs)
        audience.isBundleIDDue = true
        return audience
    }

    /// Receipts of this app.
    /// - Parameters:
    ///   - bundleID: compared byte for byte. The empty one matches nothing: no receipt is without a bundle id.
    ///   - environments: the environments that are accepted.
    public static func app(_ bundleID: String, _ environments: Environments) -> ReceiptAudience {
        bundleID.isEmpty
            ? ReceiptAudience(.several([]), environments) : ReceiptAudience(.one(bundleID), environments)
    }

    /// Receipts of any of these apps.
    /// - Parameters:
    ///   - bundleIDs: compared byte for byte. An empty list matches nothing.
    ///   - environments: the environments that are accepted.
    public static func apps(_ bundleIDs: [String], _ environments: Environments) -> ReceiptAudience {
        ReceiptAudience(bundleIDs: bundleIDs, environments)
    }

    /// Receipts of any app: for auditors.
    /// - Parameter environments: the environments that are accepted.
    public static func anyApp(_ environments: Environments) -> ReceiptAudience {
        ReceiptAudience(.any, environments)
    }

    /// Receipts of any app and environment: for auditors, who look at both themselves.
    public static let anyApp = ReceiptAudience(.any, .anyEnvironment)
}
