import CZlib

/// A decompressor of a gzip file (RFC 1952) with one or more members.
@safe
final class Inflater {
    private var stream = unsafe z_stream()
    private var isInsideMember = true
    /// The compressed bytes that are not inflated yet.
    private var input: [UInt8]
    private var start = 0
    private var consumed = 0
    private let name: String

    /// Creates an inflater.
    /// - Parameter input: The first bytes of the file.
    /// - Throws: ``AuditError`` if there is not enough memory.
    init(_ input: [UInt8], name: String) throws(AuditError) {
        (self.input, self.name) = (input, name)
        // 16 selects gzip's header and checksum in zlib.
        let status = unsafe inflateInit2_(
            &stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw Self.noMemory(name) }
    }

    /// Returns the error for missing memory, which does not mean that the file is damaged.
    private static func noMemory(_ name: String) -> AuditError {
        AuditError("\(name): out of memory while decompressing")
    }

    deinit { unsafe inflateEnd(&stream) }

    /// Appends at most `count` bytes.
    /// - Parameter fill: The closure that appends compressed bytes to an empty array, or none at the end of
    ///   the file.
    /// - Returns: The number of bytes, or 0 at the end.
    /// - Throws: ``SourceDamage``, and any error that `fill` throws. The bytes before the damage are
    ///   appended.
    func append(
        to output: inout [UInt8], upTo count: Int, fill: (inout [UInt8]) throws -> Void
    ) throws -> Int {
        // A call may return few bytes, and clears all of them first.
        let count = min(count, 1 << 16)
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

    /// Begins the next member. Returns false if only zeros follow, with which some tools pad the file after
    /// its last member.
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
