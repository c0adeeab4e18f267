#if Server
    import HTTPTypes

    /// An error that the server sends in place of the requested answer.
    struct Failure: Error {
        let status: HTTPResponse.Status
        let code: String
        /// A message of one line.
        let message: String
        var fields: [(HTTPField.Name, String)] = []

        static func badRequest(_ message: String) -> Failure {
            Failure(status: .badRequest, code: "bad_request", message: message)
        }

        /// The error for a body whose connection ended early.
        static let cutShort = badRequest("connection ended within the body")

        static let notFound = Failure(
            status: .notFound, code: "not_found", message: "no such path")

        static func methodNotAllowed(_ route: Route) -> Failure {
            let allowed = route.methods.map(\.rawValue).joined(separator: ", ")
            return Failure(
                status: .methodNotAllowed, code: "method_not_allowed",
                message: "method not allowed; use \(allowed)",
                fields: [(.allow, allowed)])
        }

        static let unauthorised = Failure(
            status: .unauthorized, code: "unauthorised", message: "bearer token required",
            fields: [(.wwwAuthenticate, "Bearer realm=\"appreceipt\"")])

        /// Returns the error for a body that is too large.
        /// - Parameter limit: The maximum number of bytes, nil if the length does not fit into a number.
        static func tooLarge(_ limit: Int?) -> Failure {
            let message =
                limit.map { "body larger than the limit of \($0) bytes" } ?? "Content-Length out of range"
            return Failure(status: .contentTooLarge, code: "too_large", message: message)
        }

        static func unsupportedType(_ wanted: String) -> Failure {
            Failure(
                status: .unsupportedMediaType, code: "unsupported_type",
                message: "Content-Type must be \(wanted)",
                fields: [(.accept, wanted)])
        }

        static let tooSlow = Failure(
            status: .requestTimeout, code: "timeout", message: "request too slow")

        static let headTooLarge = Failure(
            status: .requestHeaderFieldsTooLarge, code: "headers_too_large",
            message: "request head too large")

        static let busy = Failure(
            status: .serviceUnavailable, code: "busy", message: "too many requests in progress; retry later",
            fields: [(.retryAfter, "1")])

        static let stopping = Failure(
            status: .serviceUnavailable, code: "stopping", message: "server is stopping; retry later",
            fields: [(.retryAfter, "1")])
    }
#endif
