#if Server
    import NIOCore
    import NIOHTTP1

    /// A small request that is answered where it was read, when it is whole: to hand it to a task takes longer than to verify its
    /// receipt.
    struct WholeRequest {
        let head: HTTPRequestHead
        let route: Route
        var body: [UInt8] = []
        let start = NIODeadline.now()

        init(_ head: HTTPRequestHead, _ route: Route, _ length: Int) {
            (self.head, self.route) = (head, route)
            body.reserveCapacity(length)
        }

        /// - Parameter length: of the body, as the request says.
        static func isOne(_ head: HTTPRequestHead, _ route: Route, _ length: Int) -> Bool {
            head.method == .POST && (route == .verifyReceipt || route == .sandboxVerifyReceipt)
                && length <= smallWork
        }
    }

    /// What a request's head says of itself, read in one go.
    struct FramingFields {
        private(set) var hosts = 0
        /// Nil within where it says a number that is none, or too large for one.
        private(set) var length: Int??
        private(set) var upgrades = false
        private(set) var expectation: String?

        init(_ headers: HTTPHeaders) {
            for (name, value) in headers {
                switch name.utf8.count {
                case 4 where Self.equal(name, "host"): hosts += 1
                case 6 where Self.equal(name, "expect"): expectation = value
                case 7 where Self.equal(name, "upgrade"): upgrades = true
                case 14 where Self.equal(name, "content-length"): length = .some(Int(value))
                default: break
                }
            }
        }

        /// - Parameter expected: lower-case letters and hyphens.
        private static func equal(_ name: String, _ expected: String) -> Bool {
            zip(name.utf8, expected.utf8).allSatisfy { $0 | 0x20 == $1 }
        }
    }
#endif
