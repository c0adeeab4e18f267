#if Server
    /// An IP address, or all addresses that begin with the same bits, in CIDR notation: `10.0.0.0/8` (RFC 4632; RFC 4291,
    /// 2.3).
    struct AddressRange: Sendable {
        private let first: IPAddress
        private let prefix: Int

        init?(_ text: String) {
            let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first.flatMap({ IPAddress(String($0)) }) else { return nil }
            let bits = first.bytes.count * 8
            guard let prefix = parts.count == 1 ? bits : Int(parts[1]), (0...bits).contains(prefix) else {
                return nil
            }
            (self.first, self.prefix) = (first, prefix)
        }

        func contains(_ address: IPAddress) -> Bool {
            guard address.bytes.count == first.bytes.count else { return false }
            return zip(first.bytes, address.bytes).enumerated().allSatisfy { index, pair in
                let bits = min(8, max(0, prefix - index * 8))
                return (pair.0 ^ pair.1) >> (8 - bits) == 0
            }
        }
    }
#endif
