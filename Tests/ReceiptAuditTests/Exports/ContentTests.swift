import Foundation
import ReceiptForge
import TestSupport
import Testing

@testable import ReceiptAudit

/// Format detection from a source's first bytes, after decompression where needed.
struct ContentTests {
    let workplace: Workplace

    init() throws { workplace = try Workplace() }

    private static let receipt = Result { try Forged.receipt(ReceiptContent()) }

    private static func archive(_ receipt: [UInt8]) -> [UInt8] {
        var archive = TarWriter()
        archive.add("b.der", receipt)
        archive.end()
        return archive.bytes
    }

    /// Contents made from DER and base64, each with the expected identifiers and statuses.
    static let contents: [(String, @Sendable ([UInt8], String) -> [UInt8], [String])] = [
        ("CSV", { Array("id,receipt\na,\($1)\n".utf8) }, ["a genuine"]),
        ("CSV in quotes", { Array("\"id\";\"receipt\"\r\n\"a\";\"\($1)\"\r\n".utf8) }, ["a genuine"]),
        ("custom column names", { Array("id\tblob\na\t\($1)\n".utf8) }, ["a genuine"]),
        ("a byte order mark", { Array("\u{FEFF}id,receipt\na,\($1)\n".utf8) }, ["a genuine"]),
        (
            "UTF-16", { [0xFF, 0xFE] + "id,receipt\na,\($1)\n".utf8.flatMap { [$0, 0] } }, ["a genuine"]
        ),
        ("Excel's sep line", { Array("sep=;\nid;receipt\na;\($1)\n".utf8) }, ["a genuine"]),
        (
            "lines", { Array("{\"id\":\"a\",\"receipt\":\"\($1)\"}\n{}\n".utf8) },
            ["a genuine", "null unreadable"]
        ),
        ("an array", { Array(" [{\"id\":\"a\",\"receipt\":\"\($1)\"}]".utf8) }, ["a genuine"]),
        ("an archive", { der, _ in archive(der) }, ["b.der genuine"]),
        // A text with commas is not a table unless a column contains receipts.
        (
            "a letter to a person", { _, _ in Array("Dear Sir, Madam,\nno receipt, sorry, none.\n".utf8) },
            ["it malformed"]
        ),
    ]

    @Test(arguments: contents.indices, [false, true])
    func isRecognized(index: Int, isCompressed: Bool) throws {
        let (name, content, answers) = Self.contents[index]
        let der = try Self.receipt.get()
        let input = try workplace.write(content(der, Data(der).base64EncodedString()), to: "it")
        if isCompressed { try workplace.shell("gzip -nc it > it.gz && mv it.gz it") }
        #expect(try audit(input) == answers, "\(name)")
    }

    /// Checks that a lone receipt is not an export, and that a compressed receipt is refused with advice.
    @Test func loneReceiptIsNotAnExport() throws {
        let der = try Self.receipt.get()
        let base64 = Data(der).base64EncodedString(options: [.lineLength76Characters])
        for bytes in [der, Array(base64.utf8), Array("\"\(base64)\"".utf8)] {
            let input = try workplace.write(bytes, to: "it")
            #expect(try audit(input) == ["it genuine"])
            try workplace.shell("gzip -nc it > it.gz && mv it.gz it")
            #expect(try audit(input) == ["it malformed"])
            #expect(String(decoding: try workplace.read("out"), as: UTF8.self).contains("unpack it first"))
        }
    }

    private func audit(_ input: String) throws -> [String] {
        try? FileManager.default.removeItem(atPath: workplace.file("out"))
        _ = try Forged.audit([input]).writeLines(to: workplace.file("out"), jobs: 1)
        return try workplace.read("out").split(separator: 0x0A).map { line in
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
            let code = (object["refusal"] as? [String: Any])?["code"] ?? object["status"] ?? ""
            let name = object["source"] ?? object["id"] as? String ?? "null"
            return "\(name) \(code)".replacing(workplace.path + "/", with: "")
        }
    }
}
