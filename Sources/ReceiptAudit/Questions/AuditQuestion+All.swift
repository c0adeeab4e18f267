extension AuditQuestion {
    /// All questions, in the order in which they are listed.
    package static let all = [
        trialsTwice, sharedReceipts, active, expiring, lapsed, refunds, revenue(by: [.month]), offersUsed,
        customers, unverified,
    ]

    static let trialsTwice = AuditQuestion(
        "trials-twice", unit: "accounts",
        columns: [
            "subject": "the account", "environment": "the App Store environment", "bundle_id": "the app",
            "subscription_group": "the group in the catalog; empty if each product counts as a group",
            "periods": "periods with an introductory offer", "products": "products of these periods",
            "first_offer": "start of the first offer", "last_offer": "start of the last offer",
            "summary": "the finding in words", "finding_id": "the finding in the table findings",
        ],
        kind: "several-introductory-offers", number: "count(DISTINCT subject)")

    static let sharedReceipts = AuditQuestion(
        "shared-receipts", unit: "receipts",
        columns: [
            "environment": "the App Store environment", "bundle_id": "the app",
            "content_sha256": "SHA-256 of the signed content",
            "kind": "receipt, transaction or another kind of signed object",
            "subjects": "accounts that presented it", "records": "records that hold it",
            "created_at": "date of creation or signing", "finding_id": "the finding in the table findings",
        ],
        kind: "shared-receipt")

    private static let subscriptions: KeyValuePairs = [
        "environment": "the App Store environment", "bundle_id": "the app",
        "product_id": "the product of the period", "subscription_group": "the group in the catalog",
        "subscription": "the original transaction",
        "subject": "an account that presented the period, from the newest evidence with one",
        "active_from": "start of the period",
        "active_until": "end of the period: expiry, refund or upgrade, whichever is earliest",
        "is_trial_period": "1: a free trial", "is_in_intro_offer_period": "1: another introductory offer",
    ]

    static let active = AuditQuestion(
        "active", unit: "subscriptions", parameters: [.realm, .environment, .app, .on],
        columns: subscriptions)

    static let expiring = AuditQuestion(
        "expiring", unit: "subscriptions", parameters: [.realm, .environment, .app, .on, .to],
        columns: subscriptions)

    static let lapsed = AuditQuestion(
        "lapsed", unit: "subscriptions", parameters: [.realm, .environment, .app, .on],
        columns: [
            "environment": "the App Store environment", "bundle_id": "the app",
            "product_id": "the product of the last period", "subscription_group": "the group in the catalog",
            "subscription": "the original transaction",
            "subject": "an account that presented the last period, from the newest evidence with one",
            "ended_at": "end of the last period",
            "ending": "refund, upgrade, family or unknown; empty: expiry",
        ])

    static let refunds = AuditQuestion(
        "refunds", unit: "purchases", parameters: [.realm, .environment, .app, .from, .to],
        columns: [
            "environment": "the App Store environment", "bundle_id": "the app", "product_id": "the product",
            "transaction_id": "the transaction", "original_transaction_id": "the original transaction",
            "subject": "an account that presented the purchase, from the newest evidence with one",
            "purchase_date": "date of the purchase", "cancellation_date": "date of the refund",
            "cancellation_reason": "1: an issue with the app; 0: another reason",
            "price": "price paid, in units of the currency; only signed transactions state it",
            "refunded": "amount refunded; empty if not known", "currency": "ISO 4217",
        ])

    /// The columns that revenue can be divided by, besides environment, app and currency.
    package enum RevenueColumn: String, CaseIterable, Sendable {
        case month
        case product = "product_id"
        case storefront

        fileprivate var meaning: String {
            switch self {
            case .month: "month of the purchase, UTC"
            case .product: "the product"
            case .storefront: "country or region, ISO 3166-1 alpha-3"
            }
        }
    }

    /// Returns the question about revenue.
    package static func revenue(by columns: [RevenueColumn]) -> AuditQuestion {
        let names = ["environment", "bundle_id"] + columns.map(\.rawValue) + ["currency"]
        var question = AuditQuestion(
            "revenue", unit: "purchases", parameters: [.realm, .environment, .app, .from, .to],
            columns: [
                "purchases": "purchases with a price", "gross": "sum of the prices, in units of the currency",
                "refunded": "sum of the known refunds", "net": "gross without refunded",
                "partly_refunded": """
                part of gross of which an unknown amount was refunded: upgraded purchases, and prorated refunds without a percentage
                """,
            ])
        let meanings = Dictionary(uniqueKeysWithValues: columns.map { ($0.rawValue, $0.meaning) })
        let others = [
            "environment": "the App Store environment", "bundle_id": "the app", "currency": "ISO 4217",
        ]
        question.rows = question.rows.replacing("{columns}", with: names.joined(separator: ", "))
        question.columns =
            names.map { Column(name: $0, meaning: meanings[$0] ?? others[$0] ?? "") } + question.columns
        return question
    }

    static let offersUsed = AuditQuestion(
        "offers-used", unit: "purchases", parameters: [.realm, .environment, .app, .from, .to],
        columns: [
            "environment": "the App Store environment", "bundle_id": "the app", "product_id": "the product",
            "offer": "trial, introductory, promotional, offer code or win-back",
            "offer_identifier": "the identifier of the offer, if it has one",
            "purchases": "purchases with the offer", "first_purchase": "date of the first one",
            "last_purchase": "date of the last one",
        ])

    static let customers = AuditQuestion(
        "customers", unit: "accounts",
        columns: [
            "environment": "the App Store environment", "bundle_id": "the app", "subject": "the account",
            "original_transaction_id": "for purchases without a subject",
            "purchases": "purchases that the account presented, each once",
        ],
        number: "count(DISTINCT coalesce('s' || subject, 'o' || original_transaction_id))")

    static let unverified = AuditQuestion(
        "unverified", unit: "records", parameters: [],
        columns: [
            "id": "the record in the table receipts", "source": "the file or stream",
            "place": "line, row, member or file of the source", "record": "the record's id or path",
            "path": "place of the signed object in the record", "subject": "the account that presented it",
            "refusal_code": "the reason as a code", "refusal_message": "the reason in words",
        ],
        parts: ["refusal_code"])
}
