import Foundation
import ReceiptForge
import RecordSources
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit

/// Evidence without a subject: which of it belongs to one customer, and which identifiers link it.
struct LinkedEvidenceTests {
    private static let catalog = #"{"groups": {"main": ["com.example.app.monthly"]}}"#
    private static let token = "3db5c98d-8acf-4e29-831e-8e1f82f9f6e9"

    /// A signed object or a receipt, with a name.
    struct Piece: Sendable {
        var name: String
        var payload: JSONMembers?
        var originals: [String] = []

        func line(subject: String?) throws -> [UInt8] {
            if let payload { return ForgedJWS.line(name, try ForgedJWS.text(payload), subject: subject) }
            var content = ReceiptContent(bundleID: "com.example.app")
            content.receiptType = "ProductionSandbox"
            content.creationDate = "2026-06-01T10:00:00Z"
            content.purchases = originals.map {
                PurchaseContent.subscription(
                    productID: "com.example.app.other", transactionID: $0, originalTransactionID: $0,
                    purchaseDate: "2026-05-20T09:00:00Z", expiresDate: "2026-06-20T09:00:00Z")
            }
            return try Forged.line(name, content, subject: subject)
        }
    }

    /// Returns a consumable. Consumables never conflict.
    private static func bought(
        _ name: String, _ original: String, account: String? = nil, token: String? = nil,
        _ more: KeyValuePairs<String, String?> = [:]
    ) -> Piece {
        var payload = ForgedJWS.transaction("9\(name)", ["type": #""Consumable""#, "expiresDate": nil])
        payload["subscriptionGroupIdentifier"] = nil
        payload["originalTransactionId"] = "\"\(original)\""
        payload["appTransactionId"] = account.map { "\"\($0)\"" }
        payload["appAccountToken"] = token.map { "\"\($0)\"" }
        for (member, value) in more { payload[member] = value }
        return Piece(name: name, payload: payload)
    }

    /// Returns a month of the subscription.
    private static func month(
        _ name: String, _ original: String, _ start: Int, account: String? = nil, token: String? = token,
        _ more: KeyValuePairs<String, String?> = [:]
    ) -> Piece {
        var piece = bought(
            name, original, account: account, token: token,
            [
                "type": #""Auto-Renewable Subscription""#, "subscriptionGroupIdentifier": #""21000001""#,
                "purchaseDate": "\(1_700_000_000_000 + start * 86_400_000)",
                "expiresDate": "\(1_700_000_000_000 + (start + 30) * 86_400_000)",
            ])
        for (member, value) in more { piece.payload?[member] = value }
        return piece
    }

    private static func renewal(_ name: String, _ original: String, account: String?) -> Piece {
        var payload = JSONMembers.renewalInfo
        payload["originalTransactionId"] = "\"\(original)\""
        payload["appTransactionId"] = account.map { "\"\($0)\"" }
        return Piece(name: name, payload: payload)
    }

    private static func app(_ name: String, account: String) -> Piece {
        var payload = JSONMembers.appTransaction
        payload["appTransactionId"] = "\"\(account)\""
        return Piece(name: name, payload: payload)
    }

    private static func uuid(_ number: Int) -> String {
        "00000000-0000-4000-8000-" + String(repeating: "0", count: 9) + "\(100 + number)"
    }

    /// Returns the customers of a run: the names of their evidence, and the identifiers that link it.
    private static func customers(_ lines: [[UInt8]], isReplayed: Bool = false) throws -> [String] {
        let workplace = try Workplace()
        let input = try workplace.write(lines.joined(), to: "in.ndjson")
        let output = workplace.file("out.sqlite")
        let audit = try Forged.audit([input], catalog: catalog)
        #expect(try audit.database(output).genuine == lines.count)
        if isReplayed { #expect(try audit.replay(output, jobs: 1) { Issue.record("\($0)") }.holds) }
        // Customers are sorted by their first evidence.
        let first =
            "SELECT min(receipt_id) AS first FROM customer_receipts GROUP BY customer_id ORDER BY customer_id"
        #expect(
            try ask(output, "SELECT group_concat(first) FROM (\(first))")
                == ask(output, "SELECT group_concat(first) FROM (SELECT * FROM (\(first)) ORDER BY first)"))
        return try ask(
            output,
            """
            SELECT (SELECT group_concat(record, ' ') FROM (SELECT r.record FROM customer_receipts o
                JOIN receipts r ON r.id = o.receipt_id WHERE o.customer_id = c.id ORDER BY r.record)) || ':',
                coalesce(c.linked_by, 'subject') FROM customers c
            """
        ).sorted()
    }

    private static let rows: [(String, [Piece], [String])] = [
        (
            "an app transaction id links original transactions",
            [bought("a", "1", account: "A"), bought("b", "2", account: "A"), bought("c", "3", account: "B")],
            ["a b: app_transaction_id", "c: "]
        ),
        (
            "a prefix or another case does not link",
            [
                bought("a", "1", account: "A"), bought("b", "2", account: "a"),
                bought("c", "3", account: "A1"),
            ],
            ["a: ", "b: ", "c: "]
        ),
        (
            "family members have separate ids, whatever the original transaction",
            [
                bought("a", "1", account: "A"),
                bought("b", "1", account: "B", ["inAppOwnershipType": #""FAMILY_SHARED""#]),
                renewal("c", "1", account: "B"),
            ], ["a: ", "b c: app_transaction_id"]
        ),
        (
            "apps and environments are not mixed",
            [
                bought("a", "1", account: "A", token: token),
                bought("b", "2", account: "A", token: token, ["bundleId": #""com.example.two""#]),
                bought("c", "3", account: "A", token: token, ["environment": #""Production""#]),
            ], ["a: ", "b: ", "c: "]
        ),
        (
            "empty identifiers link nothing",
            [
                bought("a", "0", account: ""), bought("b", "0", account: ""), bought("c", "", account: "0"),
                bought("d", "", account: "0"),
            ], ["a: ", "b: ", "c: ", "d: "]
        ),
        (
            "older evidence is linked by its original transaction",
            [
                bought("a", "1"), bought("b", "1", account: "A"), bought("c", "2", account: "A"),
                Piece(name: "d", originals: ["1", "3"]), bought("e", "3"), Piece(name: "f", originals: ["4"]),
            ], ["a b c d e: app_transaction_id,original_transaction_id", "f: "]
        ),
        (
            "an original transaction of two app transaction ids links to neither",
            [
                bought("a", "1", account: "A"), bought("b", "2", account: "B"),
                Piece(name: "c", originals: ["1", "3"]), Piece(name: "d", originals: ["3", "2"]),
                bought("e", "5", account: "A"),
            ], ["a e: app_transaction_id", "b: ", "c d: original_transaction_id"]
        ),
        (
            "renewal information links like transactions",
            [
                bought("a", "1"), bought("b", "2", account: "A"), renewal("c", "1", account: "A"),
                renewal("d", "1", account: nil), renewal("e", "7", account: "A"),
            ], ["a b c d: app_transaction_id,original_transaction_id"]
        ),
        (
            "app transactions belong to purchases, and alone are not a customer",
            [
                bought("a", "1", account: "A"), app("b", account: "A"), app("c", account: "C"),
                app("d", account: "C"),
            ],
            ["a b: app_transaction_id"]
        ),
        (
            "a token links in any case",
            [
                bought("a", "1", token: token), bought("b", "2", token: token.uppercased()),
                Piece(name: "c", originals: ["2"]),
            ], ["a b c: app_account_token,original_transaction_id"]
        ),
        (
            "if a stronger identifier links, the token is not listed",
            [bought("a", "1", account: "A", token: token), bought("b", "2", account: "A", token: token)],
            ["a b: app_transaction_id"]
        ),
        (
            "the nil UUID and invalid UUIDs",
            [
                "00000000-0000-0000-0000-000000000000", "guest", "", token + "0",
                token.replacing("-", with: ""), token.replacing("3d", with: "3g"),
            ].enumerated().flatMap { index, token in
                ["a", "b"].map { bought("\($0)\(index)", "\($0)\(index)", token: token) }
            }, ["a", "b"].flatMap { name in (0..<6).map { "\(name)\($0): " } }
        ),
        (
            "a token of two app transaction ids links neither",
            [
                bought("a", "1", account: "A", token: token), bought("b", "2", account: "B", token: token),
                bought("c", "3", token: token),
            ], ["a: ", "b: ", "c: "]
        ),
        (
            "nor does a chain of tokens between two of them",
            [
                bought("a", "1", account: "A", token: uuid(1)), bought("b", "2", token: uuid(1)),
                bought("c", "2", token: uuid(2)), bought("d", "3", account: "B", token: uuid(2)),
            ], ["a: ", "b c: original_transaction_id", "d: "]
        ),
        (
            "several tokens of one customer",
            [
                bought("a", "1", account: "A", token: uuid(1)), bought("b", "2", token: uuid(1)),
                bought("c", "2", token: uuid(2)), bought("d", "3", token: uuid(2)),
                bought("e", "4", account: "A"),
            ], ["a b c d e: app_account_token,app_transaction_id,original_transaction_id"]
        ),
        (
            "the maximum number of linked parts",
            (0..<10).map { bought("\($0)", "5\($0)", token: token) },
            ["0 1 2 3 4 5 6 7 8 9: app_account_token"]
        ),
        (
            "one token for all users, and separate tokens of some",
            (0..<11).map { bought("\($0)", "5\($0)", token: token) } + [
                bought("a", "50", token: uuid(0)), bought("b", "100", token: uuid(0)),
            ],
            ["0 a b: app_account_token,original_transaction_id"] + (1..<11).map { "\($0): " }.sorted()
        ),
        (
            "a chain with too many tokens",
            (0..<11).flatMap {
                [
                    bought("a\($0)", "5\($0)", token: uuid($0)),
                    bought("b\($0)", "5\($0)", token: uuid($0 + 1)),
                ]
            }, (0..<11).map { "a\($0) b\($0): original_transaction_id" }.sorted()
        ),
        (
            "a token with two simultaneous subscriptions of a group links nothing",
            [month("a", "1", 0), month("b", "1", 30), month("c", "2", 59)],
            ["a b: original_transaction_id", "c: "]
        ),
        (
            "nor if one is within the other",
            [
                month("a", "1", 0, ["expiresDate": "1900000000000"]), month("b", "2", 10),
                month("c", "1", 20, ["expiresDate": "1900000000000"]),
            ], ["a c: original_transaction_id", "b: "]
        ),
        (
            "consecutive, separate or family subscriptions may be linked",
            [
                month("a", "1", 0), month("b", "2", 30), month("c", "1", 0),
                month("d", "3", 10, ["subscriptionGroupIdentifier": #""2""#]),
                month("e", "4", 10, ["inAppOwnershipType": #""FAMILY_SHARED""#]),
            ], ["a b c d e: app_account_token,original_transaction_id"]
        ),
    ]

    @Test(arguments: rows.indices)
    func identifiersLinkInAnyOrder(index: Int) throws {
        let (name, pieces, expected) = Self.rows[index]
        let lines = try pieces.map { try $0.line(subject: nil) }
        var generator = SplitMix64(seed: UInt64(index))
        for (number, lines) in [lines, lines.reversed(), lines.shuffled(using: &generator)].enumerated() {
            let found = try Self.customers(lines, isReplayed: number == 0)
            #expect(found == expected.sorted(), "\(name), order \(number)")
        }
    }

    @Test func subjectLinksByItself() throws {
        let pieces = [
            Self.bought("a", "1", account: "A", token: Self.token), Self.bought("b", "2", account: "B"),
        ]
        #expect(try Self.customers(pieces.map { try $0.line(subject: "anna") }) == ["a b: subject"])
    }

    /// Checks that identifiers that do not link evidence are reported.
    @Test func unusedIdentifiersAreReported() throws {
        let workplace = try Workplace()
        let pieces =
            (0..<11).map { Self.bought("\($0)", "5\($0)", token: Self.token) } + [
                Self.bought("a", "1", account: "A", token: Self.uuid(1)),
                Self.bought("b", "2", account: "B", token: Self.uuid(1)),
                Piece(name: "c", originals: ["1", "2"]),
                Self.bought("d", "3", token: Self.uuid(2)), Self.bought("e", "4", token: Self.uuid(2)),
            ]
        let input = try workplace.write(pieces.flatMap { try $0.line(subject: nil) }, to: "in.ndjson")
        let output = workplace.file("out.sqlite")
        _ = try Forged.audit([input], catalog: Self.catalog).database(output)
        let titles = try ask(output, "SELECT title FROM not_looked_for")
        #expect(titles.contains("Customers that 2 app account tokens may link"), "\(titles)")
        #expect(titles.contains("The app transaction id of 1 customer without one"), "\(titles)")
    }

    /// Checks that environments without unique identifiers link nothing. The test changes the environment in
    /// the database.
    @Test(arguments: ["'Xcode'", "'LocalTesting'", "NULL"])
    func environmentsWithoutUniqueIdentifiersLinkNothing(environment: String) throws {
        let workplace = try Workplace()
        let pieces = ["a", "b"].map { Self.bought($0, "1", account: "A", token: Self.token) }
        let input = try workplace.write(pieces.flatMap { try $0.line(subject: nil) }, to: "in.ndjson")
        let output = workplace.file("out.sqlite")
        _ = try Forged.audit([input]).database(output)
        try withDatabase(output) { database in
            for (sql, customers) in [
                ("SELECT 1", 1), ("UPDATE receipts SET environment = \(environment)", 2),
            ] {
                try database.execute(sql)
                _ = try LinkedEvidence(database)
                let firsts: [Int] = try database.prepare("SELECT DISTINCT first FROM temp.evidence").values()
                #expect(firsts.count == customers)
            }
        }
    }

    /// Checks that the verdict uses all linked evidence: a trial under one original transaction affects
    /// another one.
    @Test func verdictsUseAllLinkedEvidence() throws {
        let workplace = try Workplace()
        let pieces = [
            Self.month("a", "1", 0, token: nil, ["offerType": "1"]), Self.month("b", "2", 60, token: nil),
        ]
        for (account, expected) in [(nil, "lapsed,offer-used"), ("A", "offer-used")] {
            let lines = try pieces.map { piece in
                var piece = piece
                piece.payload?["appTransactionId"] = account.map { "\"\($0)\"" }
                return try piece.line(subject: nil)
            }
            let name = account ?? "none"
            let input = try workplace.write(lines.joined(), to: name)
            let output = workplace.file(name + ".sqlite")
            _ = try Forged.audit([input], catalog: Self.catalog, format: .ndjson).database(output)
            #expect(
                try ask(
                    output,
                    """
                    SELECT group_concat(introductory_rule) FROM (
                        SELECT introductory_rule FROM subject_verdicts ORDER BY introductory_rule)
                    """) == [expected])
        }
    }
}
