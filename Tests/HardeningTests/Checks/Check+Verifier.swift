import AppReceipt
import COpinion

extension Check {
    /// The whole verifier. Only receipts that the forge signed may be genuine, with the signed content.
    static let verifier = Check(
        name: "verifier", form: .elements, longest: 6144,
        seeds: { Bench.shared.receipts.filter { $0.count <= 6144 } }
    ) { bytes in
        do throws(ReceiptError) {
            let receipt = try Bench.shared.verifier.verify(bytes, for: .any)
            var fault: String?
            if !Bench.shared.signedPayloads.contains(receipt.payload.bytes) { fault = "never signed" }
            let unverified = (try? UnverifiedReceipt(parsing: bytes).payload).map(SecondReading.init)
            if unverified != SecondReading(of: receipt.payload) {
                fault = "parsing without verification gives another result"
            }
            return Outcome(answer: "genuine", fault: fault)
        } catch {
            if let offset = error.offset, !(0...bytes.count).contains(offset) {
                return Outcome(answer: error.place, fault: "the offset lies outside")
            }
            return Outcome(answer: error.place, fault: error.code == .unreadable ? "OpenSSL fails" : nil)
        }
    }

    /// The verdict compared with that of OpenSSL's own PKCS #7 code with the same roots and time. A named
    /// rule must explain every difference.
    static let opinion = Check(
        name: "opinion", form: .elements, longest: 6144,
        seeds: { Bench.shared.receipts.filter { $0.first == 0x30 && $0.count <= 6144 } }
    ) { bytes in
        compareWithOpenSSL(bytes)
    }

    static func compareWithOpenSSL(_ bytes: [UInt8]) -> Outcome {
        let second = Opinion(of: bytes)
        do throws(ReceiptError) {
            let receipt = try Bench.shared.verifier.verify(bytes, for: .any)
            if second.isGenuine {
                let isSame = second.content == receipt.payload.bytes
                return Outcome(answer: "genuine", fault: isSame ? nil : "OpenSSL reads different content")
            }
            let rule = DifferenceRule.whereOpenSSLRefuses.first { $0.explains(receipt, bytes) }
            let fault = rule == nil ? "OpenSSL refuses it" : nil
            return Outcome(answer: "genuine, by rule: \(rule?.name ?? "none")", fault: fault)
        } catch {
            guard second.isGenuine else { return Outcome(answer: error.place) }
            let rule = DifferenceRule.whereOpenSSLAccepts.first { $0.explains(error, bytes) }
            return Outcome(
                answer: "\(error.place), by rule: \(rule?.name ?? "none")",
                fault: rule == nil ? "OpenSSL accepts it" : nil)
        }
    }
}

/// OpenSSL's verdict on a container, at the creation date that the second decoder reads from its content.
struct Opinion {
    private(set) var content: [UInt8]?
    private(set) var isGenuine = false

    init(of bytes: [UInt8]) {
        guard let container = unsafe opinion_decode(bytes, bytes.count) else { return }
        defer { unsafe opinion_container_free(container) }
        let read = unsafe opinion_content(container)
        defer { unsafe opinion_free(read) }
        content = unsafe read.bytes.map { unsafe Array(UnsafeBufferPointer(start: $0, count: read.count)) }
        guard let content, let date = secondCreationDate(ofPayload: content) else { return }
        let seconds = date >= 0 ? date / 1000 : (date - 999) / 1000
        isGenuine = unsafe opinion_verify(container, Self.roots, seconds)
    }

    // Safe to share: the roots do not change after their creation, and OpenSSL locks its own writes to
    // certificates.
    private nonisolated(unsafe) static let roots: OpaquePointer = {
        let roots = Bench.shared.roots
        return unsafe opinion_roots_decode(roots, roots.count)
    }()
}

extension ReceiptError {
    /// The code and the place, without OpenSSL's messages, which depend on its version.
    var place: String { "\(code.rawValue), \(field ?? "no field"), \(offset.map { "\($0)" } ?? "no offset")" }
}
