public import AppReceipt
public import OfferEligibility

/// Answers what offers one customer may get, from several pieces of evidence: JSON in, JSON out, no server, no network, no
/// clock. Make one and use it from any thread.
///
/// ```swift
/// var endpoint = EligibilityEndpoint(try ReceiptVerifier(), demands: Demands(.app("com.example.app", .production)))
/// endpoint.catalog = catalog
/// let body = try endpoint.answer(to: request, at: now)
/// ```
///
/// A request is `{"evidence": […], "renewal_info": […], "products": […], "as_of": "…", "catalog": {…}}`, the answer
/// `{"verdicts": […]}` with the objects of `eligibility --merge --json`, each evidence called `evidence[0]` and so on. It is
/// what `appreceipt serve` and the C library answer. ``EligibilityRequest`` has the other members of a request.
public struct EligibilityEndpoint: Sendable {
    /// Bytes of a request; one more is not understood. A container of 16 MiB in base64, and what stands around it.
    public static let maximumRequestBytes = (16 << 20) / 3 * 4 + (64 << 10)

    /// Of evidence, renewal information and products each; a customer has a handful.
    public static let maximumMembers = 1000

    /// Apps, groups, products and win-back offers together in a request's catalog. An app has 10,000 products at most.
    public static let maximumCatalogEntries = 20_000

    /// Bytes of an answer, beyond which the request is told to ask about fewer products.
    public static let maximumAnswerBytes = 16 << 20

    /// Who judges.
    public let verifier: ReceiptVerifier
    /// What is asked of evidence beside that it be genuine.
    public let demands: Demands
    /// The products by group, for requests that bring no catalogue; nil where each must.
    public var catalog: SubscriptionCatalog?
    /// What the rules leave to the business that asks.
    public var policies = OfferPolicies()

    /// Answers with this verifier, and makes these demands of what is genuine.
    public init(_ verifier: ReceiptVerifier, demands: Demands) {
        (self.verifier, self.demands) = (verifier, demands)
    }

    /// Reads a request and judges nothing yet: how long the answer takes follows from how much is asked.
    /// - Parameter body: a JSON object in UTF-8.
    /// - Throws: ``EligibilityFailure`` with code `bad_request`.
    public func request(_ body: [UInt8]) throws(EligibilityFailure) -> EligibilityRequest {
        try EligibilityRequest(body, ownCatalog: catalog)
    }

    /// Answers one request.
    /// - Parameters:
    ///   - body: a JSON object in UTF-8.
    ///   - now: the present time, which is asked about where the request names no instant.
    /// - Returns: a JSON object in UTF-8.
    /// - Throws: ``EligibilityFailure``.
    public func answer(to body: [UInt8], at now: Timestamp) throws(EligibilityFailure) -> [UInt8] {
        try answer(to: try request(body), at: now)
    }

    /// Answers one request that was read.
    /// - Parameters:
    ///   - request: what is asked.
    ///   - now: the present time, which is asked about where the request names no instant.
    /// - Returns: a JSON object in UTF-8.
    /// - Throws: ``EligibilityFailure`` with code `refused` or `not_merged`: there is no verdict on part of the evidence.
    public func answer(
        to request: EligibilityRequest, at now: Timestamp
    ) throws(EligibilityFailure) -> [UInt8] {
        try judge(request, at: now).json
    }

    /// Answers one request that was read, and says what was refused where the request leaves that out.
    package func judge(
        _ request: EligibilityRequest, at now: Timestamp
    ) throws(EligibilityFailure) -> (json: [UInt8], refused: [EligibilityFailure.RefusedMember]) {
        let (evidence, history, refused) = try merged(request)
        let rules = OfferRules(catalog: request.catalog, policies: policies)
        if request.products == nil, rules.catalog.scope(of: history.bundleID) == nil {
            let app = history.bundleID ?? "evidence without a bundle id"
            throw .badRequest("catalog: does not list the app \(app)")
        }
        let verdicts = rules.verdicts(
            for: request.products ?? rules.products(for: history), in: history,
            asOf: request.asOf.map(EligibilityInstant.date) ?? .clock(now), renewals: request.unsignedRenewals
        )
        let sources = evidence.sources
        var json = JSONWriter()
        json.object { json in
            json.key("verdicts")
            json.array(verdicts) { json, verdict in
                // One verdict has room behind the last one that fits.
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

    /// Returns all the evidence as one history, and what is left out of it.
    private func merged(
        _ request: EligibilityRequest
    ) throws(EligibilityFailure) -> (CustomerEvidence, PurchaseHistory, [EligibilityFailure.RefusedMember]) {
        typealias Member = EligibilityFailure.RefusedMember
        let examiner = Examiner(verifier, demands: demands).leavingAppOfRenewals
        var evidence = CustomerEvidence()
        var refused: [Member] = []
        let bytes = (request.evidence + request.renewalInfo).reduce(0) { $0 + $1.count }
        let most = verifier.limits.signedObjects(inBytes: bytes)
        /// The limit on the objects of one piece is no limit on those of a thousand.
        func requireRoom() throws(EligibilityFailure) {
            guard evidence.examined <= most else {
                throw .badRequest(
                    "evidence: more than the limit of \(most) signed objects for \(bytes) bytes of evidence and renewal_info"
                )
            }
        }
        for (index, piece) in request.evidence.enumerated() {
            let source = Member.source(Member.evidence, index)
            for examination in evidence.take(piece, of: source, examiner) {
                guard case .failure(let refusal) = examination.result else { continue }
                refused.append(Member(source + examination.place, refusal))
            }
            try requireRoom()
        }
        for (index, piece) in request.renewalInfo.enumerated() {
            let source = Member.source(Member.renewals, index)
            refused += evidence.takeRenewals(piece, of: source, examiner).map(Member.init)
            try requireRoom()
        }
        for (source, examination) in evidence.unsupported {
            guard case .failure(let refusal) = examination.result else { continue }
            refused.append(Member(source + examination.place, refusal))
        }
        /// What could not be judged, for want of memory, is no reason to answer without it.
        func mayAnswer() -> Bool {
            refused.isEmpty
                || request.refusedEvidence == .caveat && !evidence.sources.isEmpty
                    && !refused.contains { $0.refusal.isPassing }
        }
        do throws(HistoryMergeError) {
            if mayAnswer() { refused += try evidence.settleRenewals(for: demands).map(Member.init) }
            if mayAnswer() { return (evidence, try evidence.history(), refused) }
        } catch {
            throw EligibilityFailure(code: .notMerged, message: evidence.account(of: error), refused: [])
        }
        throw EligibilityFailure(
            code: .refused, message: "evidence: not all of it is genuine and of this app", refused: refused)
    }
}
