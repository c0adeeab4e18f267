#if Server
    import SystemLibrary

    /// An IPv4 or IPv6 address. IPv4-mapped IPv6 addresses (RFC 4291, 2.5.5.2) are IPv4 addresses.
    struct IPAddress: Sendable, Equatable, CustomStringConvertible {
        /// The 4 or 16 bytes of the address, in network order.
        let bytes: [UInt8]

        /// The IPv4 address, or the first 64 bits of an IPv6 address, which a client often has for itself.
        var network: [UInt8] { Array(bytes.prefix(8)) }

        private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

        init?(_ text: String) {
            // A C string ends at a NUL.
            guard !text.utf8.contains(0) else { return nil }
            var bytes = [UInt8](repeating: 0, count: 16)
            if unsafe inet_pton(AF_INET, text, &bytes) == 1 {
                bytes.removeLast(12)
            } else if unsafe inet_pton(AF_INET6, text, &bytes) != 1 {
                return nil
            }
            self.bytes = bytes.starts(with: Self.mapped) && bytes.count == 16 ? Array(bytes[12...]) : bytes
        }

        var description: String {
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            let family = bytes.count == 4 ? AF_INET : AF_INET6
            guard unsafe inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "none" }
            return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
#endif
