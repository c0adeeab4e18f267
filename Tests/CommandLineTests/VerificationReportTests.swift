import ReceiptForge
import Testing

@Suite("The report for people of verify")
struct VerificationReportTests {
    let tool: CommandLineTool

    init() throws { tool = try .withReceipts() }

    private func report(of content: ReceiptContent) throws -> CommandLineTool.Answer {
        try tool.write(Receipts.genuine(content), to: "one.der")
        return try tool.run("verify", "--root", "root.cer", "one.der")
    }

    @Test("a genuine receipt: app, environment, dates, signer")
    func genuine() throws {
        let answer = try tool.run("verify", "--root", "root.cer", "genuine.der")
        for text in [
            "GENUINE, BUT NOT APPLE'S genuine.der\n",
            "a root of your own: proves nothing about the App Store",
            "com.example.app  version 2.5.8  (first installed: 1.0)", "environment   Production",
            "created       2024-06-01 10:00:00 UTC", "first bought  2022-03-14 08:21:55 UTC",
            "CN=Receipt Forge Test Receipt Signing", "SHA-256, certificate valid 2010-01-01 to 2040-01-01",
        ] { #expect(answer.output.contains(text), "\(text)") }
        #expect(!answer.output.contains("\u{1B}"))
        #expect(answer.errors.isEmpty)
    }

    @Test("--brief: one line for each receipt; for a refused one, only the reason")
    func brief() throws {
        let files = ["genuine.der", "forged.der", "missing.der"]
        let answer = try tool.run("verify", "--brief", "--root", "root.cer", files: files)
        #expect(answer.status == 2)
        #expect(answer.lines.count == 3)
        #expect(
            answer.output.hasPrefix(
                "GENUINE, BUT NOT APPLE'S genuine.der: com.example.app, Production, 2024-06-01, purchases: "))
        #expect(answer.output.contains("\nREFUSED forged.der: bad_signature at byte "))
        #expect(answer.output.contains("\nUNREADABLE missing.der: "))
    }

    @Test("the report says that test environments involve no money")
    func environments() throws {
        #expect(try report(of: .sandbox()).output.contains("Sandbox: no money was paid"))
        #expect(try report(of: .xcode()).output.contains("Xcode: no money was paid"))
        var unknown = ReceiptContent()
        unknown.receiptType = "Moon"
        #expect(try report(of: unknown).output.contains("unknown receipt type \"Moon\""))
        unknown.receiptType = nil
        #expect(try report(of: unknown).output.contains("not named by the receipt"))
    }

    @Test("the report shows StoreKit Test and leniencies")
    func storeKitTest() throws {
        let xcode = try ReceiptRecipe.xcode().forge()
        try tool.write(xcode.bytes, to: "xcode.der")
        try tool.write(xcode.anchor, to: "storekit.cer")
        let answer = try tool.run("verify", "--storekit-test-root", "storekit.cer", "xcode.der")
        for text in [
            "GENUINE, BUT NOT APPLE'S", "StoreKit Test: proves nothing about the App Store",
            "elements of indefinite length", "content in chunks", "expires       4001-01-01",
        ] { #expect(answer.output.contains(text), "\(text)") }
    }

    @Test("purchases: aligned, oldest first, with notes")
    func purchases() throws {
        var trial = Receipts.monthly
        (trial.isTrialPeriod, trial.isInIntroOfferPeriod) = (true, true)
        var refunded = PurchaseContent.subscription(
            productID: "com.example.app.yearly.with.a.long.name", transactionID: "100000000000003",
            originalTransactionID: "100000000000001", purchaseDate: "2024-05-03T10:00:00Z",
            expiresDate: "2025-05-03T10:00:00Z")
        (refunded.cancellationDate, refunded.cancellationReason) = ("2024-05-04T12:30:00Z", 1)
        refunded.promotionalOfferIdentifier = "come-back"
        var coins = PurchaseContent(
            productID: "coins", transactionID: "100000000000000", purchaseDate: "2023-01-01T00:00:00Z",
            type: 1)
        coins.quantity = 30
        let lines = try report(of: Receipts.content([refunded, trial, coins])).lines
        let header = try #require(lines.firstIndex { $0.hasPrefix("  PRODUCT") })
        let rows = Array(lines[header...])
        try #require(rows.count == 4)
        #expect(rows[1].hasPrefix("  coins  "))
        #expect(rows[1].hasSuffix("  quantity 30"))
        #expect(rows[2].contains("  2024-05-02 10:00  2024-06-02 10:00  "))
        #expect(rows[2].hasSuffix("  trial, intro"))
        #expect(
            rows[3].hasSuffix(
                "  2024-05-04 12:30  offer come-back, cancelled over an issue with the app, original 100000000000001"
            ))
        for title in ["TYPE", "PURCHASED (UTC)", "EXPIRES", "CANCELLED", "NOTES"] {
            let column = try #require(rows[0].firstRange(of: title)).lowerBound.utf16Offset(in: rows[0])
            for row in rows.dropFirst() {
                let before = row.prefix(column).suffix(2)
                #expect(before.allSatisfy { $0 == " " }, "\(title) in \(row)")
            }
        }
    }

