import AppReceipt
import Foundation
import ReceiptForge
import ReceiptJSON
import TestSupport
import Testing

@testable import ReceiptAudit
@testable import RecordSources

/// JSON documents whose records are keyed by id, as Firebase exports them.
@Suite(.serialized)
struct KeyedTreeTests {
    let workplace: Workplace
    let root: String

    init() throws {
        workplace = try Workplace()
        root = try workplace.write(try Forged.root(), to: "root.cer")
    }

    private static let receipt = Result { Data(try Forged.receipt(ReceiptContent())).base64EncodedString() }

    /// Returns the text with the values of its letters.
    private static func filled(_ text: String) throws -> String {
        let receipt = try receipt.get()
        let list = TransactionReceiptRecipe.list([("signature", String(repeating: "A", count: 400))])
        let digits = (Data(base64Encoded: receipt) ?? Data()).map { String(format: "%02x", $0) }.joined()
        let values = [
            "R": receipt, "J": try ForgedJWS.text(.renewalInfo), "T": Data(list.utf8).base64EncodedString(),
            "H": digits, "Q": "'\(receipt)'", "N": #"{\"a\":\"\#(receipt)\"}"#,
            "W": "eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.\(String(repeating: "e30x", count: 60)).AAAA",
        ]
        return values.reduce(text) { $0.replacing("\"\($1.key)\"", with: "\"\($1.value)\"") }
    }

