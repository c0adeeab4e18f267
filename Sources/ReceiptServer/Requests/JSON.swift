#if Server
    import NIOCore
    import StrictJSON

    /// The server's own JSON texts.
    enum JSON {
        static let ok = Array(#"{"status":"ok"}"#.utf8)
    }

    extension JSONWriter {
        /// A copy of the written JSON.
        var buffer: ByteBuffer { unsafe withBytes { unsafe ByteBuffer(bytes: $0) } }
    }
#endif
