#if Server
    import NIOCore

    /// The timeouts and the minimum rate of a connection.
    struct ConnectionLimits: Sendable {
        /// The timeout for the head of a request, and the time window for its body.
        let header: TimeAmount
        /// The timeout for the next byte, and the time window for a stream.
        let idle: TimeAmount
        /// The time to read and drop input after the last answer, and to wait for requests sent before the server began to
        /// stop.
        let lingering = TimeAmount.seconds(2)
        /// The maximum time to read and drop input after the last answer, while more of it arrives in each lingering time.
        let longestLingering = TimeAmount.seconds(30)
        /// Returns the minimum number of body bytes in a time window.
        func leastBytes(isStream: Bool) -> Int64 {
            isStream ? 4096 : 4096 * (header.nanoseconds / 1_000_000_000)
        }

        var shortest: TimeAmount { min(header, idle) }
    }
#endif
