extension ReceiptAudience {
    /// The environments in which the purchases may have been made.
    ///
    /// App Review runs the production build of an app in the sandbox: a server for it accepts
    /// `[.production, .sandbox]`. The empty set matches nothing. An object that names no environment, or an unknown one,
    /// is accepted by ``anyEnvironment`` alone.
    public struct Environments: OptionSet, Hashable, Sendable {
        /// A bit for each environment.
        public let rawValue: UInt8

        /// - Parameter rawValue: bits that stand for no environment are dropped.
        public init(rawValue: UInt8) {
            // The fifth bit stands for objects that name no environment. Without all others it stands for nothing, so that
            // "any but the sandbox" accepts none of them.
            self.rawValue = rawValue & Self.all == Self.all ? Self.all : rawValue & Self.every
        }

        private static let every: UInt8 = 0b1111
        private static let all: UInt8 = 0b1_1111

        /// The App Store, with money.
        public static let production = Environments(rawValue: 0b0001)
        /// The App Store's sandbox and TestFlight, without money.
        public static let sandbox = Environments(rawValue: 0b0010)
        /// Xcode, under StoreKit Test.
        public static let xcode = Environments(rawValue: 0b0100)
        private static let localTesting = Environments(rawValue: 0b1000)

        /// Every environment, also where the object does not name one: for auditors.
        public static let anyEnvironment = Environments(rawValue: all)

        /// This environment alone.
        public static func only(_ environment: ReceiptEnvironment) -> Environments {
            switch environment {
            case .production: .production
            case .sandbox: .sandbox
            case .xcode: .xcode
            case .localTesting: .localTesting
            }
        }

        /// These environments; the empty list matches nothing.
        package init(_ environments: [ReceiptEnvironment]) {
            self = environments.reduce(into: []) { $0.formUnion(.only($1)) }
        }

        /// The environments that are named, or nil for ``anyEnvironment``.
        package var named: [ReceiptEnvironment]? {
            self == .anyEnvironment ? nil : ReceiptEnvironment.allCases.filter { contains(.only($0)) }
        }

        /// Returns whether the environment is accepted.
        /// - Parameter environment: nil where none is named that is known.
        package func accepts(_ environment: ReceiptEnvironment?) -> Bool {
            environment.map { contains(.only($0)) } ?? (self == .anyEnvironment)
        }
    }
}
