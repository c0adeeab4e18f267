#if Server
    import AppReceipt
    import Synchronization

    /// The bearer tokens that are let in (RFC 6750), kept as digests.
    final class Tokens: Sendable {
        private let path: String
        private let read: @Sendable (String) throws -> [UInt8]
        private let verifier: ReceiptVerifier
        private let digests: Mutex<[SecretDigest]>

        init(
            _ path: String, _ verifier: ReceiptVerifier, read: @escaping @Sendable (String) throws -> [UInt8]
        ) throws {
            (self.path, self.verifier, self.read) = (path, verifier, read)
            digests = Mutex(try Self.digests(of: try read(path), path, verifier))
        }

        /// Reads the file again.
        /// - Throws: what is wrong with it; the tokens stay as they are.
        func reload() throws {
            let new = try Self.digests(of: try read(path), path, verifier)
            digests.withLock { $0 = new }
        }

        /// One a line, blank ones left out.
        private static func digests(
            of text: [UInt8], _ path: String, _ verifier: ReceiptVerifier
        ) throws -> [SecretDigest] {
            var digests: [SecretDigest] = []
            for (index, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
                var line = line
                while let last = line.last, last == 0x0D || last == 0x20 || last == 0x09 { line.removeLast() }
                if line.isEmpty { continue }
                guard line.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                    throw SettingsError(
                        "\(path), line \(index + 1): not a token: it has other characters than ASCII's visible ones"
                    )
                }
                digests.append(try SecretDigest(of: Array(line), verifier))
            }
            guard !digests.isEmpty else { throw SettingsError("\(path): holds no token") }
            return digests
        }

        /// Whether the value of an Authorization field is one of them. How long it takes does not tell which, or how near.
        func allow(_ authorization: String?) -> Bool {
            guard let authorization else { return false }
            let parts = authorization.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else { return false }
            let offered = Array(parts[1].utf8)
            var isAllowed = false
            for digest in digests.withLock({ $0 }) where (try? digest.equals(offered)) == true {
                isAllowed = true
            }
            return isAllowed
        }
    }
#endif
