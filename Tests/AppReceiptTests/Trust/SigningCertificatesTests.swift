import Foundation
import Testing

@testable import AppReceipt

/// The documentation page "Apple's signing certificates", compared with genuine receipts.
struct SigningCertificatesTests {
    /// A row of the table of app receipt signers.
    struct Signer: Sendable, CustomTestStringConvertible {
        let commonName, serial, certificateDigest, receiptDigest, validity, intermediate, example: String

        var testDescription: String { "\(serial), \(validity)" }

        init(_ cells: [String]) {
            (commonName, serial, certificateDigest, receiptDigest) = (cells[0], cells[1], cells[2], cells[3])
            (validity, intermediate, example) = (cells[4], cells[5], cells[6])
        }
    }

    private static let source = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../..")

    /// Returns the rows of the first table under a heading.
    private static func rows(under heading: String) -> [[String]] {
        let page = source.appending(path: "Sources/AppReceipt/AppReceipt.docc/SigningCertificates.md")
        guard let text = try? String(contentsOf: page, encoding: .utf8),
            let section = text.components(separatedBy: "\n## \(heading)\n").dropFirst().first
        else { return [] }
        return section.components(separatedBy: "\n## ")[0].split(separator: "\n").filter {
            $0.hasPrefix("| ")
        }
        .dropFirst().map { row in
            row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    static let signers = rows(under: "Signers of app receipts").map(Signer.init)

    @Test func everyDocumentedSignerHasATestEra() {
        func validity(of era: SigningEraTests.Era) -> String {
            "\(era.leaf.notBefore.prefix(10)) to \(era.leaf.notAfter.prefix(10)) "
                + "\(era.leafDigest) \(era.receiptDigest)"
        }
        func digest(_ text: String) -> String { text.lowercased().replacing("-", with: "") }
        #expect(Self.signers.count == 8)
        #expect(
            Set(
                Self.signers.map {
                    "\($0.validity) \(digest($0.certificateDigest)) \(digest($0.receiptDigest))"
                })
                == Set(SigningEraTests.eras.filter { !$0.isElliptic }.map(validity)))
    }

    /// Checks the chain and the signature's digest of each example.
    @Test(arguments: signers.filter { $0.example.hasPrefix("`") })
    func documentedSignerSignedItsExample(signer: Signer) throws {
        let example = signer.example.trimmingCharacters(in: ["`"])
        let bytes = try Data(contentsOf: Self.source.appending(path: "Fixtures/genuine/receipts/\(example)"))
        let receipt = try ReceiptVerifier(anchors: .apple).verify(Array(bytes), for: .any)
        let (leaf, intermediate) = (receipt.certificates[0], receipt.certificates[1])
        let name =
            signer.commonName.hasSuffix("Signing")
            ? signer.commonName : "\(signer.commonName) Receipt Signing"
        #expect(
            leaf.subject.contains("CN=\(name),") || leaf.subject.hasSuffix("CN=\(name)"), "\(leaf.subject)")
        #expect(leaf.serialNumber == signer.serial)
        #expect(
            "\(leaf.notBefore.rfc3339.prefix(10)) to \(leaf.notAfter.rfc3339.prefix(10))" == signer.validity)
        #expect(
            receipt.digestAlgorithm.rawValue == signer.receiptDigest.lowercased().replacing("-", with: ""))
        let row = try #require(
            Self.rows(under: "Intermediates").first { $0[2] == intermediate.serialNumber })
        #expect(["WWDR (\(row[2]))", "WWDR \(row[1])"].contains(signer.intermediate))
    }
}
