#if Server
    import HTTPTypes
    import ReceiptJSON

    /// What can be asked for.
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

        /// Finds the route of a request, or returns nil if there is none.
        /// - Parameter target: the origin form of the request's target; see ``RequestTarget``.
        init?(target: String) {
            self.init(rawValue: String(target.prefix { $0 != "?" }))
        }

        /// The methods that have an answer. The server answers GET and HEAD of verifyReceipt with Apple's status 21000.
        var methods: [HTTPRequest.Method] {
            switch self {
            case .verifyReceipt, .sandboxVerifyReceipt: [.post, .get, .head]
            case .verify, .eligibility, .batch: [.post]
            case .live, .ready, .metrics, .openAPI, .page, .pageScript, .pageStyle: [.get, .head]
            }
        }

        /// Bytes of a request's body that are read; one more is too large. What is streamed has no end.
        var bodyLimit: Int {
            switch self {
            case .verifyReceipt, .sandboxVerifyReceipt: VerifyReceiptEndpoint.maximumRequestBytes
            case .verify, .eligibility: EligibilityEndpoint.maximumRequestBytes
            case .batch: .max
            case .live, .ready, .metrics, .openAPI, .page, .pageScript, .pageStyle: 0
            }
        }

        /// Whoever watches a server asks it when it is busy.
        var isAlwaysAnswered: Bool { self == .live || self == .ready || self == .metrics }

        /// The page holds nothing of anybody, and asks for the token that everything else needs.
        var needsToken: Bool {
            switch self {
            case .live, .ready, .page, .pageScript, .pageStyle: false
            default: true
            }
        }
    }
#endif
