#if Server
    import AppReceipt

    /// The bearer tokens that are let in (RFC 6750), kept as digests.
    struct Tokens: Sendable {
        private let digests: SecretDigests

        /// The fewest characters of a token: 16 random ones of base64 hold 96 bits.
        private static let fewest = 16

        /// - Parameters:
        ///   - text: one token a line; blank lines are left out.
        ///   - path: the file, for messages.
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
                tokens.append(Array(line))
            }
            guard !tokens.isEmpty else { throw SettingsError("\(path): contains no token") }
            digests = try SecretDigests(of: tokens, verifier)
        }

        /// Whether the value of an Authorization field is one of them. How long it takes does not tell which, or how near.
        func allow(_ authorization: String?) -> Bool {
            guard let authorization else { return false }
            let parts = authorization.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else { return false }
            return (try? digests.contain(Array(parts[1].utf8))) == true
        }
    }
#endif
