#if Server
    /// The proxies that the server trusts to report the client's address.
    struct TrustedProxies: Sendable {
        private let ranges: [AddressRange]

        /// The maximum number of consecutive proxies.
        private static let mostProxies = 16

        init(_ ranges: [AddressRange] = []) { self.ranges = ranges }

        /// Returns the address of the client: the peer's, unless the peer is a trusted proxy. Behind a trusted proxy,
        /// it is the last address in X-Forwarded-For that is not a trusted proxy's. A client can forge the addresses
        /// before that one, but not those after it.
        /// - Parameters:
        ///   - peer: The remote address of the connection.
        ///   - fields: The values of all X-Forwarded-For fields, in their order.
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
