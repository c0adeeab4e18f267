import AppReceipt
package import ReceiptExamination
import SystemLibrary

/// The lines of an NDJSON export, the values of a JSON one, or the rows of a CSV export. Blank ones are
/// skipped.
///
/// Available records are delivered before the source waits for more, so a program that sends a line and waits
/// gets its answer.
package final class TextSource: BatchSource {
    package enum Format {
        case ndjson, json
        case csv(CSVColumns)
        /// Rows of any width, including the column names.
        case rows(delimiter: UInt8)
    }

    private let source: String
    private let stream: ByteStream
    private let format: Format
    private let names: FieldNames
    private let ahead: ReadAhead
    /// The maximum size of a record in bytes.
    private let limit: Int
    private var buffer: [UInt8] = []
    /// The start of the current record in the buffer.
    private var start = 0
    /// The end of the bytes that contain no line end of the record.
    private var searched = 0
    private var rows: CSVScanner
    private var values = JSONScanner()
    /// The number of the NDJSON line, JSON value or CSV row.
    private var place = 1
    private let columns: CSVColumns?
    /// Whether the next row contains the column names.
    private var isHeader: Bool
    /// Whether the current record is too long and its bytes are discarded.
    private var isSkipping = false
    private var isOver = false
    private var damage: SourceDamage?
    /// The search for receipts in other fields of a pipe. For a file, it precedes the reading.
    private var search: FieldSearch?

    private static let mostRecords = 256

    package init(
        _ stream: ByteStream, source: String, format: Format, names: FieldNames = FieldNames(ColumnNames()),
        limit: Int, ahead: ReadAhead = ReadAhead()
    ) {
        (self.stream, self.source, self.format, self.names) = (stream, source, format, names)
        (self.limit, self.ahead) = (limit, ahead)
        var isNoticing = names.isNoticing
        if case .csv(let columns) = format { isNoticing = !columns.noticed.isEmpty }
        if stream.isAwaited, isNoticing { search = FieldSearch(limits: ReceiptLimits()) }
        switch format {
        case .csv(let columns):
            (self.columns, isHeader) = (columns, columns.hasHeader)
            rows = CSVScanner(delimiter: columns.delimiter)
        case .rows(let delimiter): (columns, isHeader, rows) = (nil, false, CSVScanner(delimiter: delimiter))
        case .ndjson, .json: (columns, isHeader, rows) = (nil, false, CSVScanner())
        }
    }

    package func next() throws -> Batch? {
        var batch = Batch(source: source)
        var first = start
        while batch.records.count < Self.mostRecords {
            if cutRecord(into: &batch, from: first) { continue }
            if !batch.records.isEmpty || isOver { break }
            try fill()
            first = start
        }
        // Copies the shorter part: the remaining or the delivered bytes.
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
        batch.names = names
        if isOver, batch.records.count < Self.mostRecords { endSearch(&batch) }
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

    /// Adjusts the indices after the first `count` bytes were removed from the buffer.
    private func forget(_ count: Int) {
        start = max(0, start - count)
        searched -= min(searched, count)
        rows.drop(count)
        values.drop(count)
    }

    // MARK: - Records

    /// Takes the next item from the buffer: a record, a blank line or the column names.
    /// - Parameter first: The start of the batch in the buffer.
    /// - Returns: False if more bytes must be read first.
    private func cutRecord(into batch: inout Batch, from first: Int) -> Bool {
        switch find() {
        case .row(let end, let next):
            defer { start = next }
            // The limit applies regardless of how many bytes were read at once.
            if isSkipping || end - start > limit {
                addTooLong(to: &batch)
            } else {
                cut(start..<end, into: &batch, from: first)
            }
        case .nothing:
            if case .json = format { start = values.index } else { start = rows.index }
        case .damage(let message):
            batch.add(.unreadable(message), at: place)
            place += 1
        case .tooLong:
            isSkipping = true
            return false
        case .more:
            guard isOver, damage != nil || isSkipping else { return false }
            if let damage {
                // A record that the damage truncated does not count as a record.
                batch.add(.unreadable(damage.description), at: place)
                buffer.removeSubrange(start...)
                (self.damage, isSkipping, searched) = (nil, false, start)
                (rows, values) = (CSVScanner(index: start), JSONScanner(index: start))
            } else {
                addTooLong(to: &batch)
            }
        }
        return true
    }

    private func addTooLong(to batch: inout Batch) {
        batch.add(.unreadable(RecordFields.tooLong), at: place)
        place += 1
        isSkipping = false
    }

    /// Examines a record, of the same number of records as in a file.
    private func look(at range: Range<Int>) {
        guard let isOver = search?.isOver, !isOver else { return }
        let buffer = buffer
        guard let columns else {
            search?.add(line: buffer.span.extracting(range))
            return
        }
        let row = CSVRow(buffer, range, delimiter: columns.delimiter, keeping: columns.count)
        if let row, row.count == columns.count { search?.add(row: row, columns.noticed) }
    }

    private func endSearch(_ batch: inout Batch) {
        let others = search?.others(than: names.receiptName) ?? []
        search = nil
        if !others.isEmpty { batch.unread = ["\(stream.name): receipts in \(FormFinder.shown(others))"] }
    }

    private func cut(_ range: Range<Int>, into batch: inout Batch, from first: Int) {
        let place = range.lowerBound - first..<range.upperBound - first
        switch format {
        case .ndjson:
            if buffer[range].allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) {
                batch.leftOut.blankLines += 1
            } else {
                look(at: range)
                batch.add(.line(place), at: self.place)
            }
            self.place += 1
        case .json:
            look(at: range)
            batch.add(.line(place), at: self.place)
            self.place += 1
        case .csv where range.isEmpty, .rows where range.isEmpty: batch.leftOut.blankLines += 1
        case .csv where isHeader: isHeader = false
        case .csv, .rows:
            look(at: range)
            batch.add(.row(place), at: self.place)
            self.place += 1
        }
    }

    /// Returns the end of the current record.
    private func find() -> CSVScanner.Found {
        let isOver = isOver && damage == nil
        return unsafe buffer.withUnsafeBufferPointer { buffer in
            switch format {
            case .csv, .rows:
                return unsafe rows.next(
                    in: buffer, from: start, columns: columns?.count, limit: limit, isOver: isOver)
            case .json: return unsafe values.next(in: buffer, from: start, limit: limit, isOver: isOver)
            case .ndjson: break
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
