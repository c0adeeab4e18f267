#if Server
    import NIOCore
    import StrictJSON

    extension JSONWriter {
        /// A copy of the written JSON.
        var buffer: ByteBuffer { unsafe withBytes { unsafe ByteBuffer(bytes: $0) } }
    }
#endif
