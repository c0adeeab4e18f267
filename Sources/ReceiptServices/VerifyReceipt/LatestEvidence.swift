import AppReceipt
import ReceiptExamination

/// The verified content of `latest`: transactions and renewal information of one app, environment and
/// customer.
struct LatestEvidence {
    private(set) var transactions: [VerifiedTransaction] = []
    private(set) var renewals: [VerifiedRenewalInfo] = []
    private var examined = 0
    private var customer: (appTransactionID: String, name: String)?

    /// Verifies all inputs. Refuses the request at the first object that fails.
    /// - Parameters:
    ///   - inputs: Compact JWS, notifications and App Store Server API responses.
    ///   - receipt: The receipt, whose app all objects must name, except renewal information.
    ///   - environment: The environment that all objects must name.
    ///   - appAppleIDs: The allowed values of `appAppleId`, or nil to allow any.
    init(
        _ inputs: [LatestInput], of receipt: VerifiedReceipt, in environment: ReceiptEnvironment,
        appAppleIDs: [Int64]?, _ verifier: ReceiptVerifier
    ) throws(VerifyReceiptRefusal) {
        let app = VerificationPolicy.app(receipt.payload.bundleID, .only(environment))
        let policy = appAppleIDs.map { app.expecting(appAppleIDs: $0) } ?? app
        let examiner = Examiner(verifier, policy: policy).leavingAppOfRenewals
        for input in inputs {
            let before = transactions.count + renewals.count
            try examiner.examine(signedObjects: input.bytes) { (examination) throws(VerifyReceiptRefusal) in
                try take(examination, at: input.name + examination.place)
            }
            guard transactions.count + renewals.count > before else {
                throw .ofLatest("contains no signed transaction and no renewal information", at: input.name)
            }
        }
    }

    private mutating func take(
        _ examination: Examination, at name: String
    ) throws(VerifyReceiptRefusal) {
        examined += 1
        guard examined <= VerifyReceiptEndpoint.maximumLatestObjects else {
            let most = VerifyReceiptEndpoint.maximumLatestObjects
            throw .ofLatest(
                "more than the limit of \(most) signed objects in latest", at: name, code: .tooLarge)
        }
        switch examination.result {
        case .failure(let refusal): throw VerifyReceiptRefusal(refusal, at: name, isOfLatest: true)
        case .success(.receipt):
            throw .ofLatest("app receipt in latest; send the newest one as receipt-data", at: name)
        case .success(.transaction(let transaction)):
            try requireOneCustomer(transaction.appTransactionID, at: name)
            transactions.append(transaction)
        case .success(.renewalInfo(let information)):
            try requireOneCustomer(information.appTransactionID, at: name)
            renewals.append(information)
        case .success(.appTransaction(let transaction)):
            try requireOneCustomer(transaction.appTransactionID, at: name)
        case .success(.transactionReceipt):
            throw .ofLatest("transaction receipt in latest", at: name)
        case .success(.notification), .success(.realtimeRequest): break
        }
    }

    /// Requires the same `appTransactionId` in all objects that have one. Apple assigns one per app to each
    /// account and each family member.
    private mutating func requireOneCustomer(
        _ appTransactionID: String?, at name: String
    ) throws(VerifyReceiptRefusal) {
        guard let appTransactionID, !["", "0"].contains(appTransactionID) else { return }
        if let customer, !customer.appTransactionID.utf8.elementsEqual(appTransactionID.utf8) {
            throw .ofLatest("another customer than \(customer.name): appTransactionId differs", at: name)
        }
        customer = customer ?? (appTransactionID, name)
    }
}
