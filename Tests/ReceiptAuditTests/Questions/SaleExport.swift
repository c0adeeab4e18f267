import ReceiptForge
import TestSupport

@testable import ReceiptAudit

/// An export with every case that made numbers wrong, and its database.
final class SaleExport: Sendable {
    static let sales = [
        // A trial, its renewal, and a one-time purchase.
        Sale(
            id: "101", original: "101", from: "2025-03-01T00:00:00Z", until: "2025-03-08T00:00:00Z", price: 0,
            offer: .trial),
        Sale(id: "102", original: "101", from: "2025-03-08T00:00:00Z", until: "2025-04-08T00:00:00Z"),
        Sale(id: "103", original: "103", product: "coins", from: "2025-03-09T00:00:00Z", price: 49_000),
        // A second trial of the same account in the group, under another original transaction.
        Sale(
            id: "111", original: "111", product: "yearly", from: "2025-06-01T00:00:00Z",
            until: "2025-06-15T00:00:00Z", price: 0,
            offer: .trial),
        // Consecutive periods of one introductory offer count once.
        Sale(
            id: "121", original: "121", from: "2025-04-01T00:00:00Z", until: "2025-05-01T00:00:00Z",
            price: 1_990,
            offer: .introductory, subjects: ["b"]),
        Sale(
            id: "122", original: "121", from: "2025-05-01T00:00:00Z", until: "2025-06-01T00:00:00Z",
            price: 1_990,
            offer: .introductory, subjects: ["b"]),
        // An upgrade in the middle of a period: both expire later, and only the second one runs.
        Sale(
            id: "131", original: "131", from: "2025-05-10T00:00:00Z", until: "2025-06-10T00:00:00Z",
            upgradedAt: "2025-05-20T00:00:00Z", subjects: ["c"]),
        Sale(
            id: "132", original: "131", product: "yearly", from: "2025-05-20T00:00:00Z",
            until: "2026-05-20T00:00:00Z",
            price: 99_000, subjects: ["c"]),
        // A full refund, a partial one, and a prorated one without a percentage.
        Sale(
            id: "141", original: "141", from: "2025-05-01T00:00:00Z", until: "2025-06-01T00:00:00Z",
            price: 29_990,
            revocation: .full("2025-05-10T00:00:00Z"), subjects: ["d"]),
        Sale(
            id: "142", original: "142", product: "yearly", from: "2025-02-01T00:00:00Z",
            until: "2026-02-01T00:00:00Z",
            price: 100_000, revocation: .part("2025-08-01T00:00:00Z", 37_500), subjects: ["d2"]),
        Sale(
            id: "143", original: "143", product: "yearly", from: "2025-02-02T00:00:00Z",
            until: "2026-02-02T00:00:00Z",
            price: 100_000, revocation: .part("2025-08-02T00:00:00Z", nil), subjects: ["d3"]),
        // Family sharing: the member's access does not count as a purchase, or its end as a refund.
        Sale(
            id: "151", original: "151", product: "yearly", from: "2025-05-01T00:00:00Z",
            until: "2026-05-01T00:00:00Z",
            price: 99_000, subjects: ["e"]),
        Sale(
            id: "152", original: "152", product: "yearly", from: "2025-05-01T00:00:00Z",
            until: "2026-05-01T00:00:00Z",
            price: 99_000, isShared: true, subjects: ["e2"]),
        Sale(
            id: "153", original: "153", product: "yearly", from: "2025-05-02T00:00:00Z",
            until: "2026-05-02T00:00:00Z",
            price: 99_000, offer: .trial, revocation: .family("2025-07-01T00:00:00Z"), isShared: true,
            subjects: ["e3"]),
        // Sandbox, with the same kinds of purchases.
        Sale(
            id: "101", original: "101", environment: "Sandbox", from: "2025-05-01T00:00:00Z",
            until: "2026-05-08T00:00:00Z",
            offer: .trial, subjects: ["s"]),
        Sale(
            id: "102", original: "102", environment: "Sandbox", product: "yearly",
            from: "2025-05-02T00:00:00Z",
            until: "2026-05-08T00:00:00Z", offer: .trial, revocation: .full("2025-06-01T00:00:00Z"),
            subjects: ["s"]),
        // Another app, whose transactions have the same numbers.
        Sale(
            id: "101", original: "101", app: "com.example.two", from: "2025-05-01T00:00:00Z",
            until: "2025-12-24T00:00:00Z",
            price: 5_000, currency: "USD", subjects: ["a"]),
        // Known from receipts alone, without a price.
        Sale(
            id: "161", original: "161", from: "2025-05-01T00:00:00Z", until: "2026-01-20T00:00:00Z",
            price: nil,
            offer: .promotional, subjects: ["f"]),
        Sale(
            id: "162", original: "162", from: "2025-05-03T00:00:00Z", until: "2025-06-03T00:00:00Z",
            price: nil,
            revocation: .full("2025-05-04T00:00:00Z"), subjects: ["f"]),
        // An upgrade that only receipts show: the period was cancelled when the other product was bought.
        Sale(
            id: "163", original: "163", from: "2025-04-20T00:00:00Z", until: "2025-05-20T00:00:00Z",
            price: nil,
            upgradedAt: "2025-05-12T00:00:00Z", subjects: ["f3"]),
        Sale(
            id: "164", original: "163", product: "yearly", from: "2025-05-12T00:00:00Z",
            until: "2026-05-12T00:00:00Z",
            price: nil, subjects: ["f3"]),
        // Presented by two accounts, and by records without a subject.
        Sale(
            id: "171", original: "171", from: "2025-05-15T00:00:00Z", until: "2026-02-15T00:00:00Z",
            offer: .code,
            subjects: ["g", "h"]),
        Sale(
            id: "172", original: "172", from: "2025-05-16T00:00:00Z", until: "2026-01-16T00:00:00Z",
            currency: "USD",
            offer: .winBack, subjects: [nil, nil]),
        Sale(
            id: "173", original: "173", product: "coins", from: "2025-06-30T23:59:59Z", price: 49_000,
            subjects: ["i", nil]),
    ]

    static let catalog = #"{"groups": {"main": ["monthly", "yearly"]}}"#
    /// The records that are refused or absent.
    static let refused = 3

    private let workplace: Workplace
    let path: String
    let input: String

    init() throws {
        workplace = try Workplace()
        var lines = try Self.sales.flatMap { try $0.records() }
        // Refused: not base64, and two forged JWS, one without a subject. Absent: an empty value.
        lines += #"{"id":"bad","receipt":"%%%","subject":"z"}"#.utf8 + [0x0A]
        let jws = try ForgedJWS.text(ForgedJWS.transaction("999")).dropLast(8) + "AAAAAAAA"
        lines += ForgedJWS.line("forged", String(jws), subject: "y") + ForgedJWS.line("forged-2", String(jws))
        lines += #"{"id":"none","receipt":"","subject":"z"}"#.utf8 + [0x0A]
        input = try workplace.write(lines, to: "in.ndjson")
        path = workplace.file("out.sqlite")
        _ = try Forged.audit([input], catalog: Self.catalog).database(path)
    }

    static let shared = Result { try SaleExport() }

    /// Returns the described purchases of an environment, or of all, each once.
    static func sales(in environment: String = "Production", app: String? = nil) -> [Sale] {
        sales.filter {
            (environment == "any" || $0.environment == environment) && (app == nil || $0.app == app)
        }
    }
}
