import AppReceipt
import ReceiptEvidence
import Testing

@Suite struct EvidenceBundleTests {
    @Test("A bundle ends with the manifest, which lists all other files by name")
    func manifest() throws {
        let files = [EvidenceFile("inclusion/leaf", ""), EvidenceFile("a", "abc")]
        let bundle = try EvidenceBundle(files, ReceiptVerifier())
        #expect(bundle.files.map(\.path) == ["a", "inclusion/leaf", "SHA256SUMS"])
        // The digest of "abc" (FIPS 180-2, appendix B.1) and the digest of no bytes.
        #expect(
            String(decoding: bundle["SHA256SUMS"] ?? [], as: UTF8.self) == """
                ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a
                e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  inclusion/leaf

                """)
    }
}
