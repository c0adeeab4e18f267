import AppReceipt
import Foundation
import OfferEligibility
import ReceiptForge
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit

/// Signed transactions and other JWS in the audit's tables, verdicts on customers and findings.
struct SignedDatabaseTests {
    let workplace: Workplace
    private static let catalog = #"{"groups": {"21000001": ["com.example.app.monthly"]}}"#
    /// 2026-06-10.
    private static let asOf = EligibilityInstant.date(Timestamp(millisecondsSince1970: 1_781_049_600_000))

    init() throws { workplace = try Workplace() }

    /// Audits records and returns the database's path.
    ///
    /// - Parameters:
    ///   - records: Subjects, each with a receipt's bytes or a JWS.
    ///   - refused: The number of records that must be refused.
    private func audit(
        _ records: [(String?, [UInt8])], catalog: String? = catalog, for policy: VerificationPolicy = .any,
        refused: Int = 0
    ) throws -> String {
        var lines: [UInt8] = []
        for (index, (subject, bytes)) in records.enumerated() {
            lines +=
                bytes.first == 0x30
                ? Forged.line("\(index)", bytes, subject: subject)
                : ForgedJWS.line("\(index)", String(decoding: bytes, as: UTF8.self), subject: subject)
        }
        let source = try workplace.write(lines, to: "in.ndjson")
        let output = workplace.file("\(UUID().uuidString).sqlite")
        let audit = try Forged.audit([source], catalog: catalog, policy: policy, asOf: Self.asOf)
        let counts = try audit.database(output)
        #expect(counts.genuine == records.count - refused)
        #expect(counts.refused == refused)
        let (holds, _) = try audit.replay(output, jobs: 2, differ: { Issue.record("\($0)") })
        #expect(holds)
        return output
    }

    private func jws(_ payload: JSONMembers) throws -> [UInt8] { Array(try ForgedJWS.text(payload).utf8) }

    private func findings(_ path: String) throws -> [String] {
        try ask(
            path,
            """
            SELECT kind, severity, (SELECT group_concat(receipt_id) FROM finding_evidence WHERE finding_id = f.id)
            FROM findings f ORDER BY id
            """)
    }

