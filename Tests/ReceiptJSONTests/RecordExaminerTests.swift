import AppReceipt
import OfferEligibility
import ReceiptForge
import ReceiptJSON
import StrictJSON
import Testing

@testable import ReceiptExamination
@testable import ReceiptServices

private let long = String(repeating: "a", count: 1 << 16)

/// The records of a batch.
struct RecordExaminerTests {
    private let examiner: RecordExaminer
    private let receipt: String

    init() throws {
        let forged = try ReceiptRecipe(ReceiptContent(), authority: .test()).forge()
        receipt = hexadecimal(forged.bytes)
        let verifier = try ReceiptVerifier(anchors: .custom(try ReceiptSeries(count: 1, seed: 1).root))
        examiner = RecordExaminer(Examiner(verifier, policy: .any))
    }

    private func answers(_ line: String) -> (lines: [Substring], codes: [ReceiptError.Code?]) {
        var json = JSONWriter()
        var codes: [ReceiptError.Code?] = []
        examiner.answer(line: Array(line.utf8), number: 7, to: &json) { codes.append($0?.code) }
        return (String(decoding: json.bytes, as: UTF8.self).split(separator: "\n"), codes)
    }

    /// Checks that records that are answered together have the same lines as alone, in their order.
    @Test(arguments: [
        // (records in a call; 0 for the parts that callers pass)
        1, 2, 3, 8, 9, 40, 0,
    ])
    func linesDoNotDependOnTheGroup(size: Int) throws {
        let series = try ReceiptSeries(count: 60, seed: 1)
        var lines = try (0..<60).map { try Array(series.line($0).dropLast()) }
        // Records without a receipt, with several, and with one that is longer than the others together.
        lines.insert(Array(#"{"receipt":null}"#.utf8), at: 5)
        lines.insert(Array(#"{"id":"s","signedTransactions":["a.b.c",1]}"#.utf8), at: 11)
        lines.insert(
            Array("{\"id\":\"l\",\"receipt\":\"\(String(repeating: "A", count: 400_000))\"}".utf8), at: 20)
        lines.insert(Array("not JSON".utf8), at: 30)
        let records = lines.enumerated().map { RecordLine($1, number: $0 + 1) }
        var groups = RecordExaminer.parts(of: records)
        if size > 0 {
            groups = stride(from: 0, to: records.count, by: size).map {
                records[$0..<min($0 + size, records.count)]
            }
        }
        var expected = JSONWriter()
        for record in records { examiner.answer([record], to: &expected) { _, _, _ in } }
        var json = JSONWriter()
        var numbers: [Int] = []
        for group in groups { examiner.answer(group, to: &json) { numbers.append($2) } }
        #expect(json.bytes == expected.bytes)
        #expect(numbers == numbers.sorted())
        #expect(groups.flatMap(\.self).map(\.number) == Array(1...records.count))
    }

    /// Checks that each record has one line with the record's identifier.
    @Test(arguments: [
        (#"{"id":1,"receipt":"R"}"#, #"{"id":1,"#, nil),
        (#"{"id":"b","receipt":"R","subject":"s"}"#, #"{"id":"b","subject":"s","#, nil),
        // Without an identifier, the line has the record's number.
        (#"{"receipt":"R"}"#, #"{"id":7,"#, nil),
        (#"{"id":1,"receipt":"MAA="}"#, #"{"id":1,"#, ReceiptError.Code.malformed),
        ("{}", #"{"id":null,"line":7,"#, .unreadable),
        ("x", #"{"id":null,"line":7,"#, .unreadable),
        // Control characters are always escaped.
        ("{\"id\":\"a\u{7F}\",\"receipt\":\"R\"}", #"{"id":"a\u007f","#, nil),
        ("{\"x\":1,\"id\":\"a\u{7F}\",\"receipt\":\"R\"}", #"{"id":"a\u007f","#, nil),
        ("{\"id\":1,\"receipt\":\"R\",\"subject\":\"\u{7F}\"}", #"{"id":1,"subject":"\u007f","#, nil),
        // One receipt repeats nothing, however long the name is, and in whatever reader.
        ("{\"id\":\"\(long)\",\"receipt\":\"R\"}", "{\"id\":\"\(long)\",", nil),
        ("{\"x\":1,\"id\":\"\(long)\",\"receipt\":\"R\"}", "{\"id\":\"\(long)\",", nil),
    ])
    func everyLineIsAnswered(line: String, start: String, code: ReceiptError.Code?) throws {
        let (lines, codes) = answers(line.replacing("\"R\"", with: "\"\(receipt)\""))
        try #require(lines.count == 1, "\(lines)")
        #expect(lines[0].hasPrefix(start), "\(lines)")
        #expect(codes == [code])
    }

    /// Checks that each signed object's line names the record, and that a long name limits the number of
    /// lines.
    @Test(arguments: [
        // (bytes of the identifier, signed objects, answers, answers to the same in hexadecimal, which is longer)
        (20, 2_000, 2_000, 2_000), (254, 2_000, 2_000, 2_000), ((1 << 20) - 2, 1, 1, 1),
        ((1 << 20) - 2, 4, 3, 3), (30_000, 2_000, 72, 141), ((1 << 20) - 2, 2_000, 4, 6),
    ])
    func longNamesLimitTheNumberOfLines(length: Int, count: Int, answered: Int, inHexadecimal: Int) {
        let id = String(repeating: "a", count: length)
        let object = "\"\(String(repeating: "0", count: 1_024))\""
        let objects = Array(repeating: object, count: count).joined(separator: ",")
        let answer = "{\"signedTransactions\":[\(objects)]}"
        // JSON as an object, as members of the record, and as hexadecimal text in a plain line.
        for (line, answered) in [
            ("{\"id\":\"\(id)\",\"receipt\":\(answer)}", answered),
            ("{\"id\":\"\(id)\",\(answer.dropFirst())", answered),
            ("{\"id\":\"\(id)\",\"receipt\":\"\(hexadecimal(Array(answer.utf8)))\"}", inHexadecimal),
        ] {
            let (lines, codes) = answers(line)
            #expect(lines.count == answered)
            #expect(lines.allSatisfy { $0.hasPrefix("{\"id\":\"\(id)\",") })
            // The last line reports the omitted objects.
            #expect((codes.last == .tooLarge) == (answered < count))
        }
    }

    /// Checks that a record with too many small signed objects is refused as a whole, including its receipt.
    @Test(arguments: [#"{"id":1,"#, #"{"id":1,"receipt":"R","#])
    func smallObjectsHaveALimit(start: String) {
        let objects = Array(repeating: "0", count: 5_000).joined(separator: ",")
        let answer = "\"signedTransactions\":[\(objects)]}"
        let line = start.replacing("\"R\"", with: "\"\(receipt)\"") + answer
        #expect(answers(line).codes == [.tooLarge])
        // Around the answer alone, text in place of the receipt.
        let wrapped = hexadecimal(Array("{\(answer)".utf8))
        #expect(answers("{\"receipt\":\"\(wrapped)\"}").codes == [.tooLarge])
    }

    /// Checks that no receipt and no signed object of a record is lost.
    @Test(arguments: [
        // (the record, in which <R> is a receipt; the codes)
        // The receipt of the record, and an object beside it.
        (#"{"receipt":"<R>","signedTransactions":["a"]}"#, [nil, ReceiptError.Code.malformed]),
        // A null member contains no object.
        (#"{"receipt":"<R>","signedTransactionInfo":null}"#, [nil]),
        (#"{"receipt":"{\"receipt-data\":\"<R>\",\"signedTransactionInfo\":null}"}"#, [nil]),
        (#"{"receipt":{"latest_receipt":"<R>"},"signedTransactionInfo":null}"#, [nil]),
        // Other members beside the receipt of the record are ignored, as without signed objects.
        (#"{"receipt":"<R>","latest_receipt":"<R>","signedTransactions":["a"]}"#, [nil, .malformed]),
        // The member of the receipt has no text.
        (#"{"receipt":null,"latest_receipt":"<R>","signedTransactions":["a"]}"#, [.malformed, nil]),
        (#"{"receipt":{"latest_receipt":"<R>"},"signedTransactions":["a"]}"#, [.malformed, nil]),
        (#"{"receipt-data":"<R>","signedTransactions":["a"]}"#, [.malformed, nil]),
        (#"{"receipt-data":"<R>","signedTransactionInfo":null}"#, [nil]),
        // Damaged, or without a receipt.
        (#"{"receipt":{"latest_receipt":"A<R>"},"signedTransactionInfo":null}"#, [.malformed]),
        (#"{"latest_receipt":"A<R>","signedTransactionInfo":null}"#, [.malformed]),
        (#"{"receipt":{"status":21002},"signedTransactionInfo":null}"#, [.malformed]),
        // Both as text in the member of the receipt.
        (#"{"receipt":"{\"latest_receipt\":\"<R>\",\"signedTransactions\":[\"a\"]}"}"#, [.malformed, nil]),
        (#"{"receipt":"{\"latest_receipt\":\"<R>\",\"signedTransactionInfo\":\"\"}"}"#, [nil]),
    ])
    func nothingIsLost(line: String, codes: [ReceiptError.Code?]) throws {
        let base64 = ReceiptEncoding.base64.encode(try #require([UInt8](hexadecimal: receipt.utf8)))
        let text = String(decoding: base64, as: UTF8.self)
        #expect(answers(line.replacing("<R>", with: text)).codes == codes)
    }
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}
