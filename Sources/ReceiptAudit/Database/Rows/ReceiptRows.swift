import AppReceipt
import Foundation
import OfferEligibility
import ReceiptExamination
import ReceiptJSON
import RecordSources
import SQLite

/// The rows of one record, without the keys that depend on its place and certificates in the database.
struct ReceiptRows: Sendable {
    static let receiptColumns = [
        "id", "signer_id", "intermediate_id", "anchor_id", "source", "place", "record", "path", "subject",
        "sha256",
        "content_sha256", "received", "wrapping", "listing", "status", "refusal_code", "refusal_message",
        "refusal_offset",
        "refusal_field", "kind", "realm", "environment", "digest", "revocation", "receipt_type", "bundle_id",
        "application_version", "original_application_version",
        "created_at", "original_purchase_date", "expiration_date", "app_item_id", "download_id",
        "version_external_identifier", "opaque_value", "sha1_hash", "other_app", "kept", "leaf",
    ]
    static let transactionColumns = [
        "receipt_id", "position", "subscription_group", "quantity", "product_id", "product_type",
        "transaction_id", "original_transaction_id", "purchase_date", "original_purchase_date",
        "expires_date", "cancellation_date", "cancellation_reason", "is_trial_period",
        "is_in_intro_offer_period", "promotional_offer_identifier", "web_order_line_item_id",
    ]
    /// The columns of a signed transaction. Those that only a signed transaction has come last.
    static let signedTransactionColumns =
        transactionColumns + [
            "subscription_group_identifier", "ownership_type", "is_upgraded", "offer_type",
            "offer_identifier",
            "offer_discount_type", "offer_period", "storefront", "storefront_id", "price", "currency",
            "transaction_reason", "app_account_token", "app_transaction_id", "revocation_reason",
            "revocation_type", "revocation_percentage", "billing_plan_type", "commitment_info",
            "advanced_commerce_info",
        ]
    static let renewalColumns = [
        "receipt_id", "original_transaction_id", "product_id", "auto_renew_product_id", "auto_renew_status",
        "expiration_intent", "is_in_billing_retry_period", "grace_period_expires_date", "renewal_date",
        "recent_subscription_start_date", "offer_type", "offer_identifier", "offer_discount_type",
        "offer_period", "renewal_price", "currency", "eligible_win_back_offer_ids", "price_increase_status",
        "app_account_token", "app_transaction_id", "renewal_billing_plan_type", "commitment_info",
        "advanced_commerce_info",
    ]
    static let appTransactionColumns = [
        "receipt_id", "app_transaction_id", "original_platform", "preorder_date",
    ]
    static let notificationColumns = [
        "receipt_id", "notification_type", "subtype", "notification_uuid", "version", "body", "status",
        "bundle_version", "consumption_request_reason", "request_identifier", "product_id",
        "storefront_country_codes", "succeeded_count", "failed_count", "external_purchase_id", "token_type",
        "token_creation_date", "token_expiration_date",
    ]
    static let realtimeRequestColumns = [
        "receipt_id", "original_transaction_id", "product_id", "user_locale", "request_identifier",
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

    /// The cells of ``receiptColumns`` from the fifth on, then of each transaction and each verdict from
    /// their second column on.
    private(set) var cells = RowCells()
    /// The certificates from the signer to the trust anchor.
    let certificates: [CertificateFacts]
    let transactionCount: Int
    let verdictCount: Int
    let table: Table
    /// The facts of the file, if the record is a file.
    let input: InputFacts?

    /// The table of the rows next to the record's row.
    enum Table {
        case transactions, signedTransactions, renewals, notifications, realtimeRequests, appTransactions
    }

    /// The range of the record's row in the cells.
    static let receipt = 0..<receiptColumns.count - 4

    /// The index of `sha256` in the record's row.
    static let digestIndex = 5

    /// Returns the index of a column in a receipt's row, after the keys.
    static func cell(_ column: String) -> Int { (receiptColumns.firstIndex(of: column) ?? 4) - 4 }

    /// Returns the index of a column in a transaction's row, after the key.
    static func cell(ofTransaction column: String) -> Int {
        (transactionColumns.firstIndex(of: column) ?? 1) - 1
    }

    /// The range of all transactions.
    var transactions: Range<Int> {
        let start = Self.receipt.upperBound
        return start..<start + transactionCount * transactionWidth
    }

    /// The number of cells in a transaction's row.
    var transactionWidth: Int {
        (table == .signedTransactions ? Self.signedTransactionColumns : Self.transactionColumns).count - 1
    }

    /// The range of the row of renewal information, a notification, a realtime request or an app transaction:
    /// the remaining cells.
    var objectRow: Range<Int> { verdicts.upperBound..<cells.cells.count }

    /// The range of all verdicts.
    var verdicts: Range<Int> {
        let start = transactions.upperBound
        return start..<start + verdictCount * (Self.verdictColumns.count - 1)
    }

    func values(_ range: Range<Int>) -> [Value] { range.map(cells.value) }

    /// Creates the rows of an answer.
    /// - Parameter leaf: The leaf, or nil if there is no verdict.
    init(_ answer: Answer, from source: String, _ catalog: SubscriptionCatalog?, _ leaf: SHA256Digest?) {
        input = answer.input
        let (record, subject) = answer.origin.names
        let width = Self.receipt.count
        switch (answer.examination?.result, answer.examination?.foreign) {
        case (_, let kind?):
            (certificates, transactionCount, verdictCount, table) = ([], 0, 0, .transactions)
            cells.reserve(cells: width)
            begin()
            cells.add("foreign")
            cells.addNulls(4)
            cells.add(kind.storedName)
            end()
        case (nil, nil):
            (certificates, transactionCount, verdictCount, table) = ([], 0, 0, .transactions)
            cells.reserve(cells: width)
            begin()
            cells.add("absent")
            if let list = answer.emptyList {
                cells.addNulls(Self.cell("environment") - cells.cells.count)
                cells.add(list.environment)
                cells.addNulls(Self.cell("bundle_id") - cells.cells.count)
                cells.add(list.bundleID)
            }
            end()
        case (.failure(let refusal), nil):
            let unplaced = answer.examination?.unplaced
            (certificates, transactionCount, verdictCount) = ([], 0, 0)
            table = unplaced?.table.0 ?? .transactions
            cells.reserve(cells: width)
            begin()
            cells.add("refused")
            cells.add(refusal.code.rawValue)
            cells.add(refusal.message)
            cells.add(refusal.offset)
            cells.add(refusal.field)
            if let unplaced { cells.add(unplaced, enclosedIn: nil) }
            end()
            if let unplaced { cells.add(contentOf: unplaced) }
        case (.success(.receipt(let verified)), nil):
            let purchases = verified.payload.inAppPurchases
            certificates = verified.certificates
            transactionCount = purchases.count
            verdictCount = answer.verdicts?.count ?? 0
            table = .transactions
            cells.reserve(
                cells: width + transactionCount * (Self.transactionColumns.count - 1)
                    + verdictCount * (Self.verdictColumns.count - 1))
            cells.reserve(bytes: 640 + 140 * transactionCount)
            begin()
            cells.add("genuine")
            cells.addNulls(4)
            add(verified)
            end()
            let bytes = verified.payload.bytes
            let catalog = catalog?.scope(of: verified.payload.bundleID)
            for (position, purchase) in purchases.enumerated() {
                add(purchase, at: position, of: bytes, catalog)
            }
            for verdict in answer.verdicts ?? [] { cells.add(verdict) }
        case (.success(let verified), nil):
            certificates = verified.object.certificates
            verdictCount = answer.verdicts?.count ?? 0
            (table, transactionCount) = verified.table
            cells.reserve(cells: width + 40 + verdictCount * (Self.verdictColumns.count - 1))
            cells.reserve(bytes: 800)
            begin()
            cells.add("genuine")
            cells.addNulls(4)
            cells.add(verified, enclosedIn: answer.examination?.enclosingApp)
            end()
            cells.add(purchaseOf: verified, catalog)
            for verdict in answer.verdicts ?? [] { cells.add(verdict) }
            cells.add(contentOf: verified)
        }

        func begin() {
            cells.add(source)
            cells.add(answer.place)
            cells.add(record)
            cells.add(answer.examination.flatMap { $0.place.isEmpty ? nil : String($0.place.dropFirst()) })
            cells.add(subject)
            cells.add(hexadecimal: answer.examination?.sha256)
            cells.add(hexadecimal: answer.examination?.contentSHA256)
            switch answer.examination?.received {
            case .digest(let digest)?: cells.add(hexadecimal: digest)
            case .base64?: cells.add("base64")
            case .nothing?, nil: cells.add("nothing")
            }
            let wrapping = answer.examination?.wrapping ?? []
            cells.add(wrapping.count > 1 ? wrapping.joined(separator: ",") : wrapping.first)
            cells.add((answer.emptyList?.listing ?? answer.examination?.listing)?.rawValue)
        }

        /// Fills the record's row up to its last column.
        func end() {
            cells.addNulls(width - 3 - cells.cells.count)
            cells.add(answer.otherApp)
            cells.add(json: answer.kept)
            cells.add(leaf)
        }
    }

    private mutating func add(_ verified: VerifiedReceipt) {
        let payload = verified.payload
        cells.add("receipt")
        cells.add(verified.realm.rawValue)
        cells.add(payload.environment?.rawValue)
        cells.add(verified.digestAlgorithm.rawValue)
        cells.add(verified.revocation.summary)
        payload.app.visit(&cells, of: payload.bytes)
    }

    private mutating func add(
        _ purchase: InAppPurchase, at position: Int, of bytes: [UInt8], _ catalog: SubscriptionCatalog?
    ) {
        cells.add(position)
        cells.add(catalog.flatMap { catalog in purchase.productID.flatMap { catalog.product($0)?.group } })
        purchase.record.visit(&cells, of: bytes)
    }

    /// Returns the cells of ``certificateColumns`` from the second on.
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
}
