public import AppReceipt
public import OfferEligibility
import ReceiptExamination
import ReceiptJSON
import StrictJSON

/// An endpoint that evaluates which offers one customer is eligible for. A request may contain several
/// inputs. The endpoint turns JSON into JSON and needs no server, network or clock. Create one and use it
/// from any thread.
///
/// ```swift
/// var endpoint = EligibilityEndpoint(try ReceiptVerifier(), policy: .app("com.example.app", .production))
/// endpoint.catalog = catalog
/// let body = try endpoint.answer(to: request, at: now)
/// ```
///
/// A request is `{"evidence": […], "renewal_info": […], "products": […], "as_of": "…", "catalog": {…}}`. The
/// response is `{"verdicts": […]}` with the objects of `eligibility --merge --json`, in which sources are
/// named `evidence[0]` and so on. `appreceipt serve` and the C library give the same responses.
/// ``EligibilityRequest`` describes the other members of a request.
public struct EligibilityEndpoint: Sendable {
    /// The maximum size of a request in bytes: a 16 MiB container in base64 and the JSON around it. The
    /// endpoint rejects longer requests.
    public static let maximumRequestBytes = (16 << 20) / 3 * 4 + (64 << 10)

    /// The maximum number of elements in each of `evidence`, `renewal_info` and `products`. A customer has a
    /// handful.
    public static let maximumMembers = 1000

    /// The maximum number of apps, groups, products and win-back offers together in a request's catalog. An
    /// app has at most 10,000 products.
    public static let maximumCatalogEntries = 20_000

    /// The maximum size of a response in bytes. If it is exceeded, the error asks for fewer products.
    public static let maximumAnswerBytes = 16 << 20

    /// The verifier of the evidence.
    public let verifier: ReceiptVerifier
    /// The verification policy for evidence.
    public let policy: VerificationPolicy
    /// The catalog for requests without one. If nil, each request must have a catalog, set `single_group` or
    /// name its products.
    public var catalog: SubscriptionCatalog?
    /// The policies, which decide what the rules leave to the app's developer.
    public var policies = OfferPolicies()

    /// Creates an endpoint with a verifier and a verification policy.
    public init(_ verifier: ReceiptVerifier, policy: VerificationPolicy) {
        (self.verifier, self.policy) = (verifier, policy)
    }

    /// Reads a request without evaluating it. The time that an answer takes depends on the size of the
    /// request.
    /// - Parameter body: A JSON object in UTF-8.
    /// - Throws: ``EligibilityFailure`` with code `bad_request`.
    public func request(_ body: [UInt8]) throws(EligibilityFailure) -> EligibilityRequest {
        try EligibilityRequest(body, ownCatalog: catalog)
    }

    /// Answers one request.
    /// - Parameters:
    ///   - body: A JSON object in UTF-8.
    ///   - now: The current time. It is the evaluation date if the request contains none.
    /// - Returns: A JSON object in UTF-8.
    /// - Throws: ``EligibilityFailure``.
    public func answer(to body: [UInt8], at now: Timestamp) throws(EligibilityFailure) -> [UInt8] {
        try answer(to: try request(body), at: now)
    }

    /// Answers one request that was read before.
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The current time. It is the evaluation date if the request contains none.
    /// - Returns: A JSON object in UTF-8.
    /// - Throws: ``EligibilityFailure``. The codes `refused` and `not_merged` mean that the evidence cannot
    ///   be evaluated as a whole. The endpoint then returns no verdicts on parts of it.
    public func answer(
        to request: EligibilityRequest, at now: Timestamp
    ) throws(EligibilityFailure) -> [UInt8] {
        try evaluate(request, at: now).json
    }

    /// Answers one request that was read before, and also returns the refused evidence that the request
    /// allows to be left out.
    package func evaluate(
        _ request: EligibilityRequest, at now: Timestamp
    ) throws(EligibilityFailure) -> (json: [UInt8], refused: [EligibilityFailure.RefusedMember]) {
        try evaluate(try accept(request), at: now)
    }

