import AppReceipt
import COpinion

extension Check {
    /// The whole verifier: nothing is genuine but what the forge signed, and it is read as it was signed.
    static let verifier = Check(name: "verifier", form: .elements, seeds: { Bench.shared.receipts }) {
        bytes in
        var outcome: Outcome
        do throws(ReceiptError) {
            let receipt = try Bench.shared.verifier.verify(bytes)
            outcome = Outcome(answer: "genuine")
            if !Bench.shared.signedPayloads.contains(receipt.payload.bytes) {
                outcome.fault = "nobody signed this"
            }
            let unverified = try? UnverifiedReceipt(parsing: bytes).payload
            if unverified?.lines != receipt.payload.lines {
                outcome.fault = "unverified, it is read in another way"
            }
        } catch {
            outcome = Outcome(answer: error.place)
            if let offset = error.offset, !(0...bytes.count).contains(offset) {
                outcome.fault = "the offset lies outside"
            }
            if error.code == .unreadable { outcome.fault = "OpenSSL fails" }
        }
        return outcome
    }

    /// Our verdict against OpenSSL's own PKCS #7 code, same roots, same time: every difference has a rule's name.
    static let opinion = Check(
        name: "opinion", form: .elements, seeds: { Bench.shared.receipts.filter { $0.first == 0x30 } }
    ) { bytes in
        compareWithOpenSSL(bytes)
    }

    static func compareWithOpenSSL(_ bytes: [UInt8]) -> Outcome {
        let second = Opinion(of: bytes, roots: Bench.shared.roots)
        do throws(ReceiptError) {
            let receipt = try Bench.shared.verifier.verify(bytes)
            if second.verdict == OPINION_GENUINE {
                let isSame = second.content == receipt.payload.bytes
                return Outcome(answer: "genuine", fault: isSame ? nil : "OpenSSL reads another content")
            }
            let rule = DifferenceRule.whereOpenSSLRefuses.first { $0.explains(receipt, bytes) }
            let fault = rule == nil ? "OpenSSL does not take it (\(second.verdict.rawValue))" : nil
            return Outcome(answer: "genuine, by rule: \(rule?.name ?? "none")", fault: fault)
        } catch {
            guard second.verdict == OPINION_GENUINE else { return Outcome(answer: error.place) }
            let rule = DifferenceRule.whereOpenSSLAccepts.first { $0.explains(error, bytes) }
            return Outcome(
                answer: "\(error.place), by rule: \(rule?.name ?? "none")",
                fault: rule == nil ? "OpenSSL takes it" : nil)
        }
    }
}

/// What OpenSSL says of a container at the time that its content names, by the second decoder.
struct Opinion {
    let content: [UInt8]?
    let verdict: opinion_verdict

    init(of bytes: [UInt8], roots: [UInt8]) {
        let read = unsafe opinion_content(bytes, bytes.count)
        defer { unsafe opinion_free(read) }
        content = unsafe read.bytes.map { unsafe Array(UnsafeBufferPointer(start: $0, count: read.count)) }
        guard let content, let date = secondCreationDate(ofPayload: content) else {
            verdict = OPINION_REFUSED
            return
        }
        let seconds = date >= 0 ? date / 1000 : (date - 999) / 1000
        verdict = unsafe opinion_verify(bytes, bytes.count, roots, roots.count, seconds)
    }
}

extension ReceiptError {
    /// Code and place, without OpenSSL's words, which change with its version.
    var place: String { "\(code.rawValue), \(field ?? "no field"), \(offset.map { "\($0)" } ?? "no offset")" }
}
