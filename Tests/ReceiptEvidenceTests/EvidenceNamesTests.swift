import ReceiptEvidence
import Testing

@Suite("Names of evidence folders")
struct EvidenceNamesTests {
    /// Sources, each with the name of its folder.
    static let names: [(source: String, name: String)] = [
        ("receipts/a.b64", "receipts-a.b64"),
        // An object's path inside a file.
        ("history.json#signedTransactions[0]", "history.json-signedTransactions-0"),
        // Path traversal, options and hidden files.
        ("../../etc/passwd", "etc-passwd"), ("-rf", "rf"), (".hidden", "hidden"),
        // Characters that a shell or a terminal interprets.
        ("$(reboot) `x`;\u{1B}[2J\n", "reboot-x-2J"),
        // Standard input, and names without an ASCII letter.
        ("-", "evidence"), ("\u{4E2D}", "evidence"),
        (String(repeating: "a", count: 500), String(repeating: "a", count: 80)),
    ]

    @Test("names are safe", arguments: names)
    func safe(source: String, name: String) {
        var names = EvidenceNames()
        #expect(names.name(for: source) == name)
    }

    @Test("names are unique, even without case")
    func unique() {
        var names = EvidenceNames()
        #expect(["a", "A", "a-2", "a"].map { names.name(for: $0) } == ["a", "A-2", "a-2-2", "a-3"])
        // A numbered name that is already in use is skipped.
        #expect(["b-3", "b", "b", "B"].map { names.name(for: $0) } == ["b-3", "b", "b-2", "B-4"])
    }
}
