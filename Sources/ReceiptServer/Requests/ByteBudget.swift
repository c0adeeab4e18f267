#if Server
    import Synchronization

    /// Bytes of bodies and answers that all requests together may hold. Ordinary ones do not count: the places of
    /// ``Admission`` bound those.
    final class ByteBudget: Sendable {
        private let limit: Int
        private let held = Atomic(0)

        /// Bytes of each that do not count.
        static let free = 64 << 10

        init(_ limit: Int) { self.limit = limit }

        /// What one request holds.
        func reservation() -> Reservation { Reservation(self) }

        fileprivate func add(_ bytes: Int) -> Int { held.add(bytes, ordering: .relaxed).newValue }

        /// Gives back what it holds when it goes.
        final class Reservation: Sendable {
            private let budget: ByteBudget
            private let held = Atomic(0)

            fileprivate init(_ budget: ByteBudget) { self.budget = budget }

            deinit { _ = budget.add(-held.load(ordering: .relaxed)) }

            /// Holds bytes, whatever others hold.
            /// - Returns: whether it is within the budget.
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
