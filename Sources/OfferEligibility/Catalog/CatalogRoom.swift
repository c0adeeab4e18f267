import StrictJSON

/// The room for apps, groups, products and win-back offers in a catalog that is being read.
struct CatalogRoom {
    private let limit: Int
    private var left: Int

    init(_ limit: Int) { (self.limit, left) = (limit, limit) }

    /// Takes the room of one.
    mutating func take(_ reader: borrowing JSONReader) throws(JSONError) {
        guard left > 0 else { throw reader.error(.tooManyMembers(limit: limit)) }
        left -= 1
    }
}
