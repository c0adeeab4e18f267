#if Server
    import HTTPTypes
    import HummingbirdCore
    import NIOCore
    import NIOHTTP1
    import ReceiptJSON

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
        let kind: Kind
        private let body: ByteBuffer
        /// Writes the body, where it is not known before.
        private let stream: (@Sendable (inout any ResponseBodyWriter) async throws -> Void)?
        /// For the access log; nil without one, and for answers of other routes than verifyReceipt.
        var verdict: AppleVerdict?
        var others: [(HTTPField.Name, String)] = []
        /// Held until it is written.
        private var reservation: ByteBudget.Reservation?

        /// Bytes that are handed to the system at a time.
        private static let piece = 256 << 10

        /// - Parameter reservation: of the request, whose body is gone.
        init(_ kind: Kind, _ body: ByteBuffer, _ reservation: ByteBudget.Reservation? = nil) {
            (self.kind, self.body, stream, self.reservation) = (kind, body, nil, reservation)
        }

        init(_ kind: Kind, _ body: [UInt8], _ reservation: ByteBudget.Reservation? = nil) {
            self.init(kind, ByteBuffer(bytes: body), reservation)
        }

        init(_ kind: Kind, stream: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void) {
            (self.kind, body, self.stream, reservation) = (kind, ByteBuffer(), stream, nil)
        }

        /// Holds what it needs until it is written.
        /// - Returns: whether that is within the budget.
        mutating func hold(_ budget: ByteBudget) -> Bool {
            if body.readableBytes > ByteBudget.free { reservation = reservation ?? budget.reservation() }
            return reservation?.hold(body.readableBytes) ?? true
        }

        /// What is sent. A long one goes out in pieces, so that what it holds is held no longer than until it is out.
        var responseBody: ResponseBody {
            if let stream { return ResponseBody(stream) }
            guard body.readableBytes > Self.piece else { return ResponseBody(byteBuffer: body) }
            let (body, reservation) = (body, reservation)
            return ResponseBody(contentLength: body.readableBytes) { writer in
                var rest = body
                while let piece = rest.readSlice(length: min(Self.piece, rest.readableBytes)),
                    piece.readableBytes > 0
                {
                    try await writer.write(piece)
                }
                try await writer.finish(nil)
                reservation?.hold(0)
            }
        }

        /// The body, for whoever writes it without a request at hand.
        var bytes: ByteBuffer { body }

        /// - Parameters:
        ///   - id: of the request.
        ///   - date: of now (RFC 9110, 5.6.7).
        func fields(id: String, _ date: String) -> HTTPFields {
            var fields = HTTPFields()
            for (name, value) in list(id, date) { fields.append(HTTPField(name: name, value: value)) }
            return fields
        }

        /// The same, with the status, for whoever writes HTTP/1.1.
        func head(id: String, _ date: String) -> HTTPResponseHead {
            HTTPResponseHead(
                version: .http1_1, status: HTTPResponseStatus(statusCode: status.code),
                headers: HTTPHeaders(list(id, date).map { ($0.rawName, $1) }))
        }

        private func list(_ id: String, _ date: String) -> [(HTTPField.Name, String)] {
            var fields = Self.constant
            fields.reserveCapacity(10)
            fields.append((.requestID, id))
            fields.append((.date, date))
            fields.append((.contentType, kind.rawValue))
            if stream == nil { fields.append((.contentLength, "\(body.readableBytes)")) }
            fields.append((.cacheControl, kind.isOfMoment ? "no-store" : "no-cache"))
            if kind == .html { fields.append((.contentSecurityPolicy, Self.policy)) }
            return fields + others
        }

        private static let constant: [(HTTPField.Name, String)] = [
            (.xContentTypeOptions, "nosniff"), (.referrerPolicy, "no-referrer"),
        ]

        /// The page runs nothing, shows nothing and asks nobody but what is served beside it.
        private static let policy = """
            default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
            base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """
    }

    extension Answer {
        init(_ failure: Failure) {
            self.init(.json, JSONWriter.error(failure.code, failure.message))
            (status, others) = (failure.status, failure.fields)
        }
    }

    extension HTTPField.Name {
        static let requestID = named("X-Request-Id")
        static let referrerPolicy = named("Referrer-Policy")

        /// - Parameter name: a token (RFC 9110, 5.1).
        private static func named(_ name: String) -> HTTPField.Name {
            guard let name = HTTPField.Name(name) else { preconditionFailure("no name of a field: \(name)") }
            return name
        }
    }
#endif
