import AppReceipt
import Foundation
import OfferEligibility
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit

/// Each kind of finding, with evidence that causes it and evidence that does not.
struct FindingTests {
    static func period(
        _ id: String, original: String = "100", from date: String = "2024-05-01T00:00:00Z",
        product: String = "basic"
    ) -> PurchaseContent {
        PurchaseContent.subscription(
            productID: product, transactionID: id, originalTransactionID: original, purchaseDate: date,
            expiresDate: "2024-06-01T00:00:00Z")
    }

    static func offer(
        _ id: String, original: String, from date: String = "2024-05-01T00:00:00Z", product: String = "basic"
    ) -> PurchaseContent {
        var purchase = period(id, original: original, from: date, product: product)
        purchase.isTrialPeriod = true
        return purchase
    }

    /// Returns the identifiers of the findings, each with its number of rows of evidence.
    static func findings(
        _ receipts: [(String?, ReceiptContent)], catalog: String? = nil, deviceID: [UInt8]? = nil,
        asOf: EligibilityInstant = Forged.asOf
    ) throws -> [String: Int] {
        let workplace = try Workplace()
        let lines = try receipts.enumerated().flatMap {
            try Forged.line("r\($0.offset)", $0.element.1, subject: $0.element.0)
        }
        let input = try workplace.write(lines, to: "in.ndjson")
        let output = workplace.file("out.sqlite")
        _ = try Forged.audit([input], catalog: catalog, deviceID: deviceID, asOf: asOf).database(output)
        return try withDatabase(output) { database in
            let rows = try database.prepare(
                "SELECT finding_id, count(*) AS evidence FROM finding_evidence GROUP BY 1"
            ).map { row -> (String, Int) in try (row["finding_id"], row["evidence"]) }
            return Dictionary(uniqueKeysWithValues: rows)
        }
    }

    static func content(_ purchases: PurchaseContent...) -> ReceiptContent {
        ReceiptContent(purchases: purchases)
    }

    @Test func sharedReceiptIsFound() throws {
        let receipt = Self.content()
        let found = try Self.findings([("a", receipt), ("b", receipt), (nil, receipt)])
        #expect(found.count == 1)
        #expect(found.values.first == 2)
        #expect(found.keys.first?.hasPrefix("shared-receipt:") == true)
        // Every copy is evidence, and each subject counts once.
        #expect(try Self.findings([("a", receipt), ("b", receipt), ("b", receipt)]).values.first == 3)
        #expect(try Self.findings([("a", receipt), ("a", receipt), (nil, receipt)]).isEmpty)
    }

    /// Checks that a receipt with an extra certificate is the same receipt, because the container is not
    /// signed.
    @Test func otherContainerIsTheSameReceipt() throws {
        var recipe = ReceiptRecipe(Self.content(), authority: try .test())
        let plain = try recipe.forge().bytes
        let root = recipe.authority.root.certificate.der
        recipe.editContainer { $0.certificates?.append(root) }
        let wrapped = try recipe.forge().bytes
        #expect(plain != wrapped)
        let workplace = try Workplace()
        let input = try workplace.write(
            Forged.line("one", plain, subject: "a") + Forged.line("other", wrapped, subject: "b"),
            to: "in.ndjson")
        let output = workplace.file("out.sqlite")
        _ = try Forged.audit([input]).database(output)
        try withDatabase(output) { database in
            let kinds: [String] = try database.prepare("SELECT kind FROM findings").values()
            #expect(kinds == ["shared-receipt"])
            let names = try database.prepare("SELECT DISTINCT content_sha256 FROM receipts").rows()
            #expect(names.count == 1)
            let containers = try database.prepare("SELECT DISTINCT sha256 FROM receipts").rows()
            #expect(containers.count == 2)
        }
    }

