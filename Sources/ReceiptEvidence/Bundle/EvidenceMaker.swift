package import AppReceipt
import OfferEligibility
package import ReceiptJSON
import StrictJSON

/// Makes a bundle of each signed object in what came.
package struct EvidenceMaker: Sendable {
    /// The account of an object for a person.
    package typealias Account = @Sendable (_ examination: SignedExamination, _ source: String) -> String

    let verifier: ReceiptVerifier
    let anchors: [[UInt8]]
    private let demands: Demands
    package let question: EvidenceQuestion?
    private let account: Account

    /// - Parameters:
    ///   - verifier: trusts the anchors.
    ///   - anchors: DER.
    ///   - demands: what is asked of an object beside that it be genuine.
    ///   - question: what is asked of the rules; nil where nothing is.
    package init(
        _ verifier: ReceiptVerifier, anchors: TrustAnchors, demands: Demands,
        question: EvidenceQuestion? = nil,
        account: @escaping Account
    ) {
        (self.verifier, self.anchors) = (verifier, anchors.certificates)
        (self.demands, self.question, self.account) = (demands, question, account)
    }

    /// The same roots, asked something else.
    func asking(_ request: EvidenceRequest) -> EvidenceMaker {
        EvidenceMaker(
            verifier, anchors, demands: request.demands, question: request.question, account: account)
    }

    private init(
        _ verifier: ReceiptVerifier, _ anchors: [[UInt8]], demands: Demands, question: EvidenceQuestion?,
        account: @escaping Account
    ) {
        (self.verifier, self.anchors) = (verifier, anchors)
        (self.demands, self.question, self.account) = (demands, question, account)
    }

    /// Bytes that the bundles of one input may have of it together: each has all of it, and a stranger's may hold 100,000
    /// objects.
    private static let mostBytes = 1 << 30

    /// Makes the bundles of one input, one after the other.
    /// - Parameters:
    ///   - received: the bytes as they came.
    ///   - origin: what they are called.
    ///   - place: of the only object that is asked for, as a verdict has it behind the source; nil asks for all.
    ///   - isUnwrapping: whether a wrapping is taken off, as of the records of an export.
    ///   - inclusion: that the record is one of an audit's.
    ///   - body: is given what came of each object, and its bundle.
    /// - Throws: ``ReceiptError`` with code `unreadable` where OpenSSL fails, `too_large` where one input has too many
    ///   objects, and what `body` throws.
    package func makeBundles(
        of received: [UInt8], from origin: ReceiptOrigin, at place: String? = nil, isUnwrapping: Bool = false,
        inclusion: InclusionProof? = nil, _ body: (SignedExamination, EvidenceBundle) throws -> Void
    ) throws {
        let examiner = Examiner(verifier, demands: demands)
        var examinations: [SignedExamination] = []
        if isUnwrapping {
            examiner.examine(unwrapping: received.span) { examinations.append($0) }
        } else {
            examiner.examine(anything: received) { (examination) throws(Never) in
                examinations.append(examination)
            }
        }
        if let place { examinations.removeAll { $0.place != place } }
        guard examinations.count * max(1, received.count) <= Self.mostBytes else {
            throw Refusal(
                code: .tooLarge, message: "\(examinations.count) signed objects in \(received.count) bytes")
        }
        for examination in examinations {
            let question = question?.asked(of: try? examination.result.get())
            let request = EvidenceRequest(
                origin: origin, place: examination.place, isUnwrapping: isUnwrapping, demands: demands,
                limits: verifier.limits, sha1Signatures: verifier.sha1Signatures, question: question)
            try body(examination, try bundle(of: examination, received, request, inclusion))
        }
    }

    private func bundle(
        of examination: SignedExamination, _ received: [UInt8], _ request: EvidenceRequest,
        _ inclusion: InclusionProof?
    ) throws -> EvidenceBundle {
        var files = [
            EvidenceFile("received", received),
            EvidenceFile("verdict.json", Self.verdict(on: examination, request)),
            EvidenceFile(EvidenceRequest.file, request.json),
            EvidenceFile("account.txt", account(examination, request.origin.name)),
        ]
        if case .success(let object) = examination.result {
            let found = EvidenceParts(object, in: received, at: request.place, limits: verifier.limits) {
                verifier.sha256(of: $0) == examination.sha256
            }
            guard let parts = found else {
                throw Refusal(code: .unreadable, message: "the signed object was not found again")
            }
            files += parts.files
            if let question = request.question, let verdicts = question.verdicts(on: object) {
                files += eligibility(question, verdicts, parts)
            }
        }
        files += try inclusion?.files(MerkleTree(verifier)) ?? []
        return try EvidenceBundle(files + EvidenceScript.files, verifier)
    }

    private static func verdict(on examination: SignedExamination, _ request: EvidenceRequest) -> [UInt8] {
        var json = JSONWriter()
        json.verification(examination, of: request.origin)
        json.endLine()
        return json.bytes
    }
}

extension ReceiptOrigin {
    /// As an account names it.
    var name: String {
        switch self {
        case .source(let path), .unsigned(let path): path
        case .record(let id, _): id
        case .tokens(let id, _): Self.text(of: id)
        case .unreadable(let line): "line \(line)"
        }
    }

    /// A number stays as it stands.
    private static func text(of token: [UInt8]) -> String {
        var reader = JSONReader(token.span)
        return (try? reader.string(atMost: token.count)) ?? String(decoding: token, as: UTF8.self)
    }
}
