import AppReceipt
import Foundation
import OfferEligibility
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit
@testable import RecordSources

/// CSV files, selection by date, and the digests of inputs.
struct CSVExportTests {
    let workplace: Workplace
    let folder: String

    init() throws {
        workplace = try Workplace()
        folder = workplace.file("csv")
    }

    // MARK: - CSV

    /// Checks texts that spreadsheets would evaluate as formulas or round.
    @Test(arguments: [
        ("plain", #""plain""#), ("", #""""#), ("a,b", #""a,b""#), ("say \"so\"", #""say ""so""""#),
        ("=1+1", #""'=1+1""#), ("+1", #""'+1""#), ("-1", #""'-1""#), ("@SUM(1)", #""'@SUM(1)""#),
        ("  =1", #""  '=1""#), ("\u{A0}=1", "\"\u{A0}'=1\""), ("＝1", #""'＝1""#), ("－1", #""'－1""#),
        // With other separators a cell ends here, and a quote may begin the next one.
        ("a;=1+1;b", #""a;'=1+1;b""#), ("a,\"=1\"", #""a,""'=1""""#), ("a|@x", #""a|'@x""#),
        ("a\t=1", #""a\u{9}'=1""#), ("a\r\n=1", #""a\u{D}\u{A}'=1""#), ("\u{0}=1", #""\u{0}'=1""#),
        ("'=1", #""''=1""#), ("\u{202E}=1", #""\u{202E}'=1""#),
        // Inside a cell they are ordinary characters.
        ("a=b", #""a=b""#), ("2024-05-01", #""2024-05-01""#), ("a-b;c@d", #""a-b;c@d""#),
        // Spreadsheets keep fifteen digits of sixteen.
        ("200000000000001", #""200000000000001""#), ("2000000000000001", #""'2000000000000001""#),
        ("Jörg 😀", #""Jörg 😀""#),
    ])
    func textsAreNotFormulas(text: String, field: String) {
        var bytes: [UInt8] = []
        CSVText.append(text, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == field)
    }

    @Test func longTextsAreShortened() {
        var bytes: [UInt8] = []
        CSVText.append(String(repeating: "=", count: 1_000_000), to: &bytes)
        #expect(bytes.count < 32_767)
        #expect(String(decoding: bytes, as: UTF8.self).contains("(1,000,000 characters)"))
    }

    private func rows(_ name: String) throws -> [[String]] { try workplace.csv("csv/\(name)") }

    private func export(
        _ lines: [[UInt8]], catalog: String? = nil, shown: ShownDates = ShownDates(), page: String? = nil
    ) throws -> AuditCounts {
        let input = try workplace.write(lines.joined(), to: "in.ndjson")
        try CSVExport.requireWritable(in: folder, isReplacing: false)
        return try Forged.audit([input], catalog: catalog).writeDatabase(
            to: nil, page: page, tables: folder, shown: shown, jobs: 1,
            clock: { Timestamp(millisecondsSince1970: 0) })
    }

    @Test func everyTableIsThere() throws {
        let lines = [
            try ReportTests.story("anna"), try ReportTests.story("bert"),
            Array("{\"id\":\"=cmd|' /C calc'!A0\",\"subject\":\"@x\",\"receipt\":\"MAT7\"}\n".utf8),
        ]
        _ = try export(lines, catalog: ReportTests.catalog)
        let receipts = try rows("receipts.csv")
        #expect(receipts.count == 4)
        let columns = receipts[0]
        func column(_ name: String) throws -> [String] {
            let index = try #require(columns.firstIndex(of: name))
            return receipts.dropFirst().map { $0[index] }
        }
        #expect(try column("number") == ["1", "2", "3"])
        #expect(try column("record") == ["first", "first", "'=cmd|' /C calc'!A0"])
        #expect(try column("subject") == ["anna", "bert", "'@x"])
        #expect(try column("status") == ["genuine", "genuine", "refused"])
        let own = "not Apple: a root of your own"
        #expect(try column("vouched_for_by") == [own, own, ""])
        #expect(try column("reason") == ["", "", "malformed"])
        #expect(try column("created").first == "2024-06-01T10:00:00Z")
        #expect(try column("purchases") == ["2", "2", ""])
        #expect(try rows("purchases.csv").count == 5)
        #expect(try rows("verdicts.csv").count == 5)
        let findings = try rows("findings.csv")
        #expect(findings.dropFirst().contains { $0[1] == "alert" && $0[2] == "shared-receipt" })
        #expect(findings.dropFirst().contains { $0[1] == "not looked for" && $0[3].contains("--device-id") })
        for name in [
            "receipts.csv", "purchases.csv", "customers.csv", "subject_verdicts.csv", "verdicts.csv",
            "findings.csv",
        ] {
            let mode = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[
                .posixPermissions]
            #expect(mode as? Int == 0o600, "\(name)")
        }
        #expect(
            try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int == 0o700)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 10)
    }

    /// Checks that the CSV files contain every table and column of the schema, including future ones.
    @Test func everyColumnIsExported() throws {
        _ = try export([try ReportTests.story()])
        let tables = try AuditDatabase.temporary().access { database in
            try database.execute(AuditSchema.tables)
            return try AuditSchema.tableNames.map { table in
                let names: [String] = try database.prepare("SELECT name FROM pragma_table_info('\(table)')")
                    .values()
                return (table, names)
            }
        }
        var told: [String] = []
        for (table, columns) in tables where columns.contains("receipt_id") {
            // Verdicts, customers and findings have dedicated files.
            if ["verdicts", "customer_receipts", "finding_evidence"].contains(table) { continue }
            let file = try #require(ContentTable.all.first { $0.table == table }, "\(table)").file
            let headings = try rows(file)[0]
            #expect(Set(headings).count == headings.count)
            #expect(
                columns.filter { !headings.contains(ContentTable.heading(of: $0)) }
                    == (table == "transactions" ? ["position"] : []),
                "\(file)")
            told.append(file)
        }
        #expect(
            told.sorted() == [
                "app_transactions.csv", "notifications.csv", "purchases.csv", "realtime_requests.csv",
                "renewals.csv",
            ])
    }

    /// Checks the members of each kind under their headings. The order of existing columns does not change.
    @Test func signedObjectsHaveTheirFiles() throws {
        var transaction = JSONMembers.transaction
        for (name, value) in [
            ("appTransactionId", #""704""#), ("offerPeriod", #""P1M""#), ("transactionReason", #""RENEWAL""#),
            ("revocationType", #""REFUND_PRORATED""#), ("revocationPercentage", "50000"),
            ("billingPlanType", #""MONTHLY""#), ("commitmentInfo", #"{"billingPeriodNumber":3}"#),
            ("advancedCommerceInfo", #"{"items":[]}"#), ("isUpgraded", "true"), ("price", "9990"),
        ] { transaction[name] = value }
        var renewal = JSONMembers.renewalInfo
        for (name, value) in [
            ("offerDiscountType", #""FREE_TRIAL""#), ("recentSubscriptionStartDate", "1781946000000"),
            ("priceIncreaseStatus", "1"), ("appAccountToken", #""7e3fb204""#),
            ("renewalBillingPlanType", #""MONTHLY""#),
        ] { renewal[name] = value }
        var appTransaction = JSONMembers.appTransaction
        for (name, value) in [
            ("originalPlatform", #""iOS""#), ("preorderDate", "1375000000000"),
            ("revocationDate", "1781946000000"),
        ] { appTransaction[name] = value }
        let payloads = [
            transaction, renewal, appTransaction, .notification(["status": "3"]), .realtimeRequest,
        ]
        _ = try export(
            payloads.enumerated().map { try ForgedJWS.line("\($0)", ForgedJWS.text($1), subject: "anna") })
        func cells(_ file: String) throws -> [String: String] {
            let rows = try rows(file)
            #expect(rows.count == 2, "\(file)")
            return Dictionary(zip(rows[0], rows[1])) { first, _ in first }
        }
        let purchase = try cells("purchases.csv")
        for (name, value) in [
            "receipt_number": "1", "told_by": "transaction", "is_upgraded": "yes",
            "price_in_thousandths": "9990",
            "app_transaction_id": "704", "offer_period": "P1M", "transaction_reason": "RENEWAL",
            "storefront_id": "143441", "revocation_type": "REFUND_PRORATED", "revocation_percentage": "50000",
            "billing_plan_type": "MONTHLY", "commitment_info": #"{"billingPeriodNumber":3}"#,
            "advanced_commerce_info": #"{"items":[]}"#,
        ] { #expect(purchase[name] == value, "\(name)") }
        let information = try cells("renewals.csv")
        for (name, value) in [
            "receipt_number": "2", "offer_discount_type": "FREE_TRIAL", "price_increase_status": "1",
            "recent_subscription_start_date": "2026-06-20T09:00:00Z", "app_account_token": "7e3fb204",
            "renewal_billing_plan_type": "MONTHLY", "grace_period_ends": "2026-06-20T09:00:00Z",
        ] { #expect(information[name] == value, "\(name)") }
        let download = try cells("app_transactions.csv")
        for (name, value) in [
            "receipt_number": "3", "bundle_id": "com.example.app", "signed": "2026-06-01T10:00:00Z",
            "app_apple_id": "1470168868", "original_platform": "iOS", "preorder_date": "2013-07-28T08:26:40Z",
            "revocation_date": "2026-06-20T09:00:00Z",
        ] { #expect(download[name] == value, "\(name)") }
        let notification = try cells("notifications.csv")
        for (name, value) in [
            "receipt_number": "4", "notification_type": "DID_RENEW", "notification_uuid": "0b6e2c9a",
            "body": "data",
            "status": "3",
        ] { #expect(notification[name] == value, "\(name)") }
        let request = try cells("realtime_requests.csv")
        for (name, value) in [
            "receipt_number": "5", "app_apple_id": "1470168868", "user_locale": "en-US",
            "original_transaction_id": "'2000000000000001",
        ] { #expect(request[name] == value, "\(name)") }
        #expect(
            try rows("purchases.csv")[0].prefix(32).joined(separator: " ") == """
                receipt_number record subject environment bundle_id product_id product_type subscription_group quantity \
                transaction_id original_transaction_id bought first_bought expires cancelled cancellation_reason \
                is_trial_period is_in_intro_offer_period promotional_offer_identifier web_order_line_item_id told_by \
                subscription_group_identifier ownership_type is_upgraded offer_type offer_identifier offer_discount_type \
                storefront price_in_thousandths currency app_account_token revocation_reason
                """)
        #expect(
            try rows("renewals.csv")[0].prefix(19).joined(separator: " ") == """
                receipt_number record subject environment bundle_id original_transaction_id product_id \
                auto_renew_product_id auto_renew_status expiration_intent is_in_billing_retry_period grace_period_ends \
                renews offer_type offer_identifier renewal_price_in_thousandths currency eligible_win_back_offer_ids signed
                """)
    }

    /// Checks that no cell with text from a record is a formula.
    @Test(arguments: ReportTests.hostile + ["=1", "x;=1", "+1\u{301}"])
    func hostileTextsAreNotFormulas(text: String) throws {
        let encoder = JSONEncoder()
        var purchase = FindingTests.offer("1", original: "1", product: text)
        purchase.promotionalOfferIdentifier = text
        let receipt = Data(try Forged.receipt(ReceiptContent(bundleID: text, purchases: [purchase])))
        let line = try encoder.encode([
            "id": text, "subject": text, "receipt": receipt.base64EncodedString(),
        ])
        _ = try export([Array(line) + [10]])
        let signs: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r", "\n", "\0"]
        for name in ["receipts.csv", "purchases.csv", "findings.csv"] {
            for field in try rows(name).joined() {
                #expect(!signs.contains(field.unicodeScalars.first ?? "x"), "\(name): \(field)")
            }
        }
        #expect(try rows("receipts.csv").count == 2)
    }

    @Test func existingFilesAreNotOverwritten() throws {
        let mine = try workplace.write(Array("mine".utf8), to: "csv/findings.csv")
        for isReplacing in [false, true] {
            #expect(throws: AuditError("refusing to overwrite \(mine); choose another path or delete it")) {
                try CSVExport.requireWritable(in: folder, isReplacing: isReplacing)
            }
        }
        #expect(try workplace.read("csv/findings.csv") == Array("mine".utf8))
        #expect(throws: AuditError("\(mine): Not a directory")) {
            try CSVExport.requireWritable(in: mine, isReplacing: false)
        }
        try FileManager.default.removeItem(atPath: mine)
        _ = try export([try ReportTests.story()])
        #expect(throws: AuditError.self) { try CSVExport.requireWritable(in: folder, isReplacing: false) }
        try CSVExport.requireWritable(in: folder, isReplacing: true)
    }

    // MARK: - Dates

    /// Checks that dates select the shown records only. All records are verified and counted.
    @Test func datesSelectTheShownRecords() throws {
        func content(_ date: String, _ id: String) -> ReceiptContent {
            var content = FindingTests.content(FindingTests.period(id, original: id))
            content.creationDate = date
            return content
        }
        let refused = Array("{\"id\":\"bad\",\"receipt\":\"MAT7\"}\n".utf8)
        let dates = ["2024-06-01T00:00:00Z", "2024-06-02T00:00:00Z", "2024-06-03T00:00:00Z"]
        let lines = try dates.enumerated().flatMap { number, date in
            try ["anna", "bert"].map {
                try Forged.line("r\(number)", content(date, "10\(number)"), subject: "\($0)-\(number)")
            }
        }
        let shown = ShownDates(
            from: Timestamp(rfc3339: dates[1]), until: Timestamp(rfc3339: dates[2]))
        let page = workplace.file("r.html")
        let counts = try export(lines + [refused], shown: shown, page: page)
        #expect(counts.genuine == 6)
        #expect(counts.outcome?.alerts == 3)
        #expect(try rows("receipts.csv").dropFirst().map { $0[3] } == ["r1", "r1", "bad"])
        #expect(try rows("purchases.csv").count == 3)
        let found = try rows("findings.csv").dropFirst().filter { $0[1] == "alert" }
        #expect(
            Set(found.map { $0[3] }) == [
                "The subjects anna-1 and bert-1 share 1 receipt and 1 purchase"
            ])
        let text = String(decoding: try workplace.read("r.html"), as: UTF8.self)
        #expect(text.contains("anna-1 and bert-1"))
        #expect(!text.contains("anna-0"))
        #expect(!text.contains("anna-2"))
        #expect(
            text.contains(
                "created from 2024-06-02T00:00:00Z on and before 2024-06-03T00:00:00Z: 2 of 6 genuine"))
        #expect(text.contains("<strong>6</strong> <span>genuine</span>"))
        #expect(text.contains("3 of 3 records"))
        // Hidden rows are mentioned.
        #expect(text.contains("2 findings based only on receipts of other dates are not shown"))
    }

    @Test func datesNeedAnOutput() throws {
        let root = try workplace.write(try Forged.root(), to: "root.cer")
        let input = try workplace.write(try ReportTests.story(), to: "in.ndjson")
        let date = "2024-06-02T00:00:00Z"
        #expect(try Tool.run("audit", input, "--root", root, "--created-after", date).status == 64)
        let wrong = try Tool.run(
            "audit", input, "--root", root, "--created-after", date, "--created-before", date, "--csv", folder
        )
        #expect(wrong.status == 64)
        let made = try Tool.run("audit", input, "--root", root, "--created-after", date, "--csv", folder)
        #expect(made.status == 0)
        #expect(made.messages.contains("1 GENUINE, BUT NOT APPLE'S"))
        #expect(try rows("receipts.csv").count == 1)
    }

    // MARK: - Evidence

    /// Checks size and SHA-256 of each input, as stored.
    @Test func inputsHaveDigests() throws {
        let verifier = try ReceiptVerifier(anchors: .apple)
        func facts(_ bytes: [UInt8]) -> String {
            "\(bytes.count) \(hexadecimal(verifier.sha256(of: bytes) ?? []))"
        }
        func inputs(_ sources: [String]) throws -> [String] {
            let output = workplace.file("\(UUID().uuidString).sqlite")
            let audit = try Forged.audit(sources)
            _ = try audit.database(output)
            #expect(try audit.replay(output, jobs: 1) { Issue.record("\($0)") }.holds)
            return try withDatabase(output) {
                try $0.prepare("SELECT * FROM inputs ORDER BY id").map {
                    try "\($0["path"] ?? "") \($0["bytes"] as Int) \($0["sha256"] as String)"
                }
            }
        }
        let lines = try Forged.lines(40).joined() + Array("\n\n".utf8)
        let plain = try workplace.write(lines, to: "in.ndjson")
        // Bytes after the end of an archive are included.
        let receipt = try Forged.receipt(ReceiptContent())
        var archive = TarWriter()
        archive.add("a.der", receipt)
        archive.end()
        archive.add(raw: [UInt8](repeating: 0, count: 100_700))
        let tar = try workplace.write(archive.bytes, to: "in.tar")
        let one = try workplace.write(receipt, to: "folder/a.der")
        let text = Array(Data(receipt).base64EncodedString().utf8)
        try workplace.write(text, to: "folder/below/b.b64")
        #expect(try inputs([plain]) == [" " + facts(Array(lines))])
        #expect(try inputs([tar]) == [" " + facts(archive.bytes)])
        #expect(try inputs([one]) == [" " + facts(receipt)])
        #expect(
            try inputs([workplace.file("folder"), plain]) == [
                "a.der " + facts(receipt), "below/b.b64 " + facts(text), " " + facts(Array(lines)),
            ])
    }

    /// Checks that the digest of a stream starts at its first byte, including the bytes read for detection.
    @Test(arguments: [false, true])
    func streamHasADigest(isUTF16: Bool) throws {
        let root = try workplace.write(try Forged.root(), to: "root.cer")
        let text = String(decoding: try Forged.lines(200).joined(), as: UTF8.self)
            .replacing(#""receipt":"#, with: #""evidence":"#)
        let bytes =
            isUTF16
            ? [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } : Array(text.utf8)
        let output = workplace.file("out.sqlite")
        let answer = try Tool.run(["audit", "-", "--root", root, "--output", output], stdin: bytes)
        #expect(answer.messages.contains("receipts read from the field evidence"))
        let digest = try #require(ReceiptVerifier(anchors: .apple).sha256(of: bytes))
        let inputs = try Connection(path: output)
            .prepare("SELECT source, path, bytes, sha256 FROM inputs").map(\.values)
        #expect(
            inputs == [
                ["-".value, .null, bytes.count.value, hexadecimal(digest).value]
            ])
    }

    /// Checks that a replay detects a changed file even if all answers are the same.
    @Test func replayDetectsAChangedFile() throws {
        let line = try ReportTests.story()
        let input = try workplace.write(line, to: "in.ndjson")
        let output = workplace.file("out.sqlite")
        let audit = try Forged.audit([input])
        _ = try audit.database(output)
        try workplace.write(Array(" ".utf8) + line, to: "in.ndjson")
        var told: [String] = []
        #expect(try !audit.replay(output, jobs: 1) { told.append($0) }.holds)
        #expect(told.contains { $0.hasPrefix("inputs 1: bytes was \(line.count), is \(line.count + 1)") })
    }

    // MARK: - Settings

    /// Checks that a replay takes the run's settings from the database. The caller gives trust anchors and
    /// the catalog again.
    @Test func replayUsesTheStoredSettings() throws {
        let root = try workplace.write(try Forged.root(), to: "root.cer")
        let catalog = try workplace.write(Array(ReportTests.catalog.utf8), to: "catalog.json")
        let input = try workplace.write(
            try ReportTests.story("anna") + Forged.lines(20).joined(), to: "in.ndjson")
        let output = workplace.file("out.sqlite")
        let made = try Tool.run(
            "audit", input, "--root", root, "--catalog", catalog, "--as-of", "2024-07-01T00:00:00Z",
            "--bundle-id", "com.example.forge", "--bundle-id", "a", "--app-apple-id", "77",
            "--environment", "sandbox",
            "--environment", "production", "--refunds", "ignore",
            "--stale-evidence", "undetermined", "--partial-evidence", "undetermined", "--promotional-scope",
            "app", "--cross-check",
            "--device-id", "00112233-4455-6677-8899-aabbccddeeff", "--signature-checks", "64",
            "--sha1-signatures", "all", "--output", output)
        #expect(made.status == 1)
        func replay(_ options: String...) throws -> EndedProcess {
            try Tool.run(["audit", "--replay", output, input] + options)
        }
        let again = try replay("--root", root, "--catalog", catalog)
        #expect(again.status == 0, "\(again)")
        #expect(again.output == "21 records verified again: every row matches\n", "\(again)")
        #expect(
            again.messages.hasPrefix(
                """
                appreceipt: settings from the database: as-of 2024-07-01T00:00:00Z, bundle-id \
                ["a","com.example.forge"], app-apple-id ["77"], environment ["Production","Sandbox"], device-id 00112233445566778899aabbccddeeff, cross-check yes, refunds ignore, \
                stale-evidence undetermined, partial-evidence undetermined, promotional-scope app, catalog\u{20}
                """))
        #expect(again.messages.contains(", sha1-signatures all, signature-checks 64\n"))
        for (options, message) in [
            (["--root", root], "made with the catalog of SHA-256 "),
            (["--catalog", catalog], "made under your own root of SHA-256 "),
        ] {
            let missing = try replay(options[0], options[1])
            #expect(missing.status == 2, "\(missing)")
            #expect(missing.messages.contains(message), "\(missing)")
        }
        // The order of a set has no effect.
        let same = try replay(
            "--root", root, "--catalog", catalog, "--bundle-id", "a", "--bundle-id", "com.example.forge",
            "--bundle-id", "a",
            "--environment", "production", "--environment", "sandbox")
        #expect(same.status == 0, "\(same)")
        let fewer = try replay("--root", root, "--catalog", catalog, "--bundle-id", "com.example.forge")
        #expect(
            fewer.messages.contains(
                #"bundle-id was ["a","com.example.forge"], is ["com.example.forge"]"#), "\(fewer)")
        for (name, was, value) in [("signature-checks", "64", "65"), ("sha1-signatures", "all", "none")] {
            let looser = try replay("--root", root, "--catalog", catalog, "--\(name)", value)
            #expect(looser.status == 2)
            #expect(looser.messages.contains("\(name) was \(was), is \(value)"), "\(looser)")
        }
        let other = try replay("--root", root, "--catalog", catalog, "--refunds", "block")
        #expect(other.status == 2)
        #expect(other.messages.contains("made with other settings: refunds was ignore, is block"))
    }

    /// Checks that a replay over no records or over unreadable ones is not a success.
    @Test(arguments: [
        ("x", "1 of 2 records are unreadable"), (#"{"receipt":null}"#, ""), ("", "no record was verified"),
    ])
    func replayWithoutRecordsIsNotASuccess(more: String, message: String) throws {
        let root = try workplace.write(try Forged.root(), to: "root.cer")
        let lines =
            more.isEmpty ? Array(#"{"receipt":""}"#.utf8) : try ReportTests.story() + Array(more.utf8)
        let input = try workplace.write(lines, to: "in.ndjson")
        let output = workplace.file("out.sqlite")
        _ = try Tool.run("audit", input, "--root", root, "--output", output)
        let again = try Tool.run("audit", "--replay", output, input, "--root", root)
        #expect(again.output == "\(more.isEmpty ? 1 : 2) records verified again: every row matches\n")
        #expect(again.status == (message.isEmpty ? 0 : 2), "\(again)")
        // The message about settings and the root precede.
        let told = again.messages.split(separator: "\n")
        try #require(told.count > 1, "\(again)")
        #expect(told[1].hasPrefix("appreceipt: Merkle root of the audit: "), "\(again)")
        #expect(told.dropFirst(2) == (message.isEmpty ? [] : ["error: \(message)"]))
    }

    /// Checks that a replay reads the sources with the run's options.
    @Test func replayUsesTheStoredOptions() throws {
        let root = try workplace.write(try Forged.root(), to: "root.cer")
        let receipt = try Forged.receipt(ReceiptContent())
        let text = Data(receipt).base64EncodedString()
        let rows = try workplace.write(Array("k|who|a;b|r\n1|anna|;|\(text)\n".utf8), to: "export.txt")
        for name in ["a.der", "b.txt", "old/c.der"] { try workplace.write(receipt, to: "folder/\(name)") }
        let (folder, output) = (workplace.file("folder"), workplace.file("out.sqlite"))
        let made = try Tool.run(
            "audit", rows, folder, "--root", root, "--as-of", "2024-07-01T00:00:00Z", "--format", "csv",
            "--delimiter", "pipe", "--id-field", "k", "--receipt-field", "r", "--subject-field", "who",
            "--include", "*.der", "--exclude", "old", "--output", output)
        #expect(made.status == 0, "\(made)")
        #expect(made.messages.contains("2 records: "), "\(made)")
        let again = try Tool.run("audit", "--replay", output, rows, folder, "--root", root)
        #expect(again.status == 0, "\(again)")
        #expect(again.output == "2 records verified again: every row matches\n", "\(again)")
        #expect(
            again.messages.contains(
                #", format csv, delimiter 124, columns ["k","r","who"], include ["*.der"], exclude ["old"]"#
                    + "\n"), "\(again)")
        for (option, value, message) in [
            ("--format", "auto", "format was csv, is auto"), ("--delimiter", ";", "delimiter was 124, is 59"),
            ("--include", "*", #"include was ["*.der"], is ["*"]"#),
            ("--exclude", "a", #"exclude was ["old"], is ["a"]"#),
        ] {
            let other = try Tool.run(
                "audit", "--replay", output, rows, folder, "--root", root, option, value)
            #expect(other.status == 2, "\(option)")
            #expect(
                other.messages.contains("made with other settings: \(message)")
                    || other.messages.contains("no column"), "\(other.messages)")
        }
    }

    /// Checks that the report on Apple's own receipts has no warning.
    @Test func applesReceiptsHaveNoWarning() throws {
        let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Fixtures/genuine/receipts").standardizedFileURL.path
        let page = workplace.file("r.html")
        let made = try Tool.run("audit", fixtures, "--report", page, "--output", workplace.file("out.sqlite"))
        #expect(made.status == 0)
        #expect(!made.messages.contains("NOT APPLE"))
        let text = String(decoding: try workplace.read("r.html"), as: UTF8.self)
        #expect(!text.contains("class=\"banner\""))
        #expect(text.contains("<strong>0</strong> <span>not Apple"))
        #expect(
            text.contains(
                "Apple Root CA, SHA-256 b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024"))
    }
}
