import AppReceipt
import ReceiptExamination

/// The files of a tar archive in order, each of which contains one receipt.
///
/// The source is read to the end of the file, even after the zeros that end an archive, because another
/// archive may follow. Data that is not a file of an archive, or cannot be verified, becomes a record with
/// the reason. Hidden files are skipped, as in a folder.
final class TarSource: BatchSource {
    private let source: String
    private let stream: ByteStream
    private let ahead: ReadAhead
    /// The maximum size of a file in bytes.
    private let limit: Int
    private var buffer: [UInt8] = []
    private var start = 0
    private var offset = 0
    private var place = 1
    /// The extended values for the next file.
    private var extended = TarExtension()
    /// The path of the current file.
    private var current: String?
    private var links = TarLinks()
    /// Whether zeros were found in place of a header.
    private var hasEndMark = false
    private var isAtEnd = false
    /// The links without a target whose records are still to be delivered.
    private var dangling: ArraySlice<TarLinks.Link> = []
    /// The damage that ended the stream. It is reported after all bytes before it were read.
    private var damage: SourceDamage?
    private var failure: (any Error)?

    private static let mostRecords = 64
    private static let mostHeaderBytes = 1 << 20
    private static let longestName = 1 << 14

    init(_ stream: ByteStream, source: String, limit: Int, ahead: ReadAhead = ReadAhead()) {
        (self.stream, self.source, self.limit, self.ahead) = (stream, source, limit, ahead)
    }

    func next() throws -> Batch? {
        if let failure { throw failure }
        var batch = Batch(source: source)
        while !isAtEnd, batch.records.count < Self.mostRecords, batch.weight < ahead.batchBytes {
            do {
                try readEntry(into: &batch)
            } catch let damage as SourceDamage {
                add(.unreadable(damage.description, path: current), to: &batch)
                end()
            } catch {
                // The records before the error are delivered first; the next call throws the error.
                guard !batch.records.isEmpty else { throw error }
                failure = error
                break
            }
        }
        while isAtEnd, batch.records.count < Self.mostRecords, let link = dangling.popFirst() {
            add(.unreadable("a link to \(link.target.cut), which is not there", path: link.path), to: &batch)
        }
        batch.leftOut.links = links.takeResolved()
        return batch.isEmpty ? nil : batch
    }

    private func end() {
        isAtEnd = true
        dangling = links.dangling()[...]
    }

    private func add(_ record: RawRecord, to batch: inout Batch) {
        batch.add(record, at: place)
        place += 1
    }

    // MARK: - Entries

