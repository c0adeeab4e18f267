import AppReceipt
import OfferEligibility
import ReceiptJSON

/// Takes what only a verifier can give.
func readPurchases(of receipt: VerifiedReceipt) -> Int { receipt.payload.inAppPurchases.count }

@main
struct Consumer {
    static func main() throws {
        let verifier = try ReceiptVerifier()
        do throws(ReceiptError) {
            _ = readPurchases(of: try verifier.verify([0x30, 0x00]))
            fatalError("an empty SEQUENCE is no receipt")
        } catch {
            precondition(error.code == .malformed)
            print(String(decoding: error.json(of: .source("empty.der"), sha256: nil), as: UTF8.self))
        }

        #if FORGES_BY_HAND
            // There is no public initialiser.
            let forged = VerifiedReceipt()
            _ = readPurchases(of: forged)
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
