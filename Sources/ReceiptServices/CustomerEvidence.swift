public import AppReceipt
public import OfferEligibility
public import ReceiptExamination
import StrictJSON

/// The evidence about one customer from several inputs: files, or members of a request.
public struct CustomerEvidence: Sendable {
    /// A verified object and the file that contains it.
    private struct Entry: Sendable {
        let object: VerifiedObject
        /// The index of the file, or nil for an input that is not listed as a source.
        let file: Int?
        let source: String
        /// The kind of list that this object completes in an App Store Server API response.
        let listing: APIAnswer.Listing?

        /// The names of the purchases that evidence about many customers is selected by.
        var subscriptions: Set<[UInt8]> {
            switch object {
            case .receipt, .transactionReceipt:
                (try? PurchaseHistory(evidence: [object]))?.transactionNames ?? []
            default: Set(originalTransactionID.map { [$0] } ?? [])
            }
        }

        var originalTransactionID: [UInt8]? {
            switch object {
            case .renewalInfo(let information): information.originalTransactionID.map { Array($0.utf8) }
            case .transaction(let transaction): transaction.originalTransactionID.map { Array($0.utf8) }
            default: nil
            }
        }
    }

    private var entries: [Entry] = []
    /// Renewal information that names no app although the policy expects one. It counts only if the other
    /// evidence contains its subscription.
    private var bareRenewals: [Entry] = []
    /// The objects of inputs about many customers, and their indices by the original transaction ID of the
    /// subscription.
    private var pieces: [Entry] = []
    private var bySubscription: [[UInt8]: [Int]] = [:]
    private var files: [String] = []
    /// The listings of responses whose objects were all added.
    private var listings: Set<APIAnswer.Listing> = []
    /// Responses without objects, and their sources.
    private var emptyAnswers: [(source: String, examination: Examination)] = []
    /// Whether an object was refused and left out.
    public private(set) var anyRefused = false
    /// The number of signed objects, genuine and refused.
    package private(set) var examined = 0

    /// The place of a refused object, and the reason.
    public typealias Refused = (source: String, refusal: ReceiptError)

    /// Creates empty evidence.
    public init() {}

    /// Whether the evidence contains no genuine object.
    public var isEmpty: Bool { entries.isEmpty && bareRenewals.isEmpty }

    /// The genuine objects, for `PurchaseHistory`.
    public var objects: [VerifiedObject] { entries.map(\.object) }

    /// Returns one history of all genuine objects.
    /// - Throws: `HistoryMergeError`, which refers to two of ``objects``.
    public func history() throws(HistoryMergeError) -> PurchaseHistory {
        try PurchaseHistory(
            evidence: objects, listings: listings.union(emptyListings), anyRefused: anyRefused)
    }

    /// The listings of responses without objects that name the same app and environment as the evidence.
    /// These responses are not signed.
    private var emptyListings: [APIAnswer.Listing] {
        guard !emptyAnswers.isEmpty, let environment = entries.first?.object.object.environment,
            let bundleID = entries.lazy.compactMap(\.object.bundleID).first
        else { return [] }
        return emptyAnswers.compactMap(\.examination.emptyList).filter {
            $0.environment.isExactly(environment.rawValue) && $0.bundleID.utf8.elementsEqual(bundleID.utf8)
        }.map(\.listing)
    }

    /// The responses without objects, if no genuine object accompanies them. Alone they prove nothing.
    package var unsupported: [(source: String, examination: Examination)] {
        isEmpty ? emptyAnswers : []
    }

    /// The inputs that contain a genuine object, in the order given.
    public var sources: [String] {
        let genuine = Set(entries.compactMap(\.file))
        return files.indices.filter(genuine.contains).map { files[$0] }
    }

    /// Adds every signed object of an input.
    /// - Parameters:
    ///   - input: A receipt, a JWS or any other input that `examine(signedObjects:)` accepts.
    ///   - source: The name of the input.
    ///   - examiner: An examiner that ignores the app of renewal information, see
    ///     `Examiner.leavingAppOfRenewals`.
    /// - Returns: The refused objects.
    public mutating func take(
        _ input: [UInt8], of source: String, _ examiner: Examiner
    ) -> [Examination] {
        take(examiner.examinations(of: input), of: source, examiner)
    }

    /// Adds the examinations of an input's signed objects.
    /// - Returns: The refused objects.
    package mutating func take(
        _ examinations: [Examination], of source: String, _ examiner: Examiner
    ) -> [Examination] {
        files.append(source)
        return take(examinations, of: source, file: files.count - 1, examiner).refused
    }

