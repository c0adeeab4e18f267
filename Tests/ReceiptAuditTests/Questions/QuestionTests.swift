import AppReceipt
import Foundation
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit

/// The questions of auditors. The expected numbers are computed from the described purchases.
struct QuestionTests {
    let export: SaleExport

    init() throws { export = try SaleExport.shared.get() }

    /// The answer to a question: its number, its rows as dictionaries, and its accounts.
    struct Answer {
        var number = 0
        var parts: [String: Int] = [:]
        var rows: [[String: String]] = []
        var accounts: Set<String> = []
    }

    private func ask(
        _ question: AuditQuestion, _ change: (inout QuestionScope) -> Void = { _ in }
    ) throws -> Answer {
        var scope = QuestionScope()
        change(&scope)
        return try QuestionDatabase(path: export.path).answer(question, scope) { told in
            var answer = Answer(number: told.number)
            for part in told.parts {
                answer.parts[part.labels.map { $0 ?? "" }.joined(separator: "/")] = part.number
            }
            for row in try told.start(.rows, limit: .max).rows {
                answer.rows.append(Dictionary(uniqueKeysWithValues: zip(told.columns(.rows), row)))
            }
            for row in try told.start(.accounts, limit: .max).rows {
                let isNew = answer.accounts.insert(row[0].isEmpty ? "#\(row[1])" : row[0]).inserted
                #expect(isNew)
            }
            #expect(told.accounts == answer.accounts.count)
            return answer
        }
    }

