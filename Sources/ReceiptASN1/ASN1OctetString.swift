/// The location of an OCTET STRING's bytes in the input: one range, or several elements (chunks).
///
/// It stores no list of the chunks and reads their headers again for each call. A million empty chunks
/// therefore use no memory.
public struct ASN1OctetString: Hashable, Sendable {
    /// The range of the element's content, including the headers of chunks.
    public let content: Range<Int>

    /// The length of the string in bytes, without the headers of chunks.
    public let count: Int

    /// Whether the string is split into chunks (X.690, 8.7.3.2), as Xcode writes it.
    public let isChunked: Bool

    @inlinable
    init(content: Range<Int>, count: Int, isChunked: Bool) {
        self.content = content
        self.count = count
        self.isChunked = isChunked
    }

    /// Returns the bytes of the string, with chunks joined.
    /// - Parameter input: the input that the string was read from.
    public func bytes(of input: Span<UInt8>) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            forEachChunk(of: input) { chunk in
                // The caller may pass an input other than the original one, with more bytes in its chunks.
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

    /// Returns the offset in `input` of a byte of the joined string. Returns the end of the content if
    /// `index` is out of range.
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
        // The chunks were valid when first read. An error is possible only if the caller passes another
        // input. The error ends the loop.
        var reader = ASN1Reader(input, in: content)
        while !reader.isAtEnd, let chunk = try? reader.primitive(.octetString), body(chunk) {}
    }
}
