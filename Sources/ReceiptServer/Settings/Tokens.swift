#if Server
    import AppReceipt

    /// The accepted bearer tokens (RFC 6750), stored as digests.
    struct Tokens: Sendable {
        private let digests: SecretDigests

        /// The minimum number of characters of a token: 16 random base64 characters have 96 bits.
        private static let fewest = 16

        /// The maximum number of characters of a token. ``ConnectionGuard`` refuses longer fields.
        private static let most = 3500

        /// Reads the tokens.
        /// - Parameters:
        ///   - text: One token a line; blank lines are ignored.
        ///   - path: The path of the file, for messages.
        init(_ text: [UInt8], of path: String, _ verifier: ReceiptVerifier) throws {
            var tokens: [[UInt8]] = []
            for (index, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
                var line = line
                while let last = line.last, last == 0x0D || last == 0x20 || last == 0x09 { line.removeLast() }
                if line.isEmpty { continue }
                guard line.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                    throw SettingsError(
                        "\(path), line \(index + 1): invalid token: must be visible ASCII characters"
                    )
                }
                guard line.count >= Self.fewest else {
                    throw SettingsError(
                        "\(path), line \(index + 1): token too short: \(line.count) characters, at least \(Self.fewest) required"
                    )
                }
                guard line.count <= Self.most else {
                    throw SettingsError(
                        "\(path), line \(index + 1): token too long: \(line.count) characters, at most \(Self.most) allowed"
                    )
                }
                tokens.append(Array(line))
            }
            guard !tokens.isEmpty else { throw SettingsError("\(path): contains no token") }
            digests = try SecretDigests(of: tokens, verifier)
        }

        /// Returns whether the value of an Authorization field has one of the tokens. The duration does not reveal which
        /// one, or how similar a wrong token is.
        func allow(_ authorization: String?) -> Bool {
            // Text would be compared in quadratic time.
            let parts = authorization?.utf8.split(separator: 0x20, maxSplits: 1) ?? []
            guard parts.count == 2, parts[0].map({ $0 | 0x20 }) == Array("bearer".utf8) else { return false }
            return (try? digests.contain(Array(parts[1].drop { $0 == 0x20 }))) == true
        }
    }
#endif
