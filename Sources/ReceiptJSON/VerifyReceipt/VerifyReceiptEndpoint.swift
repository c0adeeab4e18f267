public import AppReceipt
import OfferEligibility

/// Answers what back ends post to Apple's deprecated verifyReceipt, from the receipt's own signed bytes: no server, no
/// network, no clock. Make one and use it from any thread.
///
/// ```swift
/// let endpoint = try VerifyReceiptEndpoint(
///     .production, apps: .only(["com.example.app"]), password: .required(secret), verifier: ReceiptVerifier())
/// let answer = endpoint.answer(to: requestBody, at: now)  // answer.body, with HTTP 200
/// ```
///
/// Source of what is asked and answered: Apple, "App Store Receipts" (requestBody, responseBody, status), and answers that
/// Apple gave.
public struct VerifyReceiptEndpoint: Sendable {
    /// Which of Apple's two hosts it stands in for.
    public enum Environment: String, Sendable, CaseIterable {
        /// buy.itunes.apple.com: receipts that somebody paid for.
        case production = "Production"
        /// sandbox.itunes.apple.com.
        case sandbox = "Sandbox"

        var receiptEnvironment: ReceiptEnvironment { self == .production ? .production : .sandbox }
    }

    /// Whose receipts are answered; others are not authenticated.
    public enum Apps: Hashable, Sendable {
        /// Those of any app, as Apple does where no password is sent.
        case anyApp
        /// Those of these bundle ids, compared byte for byte; an empty list is nobody's.
        case only([String])
    }

    /// What a request must know.
    public enum Password: Sendable {
        /// Nothing: whatever it sends is not looked at.
        case ignored
        /// This shared secret, in every request. The empty one is nobody's, so that a setting that is missing lets nobody in.
        case required(String)
    }

    /// The treatment of `latest_receipt_info` where the request has no `latest`.
    public enum LatestReceiptInfo: Sendable {
        /// It is left out: Apple's is of the request's instant, and a receipt tells nothing later than itself.
        case leftOut
        /// The receipt's own transactions stand in, the newest first, for clients that insist on the member: as of the
        /// receipt's creation, without the renewals and refunds that came later. A receipt without an auto-renewable
        /// subscription gets none, as Apple has it.
        case asOfReceipt
    }

    /// Bytes of a request that Apple reads; one more is HTTP 413 there, and here what is malformed.
    public static let maximumRequestBytes = 3_145_728

    /// Pieces of signed renewal information in one request: each takes as long as a receipt, and there is one for each
    /// subscription of one customer.
    public static let maximumRenewalInfos = 32

    /// Signed objects in a request's `latest`, those that notifications carry included: a weekly subscription has 52 a year.
    public static let maximumLatestObjects = 500

    /// Which of Apple's two hosts it stands in for.
    public let environment: Environment
    /// Whose receipts are answered.
    public let apps: Apps
    /// The values of `appAppleId` that are answered beside ``apps``, nil where none is expected. See
    /// `ReceiptAudience.expecting(appAppleIDs:)`.
    public var appAppleIDs: [Int64]?
    /// Who judges.
    public let verifier: ReceiptVerifier
    /// The treatment of `latest_receipt_info` where the request has no `latest`.
    public var latestReceiptInfo = LatestReceiptInfo.leftOut

    /// Nil where none is asked for.
    private let secret: SecretDigests?
    private let isSecretEmpty: Bool

    /// - Parameters:
    ///   - environment: which of Apple's two hosts it stands in for.
    ///   - apps: whose receipts are answered.
    ///   - password: what a request must know.
    ///   - verifier: who judges.
    /// - Throws: `ReceiptError` with code `unreadable` where OpenSSL fails.
    public init(
        _ environment: Environment, apps: Apps, password: Password, verifier: ReceiptVerifier
    ) throws(ReceiptError) {
        self.environment = environment
        self.apps = apps
        self.verifier = verifier
        switch password {
        case .ignored: (secret, isSecretEmpty) = (nil, false)
        case .required(let text):
            (secret, isSecretEmpty) = (try SecretDigests(of: [Array(text.utf8)], verifier), text.isEmpty)
        }
    }

    /// Answers one request.
    ///
    /// Signed transactions in the request's `latest` are merged into `latest_receipt_info`. All are verified and must be of
    /// the receipt's app and environment. Nothing signed ties a new subscription to a receipt: who sends `latest` vouches
    /// that receipt and transactions are of one customer.
    /// - Parameters:
    ///   - request: the body: a JSON object in UTF-8.
    ///   - requestDate: when it came, for `request_date`. It judges nothing.
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

