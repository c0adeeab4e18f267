#if Server
    /// The proxies whose word on the client's address is taken.
    struct TrustedProxies: Sendable {
        private let ranges: [AddressRange]

        /// Proxies that may stand one behind the other.
        private static let mostProxies = 16

        init(_ ranges: [AddressRange] = []) { self.ranges = ranges }

        /// Returns the address of the client: the last one in X-Forwarded-For that is not a trusted proxy's. A client can
        /// write any address before that one, and none behind it.
        /// - Parameters:
        ///   - peer: the address that the connection comes from.
        ///   - fields: the values of all fields X-Forwarded-For, in their order.
        func client(of peer: IPAddress, _ fields: [String]) -> IPAddress {
            var client = peer
            if ranges.isEmpty { return client }
            let hops = fields.flatMap { $0.split(separator: ",") }.suffix(Self.mostProxies).reversed()
            for hop in hops {
                guard ranges.contains(where: { $0.contains(client) }),
                    let next = IPAddress(hop.withoutOptionalWhitespace)
                else { break }
                client = next
            }
            return client
        }
    }
#endif
