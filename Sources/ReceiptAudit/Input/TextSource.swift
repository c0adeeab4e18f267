#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The lines of an NDJSON export, or the rows of a CSV export. Blank ones are left out.
///
/// What is there is handed out before more is waited for, so that a program that sends a line and waits is answered.
final class TextSource: BatchSource {
    enum Format { case ndjson, csv(ColumnNames) }

    private let source: String
    private let stream: ByteStream
    private let format: Format
    private let ahead: ReadAhead
    /// Bytes that a record may have.
    private let limit: Int
    private var buffer: [UInt8] = []
    /// Where the record at hand begins in the buffer.
    private var start = 0
    /// Up to here the buffer holds no line end of it.
    private var searched = 0
    private var scanner = CSVScanner()
    /// The line of NDJSON or the row of CSV.
    private var place = 1
    private var columns: CSVColumns?
    /// The record at hand is too long, and its bytes are dropped.
    private var isSkipping = false
    private var isOver = false
    private var damage: SourceDamage?

    private static let mostRecords = 256

    init(_ stream: ByteStream, source: String, format: Format, limit: Int, ahead: ReadAhead = ReadAhead()) {
        (self.stream, self.source, self.format) = (stream, source, format)
        (self.limit, self.ahead) = (limit, ahead)
    }

    func next() throws -> Batch? {
        var batch = Batch(source: source)
        var first = start
        while batch.records.count < Self.mostRecords {
            if try cutRecord(into: &batch, from: first) { continue }
            if !batch.records.isEmpty || isOver { break }
            try fill()
            first = start
        }
        if case .csv = format, isOver, columns == nil, batch.records.isEmpty {
            throw AuditError("\(stream.name): there is no line of column names")
        }
        // Whichever copy is the shorter: of what is kept, or of what is handed out.
        if first == 0, buffer.count - start <= start {
            let rest = Array(buffer[start...])
            buffer.removeSubrange(start...)
            batch.bytes = buffer
            buffer = rest
            forget(start)
        } else {
            batch.bytes = Array(buffer[first..<start])
        }
        batch.columns = columns
        return batch.isEmpty ? nil : batch
    }

    private func fill() throws {
        let done = isSkipping ? buffer.count : start
        buffer.removeFirst(done)
        forget(done)
        ahead.wait(for: buffer.count + ahead.batchBytes)
        do {
            isOver = try stream.append(to: &buffer, upTo: ahead.batchBytes) == 0
        } catch let damage as SourceDamage {
            (self.damage, isOver) = (damage, true)
        }
    }

    /// The buffer begins so many bytes later.
    private func forget(_ count: Int) {
        start = max(0, start - count)
        searched -= min(searched, count)
        scanner.drop(count)
    }

    // MARK: - Records

    /// Takes off the buffer what comes next: a record, a blank line, the names of the columns.
    /// - Parameter first: where the batch begins in the buffer.
    /// - Returns: false where more must be read before.
    private func cutRecord(into batch: inout Batch, from first: Int) throws -> Bool {
        switch find() {
        case .row(let end, let next):
            defer { start = next }
            if isSkipping { addTooLong(to: &batch) } else { try cut(start..<end, into: &batch, from: first) }
        case .lineFeed: start = scanner.index
        case .tooLong:
            if case .csv = format, columns == nil {
                throw AuditError("\(stream.name), line 1: the column names are longer than a record may be")
            }
            isSkipping = true
            return false
        case .more:
            guard isOver, damage != nil || isSkipping else { return false }
            if let damage {
                // A record that the damage cut in two is none.
                batch.add(.unreadable(damage.description), at: place)
                buffer.removeSubrange(start...)
                (self.damage, isSkipping, searched) = (nil, false, start)
                scanner = CSVScanner(index: start)
            } else {
                addTooLong(to: &batch)
            }
        }
        return true
    }

    private func addTooLong(to batch: inout Batch) {
        batch.add(.unreadable("longer than a record may be"), at: place)
        place += 1
        isSkipping = false
    }

    private func cut(_ range: Range<Int>, into batch: inout Batch, from first: Int) throws {
        let place = range.lowerBound - first..<range.upperBound - first
        switch format {
        case .ndjson:
            if buffer[range].allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) {
                batch.leftOut.blankLines += 1
            } else {
                batch.add(.line(place), at: self.place)
            }
            self.place += 1
        case .csv where range.isEmpty: batch.leftOut.blankLines += 1
        case .csv(let names):
            if columns == nil {
                columns = try CSVColumns(header: buffer, range, names, of: stream.name)
            } else {
                batch.add(.row(place), at: self.place)
                self.place += 1
            }
        }
    }

    /// Where the record at hand ends.
    private func find() -> CSVScanner.Found {
        let isOver = isOver && damage == nil
        return unsafe buffer.withUnsafeBufferPointer { buffer in
            guard case .ndjson = format else {
                return unsafe scanner.next(
                    in: buffer, from: start, columns: columns?.count, limit: limit, isOver: isOver)
            }
            if let end = unsafe buffer.firstLineEnd(from: searched) {
                searched = end + 1
                return .row(end: end, next: searched)
            }
            searched = buffer.count
            if isOver, start < searched { return .row(end: searched, next: searched) }
            return searched - start > limit ? .tooLong : .more
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
