import Foundation
import ReceiptASN1
import Testing

@testable import AppReceipt

/// C2SP's x509-limbo, which tests certificate paths. The tests omit marker checks, as for StoreKit Test
/// certificates, and the limit on signature checks, because most keys are elliptic. `LimboDeviations.swift`
/// lists the cases with another result and the reasons.
@Suite(.enabled(if: Outside.folder != nil, "external vectors are missing"))
struct LimboTests {
    private struct Vectors: Decodable {
        let testcases: [Case]
    }

    private struct Case: Decodable {
        let id: String
        let trustedCerts: [String]
        let untrustedIntermediates: [String]
        let peerCertificate: String
        let validationTime: String?
        let expectedResult: String
    }

    @Test
    func deviationsHaveReasons() throws {
        let cases = try Outside.decode(Vectors.self, "limbo").testcases
        var counts: [String: Int] = [:]
        for test in cases {
            let refusal = try refusal(of: test)
            let isExpected = test.expectedResult == "SUCCESS"
            let deviations = Outside.limboDeviations.filter { $0.ids.contains(test.id) }
            #expect(deviations.count <= 1, "\(test.id)")
            if (refusal == nil) == isExpected {
                #expect(deviations.isEmpty, "\(test.id) has the expected result: \(refusal ?? "accepted")")
                counts["agree", default: 0] += 1
            } else {
                let accepts = refusal == nil
                #expect(
                    deviations.first?.accepts == accepts,
                    "\(test.id): expected \(test.expectedResult), \(refusal ?? "accepted")")
                counts[deviations.first?.reason ?? "no reason", default: 0] += 1
            }
        }
        #expect(cases.count >= 194)
        print("x509-limbo:", counts.sorted { $0.value > $1.value }.map { "\($0.value) \($0.key)" })
    }

    /// Returns the reason for a refusal, or nil if the path is valid. Ignores the rule that a signer's key
    /// must be RSA, which is checked last.
    private func refusal(of test: Case) throws -> String? {
        // A certificate that cannot be a root is skipped.
        let context = try CryptoContext()
        let roots = try test.trustedCerts.map(der).filter {
            (try? AnchorStore(.storeKitTest($0), context: context)) != nil
        }
        guard let first = roots.first else { return "no root" }
        let store = try AnchorStore(
            roots.dropFirst().reduce(TrustAnchors.storeKitTest(first)) { $0.adding(storeKitTest: $1) },
            signatureChecks: 1000, context: context)
        let leaf = try der(test.peerCertificate)
        let bytes = leaf + (try test.untrustedIntermediates.flatMap(der))
        guard let time = time(of: test) else { return "no time" }
        do throws(ASN1Error) {
            return try refusal(of: bytes, in: store, at: time, leaf: leaf)
        } catch {
            return "\(error)"
        }
    }

    private func refusal(
        of bytes: [UInt8], in store: AnchorStore, at time: Timestamp, leaf: [UInt8]
    ) throws(ASN1Error) -> String? {
        var reader = ASN1Reader(bytes.span)
        let limit = ReceiptLimits().certificateBytes
        let signer = try Certificate(reading: &reader, of: bytes.span, maximumCount: limit)
        var candidates: [Certificate] = []
        while !reader.isAtEnd {
            let candidate = try Certificate(reading: &reader, of: bytes.span, maximumCount: limit)
            if bytes[candidate.subject] == bytes[signer.issuer] { candidates.append(candidate) }
        }
        do throws(ReceiptError) {
            _ = try store.chain(signer: signer, candidates: candidates, of: bytes.span, at: time)
            return nil
        } catch {
            let isOfSigner = error.certificate?.subject == unsignedSubject(of: signer, in: bytes)
            return error.reason == .certificateKey && isOfSigner && isElliptic(leaf) ? nil : "\(error.reason)"
        }
    }

    private func unsignedSubject(of certificate: Certificate, in bytes: [UInt8]) -> String {
        NameText.text(of: certificate.subject, in: bytes.span)
    }

    /// Returns whether the certificate contains the encoding of prime256v1 or secp384r1 before a key.
    private func isElliptic(_ der: [UInt8]) -> Bool {
        let curves: [[UInt8]] = [
            [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7, 0x03, 0x42, 0, 4],
            [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22, 0x03, 0x62, 0, 4],
        ]
        return curves.contains { curve in der.indices.contains { der[$0...].starts(with: curve) } }
    }

    private func der(_ pem: String) throws -> [UInt8] {
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }
        return [UInt8](try #require(Data(base64Encoded: lines.joined())))
    }

    /// Returns the time of a case, or the date of the collection if the case has none.
    private func time(of test: Case) -> Timestamp? {
        let text =
            test.validationTime?.replacingOccurrences(of: "+00:00", with: "Z") ?? "2026-07-01T00:00:00Z"
        return Timestamp(rfc3339: Array(text.utf8).span)
    }
}
