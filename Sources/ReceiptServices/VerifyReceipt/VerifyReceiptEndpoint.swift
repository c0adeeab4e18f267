public import AppReceipt
import OfferEligibility
import StrictJSON

/// An endpoint that answers requests to Apple's deprecated verifyReceipt from the receipt's own signed bytes.
/// It needs no server, network or clock. Create one and use it from any thread.
///
/// ```swift
/// let endpoint = try VerifyReceiptEndpoint(
///     .production, for: .app("com.example.app", .production), password: .required(secret), verifier: ReceiptVerifier())
/// let answer = endpoint.answer(to: requestBody, at: now)  // answer.body, with HTTP 200
/// ```
///
/// Source of the request and response formats: Apple, "App Store Receipts" (requestBody, responseBody,
/// status), and recorded responses of Apple's servers.
public struct VerifyReceiptEndpoint: Sendable {
    /// The Apple host that the endpoint replaces.
    public enum Environment: String, Sendable, CaseIterable {
        /// buy.itunes.apple.com, for receipts of real purchases.
        case production = "Production"
        /// sandbox.itunes.apple.com.
        case sandbox = "Sandbox"

        var receiptEnvironment: ReceiptEnvironment { self == .production ? .production : .sandbox }
    }

    /// The password that a request must contain.
    public enum Password: Sendable {
        /// No password is required, and any password is ignored.
        case ignored
        /// This shared secret is required in every request. An empty secret rejects every request, so a
        /// missing setting grants no access.
        case required(String)
    }

    /// The handling of `latest_receipt_info` if the request has no `latest`.
    public enum LatestReceiptInfo: Sendable {
        /// The member is left out. On Apple's servers, it contains the transactions up to the request, but a
        /// receipt contains none after its creation.
        case leftOut
        /// The member contains the receipt's own transactions, newest first, for clients that require it.
        /// Renewals and refunds after the receipt's creation are missing. As in Apple's responses, a receipt
        /// without an auto-renewable subscription gets no such member.
        case asOfReceipt
    }

    /// The maximum size of a request in bytes, as on Apple's servers. Apple answers longer requests with HTTP
    /// 413, this endpoint with status `malformed`.
    public static let maximumRequestBytes = 3_145_728

    /// The maximum number of elements of signed renewal information in a request. Verifying each takes as
    /// long as verifying a receipt, and a customer has one per subscription.
    public static let maximumRenewalInfos = 32

    /// The maximum number of signed objects in a request's `latest`, including the contents of notifications.
    /// A weekly subscription has 52 a year.
    public static let maximumLatestObjects = 500

    /// The Apple host that the endpoint replaces.
    public let environment: Environment
    /// The verification policy. Receipts that violate it are not authenticated.
    private let policy: VerificationPolicy
    /// The verifier of receipts and signed objects.
    public let verifier: ReceiptVerifier
    /// The handling of `latest_receipt_info` if the request has no `latest`.
    public var latestReceiptInfo = LatestReceiptInfo.leftOut

    /// The digest of the shared secret, or nil if no password is required.
    private let secret: SecretDigests?
    private let isSecretEmpty: Bool

    /// Creates an endpoint.
    /// - Parameters:
    ///   - environment: The Apple host that the endpoint replaces.
    ///   - policy: The verification policy of receipts. It must accept the environment of the host.
    ///   - password: The password that a request must contain.
    ///   - verifier: The verifier of receipts and signed objects.
    /// - Throws: `ReceiptError` with code `unreadable` if OpenSSL fails.
    public init(
        _ environment: Environment, for policy: VerificationPolicy, password: Password,
        verifier: ReceiptVerifier
    ) throws(ReceiptError) {
        self.environment = environment
        self.policy = policy
        self.verifier = verifier
        switch password {
        case .ignored: (secret, isSecretEmpty) = (nil, false)
        case .required(let text):
            (secret, isSecretEmpty) = (try SecretDigests(of: [Array(text.utf8)], verifier), text.isEmpty)
        }
    }

    /// Answers one request.
    ///
    /// The endpoint merges signed transactions in the request's `latest` into `latest_receipt_info`. It
    /// verifies all of them and requires the receipt's app and environment. No signature ties a new
    /// subscription to a receipt. The client that sends `latest` vouches that the receipt and the
    /// transactions belong to one customer.
    /// - Parameters:
    ///   - request: The body, a JSON object in UTF-8.
    ///   - requestDate: The time of the request, for `request_date`. It does not affect the verdict.
    public func answer(to request: [UInt8], at requestDate: Timestamp) -> VerifyReceiptAnswer {
        do throws(VerifyReceiptRefusal) {
            let asked = try VerifyReceiptRequest(request.span, limits: verifier.limits)
            try check(asked.password)
            let receipt = try verified(container: try container(asked.receiptData))
            let renewals = try asked.signedRenewalInfo.enumerated().map {
                (index, text) throws(VerifyReceiptRefusal) in try verified(text, at: index)
            }
            return try answer(
                about: receipt, latest: asked.latest, renewals: renewals,
                excludingOld: asked.excludesOldTransactions, at: requestDate)
        } catch {
            return VerifyReceiptAnswer(error)
        }
    }

