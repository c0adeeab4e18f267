#if Server
    import NIOCore

    /// The place of a connection in ``Admission``. A connection uses at most one, however many requests it sends ahead.
    struct ConnectionPlace {
        private let admission: Admission
        private(set) var isTaken = false
        /// Whether the place is one for streams.
        private var isStream = false
        /// Whether the connection has a place for half-closed ones, because its client closed the sending half before its answer.
        private(set) var isHalfClosed = false

        init(_ admission: Admission) { self.admission = admission }

        /// Returns whether the connection has a place or gets one now.
        mutating func enter(isStream: Bool) -> Bool {
            if isTaken {
                guard isStream, !self.isStream else { return true }
                self.isStream = admission.enterStream()
                return self.isStream
            }
            isTaken = admission.enter(isStream: isStream)
            self.isStream = isTaken && isStream
            return isTaken
        }

        mutating func leave() {
            if isTaken { admission.leave(isStream: isStream) }
            (isTaken, isStream) = (false, false)
        }

        /// Exchanges the place for one of half-closed connections, if one is free.
        mutating func halfClose(_ channel: any Channel) {
            isHalfClosed = admission.halfClose(channel)
            if isHalfClosed { leave() }
        }

        /// Returns the place for half-closed connections.
        mutating func endHalfClose(_ channel: any Channel) {
            if isHalfClosed { admission.forget(channel) }
            isHalfClosed = false
        }
    }
#endif
