import SQLite

/// The numbers of records by the result of the revocation checks.
package struct RevocationCounts: Hashable, Sendable {
    package var good = 0
    package var noInformation = 0
    package var notChecked = 0
    /// The genuine records with a caveat: a certificate was revoked or distrusted from a later date on.
    package var withCaveat = 0
    package var revoked = 0
    /// The records refused by the policy `require`.
    package var unknown = 0

    /// Counts the records of a finished run.
    init(of database: Connection) throws {
        let rows = try database.prepare(
            """
            SELECT revocation, refusal_code AS code, count(*) AS records FROM main.receipts
            WHERE revocation IS NOT NULL OR refusal_code IN ('revoked', 'revocation_unknown') GROUP BY 1, 2
            """
        ).rows()
        for row in rows {
            let (result, code, records): (String?, String?, Int) = try (
                row["revocation"], row["code"], row["records"]
            )
            switch code {
            case "revoked"?: revoked += records
            case "revocation_unknown"?: unknown += records
            default: break
            }
            guard code == nil, let result else { continue }
            let parts = result.split(separator: ",")
            if parts.count > 1 { withCaveat += records }
            switch parts.first {
            case "good"?: good += records
            case "no_information"?: noInformation += records
            default: notChecked += records
            }
        }
    }

    /// The counts for a person.
    package var text: String {
        let rare = [(unknown, "refused as unknown"), (withCaveat, "with a later revocation or distrust")]
            .filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }
        return "\(good) good, \(noInformation) no information, \(notChecked) not checked, \(revoked) revoked"
            + rare.joined()
    }
}