    private func ask(_ name: String, _ change: (inout QuestionScope) -> Void = { _ in }) throws -> Answer {
        try ask(#require(AuditQuestion.named(name)), change)
    }

    /// Returns the accounts that present purchases: every subject, or the original transaction without one.
    private func accounts(_ sales: [Sale]) -> Set<String> {
        Set(
            sales.flatMap { sale in
                let subjects = sale.subjects.compactMap(\.self)
                return subjects.isEmpty ? ["#\(sale.original)"] : subjects
            })
    }

    private func date(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

    private func byApp(_ sales: [Sale]) -> [String: Int] {
        Dictionary(grouping: sales) { "\($0.environment)/\($0.app)" }.mapValues(\.count)
    }

    // MARK: - Accounts and receipts

    @Test func trialsTwiceAreSubjectsWithTwoOffersInAGroup() throws {
        let answer = try ask("trials-twice")
        // The account "a" has two trials in the group. "b" has two periods of one offer, "e3" shares a trial, and "s" tests.
        #expect(answer.accounts == ["a"])
        #expect(answer.number == 1)
        let findings: Int? = try withDatabase(export.path) {
            try $0.prepare(
                "SELECT count(*) FROM findings WHERE kind = 'several-introductory-offers' AND severity = 'alert'"
            ).firstValue()
        }
        #expect(findings == 1)
        #expect(try ask("trials-twice") { $0.environment = "Sandbox" }.accounts == ["s"])
        #expect(try ask("trials-twice") { $0.environment = "any" }.number == 2)
    }

    @Test func sharedReceiptsCountOnce() throws {
        // Receipts and JWS of the purchase that "g" and "h" present.
        let answer = try ask("shared-receipts")
        #expect(answer.number == 3)
        #expect(answer.accounts == ["g", "h"])
        #expect(answer.rows.allSatisfy { $0["subjects"] == "2" })
    }

    @Test(arguments: [nil, "com.example.one", "com.example.two"])
    func customersAreSubjectsOrOriginalTransactions(app: String?) throws {
        let answer = try ask("customers") { $0.app = app }
        let expected = accounts(SaleExport.sales(app: app))
        #expect(answer.accounts == expected)
        #expect(answer.number == expected.count)
    }

    @Test func unverifiedCountsRefusedRecords() throws {
        let answer = try ask("unverified")
        #expect(answer.number == SaleExport.refused)
        #expect(answer.accounts == ["y", "z"])
        #expect(answer.parts.values.reduce(0, +) == SaleExport.refused)
    }

    // MARK: - Subscriptions

    private func isRunning(_ sale: Sale, _ date: String) -> Bool {
        sale.from <= date && date < (sale.endedAt ?? sale.from)
    }

    private func bought(_ environment: String = "Production", _ app: String? = nil) -> [Sale] {
        SaleExport.sales(in: environment, app: app).filter { !$0.isShared }
    }

    @Test(
        arguments: [
            // A day on which most subscriptions run.
            ("2025-05-18T00:00:00Z", "Production", nil),
            // The instant of an upgrade: the new period runs.
            ("2025-05-20T00:00:00Z", "Production", nil),
            // The instant of a refund, and of an expiry.
            ("2025-05-10T00:00:00Z", "Production", nil), ("2025-06-01T00:00:00Z", "Production", nil),
            // One app, and test environments.
            ("2025-05-18T00:00:00Z", "Production", "com.example.two"),
            ("2025-05-18T00:00:00Z", "Sandbox", nil),
            ("2025-05-18T00:00:00Z", "any", nil),
            // Before all purchases.
            ("2020-01-01T00:00:00Z", "Production", nil),
        ] as [(String, String, String?)])
    func activeCountsEachSubscriptionOnce(day: String, environment: String, app: String?) throws {
        let on = try date(day)
        let answer = try ask("active") { ($0.on, $0.environment, $0.app) = (on, environment, app) }
        let running = bought(environment, app).filter { isRunning($0, day) }
        let expected = Dictionary(grouping: running, by: \.subscription)
        #expect(answer.number == expected.count)
        #expect(answer.accounts == accounts(running))
        #expect(
            Set(answer.rows.map { "\($0["environment"]!)/\($0["bundle_id"]!)/\($0["subscription"]!)" })
                == Set(expected.keys))
    }

    @Test func activeUsesTheAsOfDate() throws {
        let expected = Set(bought().filter { isRunning($0, "2026-01-01T00:00:00Z") }.map(\.subscription))
        #expect(try ask("active").number == expected.count)
    }

    @Test(arguments: ["2025-05-18T00:00:00Z", "2025-06-01T00:00:00Z", "2026-06-01T00:00:00Z"])
    func lapsedHaveNoRunningPeriod(day: String) throws {
        let on = try date(day)
        let answer = try ask("lapsed") { $0.on = on }
        let begun = bought().filter { $0.until != nil && $0.from <= day }
        let running = Set(begun.filter { isRunning($0, day) }.map(\.subscription))
        let lapsed = Set(begun.map(\.subscription)).subtracting(running)
        #expect(answer.number == lapsed.count)
        #expect(Set(answer.rows.map { "Production/\($0["bundle_id"]!)/\($0["subscription"]!)" }) == lapsed)
    }

    @Test func expiringEndWithin30Days() throws {
        func expected(_ end: String) -> Set<String> {
            Set(
                bought().filter { isRunning($0, "2026-01-01T00:00:00Z") && $0.endedAt! < end }.map(
                    \.subscription))
        }
        #expect(try ask("expiring").number == expected("2026-01-31T00:00:00Z").count)
        let to = try date("2026-02-16T00:00:00Z")
        #expect(try ask("expiring") { $0.to = to }.number == expected("2026-02-16T00:00:00Z").count)
        #expect(expected("2026-01-31T00:00:00Z").count < expected("2026-02-16T00:00:00Z").count)
    }

    // MARK: - Money

    @Test(arguments: [
        ("", "~", "Production"), ("2025-05-10T00:00:00Z", "2025-08-02T00:00:00Z", "Production"),
        ("", "~", "any"),
    ])
    func refundsCountOnce(from: String, to: String, environment: String) throws {
        let answer = try ask("refunds") {
            $0.environment = environment
            ($0.from, $0.to) = (Timestamp(rfc3339: from), Timestamp(rfc3339: to))
        }
        let expected = SaleExport.sales(in: environment).filter {
            $0.isRefund && $0.revokedAt! >= from && $0.revokedAt! < to
        }
        #expect(answer.number == expected.count)
        #expect(answer.parts == byApp(expected))
        #expect(answer.accounts == accounts(expected))
        let amounts = Dictionary(expected.map { ($0.id, Self.amount($0.refunded)) }) { first, _ in first }
        for row in answer.rows where environment != "any" {
            #expect(row["refunded"] == amounts[row["transaction_id"]!], "\(row)")
        }
    }

    private static func amount(_ thousandths: Int64?) -> String {
        guard let thousandths else { return "" }
        return thousandths % 1000 == 0 ? "\(thousandths / 1000)" : "\(Double(thousandths) / 1000)"
    }

    @Test(
        arguments: [
            [.month], [], [.product], [.product, .month], [.storefront],
        ] as [[AuditQuestion.RevenueColumn]])
    func revenueCountsAPurchaseOnce(columns: [AuditQuestion.RevenueColumn]) throws {
        let answer = try ask(.revenue(by: columns))
        let sold = bought().filter { $0.price != nil }
        #expect(answer.number == sold.count)
        #expect(answer.parts == byApp(sold))
        func key(_ sale: Sale) -> String {
            let values = columns.map { column in
                switch column {
                case .month: String(sale.from.prefix(7))
                case .product: sale.product
                case .storefront: "USA"
                }
            }
            return ([sale.app] + values + [sale.currency]).joined(separator: "/")
        }
        let expected = Dictionary(grouping: sold, by: key)
        #expect(answer.rows.count == expected.count)
        for row in answer.rows {
            let name = (["bundle_id"] + columns.map(\.rawValue) + ["currency"]).map { row[$0]! }.joined(
                separator: "/")
            let sales = expected[name] ?? []
            let gross = sales.reduce(0) { $0 + $1.price! }
            let refunded = sales.reduce(0) { $0 + ($1.refunded ?? 0) }
            let unknown = sales.filter { $0.refunded == nil }.reduce(0) { $0 + $1.price! }
            #expect(row["purchases"] == "\(sales.count)", "\(name)")
            #expect(row["gross"] == Self.amount(gross), "\(name)")
            #expect(row["refunded"] == Self.amount(refunded), "\(name)")
            #expect(row["net"] == Self.amount(gross - refunded), "\(name)")
            #expect(row["partly_refunded"] == Self.amount(unknown), "\(name)")
        }
    }

    @Test func offersUsedCountEachPurchaseOnce() throws {
        let answer = try ask("offers-used")
        let expected = bought().filter { $0.offer != nil }
        #expect(answer.number == expected.count)
        #expect(answer.accounts == accounts(expected))
        let rows = Dictionary(grouping: expected) { "\($0.app)/\($0.product)/\($0.offer!.rawValue)" }
            .mapValues { "\($0.count)" }
        let told = answer.rows.map {
            ("\($0["bundle_id"]!)/\($0["product_id"]!)/\($0["offer"]!)", $0["purchases"]!)
        }
        #expect(Dictionary(uniqueKeysWithValues: told) == rows)
    }

    // MARK: - All questions

    /// Checks that a purchase without a date counts, unless dates are asked for.
    @Test(arguments: [([], "1"), (["--from", "2020-01-01"], "0"), (["--to", "2040-01-01"], "0")])
    func purchaseWithoutADate(dates: [String], number: String) throws {
        let workplace = try Workplace()
        let jws = ForgedJWS.transaction("1", ["purchaseDate": nil, "offerType": "1"])
        let input = try workplace.write(ForgedJWS.line("1", try ForgedJWS.text(jws)), to: "in.ndjson")
        let database = workplace.file("out.sqlite")
        _ = try Forged.audit([input]).database(database)
        for question in ["offers-used", "revenue"] {
            let answer = try Tool.run(
                ["ask", question, "--database", database, "--environment", "any", "--json"] + dates)
            #expect(answer.output.contains("\"number\":\(number),"), "\(answer.output)")
        }
    }

    /// Checks that each question describes its columns, and that its statement for other programs has the same rows.
    @Test(arguments: AuditQuestion.all.map(\.name))
    func statementHasTheSameRows(name: String) throws {
        let question = try #require(AuditQuestion.named(name))
        let answer = try ask(name)
        try withDatabase(export.path) { database in
            let statement = try database.prepare(question.statement)
            #expect(statement.names == question.columns.map(\.name))
            let empty = Dictionary(
                uniqueKeysWithValues: AuditQuestion.Parameter.allCases.map { (":\($0.rawValue)", "") })
            let rows = try statement.bind(named: empty).rows()
            #expect(rows.count == answer.rows.count)
        }
        #expect(!answer.rows.isEmpty)
        #expect(!question.columns.contains { $0.meaning.isEmpty })
    }

    // MARK: - Documentation

    private static func gross(_ sales: [Sale]) -> Double {
        Double(sales.map { $0.price ?? 0 }.reduce(0, +)) / 1000
    }

    private static func refunded(_ sales: [Sale]) -> Double {
        Double(sales.map { $0.refunded ?? 0 }.reduce(0, +)) / 1000
    }

    /// Runs every query of the page "Asking the database".
    @Test func documentedQueriesAreRight() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/ReceiptAudit/ReceiptAudit.docc/AskingTheDatabase.md")
        let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```sql\n")
            .dropFirst()
        let queries = blocks.map { $0.components(separatedBy: "```")[0] }
        #expect(queries.count == 15)
        let sales = bought()
        let trials = sales.filter { $0.offer == .trial }
        let sold = sales.filter { $0.price != nil }
        let active = sales.filter { isRunning($0, "2026-01-01T00:00:00Z") }
        let shared = sales.filter { Set($0.subjects.compactMap(\.self)).count > 1 }
        let refunds = sales.filter(\.isRefund)
        // Months with another introductory offer have a row, too, with the sum 0.
        let introductory = sales.filter { $0.offer == .trial || $0.offer == .introductory }
        let months = Set(introductory.map { $0.app + $0.from.prefix(7) }).count
        let activeProducts = Set(active.map { $0.app + $0.product }).count
        let currencies = Set(sold.map { $0.app + $0.currency }).count
        // Shared purchases have one record for each account, those without a price three, and all others four.
        let genuine = SaleExport.sales.map { sale in
            sale.subjects.count * (sale.isShared ? 1 : sale.price == nil ? 3 : 4)
        }.reduce(0, +)
        // The number of rows, and the sums of columns.
        let expected: [(beginning: String, rows: Int, sums: [Int: Double])] = [
            ("SELECT subject, product_id, purchase_date", trials.count, [:]),
            ("SELECT subject, bundle_id, periods", 1, [2: 2]),
            ("SELECT bundle_id, month, sum(trials)", months, [2: Double(trials.count)]),
            (
                "SELECT bundle_id, product_id, count(DISTINCT", activeProducts,
                [2: Double(Set(active.map(\.subscription)).count)]
            ),
            ("SELECT cancellation_date, product_id", refunds.count, [3: Self.refunded(refunds)]),
            (
                "SELECT bundle_id, currency, sum(price)", currencies,
                [2: Self.gross(sold), 3: Self.refunded(sold)]
            ),
            ("SELECT purchase, count(*) AS accounts", shared.count, [1: Double(2 * shared.count)]),
            ("SELECT subject, serial, receipts", 2, [2: Double(genuine)]),
            ("SELECT subject, original_transaction_id, auto_renew_status", 0, [:]),
            ("SELECT subject, record, listing", 0, [:]),
            ("SELECT revocation, count(*)", 1, [1: Double(genuine)]),
            ("SELECT subject, record, path, refusal_code", SaleExport.refused, [:]),
            ("SELECT kept ->> 'country'", 3, [2: Double(genuine + SaleExport.refused + 1)]),
            ("SELECT id, receipts, purchases FROM customers", 0, [:]),
        ]
        try withDatabase(export.path) { database in
            for query in queries {
                let rows = try database.prepare(query).rows()
                guard let wanted = expected.first(where: { query.hasPrefix($0.beginning) }) else { continue }
                #expect(rows.count == wanted.rows, "\(query)")
                for (column, sum) in wanted.sums {
                    let values = rows.map { row -> Double in
                        switch row[column] {
                        case .integer(let number): Double(number)
                        case .real(let number): number
                        default: 0
                        }
                    }
                    #expect(abs(values.reduce(0, +) - sum) < 0.000_001, "\(query)")
                }
            }
        }
        for wanted in expected {
            #expect(queries.contains { $0.hasPrefix(wanted.beginning) }, "\(wanted.beginning)")
        }
    }