    /// Adds the signed renewal information of an input, and the other objects in it. The input is not listed
    /// as a source. For example, a response of the App Store Server API also contains the transaction with
    /// the offer that was used.
    /// - Returns: The refused objects.
    public mutating func takeRenewals(_ bytes: [UInt8], of source: String, _ examiner: Examiner) -> [Refused]
    {
        let (taken, refused) = take(examiner.examinations(of: bytes), of: source, file: nil, examiner)
        for entry in taken {
            for name in entry.subscriptions { bySubscription[name, default: []].append(pieces.count) }
            pieces.append(entry)
        }
        return refused.compactMap { examination in
            examination.refusal.map { (source + examination.place, $0) }
        }
    }

    private mutating func take(
        _ examinations: [Examination], of source: String, file: Int?, _ examiner: Examiner
    ) -> (taken: [Entry], refused: [Examination]) {
        examined += examinations.count
        var (taken, refused): ([Entry], [Examination]) = ([], [])
        for examination in examinations {
            switch examination.result {
            case .success(let object):
                let entry = Entry(
                    object: object, file: file, source: source + examination.place,
                    listing: examination.listing)
                taken.append(entry)
                if case .renewalInfo = object, !examination.isEnclosed, examiner.isForApps {
                    bareRenewals.append(entry)
                } else {
                    count(entry)
                }
            case .failure where examination.emptyList != nil: emptyAnswers.append((source, examination))
            case .failure: refused.append(examination)
            }
        }
        anyRefused = anyRefused || !refused.isEmpty
        return (taken, refused)
    }

    private mutating func count(_ entry: Entry) {
        entries.append(entry)
        if let listing = entry.listing { listings.insert(listing) }
    }

    /// Adds renewal information about this customer, and the other objects of its inputs.
    public mutating func add(_ renewals: CustomerEvidence) {
        entries += renewals.entries
        bareRenewals += renewals.bareRenewals
        listings.formUnion(renewals.listings)
        emptyAnswers += renewals.emptyAnswers
        anyRefused = anyRefused || renewals.anyRefused
    }

    /// Adds the objects about this customer's subscriptions from `renewals`, which is about many customers.
    /// The environments and the trust anchor kinds must be equal. An unknown environment never matches.
    /// - Returns: Whether any was added.
    /// - Throws: `HistoryMergeError` if the evidence is not of one customer.
    public mutating func addOwn(of renewals: CustomerEvidence) throws(HistoryMergeError) -> Bool {
        anyRefused = anyRefused || renewals.anyRefused
        let history = try history()
        guard let environment = history.environment else { return false }
        // A receipt names further subscriptions of the customer.
        var (names, indices) = (Array(try transactionNames()), Set<Int>())
        while let name = names.popLast() {
            for index in renewals.bySubscription[name] ?? [] where !indices.contains(index) {
                let piece = renewals.pieces[index]
                guard piece.object.object.environment == environment,
                    piece.object.object.realm == history.realm
                else { continue }
                indices.insert(index)
                if piece.originalTransactionID == nil { names += piece.subscriptions }
            }
        }
        let own = indices.sorted().map { renewals.pieces[$0] }
        entries += own
        return !own.isEmpty
    }

    /// Returns the identifiers in all evidence, also in evidence that newer evidence of the transaction replaces.
    private func transactionNames() throws(HistoryMergeError) -> Set<[UInt8]> {
        var names = Set<[UInt8]>()
        for entry in entries {
            names.formUnion(try PurchaseHistory(evidence: [entry.object]).transactionNames)
        }
        return names
    }

    /// Adds renewal information without an app if the other evidence contains its subscription, and refuses
    /// the rest.
    /// - Returns: The refused objects.
    /// - Throws: `HistoryMergeError` if the evidence is not of one customer.
    public mutating func settleRenewals(for policy: VerificationPolicy) throws(HistoryMergeError)
        -> [Refused]
    {
        guard !bareRenewals.isEmpty else { return [] }
        let names = try transactionNames()
        var refused: [Refused] = []
        for entry in bareRenewals {
            if entry.originalTransactionID.map(names.contains) == true {
                count(entry)
                continue
            }
            do throws(ReceiptError) {
                try entry.object.object.require(policy)
            } catch {
                refused.append((entry.source, error))
            }
        }
        bareRenewals = []
        anyRefused = anyRefused || !refused.isEmpty
        return refused
    }

    /// Returns the reason why objects do not belong to one customer, with the names of the two that conflict.
    public func explanation(of error: HistoryMergeError) -> String {
        let (what, first, second) =
            switch error {
            case .conflict(_, let fact, let first, let second): (fact.rawValue, first, second)
            case .differentApps(let first, let second): ("app", first, second)
            case .differentAccounts(let first, let second): ("appTransactionId", first, second)
            case .differentEnvironments(let first, let second): ("environment", first, second)
            case .differentRealms(let first, let second): ("realm", first, second)
            }
        let names = [first, second].map { "\(entries[$0.index].source) (\($0.value ?? "unknown"))" }
        let isUnknown = first.value == nil || second.value == nil
        let reason = isUnknown ? "is unknown" : "differs"
        return "not merged: the \(what) \(reason): \(names.joined(separator: " and "))"
    }
}
