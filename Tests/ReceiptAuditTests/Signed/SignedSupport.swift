import AppReceipt
import Foundation
import ReceiptForge
import SQLite

@testable import ReceiptAudit

/// Forged JWS under the root of the forged receipts.
enum ForgedJWS {
    /// An authority whose leaf has its own serial number. Two certificates with the same one are a finding.
    private static let authority = Result {
        try Authority.test { (profiles) throws(ForgeError) in
            profiles.leaf.key = try .generateEC(.p256)
            profiles.leaf.serialNumber = [0x15]
        }
    }

    static func text(_ payload: JSONMembers) throws -> String {
        try JWSRecipe(payload, authority: authority.get()).forge()
    }

    /// Returns a transaction with changed members. Each transaction needs its own identifier.
    static func transaction(_ id: String, _ changes: KeyValuePairs<String, String?> = [:]) -> JSONMembers {
        var payload = JSONMembers.transaction
        payload["transactionId"] = "\"\(id)\""
        for (name, value) in changes { payload[name] = value }
        return payload
    }

    /// Returns a transaction with the receipt's first purchase, signed at the receipt's creation. Returns nil
    /// if there is no purchase, or if no JWS can represent it.
    static func transaction(matching content: ReceiptContent) -> JSONMembers? {
        let environments = ["Production": "Production", "ProductionSandbox": "Sandbox"]
        guard let environment = environments[content.receiptType ?? ""],
            let purchase = content.purchases.first, let id = purchase.transactionID
        else { return nil }
        func text(_ text: String?) -> String? { text.map { "\"\($0)\"" } }
        func date(_ text: String?) -> String? {
            text.flatMap { Timestamp(rfc3339: $0) }.map { "\($0.millisecondsSince1970)" }
        }
        let isOffer = purchase.isTrialPeriod == true || purchase.isInIntroOfferPeriod == true
        var payload = transaction(id)
        for (name, value) in [
            ("bundleId", text(content.bundleID)), ("environment", text(environment)),
            ("signedDate", date(content.creationDate)), ("productId", text(purchase.productID)),
            ("originalTransactionId", text(purchase.originalTransactionID)),
            ("purchaseDate", date(purchase.purchaseDate)), ("expiresDate", date(purchase.expiresDate)),
            ("revocationDate", date(purchase.cancellationDate)),
            ("type", text(purchase.productType == 3 ? "Auto-Renewable Subscription" : "Consumable")),
            ("offerType", isOffer ? "1" : purchase.promotionalOfferIdentifier == nil ? nil : "2"),
            ("offerIdentifier", isOffer ? nil : text(purchase.promotionalOfferIdentifier)),
            ("offerDiscountType", isOffer && purchase.isTrialPeriod == true ? text("FREE_TRIAL") : nil),
            ("subscriptionGroupIdentifier", nil),
        ] { payload[name] = value }
        return payload
    }

    /// Returns the same object with the other of its two valid signatures: s and n - s.
    static func otherSignature(of text: String) throws -> String {
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6,
            0xFA,
            0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        var parts = text.split(separator: ".").map(String.init)
        let base64 = parts[2].replacing("-", with: "+").replacing("_", with: "/") + "=="
        var bytes = Array(Data(base64Encoded: base64) ?? Data())
        var borrow = 0
        for index in (0..<32).reversed() {
            let difference = Int(order[index]) - Int(bytes[32 + index]) - borrow
            borrow = difference < 0 ? 1 : 0
            bytes[32 + index] = UInt8(truncatingIfNeeded: difference)
        }
        parts[2] = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
        return parts.joined(separator: ".")
    }

    static func line(_ id: String, _ text: String, subject: String? = nil) -> [UInt8] {
        let account = subject.map { ",\"subject\":\"\($0)\"" } ?? ""
        return Array("{\"id\":\"\(id)\",\"receipt\":\"\(text)\"\(account)}\n".utf8)
    }

    /// Returns a sandbox receipt with one purchase. By default it was created when the forged JWS were
    /// signed.
    static func receipt(
        _ transaction: String, created: String = "2026-06-01T10:00:00Z", type: String = "ProductionSandbox",
        _ change: (inout PurchaseContent) -> Void = { _ in }
    ) throws -> [UInt8] {
        var purchase = PurchaseContent(
            productID: "com.example.app.monthly", transactionID: transaction,
            purchaseDate: "2026-05-20T09:00:00Z", type: 3)
        purchase.originalTransactionID = "2000000000000001"
        purchase.originalPurchaseDate = "2026-04-20T09:00:01Z"
        purchase.expiresDate = "2026-06-20T09:00:00Z"
        purchase.isTrialPeriod = false
        purchase.isInIntroOfferPeriod = false
        change(&purchase)
        var content = ReceiptContent(bundleID: "com.example.app")
        content.receiptType = type
        content.creationDate = created
        content.purchases = [purchase]
        return try Forged.receipt(content)
    }
}

/// Returns the rows of a query, with columns joined by blanks.
func ask(_ path: String, _ sql: String) throws -> [String] {
    try withDatabase(path) { database in
        try database.prepare(sql).map { row in
            row.values.map { String(value: $0) ?? Int64(value: $0).map { "\($0)" } ?? "-" }.joined(
                separator: " ")
        }
    }
}
