#if Server
    import HTTPTypes
    import HummingbirdCore

    /// What is sent back.
    struct Answer: Sendable {
        enum Kind: String, Sendable {
            case json = "application/json"
            case ndjson = "application/x-ndjson"
            case text = "text/plain; version=0.0.4; charset=utf-8"
            case yaml = "application/yaml"
            case html = "text/html; charset=utf-8"
            case script = "text/javascript; charset=utf-8"
            case style = "text/css; charset=utf-8"

            /// What nobody keeps: it is of somebody, or of a moment.
            var isOfMoment: Bool { self == .json || self == .ndjson || self == .text }
        }

        var status = HTTPResponse.Status.ok
        var kind: Kind
        var body: [UInt8] = []
        /// Writes the body, where it is not known before.
        var stream: (@Sendable (inout any ResponseBodyWriter) async throws -> Void)?
        var others: [(HTTPField.Name, String)] = []

        /// - Parameters:
        ///   - id: of the request.
        ///   - date: of now (RFC 9110, 5.6.7).
        func fields(id: String, _ date: String) -> HTTPFields {
            var fields = Self.constant
            fields.append(HTTPField(name: .requestID, value: id))
            fields.append(HTTPField(name: .date, value: date))
            fields.append(HTTPField(name: .contentType, value: kind.rawValue))
            if stream == nil { fields.append(HTTPField(name: .contentLength, value: "\(body.count)")) }
            fields.append(HTTPField(name: .cacheControl, value: kind.isOfMoment ? "no-store" : "no-cache"))
            if kind == .html { fields.append(Self.policy) }
            for (name, value) in others { fields.append(HTTPField(name: name, value: value)) }
            return fields
        }

        private static let constant: HTTPFields = [
            .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
        ]

        /// The page runs nothing, shows nothing and asks nobody but what is served beside it.
        private static let policy = HTTPField(
            name: .contentSecurityPolicy,
            value: """
                default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
                base-uri 'none'; form-action 'none'; frame-ancestors 'none'
                """)
    }

    extension Answer {
        init(_ failure: Failure) {
            self.init(
                status: failure.status, kind: .json, body: JSON.error(failure.code, failure.message),
                others: failure.fields)
        }
    }

    extension HTTPField.Name {
        static let requestID = HTTPField.Name("X-Request-Id")!
        static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    }
#endif
