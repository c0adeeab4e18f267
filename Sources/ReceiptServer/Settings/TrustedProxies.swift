#if Server
    /// The proxies that the server trusts to report the client's address.
    struct TrustedProxies: Sendable {
        private let ranges: [AddressRange]

        /// The maximum number of proxies, and the size in bytes of the end of a field that lists them. The rest of a field can
        /// have thousands of commas.
        private static let (mostProxies, mostBytes) = (16, 1024)

        init(_ ranges: [AddressRange] = []) { self.ranges = ranges }

        /// Returns the address of the client: the peer's, unless the peer is a trusted proxy. Behind a trusted proxy,
        /// it is the last address in X-Forwarded-For that is not a trusted proxy's. A client can forge the addresses
        /// before that one, but not those after it.
        /// - Parameters:
        ///   - peer: The remote address of the connection.
        ///   - fields: The values of all X-Forwarded-For fields, in their order.
        func client(of peer: IPAddress, _ fields: [String]) -> IPAddress {
            var (client, proxies) = (peer, Self.mostProxies)
            for field in fields.reversed() where proxies > 0 && isTrusted(client) {
                let end = field.utf8.suffix(Self.mostBytes).split(separator: UInt8(ascii: ","))
                for hop in end.suffix(proxies).reversed() where isTrusted(client) {
                    proxies -= 1
                    guard let next = Self.address(String(Substring(hop)).withoutOptionalWhitespace) else {
                        return client
                    }
                    client = next
                }
            }
            return client
        }

        private func isTrusted(_ address: IPAddress) -> Bool { ranges.contains { $0.contains(address) } }

        /// Returns the address of an element, which some proxies write with a port: `192.0.2.7:5678`, `[2001:db8::1]:443`.
        private static func address(_ element: String) -> IPAddress? {
            if let address = IPAddress(element) { return address }
            if element.hasPrefix("[") {
                let address = element.dropFirst().prefix { $0 != "]" }
                let rest = element.dropFirst(1 + address.count)
                guard rest == "]" || (rest.hasPrefix("]:") && isPort(rest.dropFirst())), address.contains(":")
                else { return nil }
                return IPAddress(String(address))
            }
            let address = element.prefix { $0 != ":" }
            return isPort(element.dropFirst(address.count)) ? IPAddress(String(address)) : nil
        }

        /// Returns whether a text is a colon and a port.
        private static func isPort(_ text: Substring) -> Bool {
            let digits = text.dropFirst()
            return text.hasPrefix(":") && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
                && UInt16(digits) != nil
        }
    }
#endif
