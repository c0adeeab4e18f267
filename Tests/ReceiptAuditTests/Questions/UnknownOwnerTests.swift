import ReceiptForge
import TestSupport
import Testing

@testable import ReceiptAudit

/// Questions about a purchase whose owner this version does not know.
struct UnknownOwnerTests {
    @Test(arguments: [
        // Questions about purchases leave it out.
        ("active", 0, true), ("expiring", 0, true), ("lapsed", 0, true), ("refunds", 0, true),
        ("revenue", 0, true), ("offers-used", 0, true), ("trials-twice", 0, true),
        // Its account has genuine evidence.
        ("customers", 1, false),
        // No question about purchases.
        ("shared-receipts", 0, false),
    ])
    func purchaseIsLeftOut(question: String, number: Int, isReported: Bool) throws {
        let workplace = try Workplace()
        let path = try database(in: workplace)
        let answer = try Tool.run("ask", question, "--database", path, "--environment", "any")
        #expect(answer.status == 0)
        #expect(answer.output.hasPrefix("\(number) "))
        let message = "appreceipt: not counted: 1 purchase with an unknown owner\n"
        #expect(answer.messages == (isReported ? message : ""))
    }

    @Test func scopeSelectsThePurchase() throws {
        let workplace = try Workplace()
        let database = try QuestionDatabase(path: database(in: workplace))
        for (app, environment, count) in [
            // The app and the environment of the purchase, and others.
            ("com.example.app", "Sandbox", 1), ("com.example.other", "Sandbox", 0),
            ("com.example.app", "Production", 0),
        ] {
            var scope = QuestionScope()
            (scope.app, scope.environment) = (app, environment)
            #expect(try database.unknownOwners(scope) == count, "\(app) \(environment)")
        }
    }

    @Test func reportCountsThePurchase() throws {
        let workplace = try Workplace()
        let report = try withDatabase(database(in: workplace)) { database in
            try ReportApps(database, Report.Limits(), asOf: 1_780_272_000_000)
        }
        #expect(report.unknownOwners == "Not counted: 1 purchase with an unknown owner.")
    }

    /// Returns the database of one subscription, assigned by an organization, with a trial.
    private func database(in workplace: Workplace) throws -> String {
        let signed = ForgedJWS.transaction(
            "101",
            [
                "inAppOwnershipType": #""ASSIGNED""#, "offerType": "1", "offerDiscountType": #""FREE_TRIAL""#,
            ])
        let line = try ForgedJWS.line("1", ForgedJWS.text(signed), subject: "anna")
        let path = workplace.file("out.sqlite")
        _ = try Forged.audit([try workplace.write(line, to: "in.ndjson")]).database(path)
        return path
    }
}
