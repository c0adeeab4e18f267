import AppReceipt
import ReceiptExamination
import ReceiptJSON
import SQLite

/// The facts of a signed object that receipts do not contain, for its explanation.
enum SignedObjectFacts {
    static func of(_ id: Int64, _ receipt: Row, _ database: Connection) throws -> [ReceiptDetail.Fact] {
        let (table, columns): (String, [(String, String)])
        switch try receipt["kind"] as String? {
        case "transaction": (table, columns) = ("transactions", transaction)
        case "renewal-info": (table, columns) = ("renewals", renewal)
        case "notification": (table, columns) = ("notifications", notification)
        case "app-transaction": (table, columns) = ("app_transactions", appTransaction)
        case "realtime-request": (table, columns) = ("realtime_requests", realtimeRequest)
        default: return []
        }
        guard
            let row = try database.prepare("SELECT * FROM \(table) WHERE receipt_id = ?", id).firstRow()
        else { return [] }
        return try columns.compactMap { column, term in
            try value(row, column).map { ReceiptDetail.Fact(term: term, value: $0) }
        }
    }

    private static let transaction = [
        ("subscription_group_identifier", "Group, as signed"), ("ownership_type", "Ownership"),
        ("is_upgraded", "Replaced by an upgrade"), ("offer_type", "Offer type"),
        ("offer_identifier", "Offer"),
        ("offer_discount_type", "Discount"), ("offer_period", "Offer period"), ("price", "Price"),
        ("storefront", "Storefront"), ("transaction_reason", "Reason"),
        ("app_transaction_id", "App transaction id"), ("app_account_token", "App account token"),
        ("previous_original_transaction_id", "Switched from"),
        ("revocation_reason", "Revocation reason"), ("revocation_type", "Revocation type"),
        ("revocation_percentage", "Revoked share"), ("billing_plan_type", "Billing plan"),
        ("commitment_info", "Commitment"), ("advanced_commerce_info", "Advanced Commerce"),
    ]
    private static let renewal = [
        ("original_transaction_id", "Original transaction"), ("product_id", "Product"),
        ("auto_renew_product_id", "Renews as"), ("auto_renew_status", "Will renew"),
        ("expiration_intent", "Expiration intent"), ("is_in_billing_retry_period", "In billing retry"),
        ("grace_period_expires_date", "Grace period until"), ("renewal_date", "Renews on"),
        ("offer_identifier", "Offer"), ("renewal_price", "Renewal price"),
        ("eligible_win_back_offer_ids", "Win-back offers, by Apple"),
        ("offer_discount_type", "Discount"), ("offer_period", "Offer period"),
        ("app_transaction_id", "App transaction id"), ("app_account_token", "App account token"),
        ("renewal_billing_plan_type", "Billing plan"), ("commitment_info", "Commitment"),
        ("advanced_commerce_info", "Advanced Commerce"),
    ]
    private static let appTransaction = [
        ("app_transaction_id", "App transaction id"), ("original_platform", "First obtained on"),
        ("preorder_date", "Preordered"), ("revocation_date", "Cancelled"),
    ]
    private static let notification = [
        ("notification_type", "Notification"), ("subtype", "Subtype"), ("notification_uuid", "UUID"),
        ("status", "Subscription status"), ("bundle_version", "Build"),
        ("consumption_request_reason", "Reason for the refund request"), ("request_identifier", "Request"),
        ("product_id", "Product"), ("storefront_country_codes", "Storefronts"),
        ("succeeded_count", "Renewals extended"), ("failed_count", "Renewals not extended"),
        ("external_purchase_id", "External purchase"), ("token_type", "Token type"),
        ("token_creation_date", "Token created"), ("token_expiration_date", "Token expires"),
    ]

    private static let realtimeRequest = [
        ("original_transaction_id", "Original transaction"), ("product_id", "Product"),
        ("user_locale", "Locale"), ("request_identifier", "Request"),
    ]

    private static func value(_ row: Row, _ column: String) throws -> String? {
        switch column {
        case "is_upgraded", "auto_renew_status", "is_in_billing_retry_period":
            try (row[column] as Int64?).map { $0 == 0 ? "no" : $0 == 1 ? "yes" : "\($0)" }
        case "grace_period_expires_date", "renewal_date", "preorder_date", "revocation_date",
            "token_creation_date", "token_expiration_date":
            try row.date(column)
        case "price", "renewal_price":
            try (row[column] as Int64?).map {
                try "\($0) thousandths of \(row.text("currency") ?? "a currency")"
            }
        case "revocation_percentage":
            try (row[column] as Int64?).map { "\($0) thousandths of a percent" }
        case "offer_type", "revocation_reason", "expiration_intent", "status", "succeeded_count",
            "failed_count":
            try (row[column] as Int64?).map { "\($0)" }
        default: try row.text(column)
        }
    }
}

extension ReportText {
    /// Returns the name of a record, with the path of the signed object in it.
    static func record(_ row: Row) throws -> String? {
        try row.text("record").map { name in try row.text("path").map { "\(name)#\($0)" } ?? name }
    }

    /// Returns the kind of a row of `receipts` in words, or nil for a PKCS #7 receipt or an unverified
    /// record.
    static func kind(_ row: Row) throws -> String? { try (row["kind"] as String?).flatMap { kinds[$0] } }

    /// The words for the kinds.
    private static let kinds = [
        "transaction": "signed transaction", "renewal-info": "renewal information",
        "app-transaction": "app transaction", "notification": "notification",
        "realtime-request": "realtime request", "transaction-receipt": "transaction receipt",
    ].merging(ForeignKind.allCases.map { ($0.storedName, $0.shown(1)) }) { first, _ in first }
}
