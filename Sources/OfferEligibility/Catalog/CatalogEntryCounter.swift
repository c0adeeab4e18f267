import StrictJSON

/// A counter, with a limit, of the apps, groups, products and win-back offers of a catalog.
struct CatalogEntryCounter {
    private let limit: Int
    private var remaining: Int

    init(_ limit: Int) { (self.limit, remaining) = (limit, limit) }

    /// Counts one more app, group, product or offer.
    ///
    /// - Throws: `JSONError` if the catalog exceeds the limit.
    mutating func increment(_ reader: borrowing JSONReader) throws(JSONError) {
        guard remaining > 0 else { throw reader.error(.tooManyMembers(limit: limit)) }
        remaining -= 1
    }
}
