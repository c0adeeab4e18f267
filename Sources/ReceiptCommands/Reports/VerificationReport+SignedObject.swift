import AppReceipt
import OfferEligibility
package import ReceiptExamination

extension VerificationReport {
    package func text(of examination: Examination, from source: String, isBrief: Bool = false) -> String {
        let source = (source + examination.place).printable
        switch examination.result {
        case .failure(let refusal):
            return headline(of: refusal, from: source)
                + (isBrief ? "" : text(of: refusal, format: examination.format))
        case .success(let object):
            let headline = headline(realm: object.object.realm, source)
            return headline + (isBrief ? digest(of: object) : "\n" + text(of: object))
        }
    }

    /// Returns the kind, app, environment and day of an object.
    private func digest(of object: VerifiedObject) -> String {
        if case .receipt(let receipt) = object { return digest(of: receipt) + "\n" }
        let signed = object.object
        let app = object.bundleID?.printable.shortened(to: 100) ?? "no app"
        let environment = signed.environment?.rawValue ?? "no environment"
        return ": \(object.readableKind), \(app), \(environment), \(signed.verifiedAt.day)\n"
    }

    private func text(of object: VerifiedObject) -> String {
        if case .receipt(let receipt) = object { return text(of: receipt) }
        let signed = object.object
        var text = ""
        text += line("what", object.readableKind)
        if let reservation = signed.realm.reservation { text += line("trust", reservation, .yellow) }
        if case .transactionReceipt(let receipt) = object, receipt.caveats.contains(.rsa1024) {
            text += line(
                "trust", "signed with a 1024-bit key: an attacker who factors it can forge such receipts",
                .yellow)
        }
        switch object {
        case .receipt: break
        case .transaction(let transaction): text += details(of: transaction)
        case .renewalInfo(let information): text += details(of: information)
        case .appTransaction(let transaction): text += details(of: transaction)
        case .notification(let notification): text += details(of: notification)
        case .realtimeRequest(let request): text += details(of: request)
        case .transactionReceipt(let receipt):
            text += app(receipt.bundleID, version: receipt["bvrs"]) + environment(of: object)
            text += purchase(receipt)
        }
        return text + signature(of: signed)
    }

    private func app(_ bundleID: String?, version: String? = nil) -> String {
        let version = version.map { "  version \($0)" } ?? ""
        return line("app", (bundleID ?? "not named") + version)
    }

    private func environment(of object: VerifiedObject) -> String {
        switch object.object.environment {
        case .production: line("environment", "Production")
        case let environment?: line("environment", "\(environment.rawValue): no money was paid", .yellow)
        case nil: line("environment", "not named", .yellow)
        }
    }

    private func signature(of object: any SignedObject) -> String {
        var text = line("signed", object.verifiedAt.readable)
        if let signer = object.certificates.first {
            text += line("signed by", signer.subject)
            text += line("", "certificate valid \(signer.notBefore.day) to \(signer.notAfter.day)")
        }
        return text + revocation(of: object.revocation)
    }

    /// Returns the lines that receipts, signed transactions and transaction receipts share.
    private func purchase(_ purchase: some AppStorePurchase) -> String {
        var text = line("product", purchase.productID ?? "not named")
        if let type = purchase.productType { text += line("type", type.readable) }
        if let transaction = purchase.transactionID {
            let original = purchase.originalTransactionID.flatMap { $0 == transaction ? nil : $0 }
            text += line("transaction", transaction + (original.map { "  original \($0)" } ?? ""))
        }
        if let date = purchase.purchaseDate { text += line("purchased", date.readable) }
        if let date = purchase.expiresDate { text += line("expires", date.readable) }
        if let date = purchase.cancellationDate {
            let reason =
                switch purchase.cancellationReason {
                case nil: ""
                case 1: ", over an issue with the app"
                case 0: ", for another reason"
                case .some(let number): ", reason \(number)"
                }
            text += line("cancelled", date.readable + reason, .yellow)
        }
        if purchase.isTrialPeriod == true {
            text += line("offer", "free trial")
        } else if purchase.isInIntroOfferPeriod == true {
            text += line("offer", "introductory")
        }
        if let quantity = purchase.quantity, quantity != 1 { text += line("quantity", "\(quantity)") }
        return text
    }

