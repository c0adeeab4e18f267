import ReceiptJSON
import SQLite
import StrictJSON

/// The share of an app's ids that Apple's complete answers cover without contradiction.
package struct MigrationCoverage {
    package let environment: String?
    package let bundleID: String?
    /// The numbers of ids that receipts show, by result.
    package let agrees: Int
    package let newer: Int
    package let contradicts: Int
    package let notCompared: Int
    /// The number of purchases in receipts without an id, which cannot be compared.
    package let withoutID: Int

    private var whole: Int { agrees + newer + contradicts + notCompared + withoutID }

    /// Whether every purchase of the receipts is in a complete answer, and nothing contradicts.
    package var isComplete: Bool { agrees + newer == whole }

    /// The percentage, rounded down to a hundredth, so that 100 means all.
    package var percentage: String {
        let hundredths = whole == 0 ? 0 : (agrees + newer) * 10_000 / whole
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }

    init(_ row: Row) throws {
        environment = try row["environment"]
        bundleID = try row["bundle_id"]
        (agrees, newer) = (try row["agrees"], try row["newer"])
        (contradicts, notCompared) = (try row["contradicts"], try row["not_compared"])
        withoutID = try row["without_id"]
    }

    /// The coverage of each app and environment with receipts.
    static let query = """
        WITH counted AS (
            SELECT environment, bundle_id, result, 0 AS without_id FROM temp.ordered WHERE receipt_transactions > 0
            UNION ALL
            SELECT environment, bundle_id, NULL, 1 FROM temp.stated
            WHERE id IS NULL AND kind <> 'transaction' AND purchase IS NOT NULL)
        SELECT environment, bundle_id, sum(result IS 'agrees') AS agrees, sum(result IS 'newer') AS newer,
            sum(result IS 'contradicts') AS contradicts, sum(result IS 'not_compared') AS not_compared,
            sum(without_id) AS without_id
        FROM counted GROUP BY environment, bundle_id ORDER BY environment, bundle_id
        """

    /// The line of NDJSON.
    package var line: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.object("coverage") { json in
                json.string("bundle_id", bundleID)
                json.string("environment", environment)
                json.number("agrees", agrees)
                json.number("newer", newer)
                json.number("contradicts", contradicts)
                json.number("not_compared", notCompared)
                json.number("purchases_without_id", withoutID)
                json.key("percent")
                json.raw(Array(percentage.utf8))
            }
        }
        json.endLine()
        return json.bytes
    }
}
