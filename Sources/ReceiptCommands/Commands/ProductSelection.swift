import AppReceipt
import ArgumentParser
package import OfferEligibility
import ReceiptExamination
import RecordSources
import StrictJSON

/// The products that `eligibility` evaluates for each customer, and those that it skips.
package struct ProductSelection {
    let rules: OfferRules
    /// The products of `--product`, or nil for all products of the catalog.
    let named: [String]?
    /// The products in each app's evidence, or nil if every product is evaluated for every app.
    let shown: ShownProducts?
    /// The first skipped apps, each with the reason.
    private var skipped: [(app: String, reason: String)] = []
    /// Whether a product is evaluated for some customer.
    private var hasEvaluated = false

    package init(rules: OfferRules, named: [String]?, shown: ShownProducts?) {
        (self.rules, self.named, self.shown) = (rules, named, shown)
    }

    package mutating func products(for history: PurchaseHistory) -> [String] {
        let products = shown?.products(for: history) ?? named ?? rules.products(for: history)
        hasEvaluated = hasEvaluated || !products.isEmpty
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
        if skipped.count < 10, !skipped.contains(where: { $0.app.isExactly(app) }) {
            skipped.append((app, reason))
        }
    }

    /// Requires that a product was evaluated for some customer.
    /// - Throws: Exit status 1 if genuine evidence was given and no product is evaluated for any customer.
    func requireAnswers() throws(ExitCode) { if !hasEvaluated, !skipped.isEmpty { throw ExitCode(1) } }

    /// Writes skipped products and apps to standard error.
    package func writeSkipped() {
        for product in shown?.unshown ?? [] {
            StandardError.writeLine(
                "skipped: \(product): the evidence covers several apps and shows no purchase of it; name its app with "
                    + "--catalog APP=FILE")
        }
        for (app, reason) in skipped {
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