    @Test("empty columns are omitted, and transactions if they do not fit")
    func columns() throws {
        let narrow = try tool.run("verify", "--root", "root.cer", "genuine.der").output
        #expect(narrow.contains("TRANSACTION"))
        #expect(!narrow.contains("CANCELLED"))
        #expect(!narrow.contains("NOTES"))
        let terminal = try tool.runOnTerminal("verify", "--root", "root.cer", "genuine.der", columns: 80)
            .output
        #expect(terminal.contains("PURCHASED"))
        #expect(!terminal.contains("TRANSACTION"))
    }

    @Test("two hundred purchases, one line each")
    func many() throws {
        let purchases = (0..<200).map { index in
            PurchaseContent.subscription(
                productID: "com.example.app.monthly", transactionID: "\(100_000_000_000_001 + index)",
                purchaseDate: "2024-05-02T10:00:00Z", expiresDate: "2024-06-02T10:00:00Z")
        }
        let answer = try report(of: Receipts.content(purchases))
        #expect(answer.output.contains("purchases     200, products: 1, oldest first"))
        #expect(answer.lines.count { $0.hasPrefix("  com.example.app.monthly  ") } == 200)
        #expect(answer.lines.allSatisfy { $0.count <= 120 })
    }

    @Test("a refused receipt: reason and place, but no content")
    func refused() throws {
        var recipe = ReceiptRecipe(
            Receipts.content(),
            authority: try .test { profiles throws(ForgeError) in
                profiles.leaf.notAfter = "2024-05-01T00:00:00Z"
            })
        try tool.write(recipe.forge().bytes, to: "expired.der")
        let expired = try tool.run("verify", "--root", "root.cer", "expired.der").output
        for text in [
            "REFUSED expired.der: untrusted_chain: a certificate was not valid", "field         certificates",
            "valid 2010-01-01 00:00:00 UTC to 2024-05-01 00:00:00 UTC",
            "issued by CN=Receipt Forge Test Developer",
        ] { #expect(expired.contains(text), "\(text)") }

        recipe.authority = try .test()
        recipe.editContainer { container throws(ForgeError) in container.signerInfos[0].signature[7] ^= 1 }
        try tool.write(recipe.forge().bytes, to: "altered.der")
        let altered = try tool.run("verify", "--root", "root.cer", "altered.der")
        #expect(altered.output.hasPrefix("REFUSED altered.der: bad_signature at byte "))
        #expect(altered.output.contains("field         signerInfos[0].signature\n"))
        #expect(!altered.output.contains("com.example.app"))
        #expect(altered.status == 1)
    }

    @Test("after several files, the counts are on standard error")
    func counts() throws {
        let answer = try tool.run(
            "verify", "--root", "root.cer", "genuine.der", "forged.der", "missing.der", "forged.der")
        #expect(answer.errors == "appreceipt: 1 genuine, 2 refused, 1 unreadable\n")
        #expect(answer.output.contains("UNREADABLE missing.der: No such file or directory\n"))
        #expect(try tool.run("verify", "--root", "root.cer", "forged.der").errors.isEmpty)
    }

    @Test("color only on a terminal that supports it, without NO_COLOR")
    func color() throws {
        let arguments = ["verify", "--root", "root.cer", "genuine.der", "forged.der"]
        func output(_ environment: [String: String?]) throws -> String {
            try tool.runOnTerminal(
                arguments[0], arguments[1], arguments[2], arguments[4], environment: environment
            )
            .output
        }
        #expect(try output(["NO_COLOR": nil]).hasPrefix("\u{1B}[1;31mREFUSED\u{1B}[0m forged.der"))
        #expect(try output(["NO_COLOR": "", "TERM": "xterm-256color"]).contains("\u{1B}"))
        #expect(try !output(["NO_COLOR": "1"]).contains("\u{1B}"))
        #expect(try !output(["NO_COLOR": nil, "TERM": "dumb"]).contains("\u{1B}"))
        #expect(try !tool.run(files: arguments).output.contains("\u{1B}"))
    }

    @Test(
        "text in a receipt cannot control the terminal",
        arguments: [
            "com.evil\u{1B}[2Japp", "com.evil\u{202E}ppa.doog", "com.evil\r\nGENUINE x", "com.evil\u{9B}31m",
            "com.evil\u{2066}\u{200B}", "com.evil\u{7}\u{8}",
        ])
    func controlCharacters(text: String) throws {
        var content = Receipts.content()
        content.bundleID = text
        content.applicationVersion = text
        content.purchases[0].productID = text
        content.purchases[0].promotionalOfferIdentifier = text
        try tool.write(Receipts.genuine(content), to: "evil.der")
        for command in [["verify", "--root", "root.cer"], ["verify", "--bundle-id", "a"], ["inspect"]] {
            let answer = try tool.runOnTerminal(
                command[0], files: Array(command.dropFirst()) + ["evil.der"], environment: ["NO_COLOR": "1"])
            let harmful = (answer.output + answer.errors).unicodeScalars.filter { scalar in
                scalar != "\n" && [.control, .format].contains(scalar.properties.generalCategory)
            }
            #expect(harmful.isEmpty)
            #expect(!answer.lines.contains { $0.hasPrefix("GENUINE x") })
        }
    }
}
