import CZlib

/// Inflates a gzip file (RFC 1952), of one member or of several behind one another.
@safe
final class Inflater {
    private var stream = unsafe z_stream()
    private var isInsideMember = true
    /// Compressed bytes that were not inflated yet.
    private var input: [UInt8]
    private var start = 0
    private var consumed = 0
    private let name: String

    /// - Parameter input: the first bytes of the file.
    /// - Throws: ``AuditError`` where there is no memory.
    init(_ input: [UInt8], name: String) throws(AuditError) {
        (self.input, self.name) = (input, name)
        // 16 asks zlib for gzip's header and checksum.
        let status = unsafe inflateInit2_(
            &stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw Self.noMemory(name) }
    }

    /// No fault of the file's.
    private static func noMemory(_ name: String) -> AuditError {
        AuditError("\(name): out of memory while decompressing")
    }

    deinit { unsafe inflateEnd(&stream) }

    /// Appends at most `count` bytes.
    /// - Parameter fill: appends compressed bytes to an empty array; none at the end of the file.
    /// - Returns: how many; 0 at the end.
    /// - Throws: ``SourceDamage``, and what `fill` throws. What came out before it was appended.
    func append(
        to output: inout [UInt8], upTo count: Int, fill: (inout [UInt8]) throws -> Void
    ) throws -> Int {
        let first = output.count
        output.append(contentsOf: repeatElement(0, count: count))
        var room = count
        defer { output.removeLast(room) }
        while room == count {
            if start == input.count {
                input.removeAll(keepingCapacity: true)
                start = 0
                try fill(&input)
                guard !input.isEmpty else {
                    guard isInsideMember else { return 0 }
                    throw SourceDamage(description: "the gzip file is cut off at byte \(consumed)")
                }
            }
            if !isInsideMember, try !enterMember() { continue }
            let (status, left) = unsafe input.withUnsafeMutableBufferPointer { source in
                unsafe output.withUnsafeMutableBufferPointer { target in
                    unsafe stream.next_in = source.baseAddress?.advanced(by: start)
                    unsafe stream.avail_in = UInt32(source.count - start)
                    unsafe stream.next_out = target.baseAddress?.advanced(by: first)
                    unsafe stream.avail_out = UInt32(count)
                    let status = unsafe CZlib.inflate(&stream, Z_NO_FLUSH)
                    room = Int(unsafe stream.avail_out)
                    return (status, Int(unsafe stream.avail_in))
                }
            }
            consumed += input.count - start - left
            start = input.count - left
            switch status {
            case Z_OK, Z_BUF_ERROR: break
            case Z_STREAM_END: isInsideMember = false
            case Z_MEM_ERROR: throw Self.noMemory(name)
            default: throw SourceDamage(description: "the gzip file is corrupt at byte \(consumed)")
            }
        }
        return count - room
    }

    /// False where there are only the zeros with which some tools pad a file behind its last member.
    private func enterMember() throws -> Bool {
        let member = input[start...].firstIndex { $0 != 0 } ?? input.count
        consumed += member - start
        start = member
        guard member < input.count else { return false }
        unsafe inflateReset(&stream)
        isInsideMember = true
        return true
    }
}
