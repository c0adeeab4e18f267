package import AppReceipt
import OfferEligibility
package import ReceiptExamination
import ReceiptJSON
import StrictJSON

/// A maker of one bundle for each signed object in an input.
package struct EvidenceMaker: Sendable {
    /// A function that returns the explanation of one verdict for a person.
    package typealias Report = @Sendable (_ examination: Examination, _ source: String) -> String

    private(set) var verifier: ReceiptVerifier
    private let trustAnchors: TrustAnchors
    private var policy: VerificationPolicy
    package private(set) var question: EvidenceQuestion?
    package private(set) var lists: EvidenceLists
    private let report: Report

    var anchors: [[UInt8]] { trustAnchors.certificates }

    /// Creates a maker of bundles.
    /// - Parameters:
    ///   - verifier: A verifier that trusts `anchors` and uses `lists`.
    ///   - anchors: The trust anchors.
    ///   - policy: The verification policy for each object.
    ///   - question: The eligibility question, or nil if there is none.
    ///   - lists: The revocation lists.
    ///   - report: The function that writes the explanation.
    package init(
        _ verifier: ReceiptVerifier, anchors: TrustAnchors, policy: VerificationPolicy,
        question: EvidenceQuestion? = nil, lists: EvidenceLists = .none,
        report: @escaping Report
    ) {
        (self.verifier, trustAnchors) = (verifier, anchors)
        (self.policy, self.question, self.lists, self.report) = (policy, question, lists, report)
    }

    /// Returns a maker with the same anchors and the policy and question of `request`.
    func asking(_ request: EvidenceRequest) -> EvidenceMaker {
        var maker = self
        (maker.policy, maker.question) = (request.policy, request.question)
        return maker
    }

    /// Returns a maker with a verifier that uses other lists.
    func using(_ lists: EvidenceLists) throws(ReceiptError) -> EvidenceMaker {
        var maker = self
        maker.verifier = try ReceiptVerifier(
            anchors: trustAnchors, limits: verifier.limits, sha1Signatures: verifier.sha1Signatures,
            revocation: lists.inputs.settings, isCrossChecking: verifier.isCrossChecking)
        maker.lists = lists
        return maker
    }

    /// Returns a maker whose bundles have the lists or do not.
    func carryingLists(_ isCarried: Bool) -> EvidenceMaker {
        var maker = self
        maker.lists.isCarried = isCarried
        return maker
    }

    /// The maximum total size of `received` in the bundles of one input, in bytes. Each bundle contains the
    /// whole input, and an untrusted input may contain 100,000 objects.
    private static let mostBytes = 1 << 30

    /// Makes the bundles of one input, one after the other.
    /// - Parameters:
    ///   - received: The input as it was received.
    ///   - origin: The source or record of the input.
    ///   - place: The place of the only requested object, as at the end of the verdict's source. Nil requests
    ///     all objects.
    ///   - isUnwrapping: Whether the maker removes a wrapping, as it does for records of an export.
    ///   - inclusion: The proof that the record is part of an audit.
    ///   - body: The closure that receives each examination and its bundle.
    /// - Throws: ``ReceiptError`` with code `unreadable` if OpenSSL fails, `too_large` if the input has too
    ///   many objects, and any error that `body` throws.
    package func makeBundles(
        of received: [UInt8], from origin: ReceiptOrigin, at place: String? = nil, isUnwrapping: Bool = false,
        inclusion: InclusionProof? = nil, _ body: (Examination, EvidenceBundle) throws -> Void
    ) throws {
        let examiner = Examiner(verifier, policy: policy)
        var examinations: [Examination] = []
        if isUnwrapping {
            examiner.examine(unwrapping: received.span) { examinations.append($0) }
        } else {
            examinations = examiner.examinations(of: received)
        }
        if let place { examinations.removeAll { !$0.place.isExactly(place) } }
        guard examinations.count * max(1, received.count) <= Self.mostBytes else {
            throw ReceiptError(
                .tooLarge,
                message: "too many signed objects: \(examinations.count) in \(received.count) bytes")
        }
        for examination in examinations {
            let question = question?.asked(of: try? examination.result.get())
            let request = EvidenceRequest(
                origin: origin, place: examination.place, isUnwrapping: isUnwrapping, policy: policy,
                limits: verifier.limits, sha1Signatures: verifier.sha1Signatures,
                lists: RequestedLists(lists.facts), question: question)
            try body(examination, try bundle(of: examination, received, request, inclusion))
        }
    }

    private func bundle(
        of examination: Examination, _ received: [UInt8], _ request: EvidenceRequest,
        _ inclusion: InclusionProof?
    ) throws -> EvidenceBundle {
        var files = [
            EvidenceFile("received", received),
            EvidenceFile("verdict.json", Self.verdict(on: examination, request)),
            EvidenceFile(EvidenceRequest.file, request.json),
            EvidenceFile("account.txt", report(examination, request.name)),
        ]
        if lists.isCarried { files += lists.files }
        if let catalog = request.question?.catalog { files.append(EvidenceFile("catalog.json", catalog)) }
        if case .success(let object) = examination.result {
            let found = EvidenceParts(object, in: received, at: request.place, limits: verifier.limits) {
                verifier.sha256(of: $0) == examination.sha256
            }
            guard let parts = found else {
                throw ReceiptError(.unreadable, message: "the signed object was not found at its place")
            }
            files += parts.files
            if let question = request.question, let verdicts = question.verdicts(on: object) {
                files += eligibility(question, verdicts, parts)
            }
        }
        files += try inclusion?.files(MerkleTree(verifier)) ?? []
        return try EvidenceBundle(files + EvidenceScript.files, verifier)
    }

    private static func verdict(on examination: Examination, _ request: EvidenceRequest) -> [UInt8] {
        var json = JSONWriter()
        json.verification(examination, of: request.origin)
        json.endLine()
        return json.bytes
    }
}

extension EvidenceRequest {
    /// The name of the source, record or line in an explanation.
    fileprivate var name: String {
        if case .unreadable(let line) = origin { "line \(line)" } else { origin.names.record ?? "" }
    }
}
