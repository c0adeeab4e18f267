#if Server
    import HTTPTypes
    import HummingbirdCore
    import NIOCore
    import ReceiptServices
    import StrictJSON

    /// The answer to a request.
    struct HTTPAnswer: Sendable {
        enum Kind: String, Sendable {
            case json = "application/json"
            case ndjson = "application/x-ndjson"
            case text = "text/plain; version=0.0.4; charset=utf-8"
            case yaml = "application/yaml"
            case html = "text/html; charset=utf-8"
            case script = "text/javascript; charset=utf-8"
            case style = "text/css; charset=utf-8"

            /// Whether caches must not store the answer, because it contains a customer's data or changes with time.
            var isOfMoment: Bool { self == .json || self == .ndjson || self == .text }
        }

        var status = HTTPResponse.Status.ok
        let kind: Kind
        let body: ByteBuffer
        /// A function that writes a body of unknown length, nil if ``body`` is the whole body.
        private let stream: (@Sendable (inout any ResponseBodyWriter) async throws -> Void)?
        /// The verdict and its route for metrics and the access log, nil for routes other than verifyReceipt.
        var verdict: (AppleVerdict, Route)?
        var others: [(HTTPField.Name, String)] = []
        /// The reservation of the body's memory until the body is written.
        private var reservation: ByteBudget.Reservation?

        /// The answer to health checks.
        static let ok = HTTPAnswer(.json, Array(#"{"status":"ok"}"#.utf8))

        /// The maximum number of bytes that are written at a time.
        private static let piece = ByteBudget.free

        /// Creates an answer.
        /// - Parameter reservation: The reservation of the request, whose body has been released.
        init(_ kind: Kind, _ body: ByteBuffer, _ reservation: ByteBudget.Reservation? = nil) {
            (self.kind, self.body, stream, self.reservation) = (kind, body, nil, reservation)
        }

        init(_ kind: Kind, _ body: [UInt8], _ reservation: ByteBudget.Reservation? = nil) {
            self.init(kind, ByteBuffer(bytes: body), reservation)
        }

        init(_ kind: Kind, stream: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void) {
            (self.kind, body, self.stream, reservation) = (kind, ByteBuffer(), stream, nil)
        }

        /// Reserves the body's memory until the body is written.
        /// - Returns: Whether the reservation is within the budget.
        mutating func hold(_ budget: ByteBudget) -> Bool {
            if body.readableBytes > ByteBudget.free { reservation = reservation ?? budget.reservation() }
            return reservation?.hold(body.readableBytes) ?? true
        }

        /// Writes bytes in parts. Each part is a copy, because a slice that was not sent would keep all bytes in memory.
        static func write(_ bytes: ByteBuffer, to writer: inout any ResponseBodyWriter) async throws {
            var rest = bytes
            while let part = rest.readBytes(length: min(Self.piece, rest.readableBytes)), !part.isEmpty {
                try await writer.write(ByteBuffer(bytes: part))
            }
        }

        /// The body for Hummingbird. A long one is sent in parts, so that its reservation ends when it has been written.
        @inline(never)
        var responseBody: ResponseBody {
            if let stream { return ResponseBody(stream) }
            guard body.readableBytes > Self.piece else { return ResponseBody(byteBuffer: body) }
            let (body, reservation) = (body, reservation)
            return ResponseBody(contentLength: body.readableBytes) { writer in
                try await Self.write(body, to: &writer)
                try await writer.finish(nil)
                reservation?.hold(0)
            }
        }

        /// Returns the status and the header fields.
        /// - Parameters:
        ///   - id: The request's ID.
        ///   - date: The current time (RFC 9110, 5.6.7).
        @inline(never)
        func head(id: String, _ date: String) -> HTTPResponse {
            var fields: HTTPFields = [
                .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer", .requestID: id, .date: date,
                .contentType: kind.rawValue,
            ]
            if stream == nil { fields[.contentLength] = "\(body.readableBytes)" }
            fields[.cacheControl] = kind.isOfMoment ? "no-store" : "no-cache"
            if kind == .html { fields[.contentSecurityPolicy] = Self.policy }
            for (name, value) in others { fields.append(HTTPField(name: name, value: value)) }
            return HTTPResponse(status: status, headerFields: fields)
        }

        /// The page's Content-Security-Policy. The page uses only scripts, styles and connections of this server.
        private static let policy = """
            default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
            base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """
    }

    extension HTTPAnswer {
        init(_ failure: Failure) {
            self.init(.json, JSONWriter.error(failure.code, failure.message))
            (status, others) = (failure.status, failure.fields)
        }
    }

    extension HTTPField.Name {
        static let requestID = named("X-Request-Id")
        static let referrerPolicy = named("Referrer-Policy")

        /// Returns the field name with this text.
        /// - Parameter name: A token (RFC 9110, 5.1).
        private static func named(_ name: String) -> HTTPField.Name {
            guard let name = HTTPField.Name(name) else { preconditionFailure("invalid field name: \(name)") }
            return name
        }
    }
#endif
