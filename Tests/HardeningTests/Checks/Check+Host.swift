import AppReceipt
import COpinion
import ReceiptForge

extension Check {
    /// OpenSSL configurations of a host. A new verifier must give the same answers with any of them.
    ///
    /// A configuration affects the whole process and adds to earlier ones. The tests therefore do not run
    /// this check, because they run in parallel. `Tests/Hardening/Embedding/run` tries random configurations
    /// in separate processes.
    static let host = Check(
        name: "host", form: .bytes, longest: 2048,
        seeds: {
            // The first use of these values computes the expected answers without a configuration.
            _ = (Bench.shared, HostAnswers.expected)
            return configurations.map { Array($0.utf8) }
        }
    ) { bytes in
        let expected = HostAnswers.expected
        let isRead = unsafe opinion_configure(bytes, bytes.count)
        let answers = HostAnswers.now()
        return Outcome(
            answer: isRead ? "configured" : "no configuration",
            fault: answers == expected ? nil : "\(answers), not \(expected)")
    }

    private static let configurations = [
        "openssl_conf = x\n[x]\nproviders = y\n[y]\ndefault = z\n[z]\nactivate = 0\n",
        "openssl_conf = x\n[x]\nproviders = y\n[y]\nlegacy = z\nbase = z\n[z]\nactivate = 1\n",
        "openssl_conf = x\n[x]\nalg_section = y\n[y]\ndefault_properties = fips=yes\n",
        "openssl_conf = x\n[x]\noid_section = y\n[y]\nsha256 = 1.2.3\nours = 1.2.840.113549.1.1.11\n",
        "openssl_conf = x\n[x]\nengines = y\n[y]\nr = z\n[z]\nengine_id = rdrand\ndefault_algorithms = ALL\ninit = 1\n",
        "openssl_conf = x\n[x]\nengines = y\n[y]\nd = z\n[z]\nengine_id = dynamic\ndynamic_path = x.so\n",
        "openssl_conf = x\n[x]\nrandom = y\n[y]\nrandom = CTR-DRBG\ncipher = AES-256-CTR\n",
        "openssl_conf = x\n[x]\nssl_conf = y\n[y]\nsystem_default = z\n[z]\nCipherString = DEFAULT:@SECLEVEL=5\n",
    ]
}

private enum HostAnswers {
    static let expected = now()

    private static let receipts: [[UInt8]] =
        (try? Fixtures.files(in: "receipts").filter { $0.name.hasSuffix(".der") && $0.bytes.count < 6144 }
            .map(\.bytes)) ?? []

    static func now() -> [String] {
        let anchors = TrustAnchors.custom(Bench.shared.authority.root.certificate.der)
        do throws(ReceiptError) {
            let verifier = try ReceiptVerifier(anchors: anchors)
            return receipts.map { receipt in
                do throws(ReceiptError) {
                    let read = try verifier.verify(receipt, for: .any)
                    return "genuine \(read.certificates.map(\.subject))"
                } catch {
                    return error.place
                }
            }
        } catch {
            return [error.place]
        }
    }
}
