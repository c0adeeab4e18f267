import AppReceipt
import OfferEligibility

/// The newest signed transaction of each purchase. A restored period has another transaction ID in each device's receipts.
struct NewestTransactions {
    private(set) var list: [VerifiedTransaction] = []
    private var places: [[UInt8]: Int] = [:]
    private var placesOfPeriods: [PeriodIdentity: Int] = [:]

    /// Creates the list. All transactions must have an ID.
    init(_ transactions: [VerifiedTransaction]) {
        for transaction in transactions.sorted(by: { $0.counts(before: $1) }) {
            let (id, period) = (transaction.id, transaction.period)
            let place = places[id] ?? period.flatMap { placesOfPeriods[$0] } ?? list.count
            if place == list.count { list.append(transaction) }
            places[id] = place
            if let period { placesOfPeriods[period] = placesOfPeriods[period] ?? place }
        }
    }

    /// Returns the index of a receipt's purchase in ``list``.
    /// - Parameter bytes: The bytes of the receipt's payload.
    func place(of purchase: PurchaseFacts, in bytes: [UInt8]) -> Int? {
        if list.isEmpty { return nil }
        let place = purchase.id.flatMap { places[Array(bytes[$0.range])] }
        return place ?? PeriodIdentity(purchase, in: bytes).flatMap { placesOfPeriods[$0] }
    }
}
