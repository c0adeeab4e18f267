/// Where the bytes of an OCTET STRING lie in the input: in one piece, or in chunks that are elements
/// themselves.
///
/// The chunks are walked again instead of listed, so that a million empty ones cost no memory.
public struct ASN1OctetString: Hashable, Sendable {
    /// The content of the element, with the headers of its chunks where it has any.
    public let content: Range<Int>

    /// How many bytes the string has, headers of chunks left out.
    public let count: Int

    /// Whether the string stands in chunks (X.690, 8.7.3.2), as Xcode writes it.
    public let isChunked: Bool

    @inlinable
    init(content: Range<Int>, count: Int, isChunked: Bool) {
        self.content = content
        self.count = count
        self.isChunked = isChunked
    }

    /// The bytes of the string, chunks joined.
    /// - Parameter input: the input that the string was read from.
    public func bytes(of input: Span<UInt8>) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            forEachChunk(of: input) { chunk in
                // Another input than the string was read from may have more in its chunks.
                guard filled + chunk.count <= count else { return false }
                unsafe input.extracting(chunk).withUnsafeBufferPointer { bytes in
                    _ = unsafe UnsafeMutableBufferPointer(rebasing: buffer[filled...]).update(
                        fromContentsOf: bytes)
                }
                filled += chunk.count
                return true
            }
        }
    }

    /// Where in the input the byte `index` of the joined string lies; its end, for an index behind the last
    /// one.
    public func offset(ofByte index: Int, in input: Span<UInt8>) -> Int {
        var rest = index
        var offset = content.upperBound
        forEachChunk(of: input) { chunk in
            if rest < chunk.count {
                offset = chunk.lowerBound + rest
                return false
            }
            rest -= chunk.count
            return true
        }
        return offset
    }

    private func forEachChunk(of input: Span<UInt8>, _ body: (Range<Int>) -> Bool) {
        guard isChunked else {
            _ = body(content)
            return
        }
        // The chunks were read once already: no error can occur, and none would be worth a trap.
        var reader = ASN1Reader(input, in: content)
        while !reader.isAtEnd, let chunk = try? reader.primitive(.octetString), body(chunk) {}
    }
}
