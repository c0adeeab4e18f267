import AppReceipt
import Foundation
import GRDB
import OfferEligibility

/// The rows of one record, all but the keys that its place and its certificates have in the database.
struct ReceiptRows: Sendable {
    static let receiptColumns = [
        "id", "signer_id", "intermediate_id", "anchor_id", "source", "place", "record", "subject", "sha256",
        "status", "refusal_code", "refusal_message", "refusal_offset", "refusal_field", "realm",
        "environment",
        "digest", "receipt_type", "bundle_id", "application_version", "original_application_version",
        "created_at", "original_purchase_date", "expiration_date", "app_item_id", "download_id",
        "version_external_identifier", "opaque_value", "sha1_hash",
    ]
    static let transactionColumns = [
        "receipt_id", "position", "quantity", "product_id", "product_type", "subscription_group",
        "transaction_id", "original_transaction_id", "purchase_date", "original_purchase_date",
        "expires_date", "cancellation_date", "cancellation_reason", "is_trial_period",
        "is_in_intro_offer_period", "promotional_offer_identifier", "web_order_line_item_id",
    ]
    static let verdictColumns = [
        "receipt_id", "product_id", "subscription_group", "introductory_outcome", "introductory_rule",
        "introductory_certainty", "introductory_caveats", "promotional_outcome", "promotional_rule",
        "promotional_certainty", "win_back_outcome", "win_back_rule", "win_back_certainty", "state",
        "state_product_id", "state_since", "state_until",
    ]

    static let certificateColumns = [
        "id", "sha256", "subject", "issuer", "serial", "not_before", "not_after",
    ]

    /// ``receiptColumns`` from the fifth on.
    let receipt: [DatabaseValue]
    /// From the signer to the anchor.
    let certificates: [CertificateFacts]
    /// ``transactionColumns`` from the second on.
    let transactions: [[DatabaseValue]]
    /// ``verdictColumns`` from the second on.
    let verdicts: [[DatabaseValue]]
    let counts: AuditCounts

    init(_ answer: Answer, from source: String, _ catalog: SubscriptionCatalog?) {
        var counts = AuditCounts()
        counts.add(answer, from: source)
        self.counts = counts
        let (record, subject) = answer.origin.names
        let common: [DatabaseValue] = [
            value(source), value(answer.place), value(record), value(subject),
            value(answer.examination.sha256.map(hexadecimal)),
        ]
        switch answer.examination.result {
        case .failure(let refusal):
            certificates = []
            transactions = []
            verdicts = []
            let facts = [
                value("refused"), value(refusal.code.rawValue), value(refusal.message), value(refusal.offset),
                value(refusal.field),
            ]
            let width = Self.receiptColumns.count - 4 - common.count - facts.count
            receipt = common + facts + Array(repeating: .null, count: width)
        case .success(let verified):
            certificates = verified.certificates
            transactions = verified.payload.inAppPurchases.enumerated().map { position, purchase in
                Self.row(of: purchase, at: position, catalog)
            }
            verdicts = answer.verdicts?.map(Self.row) ?? []
            receipt = common + [value("genuine"), .null, .null, .null, .null] + Self.facts(of: verified)
        }
    }

    private static func facts(of verified: VerifiedReceipt) -> [DatabaseValue] {
        let payload = verified.payload
        return [
            value(verified.realm.rawValue), value(payload.environment?.rawValue),
            value(verified.digestAlgorithm.rawValue), value(payload.receiptType), value(payload.bundleID),
            value(payload.applicationVersion), value(payload.originalApplicationVersion),
            value(payload.creationDate), value(payload.originalPurchaseDate), value(payload.expirationDate),
            value(payload.appItemID), value(payload.downloadID), value(payload.versionExternalIdentifier),
            value(payload.opaqueValue), value(payload.sha1Hash),
        ]
    }

    private static func row(
        of purchase: InAppPurchase, at position: Int, _ catalog: SubscriptionCatalog?
    ) -> [DatabaseValue] {
        let product = purchase.productID
        return [
            value(position), value(purchase.quantity.map(Int.init)), value(product),
            value(purchase.productType?.name), value(product.flatMap { catalog?.product($0)?.group }),
            value(purchase.transactionID), value(purchase.originalTransactionID),
            value(purchase.purchaseDate),
            value(purchase.originalPurchaseDate), value(purchase.expiresDate),
            value(purchase.cancellationDate),
            value(purchase.cancellationReason.map(Int.init)), value(purchase.isTrialPeriod),
            value(purchase.isInIntroOfferPeriod), value(purchase.promotionalOfferIdentifier),
            value(purchase.webOrderLineItemID),
        ]
    }

    /// ``certificateColumns`` from the second on.
    static func row(of certificate: CertificateFacts) -> [DatabaseValue] {
        [
            value(hexadecimal(certificate.sha256)), value(certificate.subject), value(certificate.issuer),
            value(certificate.serialNumber), value(certificate.notBefore), value(certificate.notAfter),
        ]
    }

    private static func row(of verdict: Verdict) -> [DatabaseValue] {
        let introductory = verdict.introductoryOffer
        let promotional = verdict.promotionalOffer
        let winBack = verdict.winBackOffer
        let state = verdict.subscription
        return [
            value(verdict.productID), value(verdict.subscriptionGroup),
            value(introductory.outcome.rawValue), value(introductory.rule.name),
            value(introductory.certainty?.rawValue),
            value(introductory.caveats.map(\.rawValue).joined(separator: ",")),
            value(promotional.outcome.rawValue), value(promotional.rule.name),
            value(promotional.certainty?.rawValue), value(winBack.outcome.rawValue), value(winBack.rule.name),
            value(winBack.certainty?.rawValue), value(state.kind.rawValue), value(state.productID),
            value(state.since), value(state.until),
        ]
    }
}

private func value(_ text: String?) -> DatabaseValue { text?.databaseValue ?? .null }
private func value(_ number: Int?) -> DatabaseValue { number?.databaseValue ?? .null }
private func value(_ flag: Bool?) -> DatabaseValue { flag?.databaseValue ?? .null }
private func value(_ date: Timestamp?) -> DatabaseValue { date?.millisecondsSince1970.databaseValue ?? .null }
/// 64 bits without a sign do not fit into SQLite's integers.
private func value(_ identifier: UInt64?) -> DatabaseValue { value(identifier.map { String($0) }) }
private func value(_ bytes: [UInt8]?) -> DatabaseValue { bytes.map { Data($0).databaseValue } ?? .null }

extension ReceiptOrigin {
    /// What the record and its subject are called, as text.
    fileprivate var names: (record: String?, subject: String?) {
        switch self {
        case .source(let path): (path, nil)
        case .record(let id, let subject): (id, subject)
        case .tokens(let id, let subject): (Self.text(id), subject.map(Self.text))
        case .unreadable: (nil, nil)
        }
    }

    /// The text of a string or a number that was JSON in its line.
    private static func text(_ token: [UInt8]) -> String {
        do throws(JSONError) {
            var reader = JSONReader(token.span)
            return try reader.peek() == .string ? try reader.string(atMost: .max) : try reader.number()
        } catch {
            return String(decoding: token, as: UTF8.self)
        }
    }
}
