#if Server
    import Synchronization

    /// The limit on the bytes of bodies and answers that all requests hold in memory. The first bytes of each do not count,
    /// because ``Admission`` limits the number of requests.
    final class ByteBudget: Sendable {
        private let limit: Int
        private let held = Atomic(0)

        /// The number of bytes of each body or answer that do not count.
        static let free = 64 << 10

        init(_ limit: Int) { self.limit = limit }

        /// Returns a new reservation for one request.
        func reservation() -> Reservation { Reservation(self) }

        fileprivate func add(_ bytes: Int) -> Int { held.add(bytes, ordering: .relaxed).newValue }

        /// The bytes that one request holds. They are released with the reservation.
        final class Reservation: Sendable {
            private let budget: ByteBudget
            private let held = Atomic(0)

            fileprivate init(_ budget: ByteBudget) { self.budget = budget }

            deinit { _ = budget.add(-held.load(ordering: .relaxed)) }

            /// Sets the number of bytes held, even if that exceeds the budget.
            /// - Returns: Whether the total is within the budget.
            @discardableResult
            func hold(_ bytes: Int) -> Bool {
                let wanted = max(0, bytes - ByteBudget.free)
                let more = wanted - held.exchange(wanted, ordering: .relaxed)
                guard more != 0 else { return true }
                return budget.add(more) <= budget.limit || more < 0
            }
        }
    }
#endif
