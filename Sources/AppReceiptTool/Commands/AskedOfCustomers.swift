import AppReceipt
import ArgumentParser
import OfferEligibility
import ReceiptAudit
import ReceiptJSON

/// The products that `eligibility` evaluates for each customer, and those that it skips.
struct AskedOfCustomers {
    let rules: OfferRules
    /// The products of `--product`, or nil for all products of the catalog.
    let named: [String]?
    /// The products in each app's evidence, or nil if every product is evaluated for every app.
    let shown: ShownProducts?
    /// The first skipped apps, each with the reason.
    private var unasked: [(app: String, reason: String)] = []
    /// Whether some customer is asked about a product.
    private var hasAsked = false

    init(rules: OfferRules, named: [String]?, shown: ShownProducts?) {
        (self.rules, self.named, self.shown) = (rules, named, shown)
    }

    mutating func products(for history: PurchaseHistory) -> [String] {
        let products = shown?.products(for: history) ?? named ?? rules.products(for: history)
        hasAsked = hasAsked || !products.isEmpty
        if rules.catalog.scope(of: history.bundleID) == nil {
            note(history.bundleID, "the catalog lists other apps only (\(appsOfCatalog))")
        } else if shown?.isOfSeveralApps == true, products.isEmpty {
            note(
                history.bundleID,
                "the evidence covers several apps and shows no purchase of the requested products")
        }
        return products
    }

    /// The first apps of a scoped catalog.
    private var appsOfCatalog: String {
        let apps = rules.catalog.apps ?? []
        let more = apps.count > 3 ? " and \(apps.count - 3) more" : ""
        return apps.prefix(3).joined(separator: ", ") + more
    }

    private mutating func note(_ bundleID: String?, _ reason: String) {
        let app = bundleID ?? "evidence without a bundle id"
        if unasked.count < 10, !unasked.contains(where: { $0.app == app }) { unasked.append((app, reason)) }
    }

    /// Requires that some customer was asked about some product.
    /// - Throws: Exit status 1 if genuine evidence was given and no customer is asked about any product.
    func requireAnswers() throws(ExitCode) { if !hasAsked, !unasked.isEmpty { throw ExitCode(1) } }

    /// Writes skipped products and apps to standard error.
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
    /// Returns the results for the signed objects in a file.
    func examinations(in file: InputFile) -> [Examination] {
        var examinations: [Examination] = []
        examine(signedObjectsIn: file) { (examination) throws(Never) in examinations.append(examination) }
        return examinations
    }
}
