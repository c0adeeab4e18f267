import AppReceipt
import Foundation
import OfferEligibility
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit

/// The candidates that an audit collects while it writes rows, checked with random receipts that have many
/// conflicts. No finding may be missing, and a customer's verdicts must follow from its evidence.
struct CandidateTests {
    private static let seeds: ClosedRange<UInt64> = 1...16
    private static let count = 16

    /// Writes an audit's database for receipts.
    ///
    /// - Parameter areMixed: Whether every other receipt is replaced by a JWS of its first purchase.
    private static func audit(
        _ receipts: [(subject: String?, content: ReceiptContent)], in workplace: Workplace, catalog: String?,
        areMixed: Bool = false, asOf: EligibilityInstant = Forged.asOf
    ) throws -> String {
        let lines = try receipts.enumerated().flatMap { index, receipt in
            if areMixed, index.isMultiple(of: 2),
                let payload = ForgedJWS.transaction(matching: receipt.content)
            {
                return ForgedJWS.line(
                    "r\(index)", try ForgedJWS.text(payload), subject: receipt.subject)
            }
            return try Forged.line("r\(index)", receipt.content, subject: receipt.subject)
        }
        let input = try workplace.write(lines, to: "in.ndjson")
        let output = workplace.file("out.sqlite")
        _ = try Forged.audit([input], catalog: catalog, asOf: asOf).database(output)
        return output
    }

    /// Returns the findings, one line for each row of evidence.
    private static func found(_ database: Connection) throws -> [String] {
        try database.prepare(
            """
            SELECT f.*, e.number, e.receipt_id, e.position, e.certificate_id
            FROM findings f JOIN finding_evidence e ON e.finding_id = f.id ORDER BY f.id, e.number
            """
        ).map { $0.values.map(\.description).joined(separator: " ") }
    }

    /// The rules without candidates. SQLite searches all rows.
    private static let plain = FindingRule.all.map { rule in
        let evidence = rule.evidence.replacing("IN (SELECT name FROM temp.candidates)", with: "IS NOT NULL")
            .replacing(
                "FROM temp.signed",
                with: """
                    FROM (SELECT signer_id, realm, coalesce(kind, '') IN
                        ('transaction', 'renewal-info', 'app-transaction', 'notification') AS is_jws, count(*) AS receipts
                        FROM receipts GROUP BY 1, 2, 3)
                    """)
        return FindingRule(kind: rule.kind, title: rule.title, reason: rule.reason, evidence: evidence)
    }

    @Test func candidatesMissNoFinding() throws {
        #expect(Self.plain.allSatisfy { !$0.evidence.contains("candidates") })
        var kinds: [String: Int] = [:]
        let audits =
            (1...8).map { RandomReceipts.make(Self.count, seed: $0) }
            + (1...2).map { RandomReceipts.clusters(80, seed: $0) }
        // This date is after the creation of most receipts in some audits, and before it in others.
        let early = EligibilityInstant.date(Timestamp(millisecondsSince1970: 1_717_236_000_000))
        for (number, receipts) in audits.enumerated() {
            let workplace = try Workplace()
            let output = try Self.audit(
                receipts, in: workplace, catalog: number % 3 == 2 ? nil : RandomReceipts.catalog,
                areMixed: number % 2 == 1, asOf: number % 4 == 1 ? early : Forged.asOf)
            try withDatabase(output) { database in
                func found(by rules: [FindingRule]) throws -> [String] {
                    try database.execute(
                        """
                        DELETE FROM incident_findings; DELETE FROM finding_evidence; DELETE FROM findings;
                        DELETE FROM not_looked_for; DELETE FROM finding_kinds
                        """)
                    try Findings.insert(rules, into: database)
                    return try Self.found(database)
                }
                let whileWriting = try Self.found(database)
                let alone: [String] = try database.prepare("SELECT kind FROM findings").values()
                for kind in alone { kinds[kind, default: 0] += 1 }
                // Finds the candidates in existing rows, as a resumed run does.
                #expect(try found(by: FindingRule.all) == whileWriting, "audit \(number)")
                #expect(try found(by: Self.plain) == whileWriting, "audit \(number)")
            }
        }
        for rule in FindingRule.all where rule.candidates != nil {
            // Few revoked purchases occur in both receipts and JWS.
            let fewest = rule.kind == "revoked-elsewhere" ? 1 : 5
            #expect(kinds[rule.kind, default: 0] >= fewest, "\(rule.kind): \(kinds)")
        }
    }

