extension VerificationPolicy {
    /// The accepted environments of purchases.
    ///
    /// App Review runs the production build of an app in the sandbox, so the app's server accepts
    /// `[.production, .sandbox]`. The empty set matches nothing. Only ``anyEnvironment`` accepts objects that
    /// name no environment or an unknown one.
    public struct Environments: OptionSet, Hashable, Sendable {
        /// One bit for each environment, and in ``anyEnvironment`` a fifth bit for objects that name none.
        public let rawValue: UInt8

        /// Creates a set of environments.
        /// - Parameter rawValue: one bit for each environment. A fifth bit, for objects that name none, counts
        ///   only together with all of them. Other bits are ignored.
        public init(rawValue: UInt8) {
            // The fifth bit accepts objects that name no environment. It counts only together with all
            // others, so that "any environment except the sandbox" does not accept such objects.
            self.rawValue = rawValue & Self.all == Self.all ? Self.all : rawValue & Self.every
        }

        private static let every: UInt8 = 0b1111
        private static let all: UInt8 = 0b1_1111

        /// The App Store, where customers pay.
        public static let production = Environments(rawValue: 0b0001)
        /// The App Store's sandbox and TestFlight, where customers do not pay.
        public static let sandbox = Environments(rawValue: 0b0010)
        /// Xcode, with StoreKit Test.
        public static let xcode = Environments(rawValue: 0b0100)
        private static let localTesting = Environments(rawValue: 0b1000)

        /// Every environment, and objects that name none, for audits.
        public static let anyEnvironment = Environments(rawValue: all)

        /// Returns the set of this environment.
        public static func only(_ environment: ReceiptEnvironment) -> Environments {
            switch environment {
            case .production: .production
            case .sandbox: .sandbox
            case .xcode: .xcode
            case .localTesting: .localTesting
            }
        }

        /// Creates the set of these environments. An empty list matches nothing.
        package init(_ environments: [ReceiptEnvironment]) {
            self = environments.reduce(into: []) { $0.formUnion(.only($1)) }
        }

        /// The environments in this set, or nil for ``anyEnvironment``.
        package var named: [ReceiptEnvironment]? {
            self == .anyEnvironment ? nil : ReceiptEnvironment.allCases.filter { contains(.only($0)) }
        }

        /// Returns whether the set accepts the environment.
        /// - Parameter environment: nil if the object names no known environment.
        package func accepts(_ environment: ReceiptEnvironment?) -> Bool {
            environment.map { contains(.only($0)) } ?? (self == .anyEnvironment)
        }
    }
}
