#if Server
    import HTTPTypes
    import ReceiptServices

    /// The paths that the server answers.
    enum Route: String, CaseIterable, Sendable {
        case verifyReceipt = "/verifyReceipt"
        case sandboxVerifyReceipt = "/sandbox/verifyReceipt"
        case verify = "/v1/verify"
        case eligibility = "/v1/eligibility"
        case batch = "/v1/batch"
        case live = "/health/live"
        case ready = "/health/ready"
        case metrics = "/metrics"
        case openAPI = "/openapi.yaml"
        case page = "/"
        case pageScript = "/page.js"
        case pageStyle = "/page.css"

        /// Creates the route of a request, or returns nil if the path is unknown.
        /// - Parameter target: The origin form of the request's target; see ``RequestTarget``.
        init?(target: String) {
            self.init(rawValue: String(Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") })))
        }

        /// The allowed methods. The server answers GET and HEAD of verifyReceipt with Apple's status 21000.
        var methods: [HTTPRequest.Method] {
            switch self {
            case .verifyReceipt, .sandboxVerifyReceipt: [.post, .get, .head]
            case .verify, .eligibility, .batch: [.post]
            case .live, .ready, .metrics, .openAPI, .page, .pageScript, .pageStyle: [.get, .head]
            }
        }

        /// The maximum number of bytes of a request's body. A stream has no limit.
        var bodyLimit: Int {
            switch self {
            case .verifyReceipt, .sandboxVerifyReceipt: VerifyReceiptEndpoint.maximumRequestBytes
            case .verify, .eligibility: EligibilityEndpoint.maximumRequestBytes
            case .batch: .max
            case .live, .ready, .metrics, .openAPI, .page, .pageScript, .pageStyle: 0
            }
        }

        /// Whether the server answers the route even if it is busy, as monitoring requires.
        var isAlwaysAnswered: Bool { self == .live || self == .ready || self == .metrics }

        /// Whether the route is a file of the page. The page contains no data and asks the user for the token.
        var isPage: Bool { self == .page || self == .pageScript || self == .pageStyle }

        /// Whether the route requires a token.
        var needsToken: Bool { !isPage && self != .live && self != .ready }
    }
#endif
