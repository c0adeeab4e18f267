import ReceiptForge
import Testing

@Suite("inspect shows the structure of a receipt")
struct InspectTests {
    let tool: CommandLineTool

    init() throws { tool = try .withReceipts() }

    @Test(
        "the first line says that nothing was verified",
        arguments: [
            "genuine.der", "forged.der",
        ])
    func firstLine(file: String) throws {
        let answer = try tool.run("inspect", file)
        #expect(answer.status == 0)
        #expect(answer.lines[0] == "Not verified: the content of \(file) may be forged.")
        #expect(answer.errors.isEmpty)
    }

    @Test("offsets, lengths, types, names and values")
    func tree() throws {
        let receipt = try Receipts.genuine()
        let output = try tool.run("inspect", "genuine.der").output
        for pattern in [
            "     0  4+\(receipt.count - 4)        SEQUENCE  ContentInfo\n",
            "OBJECT IDENTIFIER  contentType  signedData (1.2.840.113549.1.7.2)\n",
            "SEQUENCE  attribute 2: bundle_id\n", "UTF8String  \"com.example.app\"\n",
            "SEQUENCE  attribute 9: build of the signing service (undocumented)\n",
            "INTEGER  1345531954  (\"P302\")\n",
            "SEQUENCE  attribute 8: a date, in production only (not documented by Apple; observed meaning)\n",
            "SEQUENCE  attribute 13: OS version (not documented by Apple; observed meaning)\n",
            "SEQUENCE  attribute 14: build counter (not documented by Apple; observed meaning)\n",
            "SEQUENCE  attribute 17: in_app\n", "SET  in-app purchase\n",
            "SEQUENCE  attribute 1702: product_id\n",
            "INTEGER  3  (auto-renewable subscription)\n", "IA5String  \"2024-06-02T10:00:00Z\"\n",
            "OCTET STRING  value  a0bd9af7d4310e6b", "SEQUENCE  Certificate\n",
            "subject CN=Receipt Forge Test Receipt Signing, not Apple",
            "valid   2010-01-01 00:00:00 UTC to 2040-01-01",
            "extnID  Apple: marker of App Store receipt signing (1.2.840.113635.100.6.11.1)\n",
            "extnID  Apple: marker of the developer relations authority (1.2.840.113635.100.6.2.1)\n",
            "OCTET STRING  signature  ", "… (256 bytes)\n",
        ] { #expect(output.contains(pattern), "\(pattern)") }
        // Offsets in the payload are offsets in the file.
        let line = try #require(output.split(separator: "\n").first { $0.hasSuffix("\"com.example.app\"") })
        let offset = try #require(Int(line.drop { $0 == " " }.prefix { $0 != " " }))
        #expect(Array(receipt[offset...].prefix(17)) == BER.utf8String("com.example.app"))
    }

    @Test("long values are shortened with their size, and complete with --full")
    func full() throws {
        let full = try tool.run("inspect", "--full", "genuine.der").output
        #expect(!full.contains("…"))
        let signature = try #require(full.split(separator: "\n").last)
        #expect(signature.hasSuffix(BER.hex(try Receipts.genuine().suffix(256))))
    }

    @Test("chunks are joined, and their offsets are marked as relative", arguments: [1, 50, 4_000])
    func chunks(size: Int) throws {
        var recipe = try ReceiptRecipe.xcode(.xcode(purchases: [Receipts.monthly]))
        recipe.form = .ber(chunkSize: size)
        recipe.doubleWrapped = true
        try tool.write(recipe.forge().bytes, to: "xcode.der")
        let answer = try tool.run("inspect", "xcode.der")
        #expect(answer.status == 0)
        let count = BER.octetString(try recipe.content.encoded()).count
        #expect(
            answer.output.contains("The \(count) bytes of eContent, chunks joined; offsets count in them:\n"))
        #expect(answer.output.contains("OCTET STRING  the payload, wrapped once more\n"))
        #expect(answer.output.contains("SEQUENCE  attribute 1702: product_id\n"))
        #expect(answer.output.contains("end-of-contents\n"))
    }

    @Test("damaged input is printed up to the fault, then the offset")
    func damage() throws {
        let receipt = try Receipts.genuine()
        try tool.write(Array(receipt.prefix(1_500)), to: "cut.der")
        let cut = try tool.run("inspect", "cut.der")
        #expect(cut.status == 1)
        #expect(cut.output.contains("attribute 1702: product_id"))
        #expect(
            cut.errors
                == "error: cut.der: malformed at byte 0: truncated: needs \(receipt.count - 4) bytes, 1496 remain\n"
        )

        var content = Receipts.content()
        content.otherAttributes = [ReceiptAttribute(10, value: [0x16, 0x7F, 0x34])]
        try tool.write(Receipts.genuine(content), to: "inside.der")
        let inside = try tool.run("inspect", "inside.der")
        #expect(inside.status == 1)
        #expect(inside.errorLines.count == 1)
        #expect(inside.errors.contains(": truncated: needs 127 bytes, 1 remain"))
        // The output continues after the damaged value.
        #expect(inside.output.contains("SEQUENCE  SignerInfo\n"))
    }

    @Test(
        "inputs that are not BER",
        arguments: [
            ([], "the input is empty"), (Array("{}".utf8), "unrecognized format"),
            ([0x30], "ends inside an element header"),
            ([0x30, 0x80], "ends inside an element header"), ([0x30, 0xFF], "reserved length"),
            ([0x30, 0x03, 0x1F, 0x81, 0x00], "tag number above 30"),
        ] as [([UInt8], String)])
    func noElements(bytes: [UInt8], message: String) throws {
        try tool.write(bytes, to: "odd")
        let answer = try tool.run("inspect", "odd")
        #expect(answer.status == 1)
        #expect(answer.errorLines.count == 1)
        #expect(answer.errors.contains(message))
    }

    @Test("nesting and its output are limited")
    func nesting() throws {
        try tool.write(Array(repeating: [0x30, 0x80], count: 100_000).flatMap { $0 }, to: "deep.der")
        let answer = try tool.run("inspect", "deep.der")
        #expect(answer.status == 1)
        #expect(answer.lines.count < 40)
        #expect(
            answer.errors
                == "error: deep.der: malformed at byte 64: nested more than 32 levels deep\n")
    }

    @Test("missing files")
    func missing() throws {
        let answer = try tool.run("inspect", "missing.der")
        #expect(answer.status == 2)
        #expect(answer.output.isEmpty)
        #expect(answer.errors == "error: missing.der: No such file or directory\n")
    }

    @Test("no hostile receipt causes a trap")
    func hostile() throws {
        for variant in HostileVariant.all where variant.answers.contains(.malformed) {
            try tool.write(variant.forge().bytes, to: "hostile.der")
            let status = try tool.run("inspect", "hostile.der").status
            #expect(status == 0 || status == 1, "\(variant)")
        }
    }

    @Test("truncation at every level is reported once")
    func truncationIsReportedOnce() throws {
        let receipt = try ReceiptRecipe(authority: .test()).forge().bytes
        try tool.write(Array(receipt.prefix(700)), to: "cut.der")
        let answer = try tool.run("inspect", "cut.der")
        #expect(answer.lines.filter { $0.contains("damaged here") }.count == 1)
        #expect(answer.status == 1)
    }
}

extension BER {
    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
