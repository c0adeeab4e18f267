import AppReceipt
import AppReceiptFoundation
import Foundation
import OfferEligibility
import ReceiptJSON

/// Counts a receipt's purchases. Only a verifier can create the argument.
func readPurchases(of receipt: VerifiedReceipt) -> Int { receipt.payload.inAppPurchases.count }

@main
struct Consumer {
    static func main() throws {
        let verifier = try ReceiptVerifier()
        do throws(ReceiptError) {
            _ = readPurchases(
                of: try verifier.verify([0x30, 0x00], for: .app("com.example.app", .production)))
            fatalError("an empty SEQUENCE is not a receipt")
        } catch {
            precondition(error.code == .malformed)
            print(String(decoding: error.json(of: .source("empty.der"), sha256: nil), as: UTF8.self))
        }

        do {
            _ = try verifier.verify(Data([0x30, 0x00]), for: .app("com.example.app", .production))
            fatalError("an empty SEQUENCE is not a receipt")
        } catch {
            precondition(error.localizedDescription.hasPrefix("malformed"))
        }
        precondition(Date(Timestamp(millisecondsSince1970: 250)).timeIntervalSince1970 == 0.25)

        #if FORGES_BY_HAND
            // There is no public initializer.
            let forged = VerifiedReceipt()
            _ = readPurchases(of: forged)
        #endif
        #if VERIFIES_FOR_NOBODY
            // The expected app is required.
            _ = readPurchases(of: try verifier.verify([0x30, 0x00]))
        #endif
        #if VERIFIES_FOR_NIL
            // nil does not mean any app.
            _ = readPurchases(of: try verifier.verify([0x30, 0x00], for: nil))
        #endif
        #if VERIFIES_FOR_MISSING_APP
            let bundleID: String? = nil
            _ = readPurchases(of: try verifier.verify([0x30, 0x00], for: .app(bundleID, .production)))
        #endif
        #if VERIFIES_FOR_MISSING_ENVIRONMENT
            _ = readPurchases(of: try verifier.verify([0x30, 0x00], for: .app("com.example.app", nil)))
        #endif
        #if VERIFIES_WITHOUT_ENVIRONMENT
            _ = readPurchases(of: try verifier.verify([0x30, 0x00], for: .app("com.example.app")))
        #endif
        #if DECODES
            // A verified receipt cannot be decoded.
            func decode<Value: Decodable>(_ type: Value.Type) {}
            decode(VerifiedReceipt.self)
        #endif
        #if PASSES_UNVERIFIED
            // A parsed receipt is not verified.
            _ = readPurchases(of: try UnverifiedReceipt(parsing: [0x30, 0x00]))
        #endif
        #if JUDGES_UNVERIFIED
            // The rules do not accept a receipt that was only parsed.
            _ = PurchaseHistory(try UnverifiedReceipt(parsing: [0x30, 0x00]))
        #endif
    }
}
