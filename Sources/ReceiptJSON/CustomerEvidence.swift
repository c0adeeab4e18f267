public import AppReceipt
public import OfferEligibility

/// What several inputs prove of one customer: files, or members of a request.
public struct CustomerEvidence: Sendable {
    /// A verified object and the file that it stands in.
    private struct Piece: Sendable {
        let object: VerifiedObject
        /// Nil for what is no source of its own.
        let file: Int?
        let source: String
        /// The kind of list that this object is the last of, in an answer of the App Store Server API.
        let listing: APIAnswer.Listing?

        var originalTransactionID: [UInt8]? {
            switch object {
            case .renewalInfo(let information): information.originalTransactionID.map { Array($0.utf8) }
            case .transaction(let transaction): transaction.originalTransactionID.map { Array($0.utf8) }
            default: nil
            }
        }
    }

    private var pieces: [Piece] = []
    /// Renewal information that names no app where one is demanded: it counts where its subscription is among the rest.
    private var bareRenewals: [Piece] = []
    /// Renewal information that was given for many customers, and what stands beside it, by its subscription.
    private var bySubscription: [[UInt8]: [Piece]] = [:]
    private var files: [String] = []
    /// The listings of answers of which every object was taken.
    private var listings: Set<APIAnswer.Listing> = []
    /// Answers without objects, and where they stand.
    private var emptyAnswers: [(source: String, examination: SignedExamination)] = []
    /// Whether something was refused and is left out.
    public private(set) var anyRefused = false
    /// The number of signed objects, genuine and refused.
    package private(set) var examined = 0

    /// Where something stands that was refused, and why.
    public typealias Refused = (source: String, refusal: Refusal)

    /// Nothing was taken yet.
    public init() {}

    /// Whether nothing genuine was taken.
    public var isEmpty: Bool { pieces.isEmpty && bareRenewals.isEmpty }

    /// What is genuine, for `PurchaseHistory`.
    public var objects: [VerifiedObject] { pieces.map(\.object) }

    /// One history of all that is genuine.
    /// - Throws: `HistoryMergeError`, naming two of ``objects``.
    public func history() throws(HistoryMergeError) -> PurchaseHistory {
        try PurchaseHistory(
            evidence: objects, listings: listings.union(emptyListings), anyRefused: anyRefused)
    }

    /// Of the answers without objects about the app and the environment of the evidence: they name both, and nobody signed
    /// them.
    private var emptyListings: [APIAnswer.Listing] {
        guard !emptyAnswers.isEmpty, let environment = pieces.first?.object.object.environment,
            let bundleID = pieces.lazy.compactMap(\.object.bundleID).first
        else { return [] }
        return emptyAnswers.compactMap(\.examination.emptyList).filter {
            $0.environment == environment.rawValue && $0.bundleID.utf8.elementsEqual(bundleID.utf8)
        }.map(\.listing)
    }

    /// The answers without objects where nothing genuine stands beside them: they prove nothing.
    package var unsupported: [(source: String, examination: SignedExamination)] {
        isEmpty ? emptyAnswers : []
    }

    /// The inputs with something genuine in them, in the order given.
    public var sources: [String] {
        let genuine = Set(pieces.compactMap(\.file))
        return files.indices.filter(genuine.contains).map { files[$0] }
    }

    /// Takes every signed object of an input.
    /// - Parameters:
    ///   - input: a receipt, a JWS or whatever else `examine(anything:)` takes.
    ///   - source: what the input is called.
    ///   - examiner: makes no demand on the app of renewal information, see ``Examiner/leavingAppOfRenewals``.
    /// - Returns: what was refused.
    public mutating func take(
        _ input: [UInt8], of source: String, _ examiner: Examiner
    ) -> [SignedExamination] {
        var examinations: [SignedExamination] = []
        examiner.examine(anything: input) { (examination) throws(Never) in examinations.append(examination) }
        return take(examinations, of: source, examiner)
    }

    /// Takes what came out for each signed object of an input.
    /// - Returns: what was refused.
    package mutating func take(
        _ examinations: [SignedExamination], of source: String, _ examiner: Examiner
    ) -> [SignedExamination] {
        files.append(source)
        examined += examinations.count
        var refused: [SignedExamination] = []
        for examination in examinations {
            switch examination.result {
            case .success(let object):
                take(object, examination, of: source, file: files.count - 1, examiner)
            case .failure where examination.emptyList != nil: emptyAnswers.append((source, examination))
            case .failure: refused.append(examination)
            }
        }
        anyRefused = anyRefused || !refused.isEmpty
        return refused
    }

