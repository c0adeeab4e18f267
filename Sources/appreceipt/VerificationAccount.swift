import AppReceipt
import ReceiptAudit

/// The account of a receipt for a person.
struct VerificationAccount {
    let isColoured: Bool

    func text(of examination: Examination, from source: String) -> String {
        switch examination.result {
        case .success: "genuine \(source.printable)\n"
        case .failure(let refusal): "refused \(source.printable): \(refusal.message.printable)\n"
        }
    }
}
