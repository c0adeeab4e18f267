import AppReceipt
import Foundation
import OfferEligibility
import ReceiptJSON
import StrictJSON

/// The rows of one record, all but the keys that its place and its certificates have in the database.
struct ReceiptRows: Sendable {
    static let receiptColumns = [
        "id", "signer_id", "intermediate_id", "anchor_id", "source", "place", "record", "subject", "sha256",
        "content_sha256", "wrapping", "status", "refusal_code", "refusal_message", "refusal_offset",
        "refusal_field",
        "realm",
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

    /// The columns that every receipt has, ``receiptColumns`` from the fifth on; then those of each transaction and
    /// of each verdict, from the second on.
    private(set) var cells = RowCells()
    /// From the signer to the anchor.
    let certificates: [CertificateFacts]
    let transactionCount: Int
    let verdictCount: Int
    let counts: AuditCounts
    /// Of the file that the record is.
    let input: InputFacts?

    /// Where the rows stand in the cells.
    static let receipt = 0..<receiptColumns.count - 4

    /// Of `sha256` among them.
    static let digestIndex = 4

    var transactions: some Sequence<Range<Int>> {
        Self.rows(transactionCount, of: Self.transactionColumns, from: Self.receipt.upperBound)
    }

    var verdicts: some Sequence<Range<Int>> {
        let start = Self.receipt.upperBound + transactionCount * (Self.transactionColumns.count - 1)
        return Self.rows(verdictCount, of: Self.verdictColumns, from: start)
    }

    /// The values of a row.
    func values(_ range: Range<Int>) -> [StoredValue] { range.map(cells.value) }

    private static func rows(
        _ count: Int, of columns: [String], from start: Int
    ) -> some Sequence<Range<Int>> {
        let width = columns.count - 1
        return (0..<count).lazy.map { start + $0 * width..<start + ($0 + 1) * width }
    }

    init(_ answer: Answer, from source: String, _ catalog: SubscriptionCatalog?) {
        var counts = AuditCounts()
        counts.add(answer, from: source)
        self.counts = counts
        input = answer.input
        let (record, subject) = answer.origin.names
        let width = Self.receipt.count
        switch answer.examination?.result {
        case nil:
            (certificates, transactionCount, verdictCount) = ([], 0, 0)
            cells.reserve(cells: width)
            begin()
            cells.add("absent")
            cells.addNulls(width - cells.cells.count)
        case .failure(let refusal):
            (certificates, transactionCount, verdictCount) = ([], 0, 0)
            cells.reserve(cells: width)
            begin()
            cells.add("refused")
            cells.add(refusal.code.rawValue)
            cells.add(refusal.message)
            cells.add(refusal.offset)
            cells.add(refusal.field)
            cells.addNulls(width - cells.cells.count)
        case .success(let verified):
            let purchases = verified.payload.inAppPurchases
            certificates = verified.certificates
            transactionCount = purchases.count
            verdictCount = answer.verdicts?.count ?? 0
            cells.reserve(
                cells: width + transactionCount * (Self.transactionColumns.count - 1)
                    + verdictCount * (Self.verdictColumns.count - 1))
            begin()
            cells.add("genuine")
            cells.addNulls(4)
            add(verified)
            for (position, purchase) in purchases.enumerated() { add(purchase, at: position, catalog) }
            for verdict in answer.verdicts ?? [] { add(verdict) }
        }

        func begin() {
            cells.add(source)
            cells.add(answer.place)
            cells.add(record)
            cells.add(subject)
            cells.add(hexadecimal: answer.examination?.sha256)
            cells.add(hexadecimal: answer.examination?.contentSHA256)
            let wrapping = answer.examination?.wrapping ?? []
            cells.add(wrapping.isEmpty ? nil : wrapping.joined(separator: ","))
        }
    }

    private mutating func add(_ verified: VerifiedReceipt) {
        let payload = verified.payload
        cells.add(verified.realm.rawValue)
        cells.add(payload.environment?.rawValue)
        cells.add(verified.digestAlgorithm.rawValue)
        cells.add(payload.receiptType)
        cells.add(payload.bundleID)
        cells.add(payload.applicationVersion)
        cells.add(payload.originalApplicationVersion)
        cells.add(payload.creationDate)
        cells.add(payload.originalPurchaseDate)
        cells.add(payload.expirationDate)
        cells.add(payload.appItemID)
        cells.add(payload.downloadID)
        cells.add(payload.versionExternalIdentifier)
        cells.add(blob: payload.opaqueValue)
        cells.add(blob: payload.sha1Hash)
    }

    private mutating func add(_ purchase: InAppPurchase, at position: Int, _ catalog: SubscriptionCatalog?) {
        let product = purchase.productID
        cells.add(position)
        cells.add(purchase.quantity.map(Int.init))
        cells.add(product)
        cells.add(purchase.productType?.name)
        cells.add(product.flatMap { catalog?.product($0)?.group })
        cells.add(purchase.transactionID)
        cells.add(purchase.originalTransactionID)
        cells.add(purchase.purchaseDate)
        cells.add(purchase.originalPurchaseDate)
        cells.add(purchase.expiresDate)
        cells.add(purchase.cancellationDate)
        cells.add(purchase.cancellationReason.map(Int.init))
        cells.add(purchase.isTrialPeriod)
        cells.add(purchase.isInIntroOfferPeriod)
        cells.add(purchase.promotionalOfferIdentifier)
        cells.add(purchase.webOrderLineItemID)
    }

    /// ``certificateColumns`` from the second on.
    static func cells(of certificate: CertificateFacts) -> RowCells {
        var cells = RowCells()
        cells.add(hexadecimal: certificate.sha256)
        cells.add(certificate.subject)
        cells.add(certificate.issuer)
        cells.add(certificate.serialNumber)
        cells.add(certificate.notBefore)
        cells.add(certificate.notAfter)
        return cells
    }

    private mutating func add(_ verdict: ProductVerdict) {
        let introductory = verdict.introductoryOffer
        let promotional = verdict.promotionalOffer
        let winBack = verdict.winBackOffer
        let state = verdict.subscription
        cells.add(verdict.productID)
        cells.add(verdict.subscriptionGroup)
        cells.add(introductory.outcome.rawValue)
        cells.add(introductory.rule.name)
        cells.add(introductory.certainty?.rawValue)
        cells.add(introductory.caveats.map(\.rawValue).joined(separator: ","))
        cells.add(promotional.outcome.rawValue)
        cells.add(promotional.rule.name)
        cells.add(promotional.certainty?.rawValue)
        cells.add(winBack.outcome.rawValue)
        cells.add(winBack.rule.name)
        cells.add(winBack.certainty?.rawValue)
        cells.add(state.kind.rawValue)
        cells.add(state.productID)
        cells.add(state.since)
        cells.add(state.until)
    }
}

extension ReceiptOrigin {
    /// What the record and its subject are called, as text.
    fileprivate var names: (record: String?, subject: String?) {
        switch self {
        case .source(let path), .unsigned(let path): (path, nil)
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