    /// Reads a header with its contents, or bytes that belong to no file.
    private func readEntry(into batch: inout Batch) throws {
        let begin = offset
        guard let block = try readBlock() else {
            requireFile(to: &batch)
            guard hasEndMark else { throw cutOff() }
            return end()
        }
        guard block.contains(where: { $0 != 0 }) else {
            requireFile(to: &batch)
            hasEndMark = hasEndMark || block.count == TarHeader.size
            return
        }
        var header = TarHeader(block)
        if header == nil {
            requireFile(to: &batch)
            var last = offset - 1
            while header == nil, let block = try readBlock() {
                header = TarHeader(block)
                if block.allSatisfy({ $0 == 0 }) {
                    hasEndMark = true
                } else if header == nil {
                    last = offset - 1
                }
            }
            add(.unreadable("bytes \(begin) to \(last) of the archive belong to no file"), to: &batch)
        }
        guard let header else { return }
        hasEndMark = false
        switch header.type {
        case UInt8(ascii: "L"), UInt8(ascii: "K"), UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "g"):
            if let problem = try readExtension(header) {
                add(.unreadable("\(problem) at byte \(offset) of the archive"), to: &batch)
            }
        default:
            current = fileName(extended.name ?? header.name)
            try readMember(header, current ?? "", into: &batch)
            (current, extended) = (nil, TarExtension())
        }
    }

    /// Reports extended headers that no file follows.
    private func requireFile(to batch: inout Batch) {
        guard !extended.isEmpty else { return }
        add(
            .unreadable("a header without its file", path: extended.name.map { fileName($0) }),
            to: &batch)
        extended = TarExtension()
    }

    /// Reads an extended header.
    /// - Returns: The problem with it, or nil.
    private func readExtension(_ header: TarHeader) throws -> String? {
        guard header.contentSize <= Self.mostHeaderBytes else {
            try skip(header.contentSize)
            return "a header of \(header.contentSize) bytes, which ends"
        }
        var text: [UInt8] = []
        try read(header.contentSize, into: &text)
        var found = extended
        switch header.type {
        case UInt8(ascii: "L"): found.name = Array(text.prefix { $0 != 0 })
        case UInt8(ascii: "K"): found.linkedName = Array(text.prefix { $0 != 0 })
        case UInt8(ascii: "g"):
            var all = TarExtension()
            return all.add(pax: text) && all.isEmpty ? nil : "a header for all later files, which ends"
        default: guard found.add(pax: text) else { return "an unreadable header, which ends" }
        }
        guard max(found.name?.count ?? 0, found.linkedName?.count ?? 0) <= Self.longestName else {
            return "a name of more than \(Self.longestName) bytes, which ends"
        }
        extended = found
        return nil
    }

    private func readMember(_ header: TarHeader, _ path: String, into batch: inout Batch) throws {
        let size = extended.size ?? header.contentSize
        // Links, device nodes and folders have no content, regardless of their size field.
        let hasContent = !(UInt8(ascii: "1")...UInt8(ascii: "6")).contains(header.type)
        let isFile = [0, UInt8(ascii: "0"), UInt8(ascii: "7")].contains(header.type) && !extended.isSparse
        let isFolder =
            header.type == UInt8(ascii: "5") || (isFile && path.utf8.last == UInt8(ascii: "/") && size == 0)
        try skipMoreHeaders(behind: header)
        batch.otherBytes += path.utf8.count
        // "." is the archived folder itself.
        let parts = path.utf8.split(separator: UInt8(ascii: "/"))
        if parts.contains(where: {
            $0.first == UInt8(ascii: ".") && ![Array(".".utf8), Array("..".utf8)].contains(Array($0))
        }) {
            if !isFolder { batch.leftOut.hidden += 1 }
            if hasContent { try skip(size) }
            return
        }
        if isFolder { return links.note(path) }
        if isFile, size <= limit {
            ahead.wait(for: batch.weight + size)
            let first = batch.bytes.count
            try read(size, into: &batch.bytes)
            links.note(path)
            return add(.member(path: path, first..<batch.bytes.count), to: &batch)
        }
        if hasContent { try skip(size) }
        let problem: String
        switch header.type {
        case _ where isFile:
            let refusal = ReceiptError(.tooLarge, message: "more than \(limit) bytes")
            return add(.refused(path: path, refusal), to: &batch)
        case UInt8(ascii: "1"), UInt8(ascii: "2"):
            let link = TarLinks.Link(
                path: path, target: fileName(extended.linkedName ?? header.linkedName),
                isSymbolic: header.type == UInt8(ascii: "2"))
            if links.add(link) { return }
            problem = "a link to \(link.target.cut): more links than can be remembered"
        case UInt8(ascii: "3"), UInt8(ascii: "4"): problem = "a device, not a file"
        case UInt8(ascii: "6"): problem = "a pipe, not a file"
        case UInt8(ascii: "S"),
            _ where extended.isSparse:
            problem = "a sparse file, which is not read"
        default: problem = "unknown type \(fileName([header.type]))"
        }
        add(.unreadable(problem, path: path), to: &batch)
    }

    private func skipMoreHeaders(behind header: TarHeader) throws {
        var hasMore = header.hasMoreHeaders
        while hasMore {
            var block: [UInt8] = []
            try read(TarHeader.size, into: &block)
            hasMore = block[504] != 0
        }
    }

    // MARK: - Bytes

    /// Returns a block, or the rest of one at the end of the archive, or nil if there is none.
    private func readBlock() throws -> [UInt8]? {
        var block: [UInt8] = []
        while block.count < TarHeader.size {
            if start == buffer.count { try fill() }
            guard start < buffer.count else { break }
            let part = min(TarHeader.size - block.count, buffer.count - start)
            block += buffer[start..<start + part]
            start += part
            offset += part
        }
        return block.isEmpty ? nil : block
    }

    /// Appends bytes of the archive and then skips to the next block.
    private func read(_ count: Int, into bytes: inout [UInt8]) throws {
        try take(count) { bytes += $0 }
        try take(-count & (TarHeader.size - 1)) { _ in }
    }

    private func skip(_ count: Int) throws {
        try take(count) { _ in }
        try take(-count & (TarHeader.size - 1)) { _ in }
    }

    private func take(_ count: Int, _ body: (ArraySlice<UInt8>) -> Void) throws {
        var left = count
        while left > 0 {
            if start == buffer.count { try fill() }
            guard start < buffer.count else { throw cutOff() }
            let part = min(left, buffer.count - start)
            body(buffer[start..<start + part])
            start += part
            offset += part
            left -= part
        }
    }

    /// Fills the buffer. Bytes before damage are read first.
    private func fill() throws {
        if let damage { throw damage }
        buffer.removeAll(keepingCapacity: true)
        start = 0
        do {
            _ = try stream.append(to: &buffer, upTo: 1 << 16)
        } catch let damage as SourceDamage where !buffer.isEmpty {
            self.damage = damage
        }
    }

    private func cutOff() -> SourceDamage {
        SourceDamage(description: "the archive is cut off at its byte \(offset)")
    }
}
