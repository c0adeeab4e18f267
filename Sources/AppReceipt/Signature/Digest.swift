import CReceiptCrypto

/// A digest that needs no heap allocation.
struct Digest {
    var value: receipt_crypto_digest

    init(_ value: receipt_crypto_digest) { self.value = value }

    var bytes: [UInt8] {
        unsafe withUnsafeBytes(of: value.bytes) { unsafe Array($0.prefix(value.count)) }
    }

    /// Returns the SHA-256 digests of several messages, or nil if the processor does not compute sixteen at
    /// once. Signatures must not depend on them, because they are not OpenSSL's.
    /// - Parameter messages: the messages. They take the least time if the longest come first.
    fileprivate static func sha256(ofEach messages: [ArraySlice<UInt8>]) -> [Digest]? {
        var digests: [Digest] = []
        digests.reserveCapacity(messages.count)
        // Each message of a group takes stack.
        for start in stride(from: 0, to: messages.count, by: group) {
            let end = min(start + group, messages.count)
            guard let part = sha256(ofGroup: messages[start..<end]) else { return nil }
            digests += part
        }
        return digests
    }

    private static let group = 64

    private static func sha256(ofGroup messages: ArraySlice<ArraySlice<UInt8>>) -> [Digest]? {
        var digests = Array(repeating: receipt_crypto_digest(), count: messages.count)
        var slices: [receipt_crypto_slice] = unsafe []
        /// Collects the messages from an index on. Their memory must not move until all are hashed.
        func hash(from index: Int) -> Bool {
            guard index < messages.endIndex else {
                return unsafe receipt_crypto_sha256_each(slices, slices.count, &digests)
            }
            let message = messages[index]
            return unsafe message.span.withSlice { slice in
                unsafe slices.append(slice)
                return hash(from: index + 1)
            }
        }
        return hash(from: messages.startIndex) ? digests.map { Digest($0) } : nil
    }

    /// Compares in a time that depends only on the lengths.
    func equals(_ bytes: Span<UInt8>) -> Bool {
        var value = self.value
        return unsafe bytes.withSlice { unsafe receipt_crypto_digest_equals(&value, $0) }
    }
}

extension CryptoContext {
    /// Returns the SHA-256 of each message, or nil where OpenSSL fails. Computes sixteen at once if the processor
    /// supports it. Signatures must not depend on them, because they may not be OpenSSL's.
    func sha256(ofEach messages: [ArraySlice<UInt8>]) -> [Digest?] {
        var digests = [Digest?](repeating: nil, count: messages.count)
        let order = messages.indices.sorted { messages[$0].count > messages[$1].count }
        func compute(_ index: Int) {
            let message = messages[index]
            digests[index] = try? digest(.sha256, of: message.span)
        }
        // While a message is much longer than the others, most lanes would be idle.
        var (first, size) = (0, messages.reduce(0) { $0 + $1.count })
        while first < order.count, size < Self.leastLanes * messages[order[first]].count {
            compute(order[first])
            size -= messages[order[first]].count
            first += 1
        }
        let rest = order[first...]
        guard let together = Digest.sha256(ofEach: rest.map { messages[$0] }) else {
            rest.forEach(compute)
            return digests
        }
        for (index, digest) in zip(rest, together) { digests[index] = digest }
        return digests
    }

    /// The number of lanes above which computing digests together takes less time than with OpenSSL.
    private static var leastLanes: Int { 5 }
}