    /// Takes the signed renewal information of an input, which is no source of its own, and whatever stands beside it: an
    /// answer of the App Store holds the transaction too, and the offer that was used with it.
    /// - Returns: what was refused.
    public mutating func takeRenewals(_ bytes: [UInt8], of source: String, _ examiner: Examiner) -> [Refused]
    {
        var refused: [Refused] = []
        examiner.examine(anything: bytes) { (examination) throws(Never) in
            examined += 1
            switch examination.result {
            case .success(let object):
                let piece = take(object, examination, of: source, file: nil, examiner)
                if let name = piece.originalTransactionID { bySubscription[name, default: []].append(piece) }
            case .failure where examination.emptyList != nil: emptyAnswers.append((source, examination))
            case .failure(let refusal): refused.append((source + examination.place, refusal))
            }
        }
        anyRefused = anyRefused || !refused.isEmpty
        return refused
    }

    @discardableResult
    private mutating func take(
        _ object: VerifiedObject, _ examination: SignedExamination, of source: String, file: Int?,
        _ examiner: Examiner
    ) -> Piece {
        let piece = Piece(
            object: object, file: file, source: source + examination.place, listing: examination.listing)
        if object.isRenewalInfo && !examination.isEnclosed && examiner.isForApps {
            bareRenewals.append(piece)
        } else {
            count(piece)
        }
        return piece
    }

    private mutating func count(_ piece: Piece) {
        pieces.append(piece)
        if let listing = piece.listing { listings.insert(listing) }
    }

    /// Adds renewal information that was given for one customer.
    public mutating func add(_ renewals: CustomerEvidence) {
        pieces += renewals.pieces
        bareRenewals += renewals.bareRenewals
        listings.formUnion(renewals.listings)
        emptyAnswers += renewals.emptyAnswers
        anyRefused = anyRefused || renewals.anyRefused
    }

    /// Adds of renewal information that was given for many customers what speaks of this one's subscriptions, in the one
    /// environment; an unknown one is like no other. Returns whether there is any.
    public mutating func addOwn(of renewals: CustomerEvidence) throws(HistoryMergeError) -> Bool {
        anyRefused = anyRefused || renewals.anyRefused
        let history = try history()
        guard let environment = history.environment else { return false }
        let own = history.transactionNames.flatMap { renewals.bySubscription[$0] ?? [] }.filter {
            $0.object.object.environment == environment && $0.object.object.realm == history.realm
        }
        pieces += own
        return !own.isEmpty
    }

    /// Takes the bare renewal information whose subscription stands in the rest of the evidence, and refuses the other.
    /// - Returns: what was refused.
    public mutating func settleRenewals(for demands: Demands) throws(HistoryMergeError) -> [Refused] {
        guard !bareRenewals.isEmpty else { return [] }
        let names = try history().transactionNames
        var refused: [Refused] = []
        for piece in bareRenewals {
            if piece.originalTransactionID.map(names.contains) == true {
                count(piece)
                continue
            }
            do throws(ReceiptError) {
                try demands.require(piece.object.object)
            } catch {
                refused.append((piece.source, Refusal(error)))
            }
        }
        bareRenewals = []
        anyRefused = anyRefused || !refused.isEmpty
        return refused
    }

    /// Why the pieces are not of one customer, with the names of the two that say so.
    public func account(of error: HistoryMergeError) -> String {
        let (what, first, second) =
            switch error {
            case .conflict(_, let fact, let first, let second): (fact.rawValue, first, second)
            case .differentApps(let first, let second): ("app", first, second)
            case .differentEnvironments(let first, let second): ("environment", first, second)
            case .differentRealms(let first, let second): ("realm", first, second)
            }
        let names = [first, second].map { "\(pieces[$0.index].source) (\($0.value ?? "unknown"))" }
        return "not merged: the \(what) differs or is unknown: \(names.joined(separator: " and "))"
    }
}

extension VerifiedObject {
    fileprivate var isRenewalInfo: Bool { if case .renewalInfo = self { true } else { false } }
}
