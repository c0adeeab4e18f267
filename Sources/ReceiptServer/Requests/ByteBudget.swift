#if Server
    import Synchronization

    /// A limit on the bytes that all requests or connections hold in memory. The first bytes of each do not count, because
    /// ``Admission`` limits the number of requests and connections.
    final class ByteBudget: Sendable {
        private let limit: Int
        private let held = Atomic(0)

        /// The number of bytes of each reservation that do not count.
        private let unlimited: Int

        /// The number of bytes of each body or answer that do not count.
        static let free = 64 << 10

        init(_ limit: Int, free: Int = ByteBudget.free) { (self.limit, unlimited) = (limit, free) }

        /// Returns a new reservation for one request or connection.
        func reservation() -> Reservation { Reservation(self) }

        fileprivate func add(_ bytes: Int) -> Int { held.add(bytes, ordering: .relaxed).newValue }

        /// The bytes that one holder has in memory. They are released with the reservation.
        final class Reservation: Sendable {
            private let budget: ByteBudget
            private let held = Atomic(0)

            fileprivate init(_ budget: ByteBudget) { self.budget = budget }

            deinit { _ = budget.add(-held.load(ordering: .relaxed)) }

            /// Sets the number of bytes held, even if that exceeds the budget.
            /// - Returns: Whether the total is within the budget.
            @discardableResult
            func hold(_ bytes: Int) -> Bool {
                let wanted = max(0, bytes - budget.unlimited)
                let more = wanted - held.exchange(wanted, ordering: .relaxed)
                guard more != 0 else { return true }
                return budget.add(more) <= budget.limit || more < 0
            }
        }
    }
#endif
