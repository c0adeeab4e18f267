import ReceiptForge
import TestSupport
import Testing

@testable import ReceiptAudit

/// Purchases in the views of the database: each once, also if a restored subscription has other transaction ids.
struct PurchaseViewTests {
    private typealias Purchase = PurchaseContent

    private static func period(
        _ id: String, from date: String = "2026-01-01T10:00:00Z", to end: String = "2026-02-01T10:00:00Z",
        product: String = "basic", _ change: (inout Purchase) -> Void = { _ in }
    ) -> Purchase {
        var purchase = Purchase.subscription(
            productID: product, transactionID: id, originalTransactionID: "100", purchaseDate: date,
            expiresDate: end)
        change(&purchase)
        return purchase
    }

    private static func receipt(created: String, _ purchases: Purchase...) throws -> [UInt8] {
        var content = ReceiptContent(purchases: purchases)
        content.creationDate = created
        return try Forged.receipt(content)
    }

    /// Returns the rows of a query on an audit of one subject's evidence.
    private func rows(_ receipts: [[UInt8]], jws: [JSONMembers] = [], _ sql: String) throws -> [String] {
        let workplace = try Workplace()
        var lines = receipts.enumerated().flatMap { Forged.line("\($0.offset)", $0.element, subject: "anna") }
        for jws in jws { lines += ForgedJWS.line("jws", try ForgedJWS.text(jws), subject: "anna") }
        let output = workplace.file("out.sqlite")
        _ = try Forged.audit([try workplace.write(lines, to: "in.ndjson")]).database(output)
        return try ask(output, sql)
    }

    @Test(arguments: [
        // The newer evidence presents the period under another id.
        ("SELECT count(*) FROM purchases", ["1"]), ("SELECT receipts FROM purchases", ["2"]),
        // Both ids belong to one purchase of one account.
        ("SELECT count(*) FROM purchase_accounts", ["1"]),
        // The newer evidence knows the refund.
        ("SELECT transaction_id, cancellation_date FROM refunds", ["101 2026-01-10T00:00:00Z"]),
        ("SELECT active_until FROM active_periods", ["2026-01-10T00:00:00Z"]),
        // Only the older evidence shows the trial.
        ("SELECT subject, offer, transaction_id FROM offers_used", ["anna trial 101"]),
    ])
    func periodCountsOnce(sql: String, expected: [String]) throws {
        let older = try Self.receipt(
            created: "2026-01-05T00:00:00Z", Self.period("901") { $0.isTrialPeriod = true })
        let newer = try Self.receipt(
            created: "2026-01-12T00:00:00Z",
            Self.period("101") { $0.cancellationDate = "2026-01-10T00:00:00Z" })
        #expect(try rows([older, newer], sql) == expected)
        #expect(try rows([newer, older], sql) == expected)
    }

    /// Checks receipts of one second with different reasons, of which the unknown one decides, as for a verdict.
    @Test func unknownReasonDecides() throws {
        let receipts = try [1, 2].map { reason in
            try Self.receipt(
                created: "2026-01-12T00:00:00Z",
                Self.period("101") {
                    ($0.cancellationDate, $0.cancellationReason) = ("2026-01-10T00:00:00Z", reason)
                })
        }
        for order in [receipts, receipts.reversed()] {
            #expect(try rows(order, "SELECT ending FROM purchases") == ["unknown"])
        }
    }

