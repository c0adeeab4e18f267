#if Server
    import NIOSSL

    final class TLSCertificates: Sendable {
        let context: NIOSSLContext
        init(_ context: NIOSSLContext) { self.context = context }
    }
    final class Tokens: Sendable {}
#endif
