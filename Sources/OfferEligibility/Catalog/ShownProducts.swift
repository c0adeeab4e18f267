import AppReceipt

/// The products that each app's evidence contains as purchases.
///
/// A catalog without scopes does not state which product belongs to which app. With evidence of several apps,
/// a product is evaluated only for customers of those apps whose evidence contains it.
public struct ShownProducts: Sendable {
    private let asked: [String]
    private let table: IdentifierTable
    /// The indices in `asked` by bundle identifier, compared byte for byte.
    private var places: [[UInt8]?: Set<Int>] = [:]

    /// Creates an instance without evidence.
    ///
    /// - Parameter asked: The products to evaluate.
    public init(of asked: [String]) {
        var table = IdentifierTable()
        self.asked = asked.filter { table.append($0) }
        self.table = table
    }

    /// Whether the evidence is of several apps.
    public var isOfSeveralApps: Bool { places.count > 1 }

    /// Adds genuine evidence. Evidence with neither an app nor a purchase may belong to any app, so it is
    /// ignored.
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

    /// Returns the products to evaluate for the customer of `history`, in the order of the initializer.
    public func products(for history: PurchaseHistory) -> [String] {
        guard isOfSeveralApps else { return asked }
        let app = history.bundle.map { Array(history.text[$0.range]) }
        return (places[app] ?? []).sorted().map { asked[$0] }
    }

    /// The products that no evidence contains, in the order of the initializer. Empty if the evidence is of
    /// one app.
    public var unshown: [String] {
        guard isOfSeveralApps else { return [] }
        let shown = places.values.reduce(into: Set<Int>()) { $0.formUnion($1) }
        return asked.indices.filter { !shown.contains($0) }.map { asked[$0] }
    }
}
