#if Server
    import ReceiptExamination

    /// The parameters in the query of a request's target.
    struct Query {
        private let values: [String: [String]]

        /// The maximum number of parameters, and the maximum lengths of a name and a value before decoding. Decoding takes ten times
        /// as long as reading a header field.
        private static let (most, mostNameBytes, mostBytes) = (64, 64, 1024)

        /// Parses a query.
        /// - Throws: ``Failure`` if a parameter is unknown, has no valid value, or is not UTF-8, or if there are too many.
        init(_ path: String?, allowing names: Set<String>) throws(Failure) {
            var values: [String: [String]] = [:]
            for pair in try Self.pairs(path) {
                let parts = pair.split(
                    separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                guard let name = Self.name(parts[0]), names.contains(name) else {
                    let known = names.sorted().joined(separator: ", ")
                    throw .badRequest("unknown query parameter; allowed: \(known)")
                }
                guard parts.last?.count ?? 0 <= Self.mostBytes else {
                    throw .badRequest("\(name): longer than \(Self.mostBytes) bytes")
                }
                guard parts.count == 2, let value = Self.decoded(parts[1]), !value.isEmpty else {
                    throw .badRequest("\(name): missing value or invalid percent-encoding")
                }
                values[name, default: []].append(value)
            }
            self.values = values
        }

        /// The values of a parameter that may be repeated, empty if it is missing.
        subscript(name: String) -> [String] { values[name] ?? [] }

        /// Returns the parameters of a target, without decoding them. Bytes take a tenth of the time of characters.
        static func pairs(_ path: String?) throws(Failure) -> [Substring.UTF8View] {
            let query = path?.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
            let pairs = query?.split(separator: UInt8(ascii: "&"), maxSplits: most) ?? []
            guard pairs.count <= most else { throw .badRequest("more than \(most) query parameters") }
            return pairs
        }

        /// Returns a decoded name, or nil if it is too long for one that the server knows.
        static func name(_ text: Substring.UTF8View) -> String? {
            text.count <= mostNameBytes ? decoded(text) : nil
        }

        /// Returns a text with its percent-encoding decoded (RFC 3986, 2.1), or nil if the encoding is invalid.
        private static func decoded(_ text: Substring.UTF8View) -> String? {
            guard text.contains(UInt8(ascii: "%")) else { return String(Substring(text)) }
            guard let bytes = [UInt8](percentEncoded: [UInt8](text)) else { return nil }
            return String(validating: bytes, as: UTF8.self)
        }
    }
#endif