    @Test func everyKindHasItsRow() throws {
        var transaction = JSONMembers.transaction
        for (name, value) in [
            ("isUpgraded", "true"), ("offerType", "4"), ("offerIdentifier", #""back""#),
            ("offerDiscountType", #""PAY_AS_YOU_GO""#), ("appAccountToken", #""7e3fb204""#),
            ("appTransactionId", #""704""#), ("offerPeriod", #""P1M""#),
            ("previousOriginalTransactionId", #""1999""#), ("revocationType", #""REFUND_FULL""#),
            ("revocationPercentage", "9223372036854775807"), ("billingPlanType", #""MONTHLY""#),
            ("commitmentInfo", #"{"billingPeriodNumber":3}"#), ("advancedCommerceInfo", #"{"items":[]}"#),
            ("revocationDate", "1780300000000"), ("revocationReason", "1"), ("price", "9223372036854775807"),
        ] { transaction[name] = value }
        var renewal = JSONMembers.renewalInfo
        for (name, value) in [
            ("offerDiscountType", #""FREE_TRIAL""#), ("offerPeriod", #""P3D""#),
            ("appTransactionId", #""704""#),
            ("appAccountToken", #""7e3fb204""#), ("renewalBillingPlanType", #""MONTHLY""#),
            ("priceIncreaseStatus", "9223372036854775807"),
            ("commitmentInfo", #"{"commitmentRenewalPrice":9}"#), ("advancedCommerceInfo", "{}"),
        ] { renewal[name] = value }
        var appTransaction = JSONMembers.appTransaction
        for (name, value) in [
            ("appTransactionId", #""704""#), ("originalPlatform", #""iOS""#),
            ("preorderDate", "1375000000000"), ("revocationDate", "1780300000000"),
            ("versionExternalIdentifier", "7"),
        ] { appTransaction[name] = value }
        let path = try audit([
            ("anna", try jws(transaction)), ("anna", try jws(renewal)),
            ("anna", try jws(appTransaction)),
            ("anna", try jws(.notification(["status": "3"]))),
            ("anna", try ForgedJWS.receipt("2000000000000009")), ("anna", try jws(.realtimeRequest)),
        ])
        #expect(
            try ask(path, "SELECT kind, realm, environment, digest, bundle_id, created_at FROM receipts") == [
                "transaction custom Sandbox sha256 com.example.app 1780308000123",
                "renewal-info custom Sandbox sha256 com.example.app 1780308000123",
                "app-transaction custom Sandbox sha256 com.example.app 1780308000123",
                "notification custom Sandbox sha256 com.example.app 1780308000123",
                "receipt custom Sandbox sha256 com.example.app 1780308000000",
                "realtime-request custom Sandbox sha256 - 1780308000123",
            ])
        #expect(
            try ask(
                path,
                """
                SELECT receipt_id, position, subscription_group, product_type, cancellation_date, is_trial_period,
                    is_in_intro_offer_period, promotional_offer_identifier, subscription_group_identifier, ownership_type,
                    is_upgraded, offer_type, offer_identifier, offer_discount_type, offer_period, storefront,
                    storefront_id, price, currency, transaction_reason, app_account_token, app_transaction_id,
                    previous_original_transaction_id, revocation_reason, revocation_type, revocation_percentage, billing_plan_type, commitment_info,
                    advanced_commerce_info FROM transactions
                """) == [
                    "1 0 21000001 auto_renewable_subscription 1780300000000 0 0 - 21000001 PURCHASED 1 4 back PAY_AS_YOU_GO "
                        + "P1M USA 143441 9223372036854775807 USD RENEWAL 7e3fb204 704 1999 1 REFUND_FULL "
                        + #"9223372036854775807 MONTHLY {"billingPeriodNumber":3} {"items":[]}"#,
                    "5 0 21000001 auto_renewable_subscription - 0 0 - - - - - - - - - - - - - - - - - - - - - -",
                ])
        #expect(
            try ask(path, "SELECT * FROM renewals") == [
                #"2 2000000000000001 com.example.app.monthly com.example.app.yearly 1 - 1 1781946000000 - - - - FREE_TRIAL P3D - - ["back","again"] 9223372036854775807 7e3fb204 704 MONTHLY {"commitmentRenewalPrice":9} {}"#
            ])
        #expect(try ask(path, "SELECT * FROM app_transactions") == ["3 704 iOS 1375000000000 1780300000000"])
        #expect(
            try ask(path, "SELECT * FROM notifications") == [
                "4 DID_RENEW - 0b6e2c9a 2.0 data 3" + String(repeating: " -", count: 11)
            ])
        #expect(
            try ask(path, "SELECT w.*, app_item_id FROM realtime_requests w JOIN receipts ON id = receipt_id")
                == [
                    "6 2000000000000001 com.example.app.monthly en-US 3db5c98d-8acf-4e29-831e-8e1f82f9f6e9 1470168868"
                ])
        #expect(
            try ask(
                path,
                """
                SELECT receipt_type, application_version, original_application_version, app_item_id,
                    version_external_identifier FROM receipts
                WHERE kind = 'app-transaction'
                """) == ["Sandbox 42 1.0 1470168868 7"])
        #expect(
            try ask(path, "SELECT grace_period_expires_date, signed_at FROM renewal_information") == [
                "2026-06-20T09:00:00Z 2026-06-01T10:00:00Z"
            ])
    }

    /// Checks the columns for each body of a notification. Counts of any size are kept.
    @Test func everyMemberOfANotificationHasItsColumn() throws {
        let app = #""bundleId":"com.example.app","appAppleId":7"#
        let bodies = [
            (
                "data",
                #"{\#(app),"environment":"Sandbox","bundleVersion":"42","status":4,"consumptionRequestReason":"LEGAL"}"#
            ),
            (
                "summary",
                #"{\#(app),"environment":"Sandbox","requestIdentifier":"r","productId":"p","storefrontCountryCodes":["DNK","USA"],"succeededCount":9223372036854775807,"failedCount":-9223372036854775808}"#
            ),
            (
                "externalPurchaseToken",
                #"{\#(app),"externalPurchaseId":"SANDBOX_7","tokenType":"ACQUISITION","tokenCreationDate":1781946000000,"tokenExpirationDate":1781946000001}"#
            ),
        ]
        let path = try audit(
            bodies.map { name, body in
                var members = JSONMembers.notification([:])
                members["data"] = nil
                members[name] = body
                return ("anna", try jws(members))
            })
        #expect(
            try ask(
                path,
                """
                SELECT version, body, status, bundle_version, consumption_request_reason, request_identifier, product_id,
                    storefront_country_codes, succeeded_count, failed_count, external_purchase_id, token_type,
                    token_creation_date, token_expiration_date FROM notifications
                """) == [
                    "2.0 data 4 42 LEGAL" + String(repeating: " -", count: 9),
                    #"2.0 summary - - - r p ["DNK","USA"] 9223372036854775807 -9223372036854775808 - - - -"#,
                    "2.0 externalPurchaseToken" + String(repeating: " -", count: 8)
                        + " SANDBOX_7 ACQUISITION 1781946000000 1781946000001",
                ])
        // A value that the database may hold must be valid for a replay.
        #expect(try AuditDatabase(path: path, isReadOnly: true).valueFault(in: "notifications") == nil)
    }

    /// Checks that the verdicts on a customer equal those of eligibility --merge for the same files.
    @Test func verdictsUseAllEvidence() throws {
        let root = try workplace.write(try Forged.root(), to: "root.cer")
        let catalog = try workplace.write(Array(Self.catalog.utf8), to: "catalog.json")
        var lapsed = JSONMembers.renewalInfo
        for (name, value) in [
            ("autoRenewStatus", "0"), ("isInBillingRetryPeriod", "false"), ("expirationIntent", "1"),
            ("gracePeriodExpiresDate", nil), ("eligibleWinBackOfferIds", nil),
        ] { lapsed[name] = value }
        let trial = try ForgedJWS.receipt("2000000000000001", created: "2026-04-21T09:00:00Z") {
            $0.expiresDate = "2026-05-20T09:00:00Z"
            $0.isTrialPeriod = true
        }
        let scenarios: [[[UInt8]]] = [
            [try jws(.transaction)],
            // The older receipt has the trial, the newer JWS has the current period.
            [trial, try jws(.transaction)], [try jws(.transaction), trial, trial],
            [trial, try jws(.renewalInfo)], [trial, try jws(lapsed)],
            // A transaction of another family member.
            [try jws(ForgedJWS.transaction("5", ["inAppOwnershipType": #""FAMILY_SHARED""#]))],
            // Conflicting evidence at the same second.
            [
                try ForgedJWS.receipt("2000000000000002") { $0.expiresDate = "2026-06-05T09:00:00Z" },
                try jws(.transaction),
            ],
            // Apple's group takes precedence over the catalog's.
            [try jws(ForgedJWS.transaction("6", ["subscriptionGroupIdentifier": #""999""#]))],
            [try jws(ForgedJWS.transaction("7", ["isUpgraded": "true"])), try jws(.appTransaction)],
            [
                try jws(
                    ForgedJWS.transaction(
                        "8",
                        [
                            "offerType": "1", "offerDiscountType": #""FREE_TRIAL""#,
                            "expiresDate": "1779872400000",
                        ])),
                try jws(.renewalInfo),
            ],
        ]
        for (number, scenario) in scenarios.enumerated() {
            for subject in ["anna", nil] {
                let path = try audit(scenario.map { (subject, $0) })
                let files = try scenario.enumerated().map { try workplace.write($1, to: "\(number)/\($0)") }
                let merged = try Tool.run(
                    ["eligibility", "--merge"] + files + [
                        "--root", root, "--catalog", catalog, "--as-of", "2026-06-10T00:00:00Z", "--json",
                    ])
                let object = try #require(
                    try JSONSerialization.jsonObject(with: Data(merged.output.utf8)) as? [String: Any])
                func text(_ offer: String) throws -> String {
                    let verdict = try #require(object["\(offer)_offer"] as? [String: Any])
                    let caveats = try #require(verdict["caveats"] as? [String])
                    return [
                        verdict["outcome"], verdict["rule"], verdict["certainty"] as? String ?? "-",
                        caveats.joined(separator: ","),
                    ].map { "\($0 ?? "-")" }.joined(separator: " ")
                }
                let columns = ["introductory", "promotional", "win_back"].flatMap { offer in
                    ["outcome", "rule", "certainty", "caveats"].map { "v.\(offer)_\($0)" }
                }
                let answers = try ask(
                    path, "SELECT \(columns.joined(separator: ", ")) FROM subject_verdicts v")
                let expected = try ["introductory", "promotional", "win_back"].map(text).joined(
                    separator: " ")
                #expect(answers == [expected], "scenario \(number) of \(subject ?? "nobody")")
                // Without a subject, an app transaction belongs to no customer.
                let isNobodys = subject == nil && number == 8
                #expect(
                    try ask(path, "SELECT receipts, evidence_date IS NOT NULL FROM customers") == [
                        "\(isNobodys ? 1 : scenario.count) 1"
                    ])
            }
        }
    }

    // The refunded share of a year, after ten months of it; the answer about an offer that requires six paid months
    @Test(
        arguments: [
            (nil, "ineligible"), ("100000", "ineligible"), ("16700", "undetermined"),
        ] as [(String?, String)])
    func partlyRefundedYear(share: String?, outcome: String) throws {
        var transaction = JSONMembers.transaction
        for (name, value) in [
            ("purchaseDate", "1735689600000"), ("expiresDate", "1767225600000"),
            ("revocationDate", "1761955200000"), ("revocationPercentage", share),
        ] { transaction[name] = value }
        var renewal = JSONMembers.renewalInfo
        renewal["autoRenewStatus"] = "0"
        for name in [
            "gracePeriodExpiresDate", "isInBillingRetryPeriod", "renewalDate", "eligibleWinBackOfferIds",
        ] { renewal[name] = nil }
        let path = try audit(
            [transaction, renewal].map { ("anna", Array(try ForgedJWS.text($0).utf8)) },
            catalog: """
                {"subscriptionGroups": [{"id": "21000001", "subscriptions": [{"productID": "com.example.app.monthly",
                "winbackOffers": [{"customerEligibilityPaidSubscriptionDurationInMonths": 6}]}]}]}
                """)
        let answers = try ask(path, "SELECT win_back_outcome, win_back_rule FROM subject_verdicts")
        #expect(answers == ["\(outcome) criteria"])
    }

    // The database keeps a response's listing. Without a subject, its objects may belong to several
    // customers.
    @Test(
        arguments: [
            ("anna", "false", ["-", "history"], ""), (nil, "false", ["-", "history"], "partial-evidence"),
            ("anna", "true", ["history-page", "history-page"], "partial-evidence"),
        ] as [(String?, String, [String], String)])
    func answersThatListPurchases(
        subject: String?, hasMore: String, listings: [String], caveat: String
    ) throws {
        let first = ForgedJWS.transaction("2000000000000001", ["expiresDate": "1779872400000"])
        let second = ForgedJWS.transaction(
            "2000000000000002", ["purchaseDate": "1779872400000", "expiresDate": "1779872500000"])
        let member = subject.map { #""subject":"\#($0)","# } ?? ""
        let answer = """
            {"id":"1",\(member)"bundleId":"com.example.app","environment":"Sandbox","hasMore":\(hasMore),\
            "signedTransactions":["\(try ForgedJWS.text(first))","\(try ForgedJWS.text(second))"]}

            """
        // The second transaction again, by itself. Newer evidence with the same content is not read twice.
        let again = ForgedJWS.line("0", try ForgedJWS.text(second), subject: subject)
        let source = try workplace.write(again + answer.utf8, to: "in.ndjson")
        let output = workplace.file("out.sqlite")
        let audit = try Forged.audit([source], catalog: Self.catalog, asOf: Self.asOf)
        #expect(try audit.database(output).genuine == 3)
        #expect(try audit.replay(output, jobs: 2, differ: { Issue.record("\($0)") }).0)
        #expect(try ask(output, "SELECT listing FROM receipts WHERE record = '1' ORDER BY id") == listings)
        let caveats = try ask(
            output, "SELECT introductory_rule, introductory_caveats FROM subject_verdicts")
        #expect(caveats == [("lapsed renewal-possible," + caveat).trimmingCharacters(in: [","])])
    }

    /// Checks that a subscription that expired for an unknown reason may have continued. One that leaves a bundle does.
    @Test(arguments: [
        ("0", nil, "lapsed"), ("0", "1", "lapsed"), ("0", "5", "lapsed"), ("1", "5", "lapsed"),
        ("0", "6", "lapsed renewal-possible"), ("1", "6", "lapsed renewal-possible"),
        ("0", "0", "lapsed renewal-possible"), ("1", nil, "lapsed renewal-possible"),
    ])
    func unknownExpirationIntent(status: String, intent: String?, expected: String) throws {
        let transaction = ForgedJWS.transaction("2000000000000001", ["expiresDate": "1779872400000"])
        var information = JSONMembers.renewalInfo
        for (name, value) in [
            ("autoRenewStatus", status), ("expirationIntent", intent), ("isInBillingRetryPeriod", "false"),
            ("gracePeriodExpiresDate", nil), ("eligibleWinBackOfferIds", nil),
        ] { information[name] = value }
        let answer = """
            {"id":"1","subject":"anna","bundleId":"com.example.app","environment":"Sandbox","hasMore":false,\
            "signedTransactions":["\(try ForgedJWS.text(transaction))"]}

            """
        let line = ForgedJWS.line("2", try ForgedJWS.text(information), subject: "anna")
        let source = try workplace.write(answer.utf8 + line, to: "in.ndjson")
        let output = workplace.file("out.sqlite")
        let audit = try Forged.audit([source], catalog: Self.catalog, asOf: Self.asOf)
        #expect(try audit.database(output).genuine == 2)
        let caveats = try ask(
            output, "SELECT introductory_rule, introductory_caveats FROM subject_verdicts")
        #expect(caveats.map { $0.trimmingCharacters(in: [" "]) } == [expected])
    }

    /// Checks that a response without objects is a record without evidence, and that it counts as a complete
    /// list for its subject and app.
    @Test func answersWithoutObjects() throws {
        let empty = { (subject: String, app: String) in
            Array(
                #"{"id":"e","subject":"\#(subject)","bundleId":"\#(app)","environment":"Sandbox","data":[]}"#
                    .utf8
            ) + [10]
        }
        let application = try ForgedJWS.text(.appTransaction)
        let lines = ["anna", "ben", "cora"].flatMap {
            Array(ForgedJWS.line("a", application, subject: $0))
        }
        let source = try workplace.write(
            lines + empty("anna", "com.example.app") + empty("ben", "com.example.other")
                + empty("dora", "com.example.app"), to: "in.ndjson")
        let output = workplace.file("out.sqlite")
        let audit = try Forged.audit([source], catalog: Self.catalog, asOf: Self.asOf)
        let counts = try audit.database(output)
        #expect(counts.genuine == 3)
        #expect(counts.absent == 3)
        #expect(counts.refused == 0)
        #expect(try audit.replay(output, jobs: 2, differ: { Issue.record("\($0)") }).0)
        #expect(
            try ask(
                output,
                """
                SELECT DISTINCT c.subject, v.introductory_rule, v.introductory_caveats, v.win_back_outcome
                FROM subject_verdicts v JOIN customers c ON c.id = v.customer_id ORDER BY 1
                """) == [
                    "anna never-subscribed  ineligible", "ben no-purchase-evidence  undetermined",
                    "cora no-purchase-evidence  undetermined",
                ])
    }

    // Only PURCHASED means that the customer is the owner. An offer that another owner used is not a finding.
    @Test func unknownOwnerIsNotTheCustomer() throws {
        let path = try audit([
            (
                "anna",
                try jws(
                    ForgedJWS.transaction(
                        "5", ["inAppOwnershipType": #""ASSIGNED""#, "expiresDate": "1779872400000"]))
            )
        ])
        #expect(
            try ask(
                path,
                "SELECT introductory_outcome, introductory_rule, promotional_rule, state FROM subject_verdicts"
            ) == ["undetermined unknown-ownership unknown-ownership unknown"])
    }

    /// Checks that lines and CSV files contain the verdicts of the tables.
    @Test func linesAndTablesIncludeJWS() throws {
        let root = try workplace.write(try Forged.root(), to: "root.cer")
        let catalog = try workplace.write(Array(Self.catalog.utf8), to: "catalog.json")
        let trial = try ForgedJWS.receipt("2000000000000001", created: "2026-04-21T09:00:00Z") {
            $0.isTrialPeriod = true
            $0.purchaseDate = "2026-04-20T09:00:00Z"
        }
        let source = try workplace.write(
            Forged.line("old", trial, subject: "anna")
                + ForgedJWS.line("new", try ForgedJWS.text(.transaction), subject: "anna")
                + ForgedJWS.line("info", try ForgedJWS.text(.renewalInfo), subject: "anna")
                + ForgedJWS.line("note", try ForgedJWS.text(.notification()), subject: "ben"), to: "in.ndjson"
        )
        let (lines, report, folder) = (
            workplace.file("lines"), workplace.file("report.html"), workplace.file("csv")
        )
        let answer = try Tool.run(
            "audit", source, "--root", root, "--catalog", catalog, "--as-of", "2026-06-10T00:00:00Z",
            "--subject-verdicts", lines, "--report", report, "--csv", folder)
        #expect(answer.status == 0, "\(answer.messages)")
        #expect(
            answer.messages.contains(
                "genuine: 1 receipt, 1 notification, 1 piece of renewal information, 1 signed transaction\n"
            ))
        let told = String(decoding: try workplace.read("lines"), as: UTF8.self).split(separator: "\n")
        #expect(told.count == 2)
        for part in [
            #""subject":"anna","environment":"Sandbox""#, #""receipts":3,"#, #""record":"old""#,
            #""evidence_date":"2026-06-01T10:00:00.123Z""#, #""outcome":"ineligible","rule":"offer-used""#,
            #""in-grace-period""#,
        ] { #expect(told[0].contains(part), "\(part)") }
        #expect(told[1].contains(#""subject":"ben""#))
        #expect(told[1].contains(#""rule":"no-purchase-evidence""#))
        let page = String(decoding: try workplace.read("report.html"), as: UTF8.self)
        for part in [
            "<dt>Grace period until</dt><dd>2026-06-20T09:00:00Z</dd>",
            "<dt>Price</dt><dd>9990 thousandths of USD</dd>",
            "<dt>Notification</dt><dd>DID_RENEW</dd>", "<dt>Kind</dt><dd>signed transaction</dd>",
        ] { #expect(page.contains(part), "\(part)") }
        for (name, part) in [
            ("receipts", "\"renewal-info\""), ("purchases", "\"PURCHASED\""), ("renewals", "\"info\""),
            ("subject_verdicts", "no-purchase-evidence"), ("subject_verdicts", "offer-used"),
        ] {
            let table = String(decoding: try workplace.read("csv/\(name).csv"), as: UTF8.self)
            #expect(table.contains(part), "\(name)")
        }
    }

    /// Checks that a subject without purchase evidence gets the verdict by that rule, as with `eligibility
    /// --merge`.
    @Test func noPurchaseEvidenceHasItsRule() throws {
        let path = try audit([
            ("anna", try jws(.notification())), ("ben", try jws(.renewalInfo)), (nil, try jws(.renewalInfo)),
            (nil, try jws(.notification())), ("cora", try jws(.appTransaction)),
        ])
        #expect(
            try ask(path, "SELECT subject, bundle_id, receipts, purchases, unjudged FROM customers") == [
                "anna com.example.app 1 0 -", "ben - 1 0 -", "cora com.example.app 1 0 -",
            ])
        #expect(
            try ask(
                path,
                "SELECT introductory_outcome, promotional_rule, promotional_outcome FROM subject_verdicts")
                == [
                    "undetermined no-purchase-evidence undetermined",
                    "ineligible no-purchase-evidence undetermined",
                    "undetermined no-purchase-evidence undetermined",
                ])
        let omitted = try ask(path, "SELECT title FROM not_looked_for")
        #expect(!omitted.contains { $0.hasPrefix("Which offers") })
        // Without a subject it belongs to no customer.
        #expect(omitted.contains("The customers of 1 record with renewal information"))
        // A transaction of the same subject identifies its customer.
        let known = try audit([
            ("anna", try jws(.transaction)), ("anna", try jws(.renewalInfo)), ("ben", try jws(.renewalInfo)),
        ])
        #expect(
            try ask(known, "SELECT bundle_id FROM receipts") == ["com.example.app", "com.example.app", "-"])
    }

    /// Checks that evidence of two Apple Accounts has no verdicts, because each may have other purchases.
    @Test func subjectWithSeveralAccounts() throws {
        let evidence = try ["7001", "7002", "7001"].enumerated().map { index, account in
            var payload = JSONMembers.transaction
            payload["appTransactionId"] = "\"\(account)\""
            return (index < 2 ? "anna" : "ben", try jws(payload))
        }
        let path = try audit(evidence.map { ($0, $1) })
        #expect(
            try ask(path, "SELECT subject, receipts, unjudged FROM customers") == [
                "anna 2 the evidence is of several Apple Accounts: app_transaction_id differs", "ben 1 -",
            ])
        #expect(try ask(path, "SELECT DISTINCT customer_id FROM subject_verdicts") == ["2"])
        #expect(
            try ask(path, "SELECT title FROM not_looked_for").contains(
                "The offers of 1 customer, based on all evidence of each"))
    }

    /// Checks that a scoped catalog has no products for a customer of an unknown app.
    @Test func renewalInformationAloneUnderAScopedCatalog() throws {
        let scoped = #"{"apps": {"com.example.app": {"groups": {"main": ["com.example.app.monthly"]}}}}"#
        let path = try audit(
            [("anna", try jws(.transaction)), ("ben", try jws(.renewalInfo))], catalog: scoped)
        #expect(
            try ask(path, "SELECT subject, bundle_id, receipts, unjudged FROM customers") == [
                "anna com.example.app 1 -", "ben - 1 the catalog does not list the app",
            ])
        #expect(
            try !ask(path, "SELECT title FROM not_looked_for").contains { $0.contains("renewal information") }
        )
    }

    /// Checks renewal information without its transaction: it belongs to the subject's only app. If there are two, it belongs
    /// to no customer, and both customers of the subject have the caveat.
    @Test func renewalInformationWithoutItsTransaction() throws {
        var payload = JSONMembers.renewalInfo
        payload["originalTransactionId"] = #""2000000000000077""#
        let renewal = try jws(payload)
        var (trial, other) = (JSONMembers.transaction, JSONMembers.transaction)
        trial["expiresDate"] = "1779872400000"
        other["bundleId"] = #""com.example.other""#
        let path = try audit([
            ("anna", try jws(trial)), ("anna", renewal),
            ("ben", try jws(trial)), ("ben", try jws(other)), ("ben", renewal),
            ("carl", try jws(.appTransaction)), ("carl", renewal),
        ])
        #expect(
            try ask(path, "SELECT subject, bundle_id FROM receipts WHERE kind = 'renewal-info'") == [
                "anna com.example.app", "ben -", "carl com.example.app",
            ])
        #expect(
            try ask(
                path,
                """
                SELECT c.subject, c.bundle_id, v.introductory_rule, v.promotional_caveats FROM customers c
                JOIN subject_verdicts v ON v.customer_id = c.id ORDER BY 1, 2
                """) == [
                    "anna com.example.app in-grace-period ", "ben com.example.app lapsed evidence-refused",
                    "ben com.example.other subscribed evidence-refused",
                    "carl com.example.app in-grace-period ",
                ])
    }

    /// Checks renewal information with an expected app. It is refused by itself, but counts for the customer
    /// of its transaction. Otherwise it is refused evidence of its subject.
    @Test func renewalInformationWithAnExpectedApp() throws {
        var (trial, own, other) = (JSONMembers.transaction, JSONMembers.renewalInfo, JSONMembers.renewalInfo)
        trial["expiresDate"] = "1779872400000"
        own["originalTransactionId"] = #""2000000000000002""#
        other["originalTransactionId"] = #""2000000000000077""#
        let records: [(String?, [UInt8])] = [
            ("anna", try jws(trial)), ("anna", try jws(own)), ("ben", try jws(trial)),
            ("ben", try jws(other)), ("carl", try jws(own)), (nil, try jws(trial)),
            (nil, try jws(.renewalInfo)),
        ]
        let path = try audit(records, for: .app("com.example.app", .anyEnvironment), refused: 4)
        #expect(
            try ask(path, "SELECT id, status, bundle_id FROM receipts WHERE kind = 'renewal-info'") == [
                "2 refused com.example.app", "4 refused -", "5 refused -", "7 refused com.example.app",
            ])
        #expect(try ask(path, "SELECT receipt_id FROM renewal_information ORDER BY 1") == ["2", "7"])
        #expect(
            try ask(
                path,
                """
                SELECT c.subject, c.receipts, v.introductory_rule, v.win_back_caveats FROM customers c
                JOIN subject_verdicts v ON v.customer_id = c.id ORDER BY c.id
                """) == [
                    "anna 2 in-grace-period ", "ben 1 lapsed evidence-refused", "- 2 in-grace-period ",
                ])
        // Findings use only evidence that is genuine by itself.
        trial["signedDate"] = "1791049600000"
        own["signedDate"] = "1791049600000"
        let late = try audit(
            [("anna", try jws(trial)), ("anna", try jws(own))],
            for: .app("com.example.app", .anyEnvironment), refused: 1)
        #expect(try findings(late) == ["created-after-as-of note 1"])
    }

    /// Checks that refused evidence of a subject is a caveat for each of its customers.
    @Test func refusedEvidenceOfASubject() throws {
        var ended = JSONMembers.transaction
        ended["expiresDate"] = "1779872400000"
        var other = ended
        other["bundleId"] = #""com.example.other""#
        let path = try audit(
            [
                ("anna", try jws(ended)), ("anna", try jws(other)), ("anna", Array("MAA=".utf8)),
                ("ben", try jws(ended)), (nil, try jws(ended)), (nil, Array("MAA=".utf8)),
            ], refused: 2)
        #expect(
            try ask(
                path,
                """
                SELECT c.subject, c.bundle_id, v.introductory_caveats, v.promotional_caveats FROM customers c
                JOIN subject_verdicts v ON v.customer_id = c.id ORDER BY c.id
                """) == [
                    "anna com.example.app renewal-possible,partial-evidence,evidence-refused evidence-refused",
                    "anna com.example.other renewal-possible,partial-evidence,evidence-refused evidence-refused",
                    "ben com.example.app renewal-possible,partial-evidence ",
                    "- com.example.app renewal-possible,partial-evidence ",
                ])
    }

