import AppReceipt
import OfferEligibility
import ReceiptAudit
import ReceiptJSON

/// What `eligibility` asks of one customer after the other, and what it does not.
struct AskedOfCustomers {
    let rules: OfferRules
    /// The products of `--product`; nil asks about the catalog's.
    let named: [String]?
    /// Nil where products are not restricted to the apps that show them.
    let shown: ShownProducts?
    /// The first apps of which nothing is asked, each with the reason.
    private var unasked: [(app: String, reason: String)] = []

    init(rules: OfferRules, named: [String]?, shown: ShownProducts?) {
        (self.rules, self.named, self.shown) = (rules, named, shown)
    }

    mutating func products(for history: PurchaseHistory) -> [String] {
        let products = shown?.products(for: history) ?? named ?? rules.products(for: history)
        if rules.catalog.scope(of: history.bundleID) == nil {
            note(history.bundleID, "the catalog lists other apps only")
        } else if shown?.isOfSeveralApps == true, products.isEmpty {
            note(
                history.bundleID,
                "the evidence covers several apps and shows no purchase of the requested products")
        }
        return products
    }

    private mutating func note(_ bundleID: String?, _ reason: String) {
        let app = bundleID ?? "evidence without a bundle id"
        if unasked.count < 10, !unasked.contains(where: { $0.app == app }) { unasked.append((app, reason)) }
    }

    /// Names what was not checked on standard error.
    func tell() {
        for product in shown?.unshown ?? [] {
            StandardError.writeLine(
                "skipped: \(product): the evidence covers several apps and shows no purchase of it; name its app with "
                    + "--catalog APP=FILE")
        }
        for (app, reason) in unasked {
            StandardError.writeLine("skipped: \(app): \(reason) (see --catalog APP=FILE)")
        }
    }
}

extension Examiner {
    /// What is signed in a file.
    func examinations(in file: InputFile) -> [SignedExamination] {
        var examinations: [SignedExamination] = []
        examine(anythingIn: file) { (examination) throws(Never) in examinations.append(examination) }
        return examinations
    }
}
