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
    private var unlisted: [String] = []

    init(rules: OfferRules, named: [String]?, shown: ShownProducts?) {
        (self.rules, self.named, self.shown) = (rules, named, shown)
    }

    mutating func products(for history: PurchaseHistory) -> [String] {
        if rules.catalog.scope(of: history.bundleID) == nil {
            let app = history.bundleID ?? "evidence without a bundle id"
            if unlisted.count < 10, !unlisted.contains(app) { unlisted.append(app) }
        }
        return shown?.products(for: history) ?? named ?? rules.products(for: history)
    }

    /// Names what was not checked on standard error.
    func tell() {
        for product in shown?.unshown ?? [] {
            StandardError.writeLine(
                "not checked: \(product): the evidence is of several apps and shows no purchase of it; say of which app "
                    + "it is: --catalog APP=FILE")
        }
        for app in unlisted {
            StandardError.writeLine(
                "not checked: \(app): the catalog lists other apps alone; --catalog APP=FILE")
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
