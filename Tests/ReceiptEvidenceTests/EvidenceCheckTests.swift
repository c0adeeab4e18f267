import AppReceipt
import ReceiptEvidence
import ReceiptExamination
import ReceiptForge
import ReceiptJSON
import Testing

@Suite("The tool's check of evidence")
struct EvidenceCheckTests {
    private let check: EvidenceCheck
    private let files: [EvidenceFile]
    private let verifier: ReceiptVerifier

    init() throws {
        let anchors = TrustAnchors.custom(try Authority.test().root.certificate.der)
        verifier = try ReceiptVerifier(anchors: anchors)
        let maker = EvidenceMaker(verifier, anchors: anchors, policy: .any) {
            _, source in source
        }
        let purchase = PurchaseContent.subscription(
            productID: "com.example.app.monthly", transactionID: "1", purchaseDate: "2024-05-02T10:00:00Z",
            expiresDate: "2024-06-02T10:00:00Z")
        let content = ReceiptContent(bundleID: "com.example.app", purchases: [purchase])
        let received = try ReceiptRecipe(content, authority: .test()).forge().bytes
        var made: [EvidenceFile] = []
        try maker.makeBundles(of: received, from: .source("a")) { _, bundle in made = bundle.files }
        files = made
        check = EvidenceCheck(maker)
    }

    private func faults(_ files: [EvidenceFile], renewing: Bool = false) throws -> [String] {
        let files =
            renewing ? try EvidenceBundle(files.filter { $0.path != "SHA256SUMS" }, verifier).files : files
        return try check.evaluate(files).faults.map(\.description)
    }

    @Test("evidence of another version is not reported as forged")
    func otherVersion() throws {
        let own = "\"appreceipt\":\"\(ReceiptVerifier.packageVersion)\""
        for (old, new) in [(own, "\"appreceipt\":\"0.0.9\""), ("\"evidence\":2", "\"evidence\":1")] {
            let changed = files.map { file in
                file.path == "request.json"
                    ? EvidenceFile(
                        file.path, String(decoding: file.bytes, as: UTF8.self).replacing(old, with: new))
                    : file
            }
            let bundle = try EvidenceBundle(changed.filter { $0.path != "SHA256SUMS" }, verifier)
            let outcome = try check.evaluate(bundle.files)
            #expect(outcome.faults == [])
            let told = outcome.otherVersion ?? outcome.unproven
            #expect(told.contains("checked with version \(ReceiptVerifier.packageVersion)"))
        }
    }

    @Test("the digests of this version's scripts are published")
    func published() throws {
        for script in EvidenceScript.files {
            let digest = try #require(verifier.sha256(of: script.bytes)).map {
                String(UInt16(0x100 + UInt16($0)), radix: 16).dropFirst()
            }.joined()
            let line = "\(digest)  \(script.path) \(ReceiptVerifier.packageVersion)"
            #expect(EvidenceScript.published.split(separator: "\n").contains(Substring(line)))
        }
    }

    @Test("a new bundle has no fault")
    func whole() throws { #expect(try faults(files) == []) }

    @Test("a change in any file is detected, even with a new manifest")
    func changes() throws {
        for (index, file) in files.enumerated() where !file.bytes.isEmpty && file.path != "SHA256SUMS" {
            var changed = files
            var bytes = file.bytes
            bytes[bytes.count / 2] ^= 1
            changed[index] = EvidenceFile(file.path, bytes)
            #expect(try faults(changed).contains("\(file.path): does not match the manifest"))
            let renewed = try faults(changed, renewing: true)
            #expect(!renewed.isEmpty, "\(file.path)")
            guard file.path != "received", file.path != "request.json" else { continue }
            #expect(
                renewed.contains { $0.hasPrefix("\(file.path), byte \(file.bytes.count / 2): ") },
                "\(renewed)")
        }
    }

    @Test("missing and additional files are reported")
    func extra() throws {
        for (index, file) in files.enumerated() where file.path != "SHA256SUMS" {
            var fewer = files
            fewer.remove(at: index)
            #expect(try faults(fewer, renewing: true).contains("\(file.path): missing"), "\(file.path)")
        }
        let more = files + [EvidenceFile("x", "")]
        #expect(try faults(more).contains("x: not listed in the manifest"))
        #expect(try faults(more, renewing: true) == ["x: unexpected file"])
    }
}
