import OfferEligibility

/// An output of customers, in order.
protocol CustomerOutput {
    /// Adds a receipt of a customer, before the customer.
    mutating func add(receipt: Int64, of number: Int64) throws

    /// Adds a customer.
    /// - Parameter answer: The customer's history and the verdicts on it, or nil if the customer is not
    ///   evaluated.
    mutating func add(
        _ customer: Customer, number: Int64, answer: (history: PurchaseHistory, verdicts: [ProductVerdict])?
    ) throws
}
