import Foundation
import ReceiptForge
import Testing

@Suite("--catalog for one app or several")
struct ScopedCatalogTests {
    let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try tool.write(Receipts.root(), to: "root.cer")
        for app in ["one", "two"] {
            var content = Receipts.content()
            content.bundleID = "com.example.\(app)"
            content.purchases = [
                .subscription(
                    productID: "\(app).monthly", transactionID: "1", originalTransactionID: "1",
                    purchaseDate: "2024-05-01T00:00:00Z", expiresDate: "2024-06-01T00:00:00Z")
            ]
            try tool.write(Receipts.genuine(content), to: "\(app).der")
            let catalog = #"{"groups": {"\#(app)": ["\#(app).monthly", "\#(app).yearly"]}}"#
            try tool.write(Array(catalog.utf8), to: "\(app).json")
            try tool.write(Array(catalog.utf8), to: "a=\(app).json")
        }
        let both = #"{"groups": {"one": ["one.monthly", "one.yearly"], "two": ["two.monthly"]}}"#
        try tool.write(Array(both.utf8), to: "both.json")
    }

    private func ask(_ catalogs: [String], _ files: String..., products: [String] = []) throws
        -> CommandLineTool.Answer
    {
        try ask(catalogs, files: files, products: products)
    }

    private func ask(_ catalogs: [String], files: [String], products: [String] = []) throws
        -> CommandLineTool.Answer
    {
        try tool.run(
            "eligibility", "--root", "root.cer", "--as-of", "2026-06-20T00:00:00Z", "--json",
            files: files + products.flatMap { ["--product", $0] } + catalogs.flatMap { ["--catalog", $0] })
    }

    private func lines(_ answer: CommandLineTool.Answer) throws -> [String] {
        try answer.objects.map { line in
            let source = line["source"] as? String ?? "-"
            let offer = line["introductory_offer"] as? [String: Any]
            return "\(source) \(line["product_id"] as? String ?? "-") \(offer?["rule"] as? String ?? "-")"
        }
    }

    @Test("each app gets verdicts on its own products, in any order of the scopes")
    func scoped() throws {
        for catalogs in [
            ["com.example.one=one.json", "com.example.two=two.json"],
            ["com.example.two=two.json", "com.example.one=./a=one.json"],
        ] {
            let answer = try ask(catalogs, "one.der", "two.der")
            #expect(answer.status == 0)
            #expect(answer.errors.isEmpty)
            #expect(
                try lines(answer) == [
                    "one.der one.monthly lapsed", "one.der one.yearly lapsed", "two.der two.monthly lapsed",
                    "two.der two.yearly lapsed",
                ])
        }
    }

    @Test(
        "input that can be read only once is answered like a file",
        arguments: [
            // files; the first is a pipe or standard input
            ["pipe", "two.der"],
            ["-", "two.der"],
            ["/dev/stdin", "two.der"],
            // A second reading would find nothing, or wait forever.
            ["-", "-"],
            ["pipe", "pipe"],
        ])
    func readableOnce(files: [String]) throws {
        let source = files[0]
        let answer = try tool.run(
            "eligibility", "--root", "root.cer", "--as-of", "2026-06-20T00:00:00Z", "--json", "--catalog",
            "both.json",
            files: files,
            shell: (source == "pipe" ? "mkfifo pipe; cat one.der > pipe & " : "")
                + #"cat one.der | timeout 60 "$@""#)
        #expect(answer.status == 0)
        let ofFiles = try lines(ask(["both.json"], files: files.map { $0 == source ? "one.der" : $0 }))
        #expect(try lines(answer).map { $0.replacing("\(source) ", with: "one.der ") } == ofFiles)
    }

    @Test(
        "a file in a folder with the name of a pipe or of a missing file is answered",
        arguments: [
            // the name, exit status
            ("pipe", 0),
            ("missing", 2),
        ])
    func nameInAFolder(name: String, status: Int32) throws {
        for app in ["one", "two"] {
            try tool.write(
                Array(Data(contentsOf: tool.folder.appending(path: "\(app).der"))), to: "tree/\(app)")
        }
        let answer = try tool.run(
            "eligibility", "--root", "root.cer", "--as-of", "2026-06-20T00:00:00Z", "--json", "--catalog",
            "both.json", files: [name, "tree"],
            shell: "mv tree/two tree/\(name); "
                + (name == "pipe" ? "mkfifo pipe; cat one.der > pipe & " : "") + #"timeout 60 "$@""#)
        #expect(answer.status == status)
        #expect(try lines(answer).contains("\(name) two.monthly lapsed"))
    }

    @Test("a product of another app is unknown, and an unlisted app is reported")
    func unlistedAppsAndProductsAreReported() throws {
        let unknown = try ask(["com.example.one=one.json"], "one.der", products: ["two.monthly"])
        #expect(try lines(unknown) == ["one.der two.monthly unknown-product"])
        let unlisted = try ask(["com.example.one=one.json"], "two.der")
        #expect(try lines(unlisted).isEmpty)
        #expect(
            unlisted.errors
                == "appreceipt: skipped: com.example.two: the catalog lists other apps only (com.example.one) "
                + "(see --catalog APP=FILE)\n")
    }

    @Test(
        "evidence without any verdict is not a success",
        arguments: [
            // evidence of no listed app: as JSON, merged, as text; then evidence of a listed app and another
            // app
            (["two.der", "--json"], 1), (["--merge", "two.der", "--json"], 1), (["two.der"], 1),
            (["one.der", "two.der", "--json"], 0),
        ] as [([String], Int32)])
    func evidenceWithoutVerdictsIsNotASuccess(arguments: [String], status: Int32) throws {
        let answer = try tool.run(
            "eligibility", "--root", "root.cer", "--as-of", "2026-06-20T00:00:00Z", "--catalog",
            "com.example.one=one.json", files: arguments)
        #expect(answer.status == status)
        #expect(answer.output.isEmpty == (status == 1))
    }

    @Test("a saved answer of an unlisted app is not a success")
    func savedAnswerOfAnUnlistedAppIsNotASuccess() throws {
        let saved = #"{"status": 0, "receipt": {"bundle_id": "com.example.two", "in_app": []}}"#
        try tool.write(Array(saved.utf8), to: "saved.json")
        for app in ["one", "two"] {
            let answer = try tool.run(
                "eligibility", "--trusting", "saved.json", "--as-of", "2026-06-20T00:00:00Z", "--catalog",
                "com.example.\(app)=\(app).json")
            #expect(answer.status == (app == "one" ? 1 : 0), "\(answer.errors)")
        }
    }

    @Test("without scopes, a product is evaluated for the apps that show it; others are reported once")
    func unscoped() throws {
        let answer = try ask(["both.json"], "one.der", "two.der")
        #expect(
            try lines(answer) == ["one.der one.monthly lapsed", "two.der two.monthly lapsed"])
        #expect(answer.errors.split(separator: "\n").count { $0.contains("skipped: one.yearly") } == 1)
        let named = try ask(["both.json"], "one.der", "two.der", products: ["one.monthly"])
        #expect(try lines(named) == ["one.der one.monthly lapsed"])
        #expect(named.errors.contains("skipped: com.example.two: the evidence covers several apps"))
        // Evidence of a single app.
        #expect(try lines(ask(["both.json"], "one.der")).count == 3)
    }

    @Test("evidence covers the products that an app shows, and reports the others")
    func evidence() throws {
        let asked = ["--root", "root.cer", "--catalog", "both.json", "--as-of", "2026-06-20T00:00:00Z"]
        let made = try tool.run("evidence", "one.der", "two.der", "--output", "e", files: asked)
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.errors.split(separator: "\n").count { $0.contains("skipped: one.yearly") } == 1)
        for app in ["one", "two"] {
            let path = tool.folder.appending(path: "e/\(app).der/eligibility.json")
            let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
            try #require(lines.count == 1)
            #expect(lines[0].contains("\"product_id\":\"\(app).monthly\""))
        }
        let checked = try tool.run("evidence", "--check", "e", files: asked)
        #expect(checked.output.split(separator: "\n").count { $0.contains(": verified") } == 2)
        // The other app has no evidence of the requested product.
        let named = try tool.run(
            "evidence", "one.der", "two.der", "--output", "n", "--product", "one.monthly", files: asked)
        #expect(named.errors.contains("skipped: com.example.two: the evidence covers several apps"))
        let none = try String(
            contentsOf: tool.folder.appending(path: "n/two.der/eligibility.json"), encoding: .utf8)
        #expect(none.isEmpty)
        #expect(try tool.run("evidence", "--check", "n", files: asked).status == checked.status)
        // With evidence of one app, every product is checked.
        let alone = try tool.run("evidence", "one.der", "--output", "a", files: asked)
        #expect(!alone.errors.contains("skipped"))
        let scoped = try tool.run(
            "evidence", "one.der", "two.der", "--output", "s", "--root", "root.cer", "--catalog",
            "com.example.one=one.json", "--as-of", "2026-06-20T00:00:00Z")
        #expect(scoped.errors.contains("skipped: com.example.two: the catalog lists other apps only"))
    }

    @Test(
        "ambiguous combinations of catalogs are wrong usage",
        arguments: [
            // with and without an app, duplicate app, two without an app, empty app, no path, empty path
            ["com.example.one=one.json", "both.json"], ["a=one.json", "a=two.json"],
            ["one.json", "two.json"],
            ["=one.json"], ["com.example.one="], [""],
        ])
    func wrongUsage(catalogs: [String]) throws {
        let answer = try ask(catalogs, "one.der")
        #expect(answer.status == 64)
        #expect(answer.errors.contains("--catalog"))
    }

    @Test("the text before the first = is the app, unless it contains a /")
    func pathWithEqualsSign() throws {
        // "a" is an app without evidence.
        #expect(try lines(ask(["a=one.json"], "one.der")).isEmpty)
        #expect(try lines(ask(["./a=one.json"], "one.der")).count == 2)
    }
}