    /// Checks product groups in SQL. A product without a group gets the group name "product " and its
    /// identifier, which a catalog's group may also have.
    @Test(arguments: ["solo", ""])
    func groupsNamedLikeProductsAreMerged(_ product: String) throws {
        func trial(of product: String, _ id: String) -> ReceiptContent {
            var purchase = PurchaseContent.subscription(
                productID: product, transactionID: id, originalTransactionID: id,
                purchaseDate: "2024-05-01T00:00:00Z", expiresDate: "2024-05-08T00:00:00Z")
            purchase.isTrialPeriod = true
            return ReceiptContent(purchases: [purchase])
        }
        let workplace = try Workplace()
        let output = try Self.audit(
            [("a", trial(of: product, "1")), ("a", trial(of: "other", "2"))], in: workplace,
            catalog: #"{"groups": {"product \#(product)": ["other"]}}"#)
        let kinds: [String] = try Connection(path: output).prepare("SELECT kind FROM findings").values()
        #expect(kinds.contains("several-introductory-offers"))
    }

    @Test func customerVerdictsFollowFromTheEvidence() throws {
        var caveats = 0
        let rules = OfferRules(catalog: try SubscriptionCatalog(parsing: Array(RandomReceipts.catalog.utf8)))
        let verifier = try ReceiptVerifier(anchors: .custom(try Forged.root()))
        for seed in Self.seeds {
            let workplace = try Workplace()
            let contents = RandomReceipts.make(Self.count, seed: seed)
            let output = try Self.audit(contents, in: workplace, catalog: RandomReceipts.catalog)
            let receipts = try contents.map { try Forged.receipt($0.content) }
            // The products of each app. With several apps, each app's verdicts cover only its own products.
            var shown: [String: Set<String>] = [:]
            for (_, content) in contents {
                shown[content.bundleID ?? "", default: []].formUnion(
                    content.purchases.compactMap(\.productID))
            }
            let (told, expected) = try withDatabase(output) { database in
                var expected: [String] = []
                for row in try database.prepare(
                    """
                    SELECT c.customer_id, group_concat(c.receipt_id) AS receipts FROM customer_receipts c
                    GROUP BY 1 ORDER BY 1
                    """
                ).rows() {
                    let ids = try (row["receipts"] as String).split(separator: ",").compactMap { Int($0) }
                    // A receipt that is presented twice counts once.
                    let own = Set(ids.map { receipts[$0 - 1] })
                    let evidence = try own.map {
                        VerifiedObject.receipt(try verifier.verify($0, for: .any))
                    }
                    let history = try PurchaseHistory(evidence: evidence)
                    let products = rules.catalog.products.map(\.id).sorted().filter {
                        shown.count == 1 || shown[history.bundleID ?? "", default: []].contains($0)
                    }
                    for verdict in rules.verdicts(for: products, in: history, asOf: Forged.asOf) {
                        let offers = [
                            verdict.introductoryOffer, verdict.promotionalOffer, verdict.winBackOffer,
                        ].map { offer in
                            let caveats = offer.caveats.map(\.rawValue).joined(separator: ",")
                            return "\(offer.outcome.rawValue) \(offer.rule.name) (\(caveats))"
                        }
                        expected.append(
                            "\(try row["customer_id"] as Int) \(history.count) \(verdict.productID) "
                                + offers.joined(separator: " ")
                                + " \(verdict.subscription.kind.rawValue)")
                    }
                }
                let told: [String] = try database.prepare(
                    """
                    SELECT customer_id || ' ' || purchases || ' ' || product_id
                        || ' ' || introductory_outcome || ' ' || introductory_rule || ' (' || introductory_caveats || ')'
                        || ' ' || promotional_outcome || ' ' || promotional_rule || ' (' || promotional_caveats || ')'
                        || ' ' || win_back_outcome || ' ' || win_back_rule || ' (' || win_back_caveats || ')'
                        || ' ' || state
                    FROM subject_verdicts v JOIN customers c ON c.id = v.customer_id ORDER BY customer_id, product_id
                    """
                ).values()
                return (told, expected)
            }
            #expect(told == expected, "seed \(seed)")
            caveats += told.count { $0.contains("told-differently") }
        }
        #expect(caveats > 20)
    }
}