    /// Verifies the evidence of a request. The time that the verdicts take depends on the number of products.
    package func accept(_ request: EligibilityRequest) throws(EligibilityFailure) -> AcceptedRequest {
        let (evidence, history, refused) = try merged(request)
        let rules = OfferRules(catalog: request.catalog, policies: policies)
        if request.products == nil, rules.catalog.scope(of: history.bundleID) == nil {
            let app = history.bundleID ?? "evidence without a bundle id"
            throw .badRequest("catalog: does not list the app \(app)")
        }
        return AcceptedRequest(
            request: request, evidence: evidence, history: history, refused: refused, rules: rules,
            products: request.products ?? rules.products(for: history))
    }

    /// Answers one request whose evidence was verified.
    package func evaluate(
        _ accepted: AcceptedRequest, at now: Timestamp
    ) throws(EligibilityFailure) -> (json: [UInt8], refused: [EligibilityFailure.RefusedMember]) {
        let (request, refused) = (accepted.request, accepted.refused)
        let verdicts = accepted.rules.verdicts(
            for: accepted.products, in: accepted.history,
            asOf: request.asOf.map(EligibilityInstant.date) ?? .clock(now), renewals: request.unsignedRenewals
        )
        let sources = accepted.evidence.sources
        var json = JSONWriter()
        json.object { json in
            json.array("verdicts", verdicts) { json, verdict in
                // Stops after the first verdict that exceeds the limit.
                guard json.count <= Self.maximumAnswerBytes else { return }
                json.verdict(verdict, ofSources: sources)
            }
            if request.refusedEvidence == .caveat { json.refusals(refused) }
        }
        guard json.count <= Self.maximumAnswerBytes else {
            throw .badRequest(
                "products: the response would exceed \(Self.maximumAnswerBytes) bytes; name fewer products")
        }
        return (json.bytes, refused)
    }

    /// Returns the evidence as one history, and the refused evidence that is not part of it.
    private func merged(
        _ request: EligibilityRequest
    ) throws(EligibilityFailure) -> (CustomerEvidence, PurchaseHistory, [EligibilityFailure.RefusedMember]) {
        typealias Member = EligibilityFailure.RefusedMember
        let examiner = Examiner(verifier, policy: policy).leavingAppOfRenewals
        var evidence = CustomerEvidence()
        var refused: [Member] = []
        let bytes = (request.evidence + request.renewalInfo).reduce(0) { $0 + $1.count }
        let most = verifier.limits.signedObjects(inBytes: bytes)
        func refuse(_ examination: Examination, of source: String) {
            if let refusal = examination.refusal {
                refused.append(Member(source + examination.place, refusal))
            }
        }
        /// Requires that the total number of objects is within the limit. A limit for each element alone
        /// would allow a thousand times as many.
        func requireObjectLimit() throws(EligibilityFailure) {
            guard evidence.examined <= most else {
                throw .badRequest(
                    "evidence: more than the limit of \(most) signed objects for \(bytes) bytes of evidence and renewal_info"
                )
            }
        }
        for (index, piece) in request.evidence.enumerated() {
            let source = Member.source(Member.evidence, index)
            evidence.take(piece, of: source, examiner).forEach { refuse($0, of: source) }
            try requireObjectLimit()
        }
        for (source, examination) in evidence.unsupported { refuse(examination, of: source) }
        for (index, piece) in request.renewalInfo.enumerated() {
            let source = Member.source(Member.renewals, index)
            refused += evidence.takeRenewals(piece, of: source, examiner).map(Member.init)
            try requireObjectLimit()
        }
        /// Returns whether the endpoint may answer without the refused evidence. It may not if evidence could
        /// not be evaluated, for example for lack of memory.
        func mayAnswer() -> Bool {
            refused.isEmpty
                || request.refusedEvidence == .caveat && !refused.contains { $0.refusal.isTransient }
        }
        do throws(HistoryMergeError) {
            if mayAnswer() { refused += try evidence.settleRenewals(for: policy).map(Member.init) }
            if mayAnswer(), !evidence.sources.isEmpty { return (evidence, try evidence.history(), refused) }
        } catch {
            throw EligibilityFailure(code: .notMerged, message: evidence.explanation(of: error), refused: [])
        }
        throw EligibilityFailure(
            code: .refused, message: "evidence: not all of it is genuine and of this app", refused: refused)
    }
}
