#if Server
    import NIOHTTP1

    /// The header fields that determine how the server handles a connection, collected in one pass.
    struct FramingFields {
        private var hosts = 0
        /// The value of Content-Length. The inner value is nil if the field is not a number or too large for one.
        private(set) var length: Int??
        /// Whether there is exactly one Transfer-Encoding and it is `chunked`, nil without that field.
        private var isChunked: Bool?
        private(set) var upgrades = false
        private(set) var expectsContinue = false
        /// The request's ID, nil if there is none or more than one.
        private(set) var id: String?
        /// The fields that ``Dispatcher`` reads. Hummingbird keeps the last two heads of an idle connection, so further fields are
        /// left out. It compares `Connection` with `close`, in quadratic time for some texts.
        private(set) var read = HTTPHeaders()
        /// The number of bytes of the names and values of these fields, and of their storage.
        private var readBytes = 0

        private static let storage = 64
        /// The maximum lengths of a request target, as in nginx, and of the fields that the server reads. An idle connection keeps
        /// its last two heads.
        private static let (longestTarget, longestFields) = (8192, 4096)

        /// Collects the fields.
        /// - Parameter hasTokens: Whether the server reads Authorization.
        init(_ headers: HTTPHeaders, hasTokens: Bool) {
            var ids = 0
            for (name, value) in headers {
                switch name.utf8.count {
                case 4 where Self.equal(name, "host"):
                    hosts += 1
                    continue
                case 6 where Self.equal(name, "expect"):
                    expectsContinue = Self.equal(value.withoutOptionalWhitespace, "100-continue")
                    continue
                case 7 where Self.equal(name, "upgrade"):
                    upgrades = true
                    continue
                case 10 where Self.equal(name, "connection") && Self.equal(value, "close"): break
                case 12 where Self.equal(name, "content-type"): break
                case 12 where Self.equal(name, "x-request-id"):
                    ids += 1
                    id = ids == 1 ? value : nil
                case 13 where hasTokens && Self.equal(name, "authorization"): break
                case 14 where Self.equal(name, "content-length"):
                    length = .some(Int(value.withoutOptionalWhitespace))
                case 17 where Self.equal(name, "transfer-encoding"):
                    isChunked = isChunked == nil && Self.equal(value.withoutOptionalWhitespace, "chunked")
                default: continue
                }
                read.add(name: name, value: value)
                readBytes += name.utf8.count + value.utf8.count + Self.storage
            }
        }

        /// Returns why the server does not read a request with these fields, or nil if it does.
        func failure(target: String, isHTTP10: Bool) -> Failure? {
            guard target.utf8.count <= Self.longestTarget, readBytes <= Self.longestFields else {
                return .headTooLarge
            }
            // RFC 9112, 3.2.
            guard hosts == 1 || isHTTP10 else { return .badRequest("exactly one Host header required") }
            // RFC 9112, 6.1.
            guard isChunked == nil || (isChunked == true && !isHTTP10) else {
                return .badRequest("Transfer-Encoding must be chunked, in HTTP/1.1")
            }
            return length == .some(nil) ? .tooLarge(nil) : nil
        }

        /// Returns whether two texts are equal, ignoring the case of ASCII letters. Other characters have letters as their lower
        /// case, such as the sign of kelvin.
        /// - Parameter expected: A text of lower-case letters, digits and hyphens.
        private static func equal(_ text: String, _ expected: String) -> Bool {
            text.utf8.count == expected.utf8.count
                && zip(text.utf8, expected.utf8).allSatisfy {
                    $0 == $1 || (0x61...0x7A).contains($1) && $0 | 0x20 == $1
                }
        }
    }
#endif
