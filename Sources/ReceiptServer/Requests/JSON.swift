#if Server
    import NIOCore
    import ReceiptJSON

    /// The texts of JSON that are the server's own.
    enum JSON {
        static let ok = Array(#"{"status":"ok"}"#.utf8)
    }

    extension JSONWriter {
        /// What was written, copied once.
        var buffer: ByteBuffer { unsafe withBytes { unsafe ByteBuffer(bytes: $0) } }
    }
#endif
