#if Server
    import NIOHTTP1

    /// The header fields that determine how the server handles a connection, collected in one pass.
    struct FramingFields {
        private(set) var hosts = 0
        /// The value of Content-Length. The inner value is nil if the field is not a number or too large for one.
        private(set) var length: Int??
        /// The values of Transfer-Encoding, joined by commas, nil without that field.
        private(set) var transferEncoding: String?
        private(set) var upgrades = false
        private(set) var expectation: String?
        /// The request's ID, nil if there is none or more than one.
        private(set) var id: String?

        init(_ headers: HTTPHeaders) {
            var ids = 0
            for (name, value) in headers {
                switch name.utf8.count {
                case 4 where Self.equal(name, "host"): hosts += 1
                case 6 where Self.equal(name, "expect"): expectation = value.withoutOptionalWhitespace
                case 7 where Self.equal(name, "upgrade"): upgrades = true
                case 12 where Self.equal(name, "x-request-id"):
                    ids += 1
                    id = ids == 1 ? value : nil
                case 14 where Self.equal(name, "content-length"):
                    length = .some(Int(value.withoutOptionalWhitespace))
                case 17 where Self.equal(name, "transfer-encoding"):
                    let value = value.withoutOptionalWhitespace.lowercased()
                    transferEncoding = transferEncoding.map { "\($0),\(value)" } ?? value
                default: break
                }
            }
        }

        /// Returns whether two field names of the same length are equal, ignoring case.
        /// - Parameter expected: A name of lower-case letters and hyphens.
        private static func equal(_ name: String, _ expected: String) -> Bool {
            zip(name.utf8, expected.utf8).allSatisfy { $0 | 0x20 == $1 }
        }
    }
#endif