    /// Checks that the upgraded period of a restored subscription does not count as a refund.
    @Test func upgradeIsNoRefund() throws {
        func receipt(_ device: String, created: String) throws -> [UInt8] {
            try Self.receipt(
                created: created,
                Self.period(device + "101") { $0.cancellationDate = "2026-01-10T00:00:00Z" },
                Self.period(device + "102", from: "2026-01-10T00:00:00Z", product: "pro"))
        }
        let receipts = [
            try receipt("", created: "2026-01-13T00:00:00Z"),
            try receipt("8", created: "2026-01-12T00:00:00Z"),
        ]
        #expect(
            try rows(receipts, "SELECT transaction_id, ending FROM purchases ORDER BY 1") == [
                "101 upgrade", "102 -",
            ])
    }

    /// Checks a renewal that was charged ahead, and that an upgrade replaced before it began. The dates are those of a published
    /// answer.
    @Test(arguments: [
        (Renewal(), "upgrade"),
        // Canceled two days later, and before the upgrade.
        (Renewal(cancelled: "2020-06-12T01:29:56Z"), "refund"),
        (Renewal(cancelled: "2020-06-09T17:00:00Z"), "refund"),
        // The upgrade was bought more than a day before, or had ended, or is of the same product.
        (Renewal(upgraded: "2020-06-08T17:28:31Z"), "refund"),
        (Renewal(upgradeEnd: "2020-06-09T20:56:43Z"), "refund"),
        (Renewal(upgrade: "basic"), "refund"),
        // The first purchase of its product, and a purchase after a gap.
        (Renewal(former: "weekly"), "refund"), (Renewal(formerEnd: "2020-06-09T20:54:00Z"), "refund"),
    ])
    func replacedRenewalIsAnUpgrade(renewal: Renewal, ending: String) throws {
        let receipt = try Self.receipt(
            created: "2020-06-20T00:00:00Z",
            Self.period("101", from: "2020-05-09T20:55:43Z", to: renewal.formerEnd, product: renewal.former),
            Self.period("102", from: renewal.upgraded, to: renewal.upgradeEnd, product: renewal.upgrade),
            Self.period("103", from: "2020-06-09T20:55:43Z", to: "2020-07-09T20:55:43Z") {
                $0.cancellationDate = renewal.cancelled
            })
        #expect(
            try rows([receipt], "SELECT ending FROM purchases WHERE transaction_id = '103'") == [ending])
    }

    /// Checks that such a renewal ended when it began, if Apple states no date of the upgrade.
    @Test func replacedRenewalWithoutACancellationNeverRan() throws {
        let former = "2020-06-09T20:55:43Z"
        let receipt = try Self.receipt(
            created: "2020-06-09T18:00:00Z",
            Self.period("101", from: "2020-05-09T20:55:43Z", to: former),
            Self.period("102", from: "2020-06-09T17:28:31Z", to: "2021-06-09T17:28:31Z", product: "yearly"))
        let signed = ForgedJWS.transaction(
            "103",
            [
                "originalTransactionId": #""100""#, "bundleId": #""com.example.forge""#,
                "environment": #""Production""#, "productId": #""basic""#, "isUpgraded": "true",
                "purchaseDate": "1591736143000", "expiresDate": "1594328143000",
            ])
        let query = "SELECT ending, ended_at FROM purchases WHERE transaction_id = '103'"
        #expect(try rows([receipt], jws: [signed], query) == ["upgrade \(former)"])
    }

    /// Checks that an upgraded period ends at the next upgrade, and not at such a renewal.
    @Test func replacedRenewalIsNoSuccessor() throws {
        let upgraded = "2020-07-02T10:00:00Z"
        let receipt = try Self.receipt(
            created: "2020-08-01T00:00:00Z",
            Self.period("101", from: "2020-05-09T20:55:43Z", to: "2020-06-09T20:55:43Z"),
            Self.period("102", from: "2020-06-09T17:28:31Z", to: "2021-06-09T17:28:31Z", product: "yearly") {
                $0.cancellationDate = upgraded
            },
            Self.period("103", from: "2020-06-09T20:55:43Z", to: "2020-07-09T20:55:43Z") {
                $0.cancellationDate = "2020-06-10T01:29:56Z"
            },
            Self.period("104", from: upgraded, to: "2020-08-02T10:00:00Z", product: "premium"))
        let query = "SELECT ending, ended_at FROM purchases WHERE transaction_id = '102'"
        #expect(try rows([receipt], query) == ["upgrade \(upgraded)"])
    }

    @Test(
        arguments: [
            ("1", nil, "introductory"), ("3", nil, "offer code"), ("5", nil, "unknown"),
            // An offer, but of which type?
            (nil, "back", "unknown"),
        ] as [(String?, String?, String)])
    func offerOfASignedTransaction(type: String?, identifier: String?, offer: String) throws {
        let signed = ForgedJWS.transaction(
            "101", ["offerType": type, "offerIdentifier": identifier.map { "\"\($0)\"" }])
        #expect(try rows([], jws: [signed], "SELECT offer FROM purchases") == [offer])
    }

    struct Renewal: Sendable {
        var former = "basic"
        var formerEnd = "2020-06-09T20:55:43Z"
        var upgrade = "yearly"
        var upgraded = "2020-06-09T17:28:31Z"
        var upgradeEnd = "2021-06-09T17:28:31Z"
        var cancelled = "2020-06-10T01:29:56Z"
    }

    @Test(arguments: [
        // Another second of the purchase.
        Self.period("901", from: "2026-01-01T10:00:01Z"),
        // Another product.
        Self.period("901", product: "pro"),
        // Another subscription.
        Self.period("901") { $0.originalTransactionID = "900" },
        // No subscription.
        Self.period("901") { $0.expiresDate = nil },
        // An original transaction that identifies nothing.
        Self.period("901") { $0.originalTransactionID = "0" },
    ])
    func otherPurchasesStayApart(other: PurchaseContent) throws {
        let receipts = [
            try Self.receipt(created: "2026-01-05T00:00:00Z", other),
            try Self.receipt(created: "2026-01-12T00:00:00Z", Self.period("101")),
        ]
        #expect(try rows(receipts, "SELECT transaction_id FROM purchases ORDER BY 1") == ["101", "901"])
    }

    @Test(arguments: [
        // (the transaction of the signed evidence, its ownership, whether the receipt's period is bought)
        ("101", "FAMILY_SHARED", "0"), ("102", "FAMILY_SHARED", "0"), ("102", "PURCHASED", "1"),
        // An owner that this version does not know.
        ("101", "ASSIGNED", "-"), ("102", "ASSIGNED", "-"),
    ])
    func ownershipOfTheSubscription(transaction: String, ownership: String, isBought: String) throws {
        let signed = ForgedJWS.transaction(
            transaction,
            [
                "originalTransactionId": #""100""#, "inAppOwnershipType": "\"\(ownership)\"",
                "bundleId": #""com.example.forge""#, "environment": #""Production""#,
                "productId": #""basic""#,
            ])
        let receipt = try Self.receipt(created: "2026-01-05T00:00:00Z", Self.period("101"))
        #expect(
            try rows([receipt], jws: [signed], "SELECT is_bought FROM purchases WHERE transaction_id = '101'")
                == [isBought])
    }

    @Test(
        arguments: [
            // (ownership, kind of revocation, ending and thousandths paid back)
            ("PURCHASED", nil, "refund 9990"), ("FAMILY_SHARED", nil, "family 0"),
            // A kind that this version does not know.
            ("PURCHASED", "UPGRADED_TO_BUNDLE", "unknown -"),
            // An owner that this version does not know: nothing is known of the end, even of a refund.
            ("ASSIGNED", nil, "unknown -"), ("ASSIGNED", "REFUND_FULL", "unknown -"),
            ("ASSIGNED", "ASSIGNMENT_REVOKE", "unknown -"),
            // Apple states the reason.
            ("ASSIGNED", "FAMILY_REVOKE", "family 0"),
        ] as [(String, String?, String)])
    func endingOfARevocation(ownership: String, revocation: String?, ending: String) throws {
        let signed = ForgedJWS.transaction(
            "101",
            [
                "inAppOwnershipType": "\"\(ownership)\"", "revocationDate": "1780300000000",
                "revocationReason": "0", "revocationType": revocation.map { "\"\($0)\"" },
            ])
        let sql = "SELECT ending, CAST(refunded * 1000 AS INTEGER) FROM purchases"
        #expect(try rows([], jws: [signed], sql) == [ending])
    }

    /// Checks that the newest of two refunds of one purchase decides on the amount, which is 9.99.
    @Test(
        arguments: [
            // (kind and share of the older, kind and share of the newer, thousandths paid back)
            ("REFUND_FULL", "100000", "REFUND_PRORATED", "25000", "2498"),
            ("REFUND_PRORATED", "25000", "REFUND_FULL", nil, "9990"),
            // A kind that this version does not know.
            ("REFUND_FULL", nil, "ADJUSTMENT", nil, "-"),
        ] as [(String, String?, String, String?, String)])
    func newestRefundDecides(
        older: String, olderShare: String?, newer: String, newerShare: String?, refunded: String
    ) throws {
        let refunds = [(older, olderShare, 1), (newer, newerShare, 2)].map { kind, share, day in
            ForgedJWS.transaction(
                "101",
                [
                    "revocationDate": "1780300000000", "revocationReason": "0",
                    "revocationType": "\"\(kind)\"",
                    "revocationPercentage": share, "signedDate": "178040000000\(day)",
                ])
        }
        let sql = "SELECT CAST(refunded * 1000 AS INTEGER) FROM purchases"
        for order in [refunds, refunds.reversed()] {
            #expect(try rows([], jws: order, sql) == [refunded])
        }
    }
}
