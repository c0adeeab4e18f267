import AppReceipt

/// The purchases of a group by date, with a fast search for the next purchase of another product.
struct Succession {
    private let purchases: [(date: Timestamp, product: [UInt8])]
    /// The index of the next purchase of another product, for each purchase.
    private let nextOther: [Int]

    init(_ purchases: [(date: Timestamp, product: [UInt8])]) {
        let purchases = purchases.sorted { $0.date < $1.date }
        var nextOther = Array(repeating: purchases.count, count: purchases.count)
        for index in purchases.indices.dropLast().reversed() {
            nextOther[index] =
                purchases[index].product == purchases[index + 1].product ? nextOther[index + 1] : index + 1
        }
        (self.purchases, self.nextOther) = (purchases, nextOther)
    }

    /// Returns the date of the first purchase after `date` of a product other than `product`.
    func next(after date: Timestamp, ofOtherThan product: [UInt8]) -> Timestamp? {
        var place = purchases.partitioningIndex { $0.date > date }
        if place < purchases.count, purchases[place].product == product { place = nextOther[place] }
        return place < purchases.count ? purchases[place].date : nil
    }
}
