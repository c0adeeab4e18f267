import AppReceipt
import ReceiptForge

extension Check {
    /// The payload decoder without a signature. It must agree with the second decoder.
    static let payload = Check(
        name: "payload", form: .elements, longest: 2048,
        seeds: { Bench.shared.signedPayloads.filter { $0.count <= 2048 } }
    ) { bytes in
        let container = BER.sequence(
            OID.signedData.encoded,
            BER.element(BER.Tag.context(0), unsignedData(bytes)))
        return compare(
            bytes, Result { () throws(ReceiptError) in try UnverifiedReceipt(parsing: container).payload })
    }

    private static func unsignedData(_ content: [UInt8]) -> [UInt8] {
        let algorithm = Digest.sha256.algorithmIdentifier
        let signer = BER.sequence(
            BER.integer(1), BER.sequence(BER.sequence([]), BER.integer(1)), algorithm, algorithm,
            BER.octetString([]))
        return BER.sequence(
            BER.integer(1), BER.element(BER.Tag.set, algorithm),
            BER.sequence(OID.data.encoded, BER.element(BER.Tag.context(0), BER.octetString(content))),
            BER.element(BER.Tag.set, signer))
    }

    /// Compares the package's result for a payload with the second decoder's.
    static func compare(_ payload: [UInt8], _ result: Result<ReceiptPayload, ReceiptError>) -> Outcome {
        let second = secondReading(ofPayload: payload)
        switch result {
        case .success(let payload):
            guard let second else { return Outcome(answer: "read", fault: "the second decoder refuses it") }
            let first = SecondReading(of: payload)
            return Outcome(
                answer: "read",
                fault: first == second ? nil : "read as\n\(first)\nand by the second decoder as\n\(second)")
        case .failure(let error):
            if error.code != .malformed && error.code != .tooLarge {
                return Outcome(answer: error.place, fault: "refused so")
            }
            return Outcome(answer: error.place, fault: second.map { "the second decoder reads\n\($0)" })
        }
    }

    /// The whole verifier with valid signatures. The first byte selects how the payload is signed, and the
    /// rest is the payload.
    static let signed = Check(
        name: "signed", form: .option, longest: 2049,
        seeds: {
            Bench.shared.signedPayloads.filter { $0.count <= 2048 }.enumerated().map {
                [UInt8(truncatingIfNeeded: $0.offset)] + $0.element
            }
        }
    ) { bytes in
        let payload = Array(bytes.dropFirst())
        let date = secondCreationDate(ofPayload: payload)
        // A signature takes ten times as long as the rest. Without a readable date, the verifier rarely
        // checks it, so an old signature is used first.
        var verdict = signedAndVerified(payload, options: bytes.first ?? 0, isReal: date != nil)
        if date == nil, case .failure(let error) = verdict, error.code == .badSignature {
            verdict = signedAndVerified(payload, options: bytes.first ?? 0, isReal: true)
        }
        do throws(ReceiptError) {
            let read = try verdict.get()
            let fault = payload.first == 0x04 ? "wrapped, but not by Xcode" : nil
            return Outcome(answer: "genuine", fault: fault ?? compare(payload, .success(read)).fault)
        } catch {
            var outcome = Outcome(answer: error.place)
            switch error.code {
            case .malformed, .tooLarge:
                if payload.first != 0x04, secondReading(ofPayload: payload) != nil {
                    outcome.fault = "the second decoder reads it"
                }
            case .untrustedChain:
                // Milliseconds of 2010 and 2040, the validity of the test authority.
                if date.map({ (1_262_304_000_000..<2_208_988_801_000).contains($0) }) ?? true {
                    outcome.fault = "the authority was valid at that date"
                }
            default: outcome.fault = "the signature is valid"
            }
            return outcome
        }
    }

    private static func signedAndVerified(_ payload: [UInt8], options: UInt8, isReal: Bool)
        -> Result<ReceiptPayload, ReceiptError>
    {
        do throws(ForgeError) {
            let receipt = try sign(payload, options: options, isReal: isReal)
            return Result { () throws(ReceiptError) in
                try Bench.shared.verifier.verify(receipt, for: .any).payload
            }
        } catch { fatalError("the forge fails: \(error)") }
    }

    private static func sign(_ payload: [UInt8], options: UInt8, isReal: Bool) throws(ForgeError)
        -> [UInt8]
    {
        let authority = Bench.shared.authority
        let digest: Digest = [.sha256, .sha1, .sha384, .sha512][Int(options & 3)]
        var signer = Bench.shared.signer
        if isReal {
            let attributes = options & 4 == 0 ? nil : try CMSAttribute.usual(for: payload, digest: digest)
            signer = try SignerInfo(
                signing: payload, by: authority.leaf, digest: digest, signedAttributes: attributes)
        }
        var container = SignedData(eContent: payload, certificates: authority.bag, signerInfos: [signer])
        if options & 8 != 0 { container.form = .ber(chunkSize: 1 + Int(options >> 4) * 16) }
        return container.encoded
    }
}
