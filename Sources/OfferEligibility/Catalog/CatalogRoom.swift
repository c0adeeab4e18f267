import StrictJSON

/// A limit on the number of apps, groups, products and win-back offers of a catalog.
struct CatalogRoom {
    private let limit: Int
    private var left: Int

    init(_ limit: Int) { (self.limit, left) = (limit, limit) }

    /// Counts one more app, group, product or offer.
    ///
    /// - Throws: `JSONError` if the catalog exceeds the limit.
    mutating func take(_ reader: borrowing JSONReader) throws(JSONError) {
        guard left > 0 else { throw reader.error(.tooManyMembers(limit: limit)) }
        left -= 1
    }
}