    @Test func sharedPurchaseIsFound() throws {
        let (first, second) = (
            Self.content(Self.period("101")), Self.content(Self.period("102", from: "2024-05-02T00:00:00Z"))
        )
        #expect(
            try Self.findings([("a", first), ("b", second)]) == [
                "shared-purchase:Production/com.example.forge/100": 2
            ])
        #expect(try Self.findings([("a", first), ("a", second), (nil, second)]).isEmpty)
        var sandbox = second
        sandbox.receiptType = "ProductionSandbox"
        #expect(try Self.findings([("a", first), ("b", sandbox)]).isEmpty)
    }

    @Test func severalIntroductoryOffersAreFound() throws {
        let catalog = #"{"groups": {"main": ["basic", "pro"]}}"#
        let later = "2024-05-20T00:00:00Z"
        let basic = Self.content(Self.offer("101", original: "101"))
        let pro = Self.content(Self.offer("201", original: "201", from: later, product: "pro"))
        let key = "several-introductory-offers:Production/com.example.forge/main/a"
        #expect(try Self.findings([("a", basic), ("a", pro)], catalog: catalog) == [key: 2])
        // A receipt that the subject presents again adds no evidence.
        #expect(
            try Self.findings([("a", basic), ("a", pro), ("a", pro), ("a", basic)], catalog: catalog)[key]
                == 2)
        // Other subjects, other groups, and the same offer again.
        #expect(try Self.findings([("a", basic), ("b", pro)], catalog: catalog).isEmpty)
        #expect(try Self.findings([("a", basic), ("a", pro)]).isEmpty)
        #expect(
            try Self.findings([
                ("a", basic),
                (
                    "a",
                    Self.content(
                        Self.offer("101", original: "101"), Self.period("102", original: "101", from: later))
                ),
            ]).isEmpty)
        // Two periods of one offer, and an offer that returns after a paid period.
        let paid = Self.period("102", original: "101", from: "2024-05-10T00:00:00Z")
        let again = Self.offer("103", original: "101", from: later)
        #expect(
            try Self.findings(
                [("a", Self.content(Self.offer("101", original: "101"), again))], catalog: catalog
            ).isEmpty)
        #expect(
            try Self.findings(
                [("a", Self.content(Self.offer("101", original: "101"), paid, again))], catalog: catalog) == [
                    key: 2
                ])
        // Two offers under one original transaction: of another product, and of one product 61 days after the end of the first one, and
        // a second later
        let boundary = "2024-08-01T00:00:00Z"
        for (other, count) in [
            (Self.offer("103", original: "101", from: later, product: "pro"), 2),
            (Self.offer("103", original: "101", from: boundary), nil),
            (Self.offer("103", original: "101", from: "2024-08-01T00:00:01Z"), 2),
        ] {
            let receipt = Self.content(Self.offer("101", original: "101"), other)
            #expect(try Self.findings([("a", receipt)], catalog: catalog)[key] == count)
        }
        // A year between periods that were paid, and a second more
        for (from, count) in [("2025-06-02T00:00:00Z", nil), ("2025-06-02T00:00:01Z", 2)] {
            var periods = [
                Self.offer("101", original: "101"), Self.offer("103", original: "101", from: from),
            ]
            for index in periods.indices {
                (periods[index].isTrialPeriod, periods[index].isInIntroOfferPeriod) = (false, true)
            }
            let receipt = Self.content(periods[0], periods[1])
            #expect(try Self.findings([("a", receipt)], catalog: catalog)[key] == count)
        }
        // A free period of another offer between two trials
        var free = Self.offer("102", original: "101", from: "2024-05-10T00:00:00Z")
        free.promotionalOfferIdentifier = "promo"
        let around = Self.content(Self.offer("101", original: "101"), free, again)
        #expect(try Self.findings([("a", around)], catalog: catalog)[key] == 2)
        // The renewal between two trials was refunded before it began.
        var refunded = Self.period("102", original: "101", from: "2024-05-10T00:00:00Z")
        refunded.cancellationDate = "2024-05-09T00:00:00Z"
        let trials = Self.content(Self.offer("101", original: "101"), refunded, again)
        #expect(try Self.findings([("a", trials)], catalog: catalog)[key] == 2)
        // The second period of an offer was charged ahead, and an upgrade replaced it before it began.
        let upgrade = Self.period("102", original: "101", from: "2024-05-20T00:00:00Z", product: "pro")
        for (cancelled, count) in [("2024-05-20T00:00:00Z", nil), ("2024-05-21T00:00:00Z", 2)] {
            var replaced = Self.offer("103", original: "101", from: "2024-05-20T09:00:00Z")
            replaced.cancellationDate = cancelled
            let receipt = Self.content(Self.offer("101", original: "101"), upgrade, replaced)
            #expect(try Self.findings([("a", receipt)], catalog: catalog)[key] == count)
        }
    }

    /// Checks conflicting receipts of one date in any order: the receipt with an offer counts, otherwise the
    /// one with the later expiration.
    @Test func orderOfRecordsHasNoEffect() throws {
        let catalog = #"{"groups": {"main": ["basic"], "other": ["pro"]}}"#
        let first = Self.offer("101", original: "101")
        let offer = Self.offer("201", original: "201", from: "2024-05-20T00:00:00Z")
        var (denied, later) = (offer, offer)
        denied.isTrialPeriod = false
        denied.expiresDate = "2024-07-01T00:00:00Z"
        (later.expiresDate, later.productID) = ("2024-07-01T00:00:00Z", "pro")
        let key = "several-introductory-offers:Production/com.example.forge/main/a"
        for (other, count) in [(denied, 2), (later, nil)] {
            let receipts = [
                ("a", Self.content(first, offer)), ("a", Self.content(other)),
            ]
            for receipts in [receipts, receipts.reversed()] {
                #expect(try Self.findings(receipts, catalog: catalog)[key] == count)
            }
        }
    }

    /// Checks that keys are unambiguous. A slash in any part but the last has a ␀ before it.
    @Test func keysWithSlashesAreDistinct() throws {
        let catalog = #"{"groups": {"main": ["basic"], "main/x": ["pro"]}}"#
        func offers(_ product: String, _ first: String, _ second: String) -> ReceiptContent {
            Self.content(
                Self.offer(first, original: first, product: product),
                Self.offer(second, original: second, from: "2024-05-20T00:00:00Z", product: product))
        }
        let start = "several-introductory-offers:Production/com.example.forge/main"
        let receipts = [("x/y", offers("basic", "1", "2")), ("y", offers("pro", "3", "4"))]
        #expect(
            try Self.findings(receipts, catalog: catalog) == [
                start + "/x/y": 2, start + "\u{2400}/x/y": 2,
            ])
    }

    @Test func conflictingTransactionIsFound() throws {
        let first = Self.content(Self.period("101"))
        let other = Self.content(Self.period("101", from: "2024-05-02T00:00:00Z"))
        let key = "told-differently:Production/com.example.forge/101"
        #expect(try Self.findings([(nil, first), (nil, other)]) == [key: 2])
        // A later refund does not conflict. Two refund dates in evidence of the same instant do.
        var refunded = first
        refunded.purchases[0].cancellationDate = "2024-05-03T00:00:00Z"
        refunded.creationDate = "2024-06-02T00:00:00Z"
        #expect(try Self.findings([(nil, first), (nil, refunded)]).isEmpty)
        var extended = first
        extended.purchases[0].expiresDate = "2024-06-08T00:00:00Z"
        #expect(try Self.findings([(nil, first), (nil, extended)]) == [key: 2])
        extended.creationDate = "2024-06-02T00:00:00Z"
        #expect(try Self.findings([(nil, first), (nil, extended)]).isEmpty)
    }

    /// Changes to facts that do not change, in one of two receipts of the same instant.
    private static let differences: [(String, @Sendable (inout PurchaseContent) -> Void)] = [
        ("product", { $0.productID = "pro" }), ("original", { $0.originalTransactionID = "99" }),
        ("offer", { $0.promotionalOfferIdentifier = "other" }), ("type", { $0.productType = 4 }),
        ("purchase date", { $0.purchaseDate = "2024-05-01T00:00:01Z" }),
        ("trial", { $0.isTrialPeriod = true }), ("introductory price", { $0.isInIntroOfferPeriod = true }),
        ("expiry", { $0.expiresDate = "2024-06-01T00:00:01Z" }),
        ("cancellation", { $0.cancellationDate = "2024-05-20T00:00:01Z" }),
    ]

    @Test("each fact that never changes", arguments: differences)
    func eachDifferenceIsFound(name: String, change: @Sendable (inout PurchaseContent) -> Void) throws {
        var purchase = Self.period("101")
        purchase.promotionalOfferIdentifier = "one"
        purchase.cancellationDate = "2024-05-20T00:00:00Z"
        var other = purchase
        change(&other)
        let contents = [purchase, other].map { Self.content($0) }
        let key = "told-differently:Production/com.example.forge/101"
        #expect(try Self.findings([(nil, contents[0]), (nil, contents[1])])[key] == 2)
        #expect(try Self.findings([(nil, contents[0]), (nil, contents[0])])[key] == nil)
    }

    /// Checks a purchase that does not expire. A published response of 2014, made after a restoration, has the same ID and the
    /// date of the restoration.
    @Test(arguments: [
        ("101", 0, true),
        // A restored purchase with an ID of its own.
        ("99", 0, false),
        // A consumable, which cannot be restored.
        ("101", 1, false),
    ])
    func dateOfARestorationIsNoConflict(original: String, type: Int, isEqual: Bool) throws {
        var purchase = Self.period("101")
        (purchase.originalTransactionID, purchase.expiresDate) = (original, nil)
        purchase.productType = type
        var restored = purchase
        restored.purchaseDate = "2024-05-07T00:00:00Z"
        let findings = try Self.findings([("a", Self.content(purchase)), ("a", Self.content(restored))])
        #expect(findings.isEmpty == isEqual)
    }

    /// Checks a trial in receipts of different years. Apple's receipts of 2023 have only one of the two flags.
    @Test func secondFlagOfATrialIsNoConflict() throws {
        let trial = Self.offer("101", original: "101")
        var newer = trial
        newer.isInIntroOfferPeriod = true
        #expect(try Self.findings([("a", Self.content(trial)), ("a", Self.content(newer))]).isEmpty)
    }

    @Test func xcodeIdentifiersAreNotCompared() throws {
        var zero = Self.content(Self.offer("0", original: "0"))
        var other = Self.content(Self.offer("0", original: "0", from: "2024-05-20T00:00:00Z", product: "pro"))
        let catalog = #"{"groups": {"main": ["basic", "pro"]}}"#
        #expect(
            try Self.findings([("a", zero), ("b", other), ("a", other)], catalog: catalog).keys.allSatisfy {
                $0.hasPrefix("shared-receipt:")
            })
        (zero.receiptType, other.receiptType) = ("Xcode", "Xcode")
        zero.purchases[0].transactionID = "7"
        other.purchases[0].transactionID = "7"
        #expect(try Self.findings([("a", zero), ("b", other)], catalog: catalog).isEmpty)
    }

    @Test func impossibleDatesAreFound() throws {
        let late = Self.content(Self.period("101", from: "2024-06-03T00:00:00Z"))
        let renewal = Self.content(Self.period("101", from: "2024-06-02T00:00:00Z"))
        #expect(try Self.findings([(nil, late)]) == ["created-before-purchase:1": 1])
        #expect(try Self.findings([(nil, renewal)]) == ["created-before-purchase:1": 1])
        #expect(try Self.findings([(nil, Self.content(Self.period("101")))]).isEmpty)
        let early = EligibilityInstant.clock(Timestamp(millisecondsSince1970: 1_700_000_000_000))
        #expect(try Self.findings([(nil, Self.content())], asOf: early) == ["created-after-as-of:1": 1])
    }

    @Test func anotherDeviceIsFound() throws {
        let device: [UInt8] = (0..<16).map { $0 &* 0x11 }
        #expect(try Self.findings([(nil, Self.content())], deviceID: device).isEmpty)
        #expect(try Self.findings([(nil, Self.content())], deviceID: [1, 2, 3]) == ["wrong-device:1": 1])
    }

    /// Checks that equal ids under Apple's roots and under another root are different purchases.
    @Test(arguments: [
        // Under one kind of root.
        ("app_store", "app_store", ["shared-purchase:Production/b/o", "shared-receipt:c"], 1),
        ("custom", "custom", ["shared-purchase:Production/b/o", "shared-receipt:c"], 1),
        // Under two kinds.
        ("app_store", "custom", [], 2),
    ])
    func trustAnchorsKeepPurchasesApart(first: String, second: String, findings: [String], purchases: Int)
        throws
    {
        try withDatabase(":memory:") { database in
            try database.execute(AuditSchema.tables + AuditSchema.views)
            for (subject, realm) in [("a", first), ("b", second)] {
                try database.prepare(
                    """
                    INSERT INTO receipts (source, place, subject, content_sha256, status, kind, realm, environment, bundle_id,
                        created_at) VALUES ('', 1, ?, 'c', 'genuine', 'receipt', ?, 'Production', 'b', 500)
                    """, subject, realm
                ).execute()
            }
            try database.execute(
                """
                INSERT INTO transactions (receipt_id, position, product_id, transaction_id, original_transaction_id, purchase_date)
                    SELECT id, 0, 'p', 't', 'o', 400 FROM receipts
                """)
            try Findings.insert(into: database)
            #expect(try database.prepare("SELECT id FROM findings ORDER BY id").values() == findings)
            #expect(try database.prepare("SELECT count(*) FROM purchases").firstValue() == purchases)
            #expect(try database.prepare("SELECT count(*) FROM purchase_accounts").firstValue() == 2)
        }
    }

    @Test func unusualCertificateIsFound() throws {
        func findings(certificates: [(String, String)], receipts: [Int]) throws -> [String] {
            try withDatabase(":memory:") { database in
                try database.execute(AuditSchema.tables)
                for (index, certificate) in certificates.enumerated() {
                    try database.prepare(
                        "INSERT INTO certificates VALUES (?, ?, 'CN=x', 'CN=y', ?, 0, 1)", index + 1,
                        certificate.0, certificate.1
                    ).execute()
                    for _ in 0..<receipts[index] {
                        try database.prepare(
                            "INSERT INTO receipts (source, place, status, realm, signer_id) VALUES ('', 1, 'genuine', 'app_store', ?)",
                            index + 1
                        ).execute()
                    }
                }
                try Findings.insert(into: database)
                return try database.prepare("SELECT id FROM findings ORDER BY id").values()
            }
        }
        #expect(
            try findings(certificates: [("aa", "1"), ("bb", "2")], receipts: [1001, 1]) == [
                "unusual-certificate:bb"
            ])
        #expect(try findings(certificates: [("aa", "1"), ("bb", "2")], receipts: [999, 2]).isEmpty)
        #expect(
            try findings(certificates: [("aa", "1"), ("bb", "1")], receipts: [1, 1]) == [
                "unusual-certificate:aa", "unusual-certificate:bb",
            ])
    }
}
