import AppReceipt
import ReceiptExamination

/// The records of JSON that is keyed by id, in their order. Only the current record is in memory.
final class TreeSource: BatchSource {
    private let source: String
    private let stream: ByteStream
    private let pattern: TreePattern
    private let names: FieldNames
    private let ahead: ReadAhead
    /// The maximum size of a record in bytes.
    private let limit: Int
    private var scanner = TreeScanner()
    private var buffer: [UInt8] = []
    private var place = 1
    private var isOver = false
    private var isDone = false
    /// Whether the current value is too long and its bytes are discarded.
    private var isSkipping = false
    private var damage: SourceDamage?
    /// The receipts outside the records.
    private var unread = UnreadReceipts()

    private static let mostRecords = 256

    init(
        _ stream: ByteStream, source: String, pattern: TreePattern, names: FieldNames, limit: Int,
        ahead: ReadAhead
    ) {
        (self.stream, self.source, self.pattern, self.limit, self.ahead) = (
            stream, source, pattern, limit, ahead
        )
        self.names = names
    }

    func next() throws -> Batch? {
        guard !isDone else { return nil }
        var batch = Batch(source: source)
        batch.names = names
        while batch.records.count < Self.mostRecords, batch.bytes.count < ahead.batchBytes {
            switch scan() {
            case .value(let range): take(range, into: &batch)
            case .more:
                if !batch.records.isEmpty { return batch }
                try fill()
            case .end:
                end(&batch, damage?.description)
                return batch.isEmpty ? nil : batch
            case .damage(let message):
                end(&batch, damage?.description ?? message)
                return batch
            }
        }
        return batch
    }

    private func scan() -> TreeScanner.Found {
        let (pattern, isOver) = (pattern, isOver)
        let takesObjects = !pattern.receipt.isEmpty
        return unsafe buffer.withUnsafeBufferPointer { buffer in
            unsafe scanner.next(in: buffer, isOver: isOver) { path, isObject in
                isObject && takesObjects && pattern.matches(path)
            }
        }
    }

    private func fill() throws {
        if scanner.length > limit {
            if !isSkipping, !isAtRecord { noteUnread(buffer[scanner.start...]) }
            isSkipping = true
        }
        let done = isSkipping ? buffer.count : scanner.needed
        buffer.removeFirst(done)
        scanner.drop(done)
        ahead.wait(for: buffer.count + ahead.batchBytes)
        do {
            isOver = try stream.append(to: &buffer, upTo: ahead.batchBytes) == 0
        } catch let damage as SourceDamage {
            (self.damage, isOver) = (damage, true)
        }
    }

    /// Whether the current value is a record.
    private var isAtRecord: Bool { pattern.matches(scanner.path) }

    private func take(_ range: Range<Int>, into batch: inout Batch) {
        let isTooLong = isSkipping || range.count > limit
        isSkipping = false
        let isText = buffer[range].first == UInt8(ascii: "\"")
        let isObject = buffer[range].first == UInt8(ascii: "{")
        guard isAtRecord, isTooLong || (pattern.receipt.isEmpty ? isText : isObject) else {
            if isText { noteUnread(buffer[range]) }
            return
        }
        if isTooLong {
            batch.add(.unreadable(RecordFields.tooLong), at: place)
        } else {
            let start = batch.bytes.count
            batch.bytes += buffer[range]
            batch.add(.line(start..<batch.bytes.count, pattern.keys(of: scanner.path)), at: place)
        }
        place += 1
    }

    private func noteUnread(_ quoted: ArraySlice<UInt8>) {
        let text = quoted.dropFirst()
        guard UnreadReceipts.holdsReceipt(text.span) else { return }
        unread.add(scanner.place)
    }

    private func end(_ batch: inout Batch, _ damage: String?) {
        if let damage {
            batch.add(.unreadable(damage), at: place)
            place += 1
        }
        batch.unread = unread.message(of: stream.name, outside: pattern.text).map { [$0] } ?? []
        isDone = true
    }
}