    // MARK: - Untrusted databases

    @Test(arguments: [
        // A view that answers something else.
        (
            "DROP VIEW purchases; CREATE VIEW purchases AS SELECT 1 AS purchase",
            "view purchases: other definition than this version writes"
        ),
        // A value of another type.
        ("UPDATE transactions SET price = 'much' WHERE rowid IS NULL OR 1", "transactions: invalid price"),
        // A run that was not finished.
        ("UPDATE runs SET ended_at = NULL", "the run is not finished; finish it with audit --resume"),
        // A trigger.
        (
            "CREATE TRIGGER t AFTER INSERT ON runs BEGIN SELECT 1; END",
            "trigger t: other definition than this version writes"
        ),
        (
            "PRAGMA user_version = 8",
            "schema version 8, expected \(AuditSchema.version); made by another version of appreceipt"
        ),
    ])
    func changedDatabasesAreRefused(change: String, message: String) throws {
        let workplace = try Workplace()
        let copy = workplace.file("copy.sqlite")
        try FileManager.default.copyItem(atPath: export.path, toPath: copy)
        try Connection(path: copy).execute(change.replacing(" WHERE rowid IS NULL OR 1", with: ""))
        #expect { try QuestionDatabase(path: copy) } throws: { error in
            "\(error)" == "\(copy): \(message)"
        }
    }

    // MARK: - Datasette

    @Test func metadataHasQuestionsAndDescriptions() throws {
        let bytes = DatasetteMetadata.json(ofDatabase: "folder/audit.of.may.sqlite")
        let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        let databases = object?["databases"] as? [String: [String: Any]]
        #expect(databases.map { Array($0.keys) } == ["audit.of.may"])
        let database = try #require(databases?["audit.of.may"])
        let queries = try #require(database["queries"] as? [String: [String: Any]])
        #expect(Set(queries.keys) == Set(AuditQuestion.all.map(\.name)))
        #expect(queries["active"]?["params"] as? [String] == ["realm", "environment", "app", "on"])
        let tables = try #require(database["tables"] as? [String: [String: Any]])
        try withDatabase(export.path) { opened in
            let names: [String] = try opened.prepare(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
            ).values()
            for (name, table) in tables {
                #expect(names.contains(name))
                let columns = Set(
                    try opened.prepare("SELECT name FROM pragma_table_info(?)", name).values() as [String])
                let facets = table["facets"] as? [String] ?? []
                let described = (table["columns"] as? [String: String])?.keys.map(\.self) ?? []
                let label = table["label_column"] as? String
                for column in facets + described + [label].compactMap(\.self) {
                    #expect(columns.contains(column), "\(name).\(column)")
                }
            }
            // Some small tables explain themselves by their columns.
            #expect(Set(names).subtracting(tables.keys) == [])
        }
        let receipts = tables["receipts"]?["columns"] as? [String: String]
        #expect(receipts?["subject"] == "the account that presented the record")
    }
}
