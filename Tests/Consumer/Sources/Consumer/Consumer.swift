import AppReceipt
import AppReceiptFoundation
import Foundation
import OfferEligibility
import ReceiptJSON

/// Takes what only a verifier can give.
func readPurchases(of receipt: VerifiedReceipt) -> Int { receipt.payload.inAppPurchases.count }

@main
struct Consumer {
    static func main() throws {
        let verifier = try ReceiptVerifier()
        do throws(ReceiptError) {
            _ = readPurchases(
                of: try verifier.verify([0x30, 0x00], for: .app("com.example.app", .production)))
            fatalError("an empty SEQUENCE is no receipt")
        } catch {
            precondition(error.code == .malformed)
            print(String(decoding: error.json(of: .source("empty.der"), sha256: nil), as: UTF8.self))
        }

        do {
            _ = try verifier.verify(Data([0x30, 0x00]), for: .app("com.example.app", .production))
            fatalError("an empty SEQUENCE is no receipt")
        } catch {
            precondition(error.localizedDescription.hasPrefix("malformed"))
        }
        precondition(Date(Timestamp(millisecondsSince1970: 250)).timeIntervalSince1970 == 0.25)

        #if FORGES_BY_HAND
            // There is no public initialiser.
            let forged = VerifiedReceipt()
            _ = readPurchases(of: forged)
        #endif
        #if VERIFIES_FOR_NOBODY
            // Whose receipt it must be cannot be forgotten.
            _ = readPurchases(of: try verifier.verify([0x30, 0x00]))
        #endif
        #if VERIFIES_FOR_NIL
            // No setting that is missing means anybody's.
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
            // Nor can one be decoded.
            func decode<Value: Decodable>(_ type: Value.Type) {}
            decode(VerifiedReceipt.self)
        #endif
        #if PASSES_UNVERIFIED
            // What was only parsed is no proof.
            _ = readPurchases(of: try UnverifiedReceipt(parsing: [0x30, 0x00]))
        #endif
        #if JUDGES_UNVERIFIED
            // No rule takes what was only parsed.
            _ = PurchaseHistory(try UnverifiedReceipt(parsing: [0x30, 0x00]))
        #endif
    }
}