    /// Returns the response to a given receipt, without a password check.
    /// - Parameters:
    ///   - input: A receipt in any `InputEncoding`.
    ///   - latest: The names and bytes of the inputs that replace a request's `latest`, or nil for none.
    ///   - excludingOld: The value of the request's `exclude-old-transactions`.
    ///   - requestDate: The current time, for `request_date`.
    package func answer(
        about input: [UInt8], latest: [(name: String, bytes: [UInt8])]?, excludingOld: Bool,
        at requestDate: Timestamp
    ) -> VerifyReceiptAnswer {
        do throws(VerifyReceiptRefusal) {
            let der = try refusing(try InputEncoding.decode(input, limits: verifier.limits).der)
            return try answer(
                about: try verified(container: der), latest: latest, renewals: [], excludingOld: excludingOld,
                at: requestDate)
        } catch {
            return VerifyReceiptAnswer(error)
        }
    }

    private func answer(
        about receipt: VerifiedReceipt, latest inputs: [LatestInput]?, renewals: [VerifiedRenewalInfo],
        excludingOld: Bool, at requestDate: Timestamp
    ) throws(VerifyReceiptRefusal) -> VerifyReceiptAnswer {
        let payload = receipt.payload
        var evidence: LatestEvidence?
        if let inputs {
            evidence = try LatestEvidence(
                inputs, of: receipt, in: environment.receiptEnvironment, appAppleIDs: policy.appAppleIDs,
                verifier)
        }
        let renewals = renewals + (evidence?.renewals ?? [])
        let isListed = evidence != nil || latestReceiptInfo == .asOfReceipt
        let latest =
            isListed || !renewals.isEmpty
            ? LatestTransactions(of: payload, signed: evidence?.transactions ?? []) : nil
        var list = isListed ? (excludingOld ? latest?.excludingOld() : latest?.all) ?? [] : []
        // As in Apple's responses, a receipt without a subscription gets no list.
        if evidence == nil, !list.contains(where: \.isSubscription) { list = [] }
        let pending = PendingRenewals(renewals, of: latest)
        let body = JSONWriter.text { json in
            json.verifyReceiptAnswer(
                payload, in: environment, at: requestDate, latest: list, renewals: pending.list)
        }
        return VerifyReceiptAnswer(
            .valid, body: body, refusal: nil, leftOut: latest?.leftOut ?? [],
            unmatchedRenewals: pending.unmatched)
    }

    private func check(_ password: [UInt8]?) throws(VerifyReceiptRefusal) {
        guard let secret else { return }
        guard let password, !isSecretEmpty else { throw VerifyReceiptRefusal(.wrongPassword) }
        if try refusing(try secret.contain(password)) { return }
        throw VerifyReceiptRefusal(.wrongPassword)
    }

    /// Returns the receipt's container.
    /// - Parameter text: The value of `receipt-data`.
    private func container(_ text: [UInt8]?) throws(VerifyReceiptRefusal) -> [UInt8] {
        guard let text else { throw .malformed("missing", at: 0, "receipt-data") }
        var fault = 0
        // Apple's servers reject white space, other alphabets and missing padding.
        guard let der = StrictBase64.standard.decode(text.span, fault: &fault) else {
            throw .malformed("not base64 at character \(fault)", at: nil, "receipt-data")
        }
        return der
    }

    private func verified(container der: [UInt8]) throws(VerifyReceiptRefusal) -> VerifiedReceipt {
        let receipt = try refusing(try verifier.authenticate(container: der.span))
        if policy.appAppleIDs != nil {
            try refusing(try receipt.require(policy.ofAppsAlone)) {
                VerifyReceiptRefusal(.notAuthenticated, $0)
            }
        }
        guard policy.accepts(bundleID: receipt.payload.bundleID) else {
            throw VerifyReceiptRefusal(
                .notAuthenticated,
                ReceiptError(.wrongBundleID, message: "belongs to another app", field: "payload.bundle_id"))
        }
        try refusing(try receipt.require(.anyApp(.only(environment.receiptEnvironment)))) {
            VerifyReceiptRefusal(.init(foundElsewhere: receipt.payload.environment), $0)
        }
        try refusing(try receipt.require(policy)) { VerifyReceiptRefusal(.notAuthenticated, $0) }
        return receipt
    }

    /// Returns verified renewal information.
    /// - Parameter text: An element of `signed-renewal-info`.
    private func verified(
        _ text: [UInt8], at index: Int
    ) throws(VerifyReceiptRefusal) -> VerifiedRenewalInfo {
        let field = "signed-renewal-info[\(index)]"
        // Renewal information names no app. Its transaction names one and must be in the receipt.
        let object = try refusing(
            try verifier.verify(
                recognized: .jws(text), for: .anyApp(.only(environment.receiptEnvironment)))
        ) { VerifyReceiptRefusal($0, at: field) }
        if case .renewalInfo(let information) = object { return information }
        throw .malformed("signed, but not renewal information", at: nil, field)
    }
}

extension VerifyReceiptAnswer.Status {
    /// Creates the status for a genuine receipt of another environment. Xcode receipts and receipts without a
    /// known environment belong to neither host.
    fileprivate init(foundElsewhere environment: ReceiptEnvironment?) {
        switch environment {
        case .sandbox: self = .sandboxReceipt
        case .production: self = .productionReceipt
        case .xcode, .localTesting, nil: self = .notAuthenticated
        }
    }
}