    // MARK: - Findings

    /// Checks that two valid signatures of one transaction are recognized as the same object, by content and
    /// by transaction.
    @Test func sharedTransactionIsFoundInAnyFormat() throws {
        let text = try ForgedJWS.text(.transaction)
        let other = Array(try ForgedJWS.otherSignature(of: text).utf8)
        let twice = try audit([("anna", Array(text.utf8)), ("ben", other)])
        #expect(
            try ask(twice, "SELECT count(DISTINCT sha256), count(DISTINCT content_sha256) FROM receipts") == [
                "2 1"
            ])
        #expect(try findings(twice) == ["shared-purchase note 1,2", "shared-receipt note 1,2"])
        // A transaction that one subject presents twice is one object.
        #expect(try findings(try audit([("anna", Array(text.utf8)), ("anna", other)])) == [])
        // Signed again, and also listed by a receipt.
        var later = JSONMembers.transaction
        later["signedDate"] = "1780308001000"
        let mixed = try audit([
            ("anna", Array(text.utf8)), ("ben", try jws(later)),
            ("carl", try ForgedJWS.receipt("2000000000000002")),
        ])
        #expect(try findings(mixed) == ["shared-purchase note 1,2,3"])
    }

    /// Checks that a trial is not a second introductory offer if signed evidence says that it is a family member's, or under
    /// another offer.
    @Test(arguments: [
        // (the transaction of the signed evidence, its ownership and offer; the findings)
        ("7", "FAMILY_SHARED", "1", []), ("8", "FAMILY_SHARED", "1", []),
        ("7", "PURCHASED", "1", ["several-introductory-offers note 1,3"]),
        ("7", "PURCHASED", "3", ["told-differently note 2,3"]),
    ])
    func trialsThatDoNotCount(transaction: String, ownership: String, offer: String, expected: [String])
        throws
    {
        func receipt(_ id: String, from date: String, to end: String) throws -> [UInt8] {
            try ForgedJWS.receipt(id) { purchase in
                (purchase.isTrialPeriod, purchase.originalTransactionID) = (true, id)
                (purchase.purchaseDate, purchase.expiresDate) = (date, end)
            }
        }
        // The trial itself, or its renewal.
        let isTrial = transaction == "7"
        let signed = ForgedJWS.transaction(
            transaction,
            [
                "originalTransactionId": #""7""#, "inAppOwnershipType": "\"\(ownership)\"",
                "offerType": isTrial ? offer : nil, "offerDiscountType": isTrial ? #""FREE_TRIAL""# : nil,
                "purchaseDate": isTrial ? "1767261600000" : "1767866400000",
                "expiresDate": isTrial ? "1767866400000" : "1770544800000",
            ])
        let path = try audit([
            ("anna", try receipt("1", from: "2025-12-01T10:00:00Z", to: "2025-12-08T10:00:00Z")),
            ("anna", try receipt("7", from: "2026-01-01T10:00:00Z", to: "2026-01-08T10:00:00Z")),
            ("anna", try jws(signed)),
        ])
        let found = try findings(path)
        #expect(found == expected)
    }

    /// Checks a cancellation whose reason no rule knows: a later version of iOS has one for switches to subscription bundles.
    @Test(arguments: [
        ("0", "refund", "ineligible refunded"), ("1", "refund", "ineligible refunded"),
        (nil, "refund", "ineligible refunded"), ("2", "unknown", "undetermined uncatalogued-history"),
    ])
    func reasonOfACancellation(reason: String?, ending: String, verdict: String) throws {
        let signed = try jws(
            ForgedJWS.transaction(
                "7",
                [
                    "revocationDate": "1779872400000", "revocationReason": reason,
                    "signedDate": "1780308900000",
                ]))
        let receipt = try ForgedJWS.receipt("7") {
            $0.cancellationDate = "2026-05-27T09:00:00Z"
            $0.cancellationReason = reason.flatMap { Int($0) }
        }
        for evidence in [signed, receipt] {
            let path = try audit([("anna", evidence)])
            #expect(try ask(path, "SELECT ending FROM purchases") == [ending])
            for table in ["verdicts", "subject_verdicts"] {
                #expect(
                    try ask(path, "SELECT introductory_outcome, introductory_rule FROM \(table)") == [verdict]
                )
            }
        }
    }

    /// Checks a free offer code, of which receipts have the trial flag and an identifier, in a receipt alone and beside its JWS.
    @Test(arguments: [
        (false, "promotional", "undetermined uncatalogued-history"), (true, "offer code", "eligible lapsed"),
    ])
    func freeOfferCode(isSigned: Bool, offer: String, verdict: String) throws {
        let receipt = try ForgedJWS.receipt("8") { purchase in
            (purchase.isTrialPeriod, purchase.promotionalOfferIdentifier) = (true, "b3c85265")
            (purchase.purchaseDate, purchase.expiresDate) = ("2026-05-01T10:00:00Z", "2026-06-01T10:00:00Z")
        }
        let trial = try ForgedJWS.receipt("7", created: "2026-01-10T10:00:00Z") { purchase in
            (purchase.originalTransactionID, purchase.isTrialPeriod) = ("7", true)
            (purchase.purchaseDate, purchase.expiresDate) = ("2026-01-01T10:00:00Z", "2026-01-08T10:00:00Z")
        }
        let code = try jws(
            ForgedJWS.transaction(
                "8",
                [
                    "purchaseDate": "1777629600000", "expiresDate": "1780308000000", "offerType": "3",
                    "offerDiscountType": #""FREE_TRIAL""#, "offerIdentifier": #""SPRING""#,
                ]))
        let path = try audit([("anna", receipt)] + (isSigned ? [("anna", code)] : []))
        #expect(try ask(path, "SELECT offer FROM purchases") == [offer])
        #expect(
            try ask(path, "SELECT introductory_outcome, introductory_rule FROM subject_verdicts") == [verdict]
        )
        #expect(try findings(path) == [])
        // A trial before it is not a second introductory offer.
        let both = try audit([("anna", trial), ("anna", receipt)] + (isSigned ? [("anna", code)] : []))
        #expect(try findings(both) == [])
    }

    /// Checks that a transaction signed before Apple stated types of discounts does not contradict a newer one.
    @Test func missingDiscountTypeIsNoConflict() throws {
        let path = try audit([
            ("anna", try jws(ForgedJWS.transaction("7", ["offerType": "1"]))),
            (
                "anna",
                try jws(
                    ForgedJWS.transaction(
                        "7",
                        [
                            "offerType": "1", "offerDiscountType": #""FREE_TRIAL""#,
                            "signedDate": "1780308900000",
                        ]))
            ),
        ])
        #expect(try findings(path) == [])
    }

    private static let nameless: [(String, [KeyValuePairs<String, String?>], [String], String)] = [
        ("two subjects", [[:], [:]], ["anna", "ben"], "shared-purchase note 1,2"),
        (
            "another product", [[:], ["transactionId": #""1""#, "productId": #""com.example.app.yearly""#]],
            ["anna", "anna"], "told-differently note 1,2"
        ),
        (
            "two trials",
            [
                ["offerType": "1", "offerDiscountType": #""FREE_TRIAL""#],
                [
                    "offerType": "1", "offerDiscountType": #""FREE_TRIAL""#,
                    "originalTransactionId": #""7""#,
                ],
            ],
            ["anna", "anna"], "several-introductory-offers note 1,2"
        ),
    ]

    /// Checks that transactions without an app are compared with one another.
    @Test(arguments: nameless.indices)
    func transactionsThatNameNoApp(index: Int) throws {
        let (name, changes, subjects, expected) = Self.nameless[index]
        let path = try audit(
            zip(subjects, changes.enumerated()).map { subject, change in
                var payload = ForgedJWS.transaction("\(change.offset + 1)", change.element)
                payload["bundleId"] = nil
                return (subject, try jws(payload))
            })
        #expect(try findings(path) == [expected], "\(name)")
        #expect(try ask(path, "SELECT summary LIKE '% of an app without a name%' FROM findings") == ["1"])
        #expect(try ask(path, "SELECT count(*) FROM incident_findings") == ["1"])
    }

    /// Checks a purchase after the signature date, without subject and app: its incident has its finding.
    @Test func incidentWithoutAppHasItsFindings() throws {
        var payload = ForgedJWS.transaction(
            "1", ["purchaseDate": "1790000000000", "expiresDate": "1791000000000"])
        payload["bundleId"] = nil
        let path = try audit([(nil, try jws(payload))])
        #expect(try findings(path).filter { $0.hasPrefix("created-before-purchase") }.count == 1)
        #expect(
            try ask(
                path,
                "SELECT count(*) FROM incidents WHERE id NOT IN (SELECT incident_id FROM incident_findings)")
                == ["0"])
    }

    /// Checks that a row without an environment is not compared with others. Only Apple signs transaction
    /// receipts under a trusted root, so the test changes a row.
    @Test func evidenceWithoutAnEnvironmentIsNotCompared() throws {
        let path = try audit([
            ("anna", try ForgedJWS.receipt("2000000000000002")), ("anna", try jws(.transaction)),
        ])
        try withDatabase(path) { database in
            try database.execute(
                """
                UPDATE receipts SET kind = 'transaction-receipt', environment = NULL WHERE id = 2;
                DELETE FROM not_looked_for
                """)
            try SkippedChecks.insert(genuine: Forged.counts(database), asked: nil, into: database)
        }
        #expect(
            try ask(path, "SELECT title, reason FROM not_looked_for WHERE title LIKE 'Purchases of%'") == [
                "Purchases of 1 transaction receipt in receipts and signed transactions "
                    + "transaction receipts name no environment"
            ])
        #expect(
            try ask(path, "SELECT count(*) FROM not_looked_for WHERE kind = 'revoked-elsewhere'") == ["1"])
    }

    private static let transactionChanges: [(String, KeyValuePairs<String, String?>, String?)] = [
        ("alike", [:], nil),
        // Fixed at the purchase, so any difference is a conflict.
        (
            "another product", ["productId": #""com.example.app.yearly""#, "signedDate": "1780308900000"],
            "told-differently"
        ),
        ("another purchase date", ["purchaseDate": "1779267601000"], "told-differently"),
        ("another first transaction", ["originalTransactionId": #""2000000000000007""#], "told-differently"),
        ("another type", ["type": #""Consumable""#], "told-differently"),
        ("an offer", ["offerType": "1", "offerDiscountType": #""FREE_TRIAL""#], "told-differently"),
        // Receipts omit the milliseconds of a purchase.
        ("milliseconds", ["purchaseDate": "1779267600999"], nil),
        // Facts that may change are compared only at the same second.
        ("another expiry", ["expiresDate": "1781946001000"], "told-differently"),
        ("an expiry extended later", ["expiresDate": "1781946001000", "signedDate": "1780308900000"], nil),
        // An absent value is not a conflict.
        ("without an expiry", ["expiresDate": nil], nil),
        ("a promotional offer", ["offerType": "2", "offerIdentifier": #""back""#], nil),
        // Refunded, but presented in its earlier state.
        (
            "revoked later", ["revocationDate": "1780308800000", "signedDate": "1780308900000"],
            "revoked-elsewhere"
        ),
        (
            "revoked when it was over", ["revocationDate": "1781946000000", "signedDate": "1781946000000"],
            nil
        ),
        ("an upgrade", ["isUpgraded": "true"], nil),
    ]

    @Test(arguments: transactionChanges.indices)
    func receiptsAndJWSAreCompared(index: Int) throws {
        let (name, changes, expected) = Self.transactionChanges[index]
        let path = try audit([
            ("anna", try ForgedJWS.receipt("2000000000000002")),
            ("anna", try jws(ForgedJWS.transaction("2000000000000002", changes))),
        ])
        let kinds = try findings(path).map { String($0.prefix { $0 != " " }) }
        #expect(kinds.filter { $0 != "created-after-as-of" } == [expected].compactMap(\.self), "\(name)")
    }

    /// Checks that a trial's two flags are compared as one, because receipts and JWS set different ones.
    @Test func trialFlagsAreComparedAsOne() throws {
        for flags in [(true, false), (false, true), (true, true)] {
            let path = try audit([
                (
                    "anna",
                    try ForgedJWS.receipt("2000000000000002") {
                        ($0.isTrialPeriod, $0.isInIntroOfferPeriod) = flags
                    }
                ),
                (
                    "anna",
                    try jws(
                        ForgedJWS.transaction(
                            "2000000000000002", ["offerType": "1", "offerDiscountType": #""FREE_TRIAL""#]))
                ),
            ])
            #expect(try findings(path) == [], "\(flags)")
        }
    }

    /// Checks evidence that a refunded purchase is valid. Evidence before the refund is a note, later
    /// evidence is a conflict.
    @Test func revokedElsewhereIsFound() throws {
        let revoked = ForgedJWS.transaction(
            "2000000000000002",
            [
                "revocationDate": "1780308800000", "signedDate": "1780308900000",
                "environment": #""Production""#,
            ])
        func receipt(_ created: String, _ change: (inout PurchaseContent) -> Void = { _ in }) throws
            -> [UInt8]
        {
            try ForgedJWS.receipt("2000000000000002", created: created, type: "Production", change)
        }
        let before = try audit([("a", try receipt("2026-06-01T10:00:00Z")), ("a", try jws(revoked))])
        #expect(try findings(before) == ["revoked-elsewhere note 1,2"])
        let after = try audit([("a", try receipt("2026-06-01T11:00:00Z")), ("a", try jws(revoked))])
        #expect(try findings(after) == ["revoked-elsewhere warning 1,2"])
        // Both contain the refund.
        let both = try audit([
            ("a", try receipt("2026-06-01T11:00:00Z") { $0.cancellationDate = "2026-06-01T10:13:20Z" }),
            ("a", try jws(revoked)),
        ])
        #expect(try findings(both) == [])
        // Two objects of the same kind show only the usual course of a purchase.
        let running = ForgedJWS.transaction("2000000000000002", ["environment": #""Production""#])
        let one = try audit([("a", try jws(running)), ("a", try jws(revoked))])
        #expect(try findings(one) == [])
        #expect(
            try ask(one, "SELECT reason FROM not_looked_for WHERE kind = 'revoked-elsewhere'") == [
                "the genuine evidence does not include both receipts and signed transactions"
            ])
        #expect(
            try ask(after, "SELECT count(*) FROM not_looked_for WHERE kind = 'revoked-elsewhere'") == ["0"])
    }
}
