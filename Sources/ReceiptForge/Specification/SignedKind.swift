/// The kinds of JWS, named as in the output of `verify --json`.
enum SignedKind: String, CaseIterable {
    case transaction
    case renewalInfo = "renewal_info"
    case appTransaction = "app_transaction"
    case notification
    case realtimeRequest = "realtime_request"

    /// Creates the kind of JWS that a member with this name holds in Apple's responses and notifications.
    init?(member: String) {
        switch member {
        case "signedTransactionInfo", "signedTransactions": self = .transaction
        case "signedRenewalInfo": self = .renewalInfo
        case "signedAppTransactionInfo": self = .appTransaction
        case "signedPayload": self = .notification
        default: return nil
        }
    }

    /// Returns the usual payload with other members. Null omits a member.
    func payload(
        with members: [(name: String, value: SpecificationValue)],
        _ sign: (_ payload: JSONMembers) throws(ForgeError) -> String
    ) throws(ForgeError) -> JSONMembers {
        var payload: JSONMembers =
            switch self {
            case .transaction: .transaction
            case .renewalInfo: .renewalInfo
            case .appTransaction: .appTransaction
            case .notification: .notification()
            case .realtimeRequest: .realtimeRequest
            }
        let bodies = ["data", "summary", "appData", "externalPurchaseToken"]
        // A notification has only one of these members.
        if members.contains(where: { bodies.contains($0.name) }) { payload["data"] = nil }
        for (name, value) in members {
            if case .object(let inner) = value, bodies.contains(name) {
                var body =
                    name == "externalPurchaseToken" ? JSONMembers.externalPurchaseToken : JSONMembers.body
                body.replace(try SpecificationValue.members(inner, sign))
                payload[name] = body.text
            } else {
                payload.replace([(name, try value.json(under: name, sign))])
            }
        }
        return payload
    }
}
