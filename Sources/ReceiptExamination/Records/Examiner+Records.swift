package import AppReceipt

extension Examiner {
    /// Examines the contents of a record.
    /// - Parameters:
    ///   - bytes: The bytes that the record's receipt may be a slice of.
    ///   - body: The closure that receives each examination, or nil if the record states that it holds
    ///     nothing.
    package func examine(
        _ record: RecordFields, of bytes: Span<UInt8>, _ body: (Examination?) -> Void
    ) {
        let length = record.origin.length - Self.shortName
        // A fast path for most records.
        if case .slice(let range) = record.receipt, record.others.isEmpty, length <= 0 {
            return examine(unwrapping: bytes.extracting(range)) { body($0) }
        }
        // Each answer after the first repeats the record's name, and an audit's database the kept fields. Many
        // signed objects under a long name, or beside long fields, would inflate the output. Kept fields count a
        // sixteenth, because several kilobytes of them are usual.
        let size = max(0, length) + (record.kept?.count ?? 0) / 16
        let mostRepeated = Self.repeatedBytes(of: record)
        var repeated = -size
        func deliver(_ examination: Examination?) {
            guard repeated <= mostRepeated else { return }
            repeated += size
            guard repeated > mostRepeated else { return body(examination) }
            let message = "too many signed objects for the length of the record's name and kept fields"
            body(Examination(.failure(ReceiptError(.tooLarge, message: message))))
        }
        switch record.receipt {
        case nil: break
        case .absent: if record.others.isEmpty { deliver(nil) }
        case .slice(let range): examine(unwrapping: bytes.extracting(range), deliver)
        case .bytes(let text): examine(unwrapping: text.span, deliver)
        }
        var progress = ListingProgress()
        // The digest of the whole record, which can be long and have many elements.
        var whole: [UInt8]?
        for element in record.others {
            guard repeated <= mostRepeated else { return }
            var digest: [UInt8]?
            for examination in examinations(of: element, &progress) {
                let isText = element.text != nil && !element.isReceipt && !examination.isEnclosed
                if !isText, digest == nil {
                    // For an element that is not text, the leaf commits to the whole record.
                    if let text = element.text {
                        digest = verifier.sha256(of: Array(text.utf8))
                    } else {
                        whole = whole ?? self.digest(of: record.whole, bytes)
                        digest = whole
                    }
                }
                deliver(
                    examination.received == .base64
                        ? examination : examination.received(as: isText ? examination.sha256 : digest))
            }
        }
    }

    /// Returns the examination of a record that cannot be parsed.
    /// - Parameter range: The record's bytes, or nil if the record is too long to be read.
    package func refusal(
        _ refusal: ReceiptError, of range: Range<Int>?, _ bytes: Span<UInt8>
    ) -> Examination {
        let examination = Examination(.failure(refusal))
        return range.map { examination.received(as: digest(of: $0, bytes)) } ?? examination
    }

    /// Returns the digest of a record. The white space around it depends on how the input was split.
    private func digest(of record: Range<Int>, _ bytes: Span<UInt8>) -> [UInt8]? {
        verifier.sha256(of: bytes.extracting(bytes.trimmed(record)))
    }

    /// The maximum size in bytes of an ID and a subject that may be repeated for every signed object.
    private static var shortName: Int { 256 }

    /// Returns the maximum number of bytes beyond that size that the answers to one record may repeat.
    private static func repeatedBytes(of record: RecordFields) -> Int {
        min(max(record.whole.count, 1 << 14), 4 << 20)
    }
}
