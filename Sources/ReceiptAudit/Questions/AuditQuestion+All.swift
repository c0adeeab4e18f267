extension AuditQuestion {
    /// All questions, in the order in which they are listed.
    package static let all = [
        trialsTwice, sharedReceipts, active, expiring, lapsed, refunds, revenue(by: [.month]), offersUsed,
        customers, unverified,
    ]

    /// The SQL that selects rows with the trust anchor kind, the environment and the app asked for.
    private static let scoped = """
        WHERE chosen_realm IN (realm, 'any') AND chosen_environment IN (environment, 'any') AND chosen_app IN (bundle_id, '')
        """

    private static let ofSubjects = """
        SELECT DISTINCT subject, NULL AS original_transaction_id FROM selected WHERE subject IS NOT NULL
        ORDER BY subject
        """

    static let trialsTwice = AuditQuestion(
        "trials-twice", title: "Who had more than one trial or other introductory offer?",
        definition: """
            Accounts (subjects) with more than one introductory offer, trials included, in one subscription group of an \
            app; consecutive periods of one offer count once, family sharing does not count.
            """,
        unit: "accounts",
        columns: [
            "subject": "the account", "environment": "the App Store environment", "bundle_id": "the app",
            "subscription_group": "the group in the catalog; empty if each product counts as a group",
            "periods": "periods with an introductory offer", "products": "products of these periods",
            "first_offer": "start of the first offer", "last_offer": "start of the last offer",
            "summary": "the finding in words", "finding_id": "the finding in the table findings",
        ],
        kind: "several-introductory-offers",
        selection: "SELECT o.* FROM several_introductory_offers o, asked \(scoped)",
        number: "count(DISTINCT subject)",
        rows: """
            SELECT subject, environment, bundle_id, subscription_group, periods, products, first_offer, last_offer,
                summary, finding_id
            FROM selected ORDER BY periods DESC, subject, finding_id
            """,
        accounts: ofSubjects)

    static let sharedReceipts = AuditQuestion(
        "shared-receipts", title: "Which receipts did several accounts present?",
        definition: """
            Receipts and other signed objects that more than one account (subject) presented; a receipt counts once, \
            regardless of its encoding.
            """,
        unit: "receipts",
        columns: [
            "environment": "the App Store environment", "bundle_id": "the app",
            "content_sha256": "SHA-256 of the signed content",
            "kind": "receipt, transaction or another kind of signed object",
            "subjects": "accounts that presented it", "records": "records that hold it",
            "created_at": "date of creation or signing", "finding_id": "the finding in the table findings",
        ],
        kind: "shared-receipt",
        selection: "SELECT s.* FROM shared_receipts s, asked \(scoped)",
        rows: """
            SELECT environment, bundle_id, content_sha256, kind, subjects, records, created_at, finding_id
            FROM selected ORDER BY subjects DESC, content_sha256
            """,
        accounts: """
            SELECT DISTINCT r.subject, NULL AS original_transaction_id FROM selected s
                JOIN finding_evidence e ON e.finding_id = s.finding_id JOIN receipts r ON r.id = e.receipt_id
            WHERE r.subject IS NOT NULL ORDER BY r.subject
            """)

    /// Returns the query for the subscriptions that were active on a day, each once, with its latest period.
    private static func active(_ condition: String = "1") -> String {
        """
        SELECT * FROM (
            SELECT p.*, row_number() OVER (PARTITION BY p.realm, p.environment, p.bundle_id, p.subscription
                ORDER BY active_until DESC, active_from DESC, purchase) AS place
            FROM active_periods p, asked
            \(scoped) AND is_bought AND active_from <= asked."on" AND active_until > asked."on")
        WHERE place = 1 AND \(condition)
        """
    }

    private static let subscriptions: KeyValuePairs = [
        "environment": "the App Store environment", "bundle_id": "the app",
        "product_id": "the product of the period", "subscription_group": "the group in the catalog",
        "subscription": "the original transaction",
        "subject": "an account that presented the period, from the newest evidence with one",
        "active_from": "start of the period",
        "active_until": "end of the period: expiry, refund or upgrade, whichever is earliest",
        "is_trial_period": "1: a free trial", "is_in_intro_offer_period": "1: another introductory offer",
    ]

    private static let subscriptionRows = """
        SELECT environment, bundle_id, product_id, subscription_group, subscription, subject, active_from, active_until,
            is_trial_period, is_in_intro_offer_period
        FROM selected
        """

    static let active = AuditQuestion(
        "active", title: "Which subscriptions were active on a day?",
        definition: """
            Auto-renewable subscriptions with a period that began by the date and had not ended by expiry, refund or \
            upgrade; each original transaction counts once, access by family sharing and grace periods do not count.
            """,
        unit: "subscriptions", parameters: [.realm, .environment, .app, .on], columns: subscriptions,
        selection: active(),
        rows: "\(subscriptionRows) ORDER BY bundle_id, product_id, subscription")

    static let expiring = AuditQuestion(
        "expiring", title: "Which active subscriptions end soon?",
        definition: """
            Subscriptions that are active on the date and whose last known period ends before the second date, 30 days \
            later by default; some of them will renew.
            """,
        unit: "subscriptions", parameters: [.realm, .environment, .app, .on, .to], columns: subscriptions,
        selection: active(
            """
            active_until < (SELECT CASE WHEN "to" = '~' THEN strftime('%Y-%m-%dT%H:%M:%SZ', "on", '+30 days') ELSE "to" END
                FROM asked)
            """),
        rows: "\(subscriptionRows) ORDER BY active_until, subscription")

    static let lapsed = AuditQuestion(
        "lapsed", title: "Which subscriptions have ended?",
        definition: """
            Auto-renewable subscriptions whose last period that began by the date had ended by then, according to the \
            newest evidence; each original transaction counts once, family sharing does not count.
            """,
        unit: "subscriptions", parameters: [.realm, .environment, .app, .on],
        columns: [
            "environment": "the App Store environment", "bundle_id": "the app",
            "product_id": "the product of the last period", "subscription_group": "the group in the catalog",
            "subscription": "the original transaction",
            "subject": "an account that presented the last period, from the newest evidence with one",
            "ended_at": "end of the last period", "ending": "refund, upgrade or family; empty: expiry",
        ],
        selection: """
            SELECT * FROM (
                SELECT p.*, row_number() OVER (PARTITION BY p.realm, p.environment, p.bundle_id, p.subscription
                    ORDER BY active_until DESC, active_from DESC, purchase) AS place
                FROM active_periods p, asked \(scoped) AND is_bought AND active_from <= asked."on")
            WHERE place = 1 AND active_until <= (SELECT "on" FROM asked)
            """,
        rows: """
            SELECT environment, bundle_id, product_id, subscription_group, subscription, subject, active_until AS ended_at, ending
            FROM selected ORDER BY active_until DESC, subscription
            """)

    static let refunds = AuditQuestion(
        "refunds", title: "What was refunded?",
        definition: """
            Purchases that the App Store refunded in full or in part, by the date of the refund, each once; upgrades and \
            the end of family sharing do not count.
            """,
        unit: "purchases", parameters: [.realm, .environment, .app, .from, .to],
        columns: [
            "environment": "the App Store environment", "bundle_id": "the app", "product_id": "the product",
            "transaction_id": "the transaction", "original_transaction_id": "the original transaction",
            "subject": "an account that presented the purchase, from the newest evidence with one",
            "purchase_date": "date of the purchase", "cancellation_date": "date of the refund",
            "cancellation_reason": "1: an issue with the app; 0: another reason",
            "price": "price paid, in units of the currency; only signed transactions state it",
            "refunded": "amount refunded; empty if not known", "currency": "ISO 4217",
        ],
        selection: """
            SELECT r.* FROM refunds r, asked
            \(scoped) AND cancellation_date >= asked."from" AND cancellation_date < asked."to"
            """,
        rows: """
            SELECT environment, bundle_id, product_id, transaction_id, original_transaction_id, subject, purchase_date,
                cancellation_date, cancellation_reason, price, refunded, currency
            FROM selected ORDER BY cancellation_date, transaction_id
            """)

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
        let list = names.joined(separator: ", ")
        var question = AuditQuestion(
            "revenue", title: "What did customers pay?",
            definition: """
                Purchases whose price a signed transaction states, each once, by purchase date; refunds count in the month \
                of their purchase, and receipts state no prices. Apple's financial reports are the record for accounting.
                """,
            unit: "purchases", parameters: [.realm, .environment, .app, .from, .to],
            columns: [
                "purchases": "purchases with a price", "gross": "sum of the prices, in units of the currency",
                "refunded": "sum of the known refunds", "net": "gross without refunded",
                "partly_refunded": """
                part of gross of which an unknown amount was refunded: upgraded purchases, and prorated refunds without a percentage
                """,
            ],
            selection: """
                SELECT p.*, substr(p.purchase_date, 1, 7) AS month FROM purchases p, asked
                \(scoped) AND price IS NOT NULL
                    AND purchase_date >= asked."from" AND purchase_date < asked."to"
                """,
            rows: """
                SELECT \(list), count(*) AS purchases, round(sum(price), 3) AS gross, round(total(refunded), 3) AS refunded,
                    round(sum(price) - total(refunded), 3) AS net,
                    round(total(CASE WHEN refunded IS NULL THEN price END), 3) AS partly_refunded
                FROM selected GROUP BY \(list) ORDER BY \(list)
                """)
        let meanings = Dictionary(uniqueKeysWithValues: columns.map { ($0.rawValue, $0.meaning) })
        let others = [
            "environment": "the App Store environment", "bundle_id": "the app", "currency": "ISO 4217",
        ]
        question.columns =
            names.map { Column(name: $0, meaning: meanings[$0] ?? others[$0] ?? "") } + question.columns
        return question
    }

    static let offersUsed = AuditQuestion(
        "offers-used", title: "Which offers were used?",
        definition: """
            Purchases with a trial or another introductory offer, a promotional offer, an offer code or a win-back offer, \
            by purchase date, each once; family sharing does not count.
            """,
        unit: "purchases", parameters: [.realm, .environment, .app, .from, .to],
        columns: [
            "environment": "the App Store environment", "bundle_id": "the app", "product_id": "the product",
            "offer": "trial, introductory, promotional, offer code or win-back",
            "offer_identifier": "the identifier of the offer, if it has one",
            "purchases": "purchases with the offer", "first_purchase": "date of the first one",
            "last_purchase": "date of the last one",
        ],
        selection: """
            SELECT p.* FROM purchases p, asked
            \(scoped) AND offer IS NOT NULL AND is_bought
                AND purchase_date >= asked."from" AND purchase_date < asked."to"
            """,
        rows: """
            SELECT environment, bundle_id, product_id, offer, offer_identifier, count(*) AS purchases,
                min(purchase_date) AS first_purchase, max(purchase_date) AS last_purchase
            FROM selected GROUP BY environment, bundle_id, product_id, offer, offer_identifier
            ORDER BY bundle_id, purchases DESC, product_id, offer, offer_identifier
            """)

    static let customers = AuditQuestion(
        "customers", title: "Who presented genuine evidence?",
        definition: """
            Accounts with genuine evidence: each subject counts once, and purchases that no record with a subject presents \
            count once for each original transaction.
            """,
        unit: "accounts",
        columns: [
            "environment": "the App Store environment", "bundle_id": "the app", "subject": "the account",
            "original_transaction_id": "for purchases without a subject",
            "purchases": "purchases that the account presented, each once",
        ],
        selection: """
            SELECT a.environment, a.bundle_id, subject, original_transaction_id, count(purchase) AS purchases FROM (
                SELECT realm, environment, bundle_id, subject, original_transaction_id, purchase FROM purchase_accounts
                UNION ALL
                SELECT DISTINCT realm, environment, bundle_id, subject, NULL, NULL FROM receipts
                WHERE status = 'genuine' AND subject IS NOT NULL) a, asked
            \(scoped) GROUP BY a.environment, a.bundle_id, subject, original_transaction_id
            """,
        number: "count(DISTINCT coalesce('s' || subject, 'o' || original_transaction_id))",
        rows: """
            SELECT environment, bundle_id, subject, original_transaction_id, purchases FROM selected
            ORDER BY bundle_id, environment, subject, original_transaction_id
            """,
        accounts: """
            SELECT DISTINCT subject, original_transaction_id FROM selected ORDER BY subject, original_transaction_id
            """)

    static let unverified = AuditQuestion(
        "unverified", title: "What could not be verified?",
        definition: """
            Records that were refused or could not be read, from all environments and apps, because nothing in them is \
            trustworthy; records without a receipt do not count.
            """,
        unit: "records", parameters: [],
        columns: [
            "id": "the record in the table receipts", "source": "the file or stream",
            "place": "line, row, member or file of the source", "record": "the record's id or path",
            "path": "place of the signed object in the record", "subject": "the account that presented it",
            "refusal_code": "the reason as a code", "refusal_message": "the reason in words",
        ],
        selection: """
            SELECT id, source, place, record, path, subject, refusal_code, refusal_message FROM receipts, asked
            WHERE status = 'refused'
            """,
        parts: ["refusal_code"],
        rows: """
            SELECT id, source, place, record, path, subject, refusal_code, refusal_message FROM selected ORDER BY id
            """,
        accounts: ofSubjects)
}
