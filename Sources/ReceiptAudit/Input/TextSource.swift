#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The lines of an NDJSON export, or the rows of a CSV export.
///
/// What one read of the system brings is one batch, so that a program that sends a line and waits is answered.
final class TextSource: BatchSource {
    enum Format { case ndjson, csv(ColumnNames) }

    private let source: String
    private let stream: ByteStream
    private let format: Format
    /// Bytes that a record may have.
    private let limit: Int
    private var rest: [UInt8] = []
    private var place = 1
    private var columns: CSVColumns?
    /// Behind an odd number of quotes, line ends belong to a field.
    private var isInQuotes = false
    private var isSkipping = false

    private static let chunk = 1 << 17

    init(_ stream: ByteStream, source: String, format: Format, limit: Int) {
        (self.stream, self.source, self.format, self.limit) = (stream, source, format, limit)
    }

    func next() throws -> Batch? {
        var batch = Batch(source: source, bytes: rest, firstPlace: place)
        var start = 0
        var searched = rest.count
        while batch.records.isEmpty {
            let isAtEnd = try stream.append(to: &batch.bytes, upTo: Self.chunk) == 0
            while let end = recordEnd(in: batch.bytes, from: &searched) {
                try cut(start..<end, of: &batch)
                start = end + 1
            }
            if batch.bytes.count - start > limit { isSkipping = true }
            if isAtEnd {
                if start < batch.bytes.count || isSkipping { try cut(start..<batch.bytes.count, of: &batch) }
                start = batch.bytes.count
                if case .csv = format, columns == nil {
                    throw AuditError("\(stream.name): there is no line of column names")
                }
                break
            }
            if isSkipping {
                batch.bytes.removeSubrange(start...)
                searched = start
            }
        }
        rest = Array(batch.bytes[start...])
        batch.bytes.removeSubrange(start...)
        batch.columns = columns
        place += batch.records.count
        return batch.records.isEmpty ? nil : batch
    }

    private func cut(_ range: Range<Int>, of batch: inout Batch) throws {
        defer { isSkipping = false }
        switch format {
        case .ndjson: batch.records.append(isSkipping ? .tooLong(path: nil) : .line(range))
        case .csv(let names):
            guard !isSkipping else { return batch.records.append(.tooLong(path: nil)) }
            if range.isEmpty || (range.count == 1 && batch.bytes[range.lowerBound] == 0x0D) { return }
            if columns == nil {
                columns = try CSVColumns(header: batch.bytes, range, names, of: stream.name)
            } else {
                batch.records.append(.row(range))
            }
        }
    }

    /// The line end that ends the record at hand; where it is not there yet, all was searched.
    private func recordEnd(in bytes: [UInt8], from index: inout Int) -> Int? {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            guard case .csv = format else {
                let end = unsafe buffer.firstLineEnd(from: index)
                index = (end ?? buffer.count - 1) + 1
                return end
            }
            while index < buffer.count {
                let byte = unsafe buffer[index]
                index += 1
                if byte == 0x0A && !isInQuotes { return index - 1 }
                if byte == UInt8(ascii: "\"") { isInQuotes.toggle() }
            }
            return nil
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func firstLineEnd(from index: Int) -> Int? {
        guard index < count, let start = unsafe UnsafeRawPointer(baseAddress) else { return nil }
        let found = unsafe memchr(start + index, 0x0A, count - index)
        return unsafe found.map { unsafe UnsafeRawPointer($0) - start }
    }
}
