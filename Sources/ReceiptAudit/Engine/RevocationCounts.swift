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
        guard
            let row = try database.prepare(
                """
                SELECT count(*) FILTER (WHERE refusal_code = 'revoked') AS revoked,
                    count(*) FILTER (WHERE refusal_code = 'revocation_unknown') AS unknown,
                    count(*) FILTER (WHERE refusal_code IS NULL AND revocation || ',' GLOB 'good,*') AS good,
                    count(*) FILTER (WHERE refusal_code IS NULL AND revocation || ',' GLOB 'no_information,*') AS no_information,
                    count(*) FILTER (WHERE refusal_code IS NULL AND revocation GLOB '*,*') AS with_caveat,
                    count(*) FILTER (WHERE refusal_code IS NULL AND revocation IS NOT NULL) AS genuine
                FROM main.receipts
                """
            ).firstRow()
        else { return }
        (revoked, unknown) = try (row["revoked"], row["unknown"])
        (good, noInformation) = try (row["good"], row["no_information"])
        withCaveat = try row["with_caveat"]
        notChecked = try row["genuine"] - good - noInformation
    }

    /// The counts for a person.
    package var text: String {
        let rare = [(unknown, "refused as unknown"), (withCaveat, "with a later revocation or distrust")]
            .filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }
        return "\(good) good, \(noInformation) no information, \(notChecked) not checked, \(revoked) revoked"
            + rare.joined()
    }
}
