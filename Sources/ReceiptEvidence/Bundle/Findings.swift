import AppReceipt
import ReceiptJSON

/// What a bundle has to say of an object: that it is genuine, or at which step it is refused.
struct Findings {
    /// What was verified: also what is genuine and not what was asked for.
    let object: VerifiedObject?
    private let refusal: (code: ReceiptError.Code, offset: Int?, stage: EvidenceStage)?
    private let demands: Demands

    /// - Parameter container: nil where none was found.
    init(
        of examination: SignedExamination, _ container: [UInt8]?, _ demands: Demands,
        _ verifier: ReceiptVerifier
    ) {
        self.demands = demands
        switch examination.result {
        case .success(let object):
            self.object = object
            refusal = nil
        case .failure(let failure):
            var found: VerifiedObject?
            var stage = EvidenceStage.read
            if let container, let input = RecognisedInput(container, as: examination.format) {
                do throws(ReceiptError) {
                    found = try verifier.verify(recognised: input, for: .anyApp)
                    stage = EvidenceStage(nil, failure, demands)
                } catch {
                    stage = EvidenceStage(error, failure, demands)
                    // A JWS has to hold its root too; openssl asks for no more than one of the issuer's name and key.
                    if stage == .chain, case .jws = input, let issuer = error.certificate?.issuer,
                        verifier.anchorFacts.contains(where: { $0.facts.subject == issuer })
                    {
                        stage = .read
                    }
                }
            }
            object = stage == .demand ? found : nil
            refusal = (failure.code, failure.offset, stage)
        }
    }

    /// - Parameter isTaken: whether the steps behind the first have what they need.
    func facts(isTaken: Bool) -> [String] {
        guard let refusal else { return object.map { ["genuine \($0.object.realm.rawValue)"] } ?? [] }
        let stage = isTaken ? refusal.stage : .read
        let offset = refusal.offset.map { "\($0)" } ?? "none"
        var facts = ["refused \(refusal.code.rawValue) \(stage.rawValue) \(offset)"]
        if stage == .demand {
            // The realm says which markers must be there.
            if let realm = object?.object.realm { facts.append("realm \(realm.rawValue)") }
            switch refusal.code {
            case .wrongBundleID where isAboutAppAppleID:
                facts += demand(
                    "app_apple_id", (demands.audience.appAppleIDs ?? []).map { Array("\($0)".utf8) })
            case .wrongBundleID:
                facts += demand("bundle_id", (demands.audience.bundleIDs ?? []).map { Array($0.utf8) })
            case .wrongEnvironment:
                let environments = demands.audience.environments.named ?? []
                facts += demand("environment", environments.map { Array($0.rawValue.utf8) })
            default: facts += demand("device", [demands.deviceID ?? []])
            }
        }
        return facts
    }

    /// Whether the object is of an expected bundle ID, if any is, and not of an expected `appAppleId`.
    private var isAboutAppAppleID: Bool {
        guard let object = object?.object else { return false }
        do throws(ReceiptError) {
            try object.require(demands.audience)
        } catch {
            if case .appAppleID = error.reason { return true }
        }
        return false
    }

    /// A line for each value that was allowed. A value of no bytes, which fits nothing, stands for the empty list.
    private func demand(_ name: String, _ values: [[UInt8]]) -> [String] {
        (values.isEmpty ? [[]] : values).map { value in
            // A word of no letters is none.
            "demand \(name) \(value.isEmpty ? "none" : hexadecimal(value))"
        }
    }
}

extension RecognisedInput {
    init?(_ container: [UInt8], as format: SignedFormat?) {
        switch format {
        case .pkcs7: self = .receipt(der: container)
        case .jws: self = .jws(container)
        case .transactionReceipt: self = .transactionReceipt(container)
        case nil: return nil
        }
    }
}
