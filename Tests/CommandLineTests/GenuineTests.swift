import Foundation
import Testing

/// Receipts that Apple signed, verified under Apple's roots only.
@Suite("Genuine receipts")
struct GenuineTests {
    static let folder = FixtureTests.fixtures.appending(path: "genuine")
    static let receipts = folder.appending(path: "receipts").path

    let tool: CommandLineTool

    init() throws { tool = try CommandLineTool() }

    @Test("each is genuine, with the known content", arguments: [[], ["--cross-check"]])
    func verified(flags: [String]) throws {
        let answer = try tool.run("verify", "--json", files: flags + [Self.receipts])
        #expect(answer.status == 0, "\(answer.output)")
        let expected = try String(contentsOf: Self.folder.appending(path: "expected.ndjson"), encoding: .utf8)
            .split(separator: "\n")
        #expect(expected.count == 12)
        let objects = try answer.objects
        try #require(objects.count == expected.count)
        for (object, line) in zip(objects, expected) {
            let known = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
            #expect(known["status"] as? String == "genuine")
            #expect(known["realm"] as? String == "app_store")
            // Members that the contract gained later are ignored.
            let told = object.filter { known[$0.key] != nil }
            #expect(try Question.text(told) == Question.text(known))
        }
    }

    @Test("one bit of the signature changed: refused")
    func tampered() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: Self.receipts) {
            var bytes = try Data(contentsOf: URL(filePath: Self.receipts).appending(path: name))
            if name.hasSuffix(".b64") {
                bytes = try #require(Data(base64Encoded: bytes, options: .ignoreUnknownCharacters))
            }
            // A byte of the signature. At most a few end-of-contents octets follow it.
            bytes[bytes.endIndex - 40] ^= 1
            try tool.write(Array(bytes), to: "tampered/\(name)")
        }
        let answer = try tool.run("verify", "--json", "tampered")
        #expect(answer.status == 1)
        let codes = try answer.objects.map { ($0["refusal"] as? [String: Any])?["code"] as? String }
        #expect(codes == Array(repeating: "bad_signature", count: 12))
    }

    @Test("another authority does not verify them")
    func otherAuthority() throws {
        let root = FixtureTests.fixtures.appending(path: "roots/root.cer").path
        let answer = try tool.run("verify", "--json", "--root", root, Self.receipts)
        #expect(answer.status == 1)
        let codes = try answer.objects.map { ($0["refusal"] as? [String: Any])?["code"] as? String }
        #expect(codes == Array(repeating: "untrusted_chain", count: 12))
    }

    @Test("SOURCES.md lists exactly these files with their digests")
    func sources() throws {
        let sources = try String(contentsOf: Self.folder.appending(path: "SOURCES.md"), encoding: .utf8)
        let named = sources.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.receipts).sorted()
        #expect(named.count == names.count)
        for (row, name) in zip(named, names) {
            let cells = row.split(separator: "|").map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
            }
            let answer = try tool.run(
                "unused", files: [Self.receipts + "/" + name], shell: #"openssl dgst -r -sha256 "$3""#)
            #expect(cells.first == name)
            #expect(answer.output.hasPrefix(try #require(cells.last)), "\(name)")
        }
    }
}
