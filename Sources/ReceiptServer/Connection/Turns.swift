#if Server
    import NIOCore
    import NIOPosix
    import SystemLibrary

    /// The connections of one event loop that wait for a poll. After each poll, one of them has its turn. Requests and TLS handshakes
    /// alternate.
    ///
    /// An event loop first runs all its tasks, including those that these tasks add. Only a poll gives other connections a
    /// turn, so this handler waits for a byte in a pipe.
    final class Turns: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private var waiting = CircularBuffer<() -> Void>()
        /// The TLS handshakes that wait, by the network of their client. A client with many does not delay those of other networks.
        private var handshakes: [[UInt8]: CircularBuffer<HandshakeTurns>] = [:]
        /// The networks with waiting handshakes, in the order of their turns.
        private var networks = CircularBuffer<[UInt8]>()
        private var isHandshakeNext = false
        private var channel: (any Channel)?
        private var isAwaited = false

        private init() {}

        /// Creates the turns of an event loop.
        static func make(on eventLoop: any EventLoop) async throws -> NIOLoopBound<Turns> {
            var ends: [CInt] = [0, 0]
            guard unsafe pipe(&ends) == 0 else { throw IOError(errnoCode: errno, reason: "pipe") }
            return try await NIOPipeBootstrap(group: eventLoop)
                .takingOwnershipOfDescriptors(input: ends[0], output: ends[1]) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let turns = Turns()
                        try channel.pipeline.syncOperations.addHandler(turns)
                        return NIOLoopBound(turns, eventLoop: channel.eventLoop)
                    }
                }
        }

        func handlerAdded(context: ChannelHandlerContext) { channel = context.channel }

        func handlerRemoved(context: ChannelHandlerContext) { channel = nil }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            isAwaited = false
            isHandshakeNext.toggle()
            let isHandshake = isHandshakeNext || waiting.isEmpty
            if !isHandshake || !passOnHandshake() { waiting.popFirst()?() }
            wake()
        }

        /// Adds a connection's work, which runs after a poll.
        func next(_ work: @escaping () -> Void) {
            waiting.append(work)
            wake()
        }

        /// Adds a handshake, whose input is passed on after a poll.
        /// - Parameter network: The beginning of the client's address.
        func next(_ handshake: HandshakeTurns, of network: [UInt8]) {
            if handshakes[network] == nil { networks.append(network) }
            handshakes[network, default: []].append(handshake)
            wake()
        }

        /// Passes on the input of the first handshake of the next network.
        /// - Returns: Whether there was a handshake whose connection is open.
        private func passOnHandshake() -> Bool {
            while let network = networks.popFirst() {
                guard let handshake = handshakes[network]?.popFirst() else { continue }
                if handshakes[network]?.isEmpty == true {
                    handshakes[network] = nil
                } else {
                    networks.append(network)
                }
                if handshake.passOn() { return true }
            }
            return false
        }

        private func wake() {
            guard !isAwaited, !waiting.isEmpty || !networks.isEmpty else { return }
            isAwaited = true
            channel?.writeAndFlush(ByteBuffer(bytes: [0]), promise: nil)
        }
    }
#endif