    /// A document in which `R` is a receipt in base64, `T` a transaction receipt, `Q` a receipt in quotes, and `W`
    /// a web token.
    struct Tree: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        var options: [String] = []
        /// The pattern in the summary, or nil if the document is read in another way.
        let pattern: String?
        /// The id, subject and status of each record.
        let answers: [String]
        var status: Int32 = 0
        var unread: String?
    }

    static let trees = [
        Tree(
            testDescription: "purchases by user and id",
            text:
                #"{"users": {"u0": {"name": "A", "purchases": {"p1": {"receipt": "R"}, "p2": {"receipt": "R"}}},"#
                + #" "u1": {"purchases": {"p3": {"receipt": "R", "n": 1}}}}}"#,
            pattern: "users.*.purchases.*.receipt",
            answers: ["p1 of u0 genuine", "p2 of u0 genuine", "p3 of u1 genuine"]),
        Tree(
            testDescription: "one receipt for each account, which is id and subject",
            text: #"{"accounts": {"u0": {"receipt": "R"}, "u1": {"receipt": "R"}}}"#,
            pattern: "accounts.*.receipt", answers: ["u0 of u0 genuine", "u1 of u1 genuine"]),
        Tree(
            testDescription: "receipts as values of ids",
            text: #"{"receipts": {"u0": {"a": "R", "b": "R"}, "u1": {"c": "R"}}}"#,
            pattern: "receipts.*.*", answers: ["a of u0 genuine", "b of u0 genuine", "c of u1 genuine"]),
        Tree(
            testDescription: "arrays, which Firebase makes of consecutive numbers",
            text: #"{"users": {"u0": {"receipts": ["R", "R"]}, "u1": {"receipts": ["R"]}}}"#,
            pattern: "users.*.receipts.*", answers: ["0 of u0 genuine", "1 of u0 genuine", "0 of u1 genuine"]),
        Tree(
            testDescription: "members of the record name it before its keys do",
            text:
                #"{"users": {"u0": {"p": {"x": {"id": 7, "subject": "s", "receipt": "R"}, "y": {"receipt": "R"}}}}}"#,
            pattern: "users.u0.p.*.receipt", answers: ["7 of s genuine", "y genuine"]),
        Tree(
            testDescription: "an array in an object, whose records name their accounts",
            text:
                #"{"rows": [{"id": 1, "user_id": "ann", "receipt": "R"}, {"id": 2, "user_id": null, "receipt": "R"}]}"#,
            pattern: "rows.*.receipt; subjects read from the member user_id",
            answers: ["1 of ann genuine", "2 genuine"]),
        Tree(
            testDescription: "accounts in the records, which are below three keys",
            text:
                #"{"orders": {"2025": {"m": {"a": {"user": {"id": "ann"}, "receipt": "R"}}}, "2026": {"n": {"b": {"user": {"id": "bob"}, "receipt": "R"}}}}}"#,
            pattern: "orders.*.*.*.receipt; subjects read from the member user.id",
            answers: ["a of ann genuine", "b of bob genuine"]),
        Tree(
            testDescription: "accounts in the records at a named place",
            text: #"{"rows": [{"user_id": "ann", "receipt": "R"}, {"user_id": "bob", "receipt": "R"}]}"#,
            options: ["--receipt-field", "rows.*.receipt"], pattern: nil,
            answers: ["0 of ann genuine", "1 of bob genuine"]),
        Tree(
            testDescription: "the first of two keys before members with such names",
            text:
                #"{"u0": {"purchases": {"p": {"receipt": "R", "account": "premium"}}}, "u1": {"purchases": {"q": {"receipt": "R"}}}}"#,
            pattern: "*.purchases.*.receipt", answers: ["p of u0 genuine", "q of u1 genuine"]),
        Tree(
            testDescription: "keys of accounts before members with such names",
            text:
                #"{"users": {"u0": {"receipt": "R", "account": "premium"}, "u1": {"receipt": "R", "account": "premium"}}}"#,
            pattern: "users.*.receipt", answers: ["u0 of u0 genuine", "u1 of u1 genuine"]),
        Tree(
            testDescription: "the subject of the options before the one that is found",
            text:
                #"{"rows": [{"user_id": "ann", "own": "x", "receipt": "R"}, {"own": "y", "receipt": "R"}]}"#,
            options: ["--subject-field", "own"], pattern: "rows.*.receipt",
            answers: ["0 of x genuine", "1 of y genuine"]),
        Tree(
            testDescription: "an entry without a receipt holds none",
            text: #"{"users": {"u0": {"receipt": "R"}, "u1": {"name": "B"}, "u2": {"receipt": "R"}}}"#,
            pattern: "users.*.receipt", answers: ["u0 of u0 genuine", "u1 of u1 absent", "u2 of u2 genuine"]),
        Tree(
            testDescription: "receipts outside the records give status 2",
            text:
                #"{"users": {"u0": {"receipt": "R"}, "u1": {"receipt": "R"}}, "old": {"list": {"a": {"b": "R"}}}}"#,
            pattern: "users.*.receipt; receipts in old.list.a.b ignored",
            answers: ["u0 of u0 genuine", "u1 of u1 genuine"], status: 2,
            unread: "receipts outside users.*.receipt (1, the first at old.list.a.b)"),
        Tree(
            testDescription: "transaction receipts outside the records give status 2",
            text:
                #"{"users": {"u0": {"receipt": "R"}, "u1": {"receipt": "R"}}, "old": {"list": {"a": {"b": "T"}}}}"#,
            pattern: "users.*.receipt; receipts in old.list.a.b ignored",
            answers: ["u0 of u0 genuine", "u1 of u1 genuine"], status: 2,
            unread: "receipts outside users.*.receipt (1, the first at old.list.a.b)"),
        Tree(
            testDescription: "wrapped receipts outside the records give status 2",
            text:
                #"{"users": {"u0": {"receipt": "R"}, "u1": {"receipt": "R"}}, "old": {"list": {"a": {"b": "Q"}}}}"#,
            pattern: "users.*.receipt; receipts in old.list.a.b ignored",
            answers: ["u0 of u0 genuine", "u1 of u1 genuine"], status: 2, unread: "receipts in old.list.a.b"),
        Tree(
            testDescription: "web tokens outside the records are no receipts",
            text:
                #"{"users": {"u0": {"receipt": "R"}, "u1": {"receipt": "R"}}, "old": {"list": {"a": {"b": "W"}}}}"#,
            pattern: "users.*.receipt", answers: ["u0 of u0 genuine", "u1 of u1 genuine"]),
        Tree(
            testDescription: "another field of the records gives status 2",
            text: #"{"users": {"u0": {"receipt": "R", "last": "R"}, "u1": {"receipt": "R", "last": "R"}}}"#,
            pattern: "users.*.receipt; receipts in users.*.last ignored",
            answers: ["u0 of u0 genuine", "u1 of u1 genuine"], status: 2, unread: "receipts in users.*.last"),
        Tree(
            testDescription: "another place in one record gives status 2",
            text: #"{"users": {"u0": {"receipt": "R"}, "u1": {"receipt": "R", "old": {"last": "R"}}}}"#,
            pattern: "users.*.receipt; receipts in users.u1.old.last ignored",
            answers: ["u0 of u0 genuine", "u1 of u1 genuine"], status: 2,
            unread: "receipts in users.u1.old.last"),
        Tree(
            testDescription: "members of one record with names of the App Store Server API are read",
            text:
                #"{"users": {"u0": {"receipt": "R"}, "u1": {"receipt": "R", "signedTransactions": ["J"]}}}"#,
            pattern: "users.*.receipt",
            answers: ["u0 of u0 genuine", "u1 of u1 genuine", "u1 of u1 genuine"]),
        Tree(
            testDescription: "the option names the place",
            text: #"{"users": {"u0": {"receipt": "R", "last": "x"}, "u1": {"receipt": "R"}}}"#,
            options: ["--receipt-field", "users.*.receipt"], pattern: nil,
            answers: ["u0 of u0 genuine", "u1 of u1 genuine"]),
        Tree(
            testDescription: "a truncated document is not a success",
            text: #"{"users": {"u0": {"receipt": "R"}, "u1": {"receipt": "R"}, "u2": {"rec"#,
            pattern: "users.*.receipt", answers: ["u0 of u0 genuine", "u1 of u1 genuine", "nil unreadable"],
            status: 2),
        Tree(
            testDescription: "a record with several members is not a tree",
            text: #"{"id": "a", "receipt": "R", "subject": "s"}"#, pattern: nil, answers: ["a of s genuine"]),
    ]

    @Test("trees keyed by id", arguments: trees)
    func tree(_ tree: Tree) throws {
        let path = try workplace.write(Array(try Self.filled(tree.text).utf8), to: "tree.json")
        let answer = try Tool.run(["audit", path, "--root", root] + tree.options)
        #expect(try Self.told(answer.output) == tree.answers)
        #expect(answer.status == tree.status)
        #expect(answer.messages.contains("records keyed by id") == (tree.pattern != nil))
        if let pattern = tree.pattern {
            #expect(answer.messages.contains("records keyed by id: \(pattern) (override"))
        }
        if let unread = tree.unread { #expect(answer.messages.contains("\(unread) were not read")) }
    }

    private static func told(_ lines: String) throws -> [String] {
        try lines.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
            let refusal = (object["refusal"] as? [String: Any])?["code"] as? String
            let status = refusal ?? object["status"] as? String ?? ""
            let id = object["id"] as? String ?? (object["id"] as? NSNumber).map { "\($0)" } ?? "nil"
            return id + (object["subject"].map { " of \($0)" } ?? "") + " \(status)"
        }
    }

    /// Checks that blocks of any size give the same records, in a document with escapes and nested values around them.
    @Test func sizeOfBlocksDoesNotMatter() throws {
        let text =
            #"{"x":[1,{"a":"\\\"]}"},"",[]],"users":{"u\"0":{"p":{"1":{"r":"A","q":{"r":[{}]}}}},"u1":{"p":{}},"#
            + #""u2":{"p":{"2":{"r":"B"},"3":null,"4":"text"}}},"y":-1.5e3}"#
        let pattern = try #require(TreePattern("users.*.p.*.r"))
        for size in 1...text.utf8.count {
            var (scanner, bytes, rest) = (TreeScanner(), [UInt8](), Array(text.utf8)[...])
            var found: [String] = []
            reading: while true {
                let isOver = rest.isEmpty
                let next = unsafe bytes.withUnsafeBufferPointer { buffer in
                    unsafe scanner.next(in: buffer, isOver: isOver) { path, isObject in
                        isObject && pattern.matches(path)
                    }
                }
                switch next {
                case .value(let range):
                    guard pattern.matches(scanner.path) else { continue }
                    found.append("\(scanner.place) \(String(decoding: bytes[range], as: UTF8.self))")
                case .more:
                    bytes.removeFirst(scanner.needed)
                    scanner.drop(scanner.needed)
                    bytes += rest.prefix(size)
                    rest = rest.dropFirst(size)
                case .end: break reading
                case .damage(let message):
                    Issue.record("\(message)")
                    break reading
                }
            }
            #expect(
                found == [
                    #"users.u"0.p.1 {"r":"A","q":{"r":[{}]}}"#, #"users.u2.p.2 {"r":"B"}"#,
                    "users.u2.p.3 null",
                    #"users.u2.p.4 "text""#,
                ])
        }
    }

    @Test(
        "damaged documents end with the place",
        arguments: [
            (#"{"a" 1}"#, "a: unexpected '1' in the JSON"), (#"{"a":1"#, "a: the JSON ends here"),
            (#"{"a":1,}"#, "a: unexpected '}' in the JSON"), ("[1 2]", "0: unexpected '2' in the JSON"),
            ("{1:2}", "the top: unexpected '1' in the JSON"),
            (String(repeating: "[", count: 65), nil),
        ] as [(String, String?)])
    func damage(text: String, message: String?) {
        var scanner = TreeScanner()
        let bytes = Array(text.utf8)
        while true {
            let found = unsafe bytes.withUnsafeBufferPointer {
                unsafe scanner.next(in: $0, isOver: true) { _, _ in false }
            }
            if case .value = found { continue }
            guard case .damage(let said) = found else {
                Issue.record("\(found)")
                return
            }
            if let message { #expect(said == message) } else { #expect(said.hasSuffix("nested too deeply")) }
            return
        }
    }

    /// Checks the receipts that appear only after the examined beginning of a document: in base64, in hexadecimal, of a
    /// transaction, and in JSON.
    @Test(arguments: ["R", "H", "T", "N"])
    func receiptsFarBelowAreNoticed(letter: String) throws {
        let users = (0..<3).map { #""u\#($0)":{"receipt":"R"}"# }.joined(separator: ",")
        let filling = String(repeating: "x", count: 5 << 20)
        let text = #"{"users":{\#(users)},"note":"\#(filling)","guests":{"g":["\#(letter)"]}}"#
        let path = try workplace.write(Array(try Self.filled(text).utf8), to: "tree.json")
        let answer = try Tool.run("audit", path, "--root", root)
        #expect(answer.status == 2)
        #expect(
            answer.messages.contains(
                "receipts outside users.*.receipt (1, the first at guests.g.0) were not read"))
    }

    /// Checks a member of a record that appears only after the examined beginning of a document.
    @Test(arguments: [([], 2), (["--receipt-field", "users.*.receipt"], 0)] as [([String], Int32)])
    func receiptInALaterRecordIsNoticed(options: [String], status: Int32) throws {
        let receipt = try Self.receipt.get()
        let filling = String(repeating: "x", count: 1 << 20)
        let users = (0..<6).map { #""u\#($0)":{"receipt":"\#(receipt)","note":"\#(filling)"}"# }
        let last = #""u6":{"receipt":"\#(receipt)","old":"\#(receipt)"}"#
        let text = #"{"users":{\#((users + [last]).joined(separator: ","))}}"#
        let path = try workplace.write(Array(text.utf8), to: "tree.json")
        let answer = try Tool.run(["audit", path, "--root", root] + options)
        #expect(answer.status == status)
        let message =
            "receipts outside the field that was read (1, the first at old in record 7) were not read"
        #expect(answer.messages.contains(message) == (status == 2))
    }
}
