#if Server
    import HummingbirdCore
    import Logging
    import NIOCore
    import NIOHTTP1
    import NIOHTTPTypes
    import NIOHTTPTypesHTTP1
    import NIOSSL

    /// How a connection is set up: TLS, time-outs and limits, HTTP/1.1, then its requests one after the other.
    ///
    /// Of Hummingbird, its server and the loop over a connection's requests are taken, and not `Application` and `Router`: those
    /// run handlers on the pool of Swift's tasks, and the way there and back takes as long as a verification; and they know
    /// nothing of a connection whose requests are not read yet, which is where time-outs and limits must be.
    struct ServerChannel: ServerChildChannel, HTTPChannelHandler {
        typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

        let responder: Responder
        let state: ServerState
        let executors: EventLoopExecutors

        func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
            channel.eventLoop.makeCompletedFuture {
                // What is accepted while the socket that listens is closed may get lost before it is anybody's.
                if state.admission.isClosed {
                    channel.eventLoop.scheduleTask(in: .seconds(1)) {
                        if !channel.isActive { channel.close(promise: nil) }
                    }
                }
                // A burst from one connection must not keep the event loop from the others: one read a turn, of at most 16 KiB.
                try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
                try channel.syncOptions?.setOption(
                    .recvAllocator,
                    value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 16 << 10))
                let pipeline = channel.pipeline.syncOperations
                if let context = state.certificates?.context {
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                }
                let guardian = ConnectionGuard(state)
                try pipeline.addHandler(FirstBytes(guardian))
                var limits = NIOHTTPDecoderLimitConfiguration()
                limits.maxHeaderFieldSize = 16 << 10
                limits.maxHeaderListSize = 32 << 10
                limits.maxHeaderFieldCount = 100
                try pipeline.configureHTTPServerPipeline(
                    withPipeliningAssistance: false, withErrorHandling: false,
                    withOutboundHeaderValidation: false, withEncoderConfiguration: .init(),
                    withDecoderLimitConfiguration: limits)
                if state.isAccessLogged { try pipeline.addHandler(AccessLog(state)) }
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

    /// A connection that is accepted while the server stops is let go before anybody has looked at it, and that would end the
    /// process, but for this initialiser. It is deprecated for those who rely on it to close a connection that they have used.
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
