import ReceiptJSON

/// The names that link a customer's evidence, counted object by object. If two names link the same evidence,
/// the stronger one counts.
struct CustomerLinks {
    private struct Part {
        var count = 0
        var isOfOriginals = false
    }

    /// The parts, at most ``LinkedEvidence/mostParts``.
    private var parts: [Int64: Part] = [:]
    private var accounts = 0

    /// Counts one object.
    /// - Parameters:
    ///   - part: The part in ``LinkedEvidence``.
    ///   - hasAccount: Whether the object has an `appTransactionId`.
    mutating func add(part: Int64, hasAccount: Bool) {
        parts[part, default: Part()].count += 1
        if hasAccount { accounts += 1 } else { parts[part, default: Part()].isOfOriginals = true }
    }

    var names: [CustomerLink] {
        CustomerLink.allCases.filter { link in
            switch link {
            case .appAccountToken: parts.count > 1
            case .appTransactionID: accounts > 1
            case .originalTransactionID: parts.values.contains { $0.count > 1 && $0.isOfOriginals }
            }
        }
    }
}