    private func details(of transaction: VerifiedTransaction) -> String {
        var text = app(transaction.bundleID) + environment(of: .transaction(transaction))
        text += purchase(transaction)
        if transaction.productType == .undocumented, let type = transaction.type {
            text += line("type", "\"\(type)\", unknown to this version")
        }
        if let type = transaction.offerType, type != 1 {
            let name = [2: "promotional", 3: "offer code", 4: "win-back"][type] ?? "of type \(type)"
            text += line("offer", name + (transaction.offerIdentifier.map { " \($0)" } ?? ""))
        }
        if transaction.isUpgraded == true { text += line("upgraded", "replaced by an upgrade") }
        switch transaction.inAppOwnershipType {
        case nil, "PURCHASED": break
        case "FAMILY_SHARED": text += line("owner", "a member of the family")
        case let type?: text += line("owner", "\"\(type)\", unknown to this version")
        }
        if let group = transaction.subscriptionGroupIdentifier { text += line("group", group) }
        if let price = transaction.price, let currency = transaction.currency {
            text += line("price", "\(thousandths(price)) \(currency)")
        }
        if let storefront = transaction.storefront { text += line("storefront", storefront) }
        return text
    }

    private func details(of information: VerifiedRenewalInfo) -> String {
        var text = environment(of: .renewalInfo(information))
        if let product = information.productID { text += line("product", product) }
        if let original = information.originalTransactionID { text += line("original", original) }
        switch information.autoRenewStatus {
        case 1:
            let next = information.autoRenewProductID.flatMap { $0 == information.productID ? nil : $0 }
            text += line("renewal", "will renew" + (next.map { ", as \($0)" } ?? ""))
        case 0: text += line("renewal", "will not renew")
        case let status?: text += line("renewal", "status \(status)")
        case nil: break
        }
        if let date = information.renewalDate { text += line("period ends", date.readable) }
        if let date = information.gracePeriodExpiresDate { text += line("grace until", date.readable) }
        if information.isInBillingRetryPeriod == true { text += line("billing", "Apple retries the payment") }
        if let offers = information.eligibleWinBackOfferIDs {
            text += line("win-back", offers.isEmpty ? "no offer" : offers.joined(separator: ", "))
        }
        return text
    }

    private func details(of transaction: VerifiedAppTransaction) -> String {
        var text = app(transaction.bundleID, version: transaction.applicationVersion)
        text += environment(of: .appTransaction(transaction))
        if let version = transaction.originalApplicationVersion { text += line("first version", version) }
        if let date = transaction.originalPurchaseDate { text += line("first bought", date.readable) }
        if let platform = transaction.originalPlatform { text += line("platform", platform) }
        if let date = transaction.revocationDate { text += line("cancelled", date.readable, .yellow) }
        return text
    }

    private func details(of notification: VerifiedNotification) -> String {
        let type = notification.notificationType ?? ""
        var text = line("type", type + (notification.subtype.map { ", \($0)" } ?? ""))
        text += app(notification.bundleID) + environment(of: .notification(notification))
        if let id = notification.notificationUUID { text += line("id", id) }
        let carried = notification.enclosures.map(\.path)
        if !carried.isEmpty { text += line("carries", carried.joined(separator: ", ") + ", verified below") }
        return text
    }

    private func details(of request: VerifiedRealtimeRequest) -> String {
        var text = line("app", request.appAppleID.map { "appAppleId \($0)" } ?? "not named")
        text += environment(of: .realtimeRequest(request))
        if let product = request.productID { text += line("product", product) }
        if let original = request.originalTransactionID { text += line("original", original) }
        if let locale = request.userLocale { text += line("locale", locale) }
        if let id = request.requestIdentifier { text += line("id", id) }
        return text
    }
}

private func thousandths(_ number: Int64) -> String {
    let magnitude = number.magnitude
    let (units, rest) = magnitude.quotientAndRemainder(dividingBy: 1000)
    // Like an amount of money: two digits, or three if needed.
    let digits = String(rest + 1000).dropFirst().prefix(rest.isMultiple(of: 10) ? 2 : 3)
    return (number < 0 ? "-" : "") + "\(units)" + (rest == 0 ? "" : ".\(digits)")
}

extension VerifiedObject {
    fileprivate var readableKind: String {
        switch self {
        case .receipt: "receipt"
        case .transaction: "signed transaction"
        case .renewalInfo: "signed renewal information"
        case .appTransaction: "signed app transaction"
        case .notification: "notification of the App Store"
        case .realtimeRequest: "request for a retention message"
        case .transactionReceipt: "transaction receipt"
        }
    }
}
