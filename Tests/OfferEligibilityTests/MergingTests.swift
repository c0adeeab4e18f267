import AppReceipt
import Testing

@testable import OfferEligibility

struct MergingTests {
    static let early = "2026-05-10T00:00:00Z"
    static let late = "2026-05-20T00:00:00Z"

    struct Legitimate: CustomTestStringConvertible, Sendable {
        let name: String
        let early: Bought
        let late: Bought
        /// The expected cancellation and expiration, from the later evidence.
        let cancelled: String?
        let to: String?

        var testDescription: String { name }
    }

    @Test(arguments: [
        Legitimate(name: "no difference", early: Bought(), late: Bought(), cancelled: nil, to: "2026-06-01"),
        Legitimate(
            name: "refunded since", early: Bought(), late: Bought(cancelled: "2026-05-15"),
            cancelled: "2026-05-15",
            to: "2026-06-01"),
        Legitimate(
            name: "the refund reversed since", early: Bought(cancelled: "2026-05-05"), late: Bought(),
            cancelled: nil,
            to: "2026-06-01"),
        Legitimate(
            name: "the renewal date extended since", early: Bought(), late: Bought(to: "2026-06-15"),
            cancelled: nil,
            to: "2026-06-15"),
        Legitimate(
            name: "a flag that one receipt omits", early: Bought(trial: nil),
            late: Bought(type: nil, trial: true),
            cancelled: nil, to: "2026-06-01"),
        Legitimate(
            name: "the other flag of a trial", early: Bought(trial: true, intro: false),
            late: Bought(trial: true, intro: true), cancelled: nil, to: "2026-06-01"),
        Legitimate(
            name: "milliseconds that one receipt omits", early: Bought(from: "2026-05-01T09:00:00.250Z"),
            late: Bought(),
            cancelled: nil, to: "2026-06-01"),
    ])
    func laterEvidenceWins(_ row: Legitimate) throws {
        let receipts = [
            history([row.early], created: Self.early), history([row.late], created: Self.late),
        ]
        for order in [receipts, receipts.reversed()] {
            let merged = try PurchaseHistory(merging: order)
            #expect(merged.count == 1)
            #expect(merged.evidenceDate == at(Self.late))
            #expect(merged.transactions.first?.cancelled == row.cancelled.map(at))
            #expect(merged.transactions.first?.expires == row.to.map(at))
        }
    }

    struct Conflict: CustomTestStringConvertible, Sendable {
        let fact: HistoryMergeError.Fact
        let one: Bought
        let other: Bought
        let values: [String?]
        var isSameDate = false

        var testDescription: String { fact.rawValue }
    }

