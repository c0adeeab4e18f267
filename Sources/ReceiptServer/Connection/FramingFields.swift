#if Server
    import NIOHTTP1

    /// The header fields that determine how the server handles a connection, collected in one pass.
    struct FramingFields {
        private(set) var hosts = 0
        /// The value of Content-Length. The inner value is nil if the field is not a number or too large for one.
        private(set) var length: Int??
        /// Whether there is exactly one Transfer-Encoding and it is `chunked`, nil without that field.
        private(set) var isChunked: Bool?
        private(set) var upgrades = false
        private(set) var expectsContinue = false
        /// The request's ID, nil if there is none or more than one.
        private(set) var id: String?
        /// The fields that ``Dispatcher`` reads. Hummingbird keeps the last two heads of an idle connection, so further fields are
        /// left out. It compares `Connection` with `close`, in quadratic time for some texts.
        private(set) var read = HTTPHeaders()
        /// The number of bytes of the names and values of these fields, and of their storage.
        private(set) var readBytes = 0

        private static let storage = 64

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
