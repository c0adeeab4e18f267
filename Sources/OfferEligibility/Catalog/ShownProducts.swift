import AppReceipt

/// The products that the evidence of each app shows by a purchase.
///
/// A catalog that is not scoped does not say which product is of which app. With evidence of several apps a product is asked
/// only of the customers of those apps whose evidence shows it.
public struct ShownProducts: Sendable {
    private let asked: [String]
    private let table: IdentifierTable
    /// The places in `asked`, by bundle identifier, compared byte for byte.
    private var places: [[UInt8]?: Set<Int>] = [:]

    /// - Parameter asked: the products that are asked about.
    public init(of asked: [String]) {
        var table = IdentifierTable()
        self.asked = asked.filter { table.append($0) }
        self.table = table
    }

    /// Whether there is evidence of several apps.
    public var isOfSeveralApps: Bool { places.count > 1 }

    /// Takes genuine evidence. What names neither an app nor a purchase is of any app.
    public mutating func take(_ history: PurchaseHistory) {
        let app = history.bundle.map { Array(history.text[$0.range]) }
        guard app != nil || !history.transactions.isEmpty else { return }
        for transaction in history.transactions {
            guard let product = transaction.product,
                let place = table.index(of: history.text.span.extracting(product.range))
            else { continue }
            places[app, default: []].insert(place)
        }
        places[app, default: []].formUnion([])
    }

    /// Returns the products that the customer of `history` is asked about, in their order.
    public func products(for history: PurchaseHistory) -> [String] {
        guard isOfSeveralApps else { return asked }
        let app = history.bundle.map { Array(history.text[$0.range]) }
        return (places[app] ?? []).sorted().map { asked[$0] }
    }

    /// The products that no evidence shows, in their order; empty where the evidence is of one app.
    public var unshown: [String] {
        guard isOfSeveralApps else { return [] }
        let shown = places.values.reduce(into: Set<Int>()) { $0.formUnion($1) }
        return asked.indices.filter { !shown.contains($0) }.map { asked[$0] }
    }
}
