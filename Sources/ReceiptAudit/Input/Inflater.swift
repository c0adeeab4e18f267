import CZlib

/// Inflates a gzip file (RFC 1952), of one member or of several behind one another.
@safe
final class Inflater {
    private let name: String
    private var stream = unsafe z_stream()
    private var isInsideMember = true
    private var consumed = 0

    init(name: String) throws(AuditError) {
        self.name = name
        // 16 asks zlib for gzip's header and checksum.
        let status = unsafe inflateInit2_(
            &stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw AuditError("\(name): no memory to inflate it") }
    }

    deinit { unsafe inflateEnd(&stream) }

    /// Takes from the front of `input` and appends at most `count` bytes; 0 where it needs more input.
    func inflate(_ input: inout [UInt8], to output: inout [UInt8], upTo count: Int) throws(AuditError) -> Int
    {
        if !isInsideMember {
            // Behind the last member some tools pad with zeros.
            guard let member = input.firstIndex(where: { $0 != 0 }) else {
                input.removeAll(keepingCapacity: true)
                return 0
            }
            input.removeFirst(member)
            unsafe inflateReset(&stream)
            isInsideMember = true
        }
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: count))
        let (status, left, room) = unsafe input.withUnsafeMutableBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target in
                unsafe stream.next_in = source.baseAddress
                unsafe stream.avail_in = UInt32(source.count)
                unsafe stream.next_out = target.baseAddress?.advanced(by: start)
                unsafe stream.avail_out = UInt32(count)
                let status = unsafe CZlib.inflate(&stream, Z_NO_FLUSH)
                return (status, Int(unsafe stream.avail_in), Int(unsafe stream.avail_out))
            }
        }
        consumed += input.count - left
        input.removeFirst(input.count - left)
        output.removeLast(room)
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isInsideMember = false
        default: throw AuditError("\(name): the gzip file is corrupt at byte \(consumed)")
        }
        return count - room
    }

    /// The input is over.
    func end() throws(AuditError) {
        if isInsideMember { throw AuditError("\(name): the gzip file is cut off at byte \(consumed)") }
    }
}
