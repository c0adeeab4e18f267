/// A position in the text of an SQL dump, which is read in blocks.
final class SQLCursor {
    private let stream: ByteStream
    private var buffer: [UInt8] = []
    private var index = 0
    /// The number of bytes before the buffer.
    private var before = 0
    private var isOver = false

    private static let block = 1 << 17

    init(_ stream: ByteStream) { self.stream = stream }

    /// The offset of the next byte.
    var offset: Int { before + index }

    private func fill() throws -> Bool {
        guard !isOver else { return false }
        before += buffer.count
        buffer.removeAll(keepingCapacity: true)
        index = 0
        isOver = try stream.append(to: &buffer, upTo: Self.block) == 0
        return !isOver
    }

    /// Returns the next byte without consuming it, or nil at the end.
    @inline(__always)
    func peek() throws -> UInt8? {
        if index == buffer.count, try !fill() { return nil }
        return buffer[index]
    }

    @inline(__always)
    func next() throws -> UInt8? {
        guard let byte = try peek() else { return nil }
        index += 1
        return byte
    }

    /// Consumes the byte if it is next.
    func take(_ byte: UInt8) throws -> Bool {
        guard try peek() == byte else { return false }
        index += 1
        return true
    }

    /// Consumes two bytes if they are next.
    func take(_ first: UInt8, then second: UInt8) throws -> Bool {
        guard try peek() == first else { return false }
        if index + 1 == buffer.count, !isOver {
            before += index
            buffer.removeFirst(index)
            index = 0
            isOver = try stream.append(to: &buffer, upTo: Self.block) == 0
        }
        guard index + 1 < buffer.count, buffer[index + 1] == second else { return false }
        index += 2
        return true
    }

    /// Consumes the bytes up to one of two bytes.
    /// - Parameters:
    ///   - stop, other: The two bytes.
    ///   - text: Receives the bytes, and one more than the limit if there are more.
    /// - Returns: The byte that was found, which is next, or nil at the end.
    func take(
        until stop: UInt8, or other: UInt8, into text: inout [UInt8], limit: Int
    ) throws -> UInt8? {
        while try peek() != nil {
            let start = index
            let (end, found) = unsafe buffer.withUnsafeBufferPointer { bytes -> (Int, UInt8?) in
                var end = start
                while end < bytes.count {
                    let byte = unsafe bytes[end]
                    if byte == stop || byte == other { return (end, byte) }
                    end += 1
                }
                return (end, nil)
            }
            index = end
            let room = limit + 1 - text.count
            if room > 0 { text += buffer[start..<min(index, start + room)] }
            if let found { return found }
        }
        return nil
    }
}