    /// Answers about a receipt at hand. No password is asked.
    /// - Parameters:
    ///   - input: a receipt in any `InputEncoding`.
    ///   - latest: the names and bytes of the inputs that stand for a request's `latest`; nil for none.
    ///   - excludingOld: as the request's `exclude-old-transactions`.
    ///   - requestDate: the present, for `request_date`.
    package func answer(
        about input: [UInt8], latest: [(name: String, bytes: [UInt8])]?, excludingOld: Bool,
        at requestDate: Timestamp
    ) -> VerifyReceiptAnswer {
        do throws(VerifyReceiptRefusal) {
            let der: [UInt8]
            do throws(ReceiptError) {
                der = try InputEncoding.decode(input, limits: verifier.limits).der
            } catch {
                throw VerifyReceiptRefusal(error)
            }
            return try answer(
                about: try verified(container: der), latest: latest?.map { LatestInput(name: $0, bytes: $1) },
                renewals: [], excludingOld: excludingOld, at: requestDate)
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
                inputs, of: receipt, in: environment.receiptEnvironment, appAppleIDs: appAppleIDs, verifier)
        }
        let latest =
            evidence != nil || latestReceiptInfo == .asOfReceipt
            ? LatestTransactions(of: payload, signed: evidence?.transactions, excludingOld: excludingOld)
            : nil
        let pending = PendingRenewals(
            renewals + (evidence?.renewals ?? []), of: payload, signed: evidence?.transactions ?? [])
        let body = JSONWriter.text { json in
            json.verifyReceiptAnswer(
                payload, in: environment, at: requestDate, latest: latest?.list ?? [], renewals: pending.list)
        }
        return VerifyReceiptAnswer(
            .valid, body: body, refusal: nil, leftOut: latest?.leftOut ?? [],
            unmatchedRenewals: pending.unmatched)
    }
}

// MARK: - Checks

extension VerifyReceiptEndpoint {
    private func check(_ password: [UInt8]?) throws(VerifyReceiptRefusal) {
        guard let secret else { return }
        guard let password, !isSecretEmpty else { throw VerifyReceiptRefusal(.wrongPassword) }
        do throws(ReceiptError) {
            if try secret.contain(password) { return }
        } catch {
            throw VerifyReceiptRefusal(error)
        }
        throw VerifyReceiptRefusal(.wrongPassword)
    }

    /// The apps whose receipts are answered, in any environment.
    private var audience: ReceiptAudience {
        switch apps {
        case .anyApp: .anyApp
        case .only(let bundleIDs): .apps(bundleIDs, .anyEnvironment)
        }
    }

    /// - Parameter text: `receipt-data`.
    private func container(_ text: [UInt8]?) throws(VerifyReceiptRefusal) -> [UInt8] {
        guard let text else { throw .malformed("missing", at: 0, "receipt-data") }
        var fault = 0
        // Apple's takes no white space, no other alphabet and no missing padding.
        guard let der = StrictBase64.standard.decode(text.span, fault: &fault) else {
            throw .malformed("not base64 at character \(fault)", at: nil, "receipt-data")
        }
        return der
    }

    private func verified(container der: [UInt8]) throws(VerifyReceiptRefusal) -> VerifiedReceipt {
        let receipt: VerifiedReceipt
        do throws(ReceiptError) {
            receipt = try verifier.verify(container: der, for: .anyApp)
        } catch {
            throw VerifyReceiptRefusal(error)
        }
        if let appAppleIDs {
            do throws(ReceiptError) {
                try receipt.require(audience.expecting(appAppleIDs: appAppleIDs))
            } catch {
                throw VerifyReceiptRefusal(.notAuthenticated, Refusal(error))
            }
        }
        if case .only(let bundleIDs) = apps {
            let bundleID = receipt.payload.bundleID.utf8
            guard bundleIDs.contains(where: { $0.utf8.elementsEqual(bundleID) }) else {
                throw VerifyReceiptRefusal(
                    .notAuthenticated,
                    Refusal(
                        code: .wrongBundleID, message: "belongs to another app", field: "payload.bundle_id"))
            }
        }
        do throws(ReceiptError) {
            try receipt.require(.anyApp(.only(environment.receiptEnvironment)))
        } catch {
            throw VerifyReceiptRefusal(.init(foundElsewhere: receipt.payload.environment), Refusal(error))
        }
        return receipt
    }

    /// - Parameter text: an element of `signed-renewal-info`.
    private func verified(
        _ text: [UInt8], at index: Int
    ) throws(VerifyReceiptRefusal) -> VerifiedRenewalInfo {
        let field = "signed-renewal-info[\(index)]"
        do throws(ReceiptError) {
            // Renewal information names no app: its transaction does, which must stand in the receipt.
            let object = try verifier.verify(
                recognised: .jws(text), for: .anyApp(.only(environment.receiptEnvironment)))
            if case .renewalInfo(let information) = object { return information }
        } catch {
            throw VerifyReceiptRefusal(error, at: field)
        }
        throw .malformed("signed, but not renewal information", at: nil, field)
    }
}

extension VerifyReceiptAnswer.Status {
    /// Of a genuine receipt that is not of the endpoint's environment. Xcode's are of neither, and what names none that is
    /// known is never taken for one.
    fileprivate init(foundElsewhere environment: ReceiptEnvironment?) {
        switch environment {
        case .sandbox: self = .sandboxReceipt
        case .production: self = .productionReceipt
        case .xcode, .localTesting, nil: self = .notAuthenticated
        }
    }
}
