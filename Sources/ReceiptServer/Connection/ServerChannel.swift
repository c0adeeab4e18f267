#if Server
    import HummingbirdCore
    import Logging
    import NIOCore
    import NIOHTTP1
    import NIOHTTPTypes
    import NIOHTTPTypesHTTP1
    import NIOSSL

    /// The setup of a connection: TLS, timeouts and limits, HTTP/1.1, then its requests one by one.
    ///
    /// The server uses Hummingbird's server and its loop over a connection's requests, but not `Application` and `Router`.
    /// Those run handlers on Swift's thread pool, and switching threads twice takes as long as a verification. They also
    /// have no access to a connection before its requests are parsed, but timeouts and limits already apply then.
    struct ServerChannel: ServerChildChannel, HTTPChannelHandler {
        typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

        let responder: Responder
        let state: ServerState
        let connections: OpenConnections
        let executors: EventLoopExecutors

        func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
            channel.eventLoop.makeCompletedFuture {
                // A connection accepted while the listening socket is being closed may get no handler. This timer closes
                // it.
                if state.admission.isClosed {
                    channel.eventLoop.scheduleTask(in: .seconds(1)) {
                        if !channel.isActive { channel.close(promise: nil) }
                    }
                }
                // Each turn reads once, at most 16 KiB, so that a busy connection does not delay the others on its event
                // loop.
                try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
                try channel.syncOptions?.setOption(
                    .recvAllocator,
                    value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 16 << 10))
                let pipeline = channel.pipeline.syncOperations
                let lingering = Lingering()
                try pipeline.addHandler(lingering)
                guard let turns = executors[channel.eventLoop]?.turns.value else {
                    throw ChannelError.operationUnsupported
                }
                var handshake: HandshakeTurns?
                if let context = state.certificates?.context {
                    let turns = HandshakeTurns(turns, state.inputBudget.reservation())
                    handshake = turns
                    try pipeline.addHandlers([turns, NIOSSLServerHandler(context: context)])
                }
                let guardian = ConnectionGuard(state, connections, turns, lingering, handshake)
                try pipeline.addHandler(InputSlices(guardian, state.inputBudget.reservation()))
                var limits = NIOHTTPDecoderLimitConfiguration()
                limits.maxHeaderFieldSize = 16 << 10
                limits.maxHeaderListSize = 32 << 10
                limits.maxHeaderFieldCount = 100
                try pipeline.configureHTTPServerPipeline(
                    withPipeliningAssistance: false, withErrorHandling: false,
                    withOutboundHeaderValidation: false, withEncoderConfiguration: .init(),
                    withDecoderLimitConfiguration: limits)
                try pipeline.addHandler(RequestRecorder(state))
                try pipeline.addHandler(guardian)
                try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: state.certificates != nil))
                let configuration = Value.Configuration(isOutboundHalfClosureEnabled: true)
                return try droppable(channel, configuration)
            }
        }

        func handle(value: Value, logger: Logger) async {
            await withTaskExecutorPreference(executors[value.channel.eventLoop]) {
                await handleHTTP(asyncChannel: value, logger: logger)
            }
        }
    }

    /// A protocol that gives access to a deprecated initializer without a warning.
    ///
    /// NIO may release a connection that is accepted during shutdown before a task uses it. With the current initializer,
    /// that would end the process. The deprecated one closes the connection when it is released.
    private protocol Droppable {
        associatedtype Configuration
        init(synchronouslyWrapping channel: any Channel, configuration: Configuration) throws
    }

    extension NIOAsyncChannel: Droppable {}

    private func droppable<Wrapped: Droppable>(
        _ channel: any Channel, _ configuration: Wrapped.Configuration
    ) throws -> Wrapped {
        try Wrapped(synchronouslyWrapping: channel, configuration: configuration)
    }
#endif