    @Test(arguments: [
        Conflict(fact: .productID, one: Bought(), other: Bought(product: "pro"), values: ["basic", "pro"]),
        Conflict(
            fact: .originalTransactionID, one: Bought(original: "1"), other: Bought(original: "2"),
            values: ["1", "2"]),
        Conflict(
            fact: .promotionalOfferIdentifier, one: Bought(offer: "A"), other: Bought(offer: "B"),
            values: ["A", "B"]),
        Conflict(
            fact: .productType, one: Bought(), other: Bought(type: .consumable),
            values: ["auto_renewable_subscription", "consumable"]),
        Conflict(
            fact: .purchaseDate, one: Bought(), other: Bought(from: "2026-05-02"),
            values: ["2026-05-01T09:00:00Z", "2026-05-02T09:00:00Z"]),
        Conflict(
            fact: .isTrialPeriod, one: Bought(trial: false), other: Bought(trial: true),
            values: ["false", "true"]),
        Conflict(
            fact: .isInIntroOfferPeriod, one: Bought(intro: true), other: Bought(intro: false),
            values: ["true", "false"]),
        // A trial with both flags, and a free period under an offer code.
        Conflict(
            fact: .isInIntroOfferPeriod, one: Bought(trial: true, intro: true),
            other: Bought(trial: false, intro: false, free: true), values: ["true", "false"]),
        Conflict(
            fact: .expiresDate, one: Bought(), other: Bought(to: "2026-06-02"),
            values: ["2026-06-01T09:00:00Z", "2026-06-02T09:00:00Z"], isSameDate: true),
        Conflict(
            fact: .cancellationDate, one: Bought(cancelled: "2026-05-02"),
            other: Bought(cancelled: "2026-05-03"),
            values: ["2026-05-02T09:00:00Z", "2026-05-03T09:00:00Z"], isSameDate: true),
    ])
    func conflictNamesBothReceipts(_ row: Conflict) {
        let other = row.isSameDate ? Self.early : Self.late
        let receipts = [
            history([]), history([row.one], created: Self.early), history([row.other], created: other),
        ]
        #expect(
            throws: HistoryMergeError.conflict(
                transactionID: "1", fact: row.fact,
                first: .init(index: 1, date: at(Self.early), value: row.values[0]),
                second: .init(index: 2, date: at(other), value: row.values[1]))
        ) { try PurchaseHistory(merging: receipts) }
    }

    // Xcode gives every purchase the id "0", and an id may be absent. Such ids identify nothing.
    @Test(arguments: ["0", nil, ""])
    func emptyIdentifiersAreNotMerged(id: String?) throws {
        let minutes = (0..<6).map { minute in
            Bought(
                id: id, from: "2026-05-01T09:0\(minute):00Z", to: "2026-05-01T09:0\(minute + 1):00Z",
                type: nil)
        }
        #expect(try PurchaseHistory(merging: [history(minutes)]).count == 6)

        // The same purchases again, the last one refunded since, and one more.
        var again = Array(minutes[3...])
        again[2].cancelled = "2026-05-01T09:05:30Z"
        again.append(Bought(id: id, from: "2026-05-02", to: "2026-05-03", type: nil))
        let merged = try PurchaseHistory(
            merging: [history(minutes, created: Self.early), history(again, created: Self.late)])
        #expect(merged.count == 7)
        #expect(merged.transactions.count { $0.cancelled != nil } == 1)
    }

    @Test func withinOneReceiptNothingIsMerged() throws {
        #expect(try PurchaseHistory(merging: [history([Bought(), Bought()])]).count == 2)
    }

    @Test func receiptsOfDifferentApps() {
        let receipts = [
            history([], created: Self.early, app: "com.example.a"), history([]),
            history([], created: Self.late, app: "com.example.b"),
        ]
        #expect(
            throws: HistoryMergeError.differentApps(
                first: .init(index: 0, date: at(Self.early), value: "com.example.a"),
                second: .init(index: 2, date: at(Self.late), value: "com.example.b"))
        ) { try PurchaseHistory(merging: receipts) }
    }

    // environments, whether they are merged; an unknown environment differs from every other
    @Test(
        arguments: [
            ([.production, .production], true), ([.production, .sandbox], false),
            ([.xcode, .production], false),
            ([.sandbox, nil], false), ([nil, .sandbox], false), ([nil, nil], false), ([nil], true),
            ([.production, .production, .sandbox], false),
        ] as [([ReceiptEnvironment?], Bool)])
    func environmentsAreNotMixed(environments: [ReceiptEnvironment?], isMerged: Bool) throws {
        let histories = environments.map { history([Bought()], environment: $0) }
        if isMerged {
            #expect(try PurchaseHistory(merging: histories).environment == environments[0])
        } else {
            let last = environments.count - 1
            #expect(
                throws: HistoryMergeError.differentEnvironments(
                    first: .init(
                        index: 0, date: histories[0].evidenceDate, value: environments[0]?.rawValue),
                    second: .init(
                        index: last, date: histories[0].evidenceDate, value: environments[last]?.rawValue))
            ) { try PurchaseHistory(merging: histories) }
        }
    }

    // A saved response has no trust anchor kind: the caller vouches for it, and then for the whole history.
    @Test(
        arguments: [
            ([.appStore, .appStore], .appStore), ([.appStore, nil], nil), ([nil, nil], nil),
            ([nil, .custom, nil], nil),
        ] as [([TrustAnchorKind?], TrustAnchorKind?)])
    func anchorKindOfAMergedHistory(realms: [TrustAnchorKind?], expected: TrustAnchorKind?) throws {
        #expect(try PurchaseHistory(merging: realms.map { history([], realm: $0) }).realm == expected)
    }

    @Test(
        arguments: [
            ([.appStore, .custom], 0), ([.custom, .appStore], 0), ([.storeKitTest, .custom], 0),
            ([nil, .appStore, .custom], 1),
        ] as [([TrustAnchorKind?], Int)])
    func anchorKindsAreNotMixed(realms: [TrustAnchorKind?], first: Int) {
        let histories = realms.map { history([], realm: $0) }
        let last = realms.count - 1
        #expect(
            throws: HistoryMergeError.differentRealms(
                first: .init(index: first, date: histories[0].evidenceDate, value: realms[first]?.rawValue),
                second: .init(index: last, date: histories[0].evidenceDate, value: realms[last]?.rawValue))
        ) { try PurchaseHistory(merging: histories) }
    }

    @Test func textSurvivesTheMerge() throws {
        let one = Bought(product: "basic", id: "7", original: "6", offer: "BACK")
        let merged = try PurchaseHistory(merging: [
            history([one], app: "app"), history([Bought(product: "pro", id: "8")]),
        ])
        let texts = merged.transactions.map { transaction in
            [transaction.product, transaction.id, transaction.original, transaction.offer].map(merged.string)
        }
        #expect(Set(texts) == [["basic", "7", "6", "BACK"], ["pro", "8", nil, nil]])
        #expect(merged.string(merged.bundle) == "app")
    }

    @Test func mergingNothingGivesNothing() throws {
        let merged = try PurchaseHistory(merging: [])
        #expect(merged.count == 0)
        #expect(merged.evidenceDate == nil)
    }
}
