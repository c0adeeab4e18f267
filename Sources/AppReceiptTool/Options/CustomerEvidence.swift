import AppReceipt
import OfferEligibility
import ReceiptAudit
import ReceiptJSON

/// What files prove of one customer.
struct CustomerEvidence {
    /// A verified object and the file that it stands in.
    private struct Piece {
        let object: VerifiedObject
        /// Nil for what is no source of its own.
        let file: Int?
        let source: String

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
    /// Whether something was refused and is left out.
    private(set) var anyRefused = false

    /// Where something stands that was refused, and why.
    typealias Refused = (source: String, refusal: Refusal)

    var isEmpty: Bool { pieces.isEmpty && bareRenewals.isEmpty }

    var objects: [VerifiedObject] { pieces.map(\.object) }

    /// The files with something genuine in them, in the order given.
    var sources: [String] {
        let genuine = Set(pieces.compactMap(\.file))
        return files.indices.filter(genuine.contains).map { files[$0] }
    }

    /// Takes every signed object of a file.
    /// - Returns: what was refused.
    mutating func take(_ file: InputFile, _ examiner: Examiner) -> [SignedExamination] {
        files.append(file.source)
        var refused: [SignedExamination] = []
        examiner.examine(anythingIn: file) { (examination) throws(Never) in
            guard case .success(let object) = examination.result else { return refused.append(examination) }
            take(object, examination, of: file.source, file: files.count - 1, examiner)
        }
        anyRefused = anyRefused || !refused.isEmpty
        return refused
    }

    /// Takes the signed renewal information of a file, which is no source of its own, and whatever stands beside it: an
    /// answer of the App Store holds the transaction too, and the offer that was used with it.
    /// - Returns: what was refused.
    mutating func takeRenewals(_ bytes: [UInt8], of source: String, _ examiner: Examiner) -> [Refused] {
        var refused: [Refused] = []
        examiner.examine(anything: bytes) { (examination) throws(Never) in
            switch examination.result {
            case .success(let object):
                let piece = take(object, examination, of: source, file: nil, examiner)
                if let name = piece.originalTransactionID { bySubscription[name, default: []].append(piece) }
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
        let piece = Piece(object: object, file: file, source: source + examination.place)
        if object.isRenewalInfo && !examination.isEnclosed && examiner.isForOneApp {
            bareRenewals.append(piece)
        } else {
            pieces.append(piece)
        }
        return piece
    }

    /// Adds renewal information that was given for one customer.
    mutating func add(_ renewals: CustomerEvidence) {
        pieces += renewals.pieces
        bareRenewals += renewals.bareRenewals
        anyRefused = anyRefused || renewals.anyRefused
    }

    /// Adds of renewal information that was given for many customers what speaks of this one's subscriptions, in the one
    /// environment; an unknown one is like no other. Returns whether there is any.
    mutating func addOwn(of renewals: CustomerEvidence) throws(HistoryMergeError) -> Bool {
        anyRefused = anyRefused || renewals.anyRefused
        let history = try PurchaseHistory(evidence: objects)
        guard let environment = history.environment else { return false }
        let own = history.transactionNames.flatMap { renewals.bySubscription[$0] ?? [] }.filter {
            $0.object.object.environment == environment && $0.object.object.realm == history.realm
        }
        pieces += own
        return !own.isEmpty
    }

    /// Takes the bare renewal information whose subscription stands in the rest of the evidence, and refuses the other.
    /// - Returns: what was refused.
    mutating func settleRenewals(for audience: ReceiptAudience) throws(HistoryMergeError) -> [Refused] {
        guard !bareRenewals.isEmpty else { return [] }
        let names = try PurchaseHistory(evidence: objects).transactionNames
        var refused: [Refused] = []
        for piece in bareRenewals {
            if piece.originalTransactionID.map(names.contains) == true {
                pieces.append(piece)
                continue
            }
            do throws(ReceiptError) {
                try piece.object.object.require(audience)
            } catch {
                refused.append((piece.source, Refusal(error)))
            }
        }
        bareRenewals = []
        anyRefused = anyRefused || !refused.isEmpty
        return refused
    }

    /// Why the evidence proves less than that of the App Store's production; empty where it does not.
    func reservations(_ history: PurchaseHistory) -> [String] {
        if objects.count == 1, case .receipt(let receipt) = objects[0] {
            return [
                receipt.realmReservation, receipt.environmentReservation.map { "environment: \($0)" },
            ].compactMap(\.self)
        }
        return history.reservations
    }

    /// Why the pieces are not of one customer, with the names of the two that say so.
    func account(of error: HistoryMergeError) -> String {
        let (what, first, second) =
            switch error {
            case .conflict(_, let fact, let first, let second): (fact.rawValue, first, second)
            case .differentApps(let first, let second): ("app", first, second)
            case .differentEnvironments(let first, let second): ("environment", first, second)
            case .differentRealms(let first, let second): ("realm", first, second)
            }
        let names = [first, second].map { "\(pieces[$0.index].source) (\($0.value ?? "unknown"))" }
        return "not merged, the \(what) differs or is unknown: \(names.joined(separator: " and "))"
    }
}

extension VerifiedObject {
    fileprivate var isRenewalInfo: Bool { if case .renewalInfo = self { true } else { false } }
}
