import ReceiptForge
import Testing

@Suite("Inputs: encodings, directories, standard input")
struct InputTests {
    let tool: CommandLineTool

    init() throws { tool = try .withReceipts() }

    private func sources(_ arguments: String...) throws -> [String?] {
        let answer = try tool.run("verify", "--json", "--root", "root.cer", files: arguments)
        return try answer.objects.map { $0["source"] as? String }
    }

    @Test("answers are in the order of the arguments, including duplicates")
    func order() throws {
        let files = ["genuine.der", "missing.der", "./genuine.der", "forged.der", "genuine.der"]
        let answer = try tool.run("verify", "--json", "--root", "root.cer", files: files)
        #expect(try answer.objects.map { $0["source"] as? String } == files)
    }

    @Test("a directory is read in the order of names, without hidden files")
    func directory() throws {
        for name in [
            "b/z.der", "b/a.der", "a.der", "C.der", "b.der", ".hidden.der", ".git/x.der", "b/d/e.der",
        ] {
            try tool.write(Receipts.forged(), to: "tree/\(name)")
        }
        let expected = ["C.der", "a.der", "b/a.der", "b/d/e.der", "b/z.der", "b.der"]
        #expect(try sources("tree") == expected)
        #expect(try sources("tree/") == expected)
        #expect(
            try sources("genuine.der", "tree/b", "forged.der") == [
                "genuine.der", "a.der", "d/e.der", "z.der", "forged.der",
            ])
    }

    @Test("an empty directory is an error")
    func emptyDirectory() throws {
        try tool.write([], to: "empty/.keep")
        let answer = try tool.run("verify", "empty")
        #expect(answer.status == 2)
        #expect(answer.output.isEmpty)
        #expect(
            answer.errorLines == [
                "appreceipt: 0 genuine, 0 refused, 0 unreadable",
                "error: no files found",
            ])
    }

    @Test("every encoding, from a file and from standard input", arguments: ReceiptEncoding.allCases)
    func encodings(encoding: ReceiptEncoding) throws {
        let bytes = encoding.encode(try Receipts.genuine())
        try tool.write(bytes, to: "receipt")
        let answer = try tool.run("verify", "--json", "--root", "root.cer", "receipt", "-", input: bytes)
        #expect(answer.status == 0)
        let objects = try answer.objects
        #expect(objects.map { $0["source"] as? String } == ["receipt", "-"])
        #expect(objects[0]["sha256"] as? String == objects[1]["sha256"] as? String)
    }

    @Test("invalid input in a batch has one line, and the batch continues")
    func badInput() throws {
        try tool.write([], to: "empty.der")
        try tool.write(Array("Hello, world".utf8), to: "text.b64")
        try tool.write(Array(try Receipts.genuine().prefix(900)), to: "cut.der")
        let answer = try tool.run(
            "verify", "--json", "--root", "root.cer", "empty.der", "text.b64", "cut.der", "genuine.der")
        #expect(answer.status == 1)
        let refusals = try answer.objects.map { $0["refusal"] as? [String: Any] }
        #expect(refusals.map { $0?["offset"] as? Int } == [0, 5, 0, nil])
        #expect(answer.lines.last?.contains(#""status":"genuine""#) == true)
    }

    @Test("inspect reports a directory as unreadable")
    func inspectDirectory() throws {
        let answer = try tool.run("inspect", ".")
        #expect(answer.status == 2)
        #expect(answer.output.isEmpty)
        #expect(answer.errorLines.count == 1)
    }
}
