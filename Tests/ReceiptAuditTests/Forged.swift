import AppReceipt
import Foundation
import OfferEligibility
import ReceiptForge
import ReceiptJSON
import SQLite
import Testing

@testable import ReceiptAudit
@testable import ReceiptExamination
@testable import RecordSources

/// Forged receipts, and audits of them.
enum Forged {
    static let asOf = EligibilityInstant.date(Timestamp(millisecondsSince1970: 1_767_225_600_000))

    static func lines(_ count: Int, seed: UInt64 = 5) throws -> [[UInt8]] {
        let series = try ReceiptSeries(count: count, seed: seed)
        return try (0..<count).map { try series.line($0) }
    }

    /// Returns the counts of genuine rows in a database.
    static func counts(_ database: Connection) throws -> GenuineCounts {
        var candidates = try FindingCandidates(of: database)
        try candidates.read(database)
        return candidates.genuine
    }

    static func root() throws -> [UInt8] { try ReceiptSeries(count: 1, seed: 1).root }

    static func receipt(_ content: ReceiptContent) throws -> [UInt8] {
        try ReceiptRecipe(content, authority: .test()).forge().bytes
    }

    static func line(_ id: String, _ content: ReceiptContent, subject: String? = nil) throws -> [UInt8] {
        line(id, try receipt(content), subject: subject)
    }

    static func line(_ id: String, _ receipt: [UInt8], subject: String? = nil) -> [UInt8] {
        let text = Data(receipt).base64EncodedString()
        let account = subject.map { ",\"subject\":\"\($0)\"" } ?? ""
        return Array("{\"id\":\"\(id)\",\"receipt\":\"\(text)\"\(account)}\n".utf8)
    }

    static func audit(
        _ sources: [String], catalog: String? = nil, policy: VerificationPolicy = .any,
        deviceID: [UInt8]? = nil,
        asOf: EligibilityInstant = asOf,
        format: SourceFormat = .auto, columns: ColumnNames = ColumnNames()
    ) throws -> Audit {
        let policy = deviceID.map { policy.expecting(deviceID: $0) } ?? policy
        let examiner = Examiner(try ReceiptVerifier(anchors: .custom(try root())), policy: policy)
        var settings = AuditSettings(asOf: asOf)
        settings.reading.format = format
        settings.catalogDigest = catalog.map { _ in String(repeating: "0", count: 64) }
        settings.reading.columns = columns
        settings.policy = policy
        let question = try catalog.map {
            EligibilityQuestion(
                rules: OfferRules(catalog: try SubscriptionCatalog(parsing: Array($0.utf8))), asOf: asOf
            )
        }
        return Audit(sources: sources, settings: settings, examiner: examiner, question: question)
    }
}
