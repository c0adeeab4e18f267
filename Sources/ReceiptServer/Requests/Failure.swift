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

        static let notFound = Failure(
            status: .notFound, code: "not_found", message: "there is nothing of that path")

        static func methodNotAllowed(_ route: Route) -> Failure {
            let allowed = route.methods.map(\.rawValue).joined(separator: ", ")
            return Failure(
                status: .methodNotAllowed, code: "method_not_allowed", message: "the method is \(allowed)",
                fields: [(.allow, allowed)])
        }

        static let unauthorised = Failure(
            status: .unauthorized, code: "unauthorised", message: "a bearer token is needed",
            fields: [(.wwwAuthenticate, "Bearer realm=\"appreceipt\"")])

        /// Returns the error for a body that is too large.
        /// - Parameter limit: The maximum number of bytes, nil if the length does not fit into a number.
        static func tooLarge(_ limit: Int?) -> Failure {
            let message = limit.map { "the body has more than \($0) bytes" } ?? "no body has so many bytes"
            return Failure(status: .contentTooLarge, code: "too_large", message: message)
        }

        static func unsupportedType(_ wanted: String) -> Failure {
            Failure(
                status: .unsupportedMediaType, code: "unsupported_type",
                message: "the Content-Type is \(wanted)",
                fields: [(.accept, wanted)])
        }

        static let tooSlow = Failure(
            status: .requestTimeout, code: "timeout", message: "the request came too slowly")

        static let headTooLarge = Failure(
            status: .requestHeaderFieldsTooLarge, code: "headers_too_large",
            message: "the head of the request is too large")

        static let busy = Failure(
            status: .serviceUnavailable, code: "busy", message: "as much as can be is being worked on",
            fields: [(.retryAfter, "1")])

        static let stopping = Failure(
            status: .serviceUnavailable, code: "stopping", message: "the server is being stopped",
            fields: [(.retryAfter, "1")])
    }
#endif
