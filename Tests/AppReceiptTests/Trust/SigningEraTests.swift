import ReceiptForge
import Testing

@testable import AppReceipt

/// Every era of Apple's receipt signing in the documentation page "Apple's signing certificates". A forged
/// receipt with the same dates, algorithms and key sizes must be genuine under the rules for Apple's roots.
struct SigningEraTests {
    /// The validity period of a certificate, in RFC 3339 format.
    struct Validity: Sendable {
        let notBefore: String
        let notAfter: String

        init(_ notBefore: String, _ notAfter: String) {
            (self.notBefore, self.notAfter) = (notBefore, notAfter)
        }
    }

    struct Era: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let leaf: Validity
        let intermediate: Validity
        /// The digest of the signature on the intermediate.
        let intermediateDigest: ReceiptForge.Digest
        /// The digest of the signature on the leaf.
        let leafDigest: ReceiptForge.Digest
        /// The digest of the receipt's signature.
        let receiptDigest: ReceiptForge.Digest
        /// Whether all keys but the leaf's are P-384, and the leaf's P-256.
        var isElliptic = false

        init(
            _ name: String, leaf: Validity, _ leafDigest: ReceiptForge.Digest, intermediate: Validity,
            _ intermediateDigest: ReceiptForge.Digest, receipt: ReceiptForge.Digest, isElliptic: Bool = false
        ) {
            testDescription = name
            (self.leaf, self.leafDigest) = (leaf, leafDigest)
            (self.intermediate, self.intermediateDigest) = (intermediate, intermediateDigest)
            (receiptDigest, self.isElliptic) = (receipt, isElliptic)
        }

        /// The last second in which both leaf and intermediate are valid.
        var end: String { min(leaf.notAfter, intermediate.notAfter) }
    }

    private static let wwdr2008 = Validity("2008-02-14T18:56:35Z", "2016-02-14T18:56:35Z")
    private static let wwdr2013 = Validity("2013-02-07T21:48:47Z", "2023-02-07T21:48:47Z")
    private static let g5 = Validity("2020-12-16T19:38:56Z", "2030-12-10T00:00:00Z")
    private static let g6 = Validity("2021-03-17T20:37:10Z", "2036-03-19T00:00:00Z")
    private static let g7 = Validity("2022-11-17T20:40:53Z", "2023-11-17T20:40:52Z")
    private static let g8 = Validity("2023-06-20T23:37:15Z", "2025-01-24T00:00:00Z")

    static let eras = [
        // serial 1859432172749CFC
        Era(
            "Mac App Store Receipt Signing, 2010 to 2015",
            leaf: Validity("2010-11-11T21:58:01Z", "2015-11-11T21:58:01Z"), .sha1, intermediate: wwdr2008,
            .sha1,
            receipt: .sha1),
        // serial 52A4B9C5E1B11881, which expires after its intermediate
        Era(
            "a SHA-256 certificate that signs with SHA-1, 2015 to 2017",
            leaf: Validity("2015-09-24T19:09:31Z", "2017-10-23T19:09:31Z"), .sha256, intermediate: wwdr2008,
            .sha1,
            receipt: .sha1),
        // serial 0EEB5787E79E098D
        Era(
            "WWDR, 2015 to 2023", leaf: Validity("2015-11-13T02:15:09Z", "2023-02-07T21:48:47Z"), .sha1,
            intermediate: wwdr2013, .sha1, receipt: .sha1),
        // serial 2DAB031BBDD66573D20729793C4497C4
        Era(
            "WWDR G7, 2022 to 2023", leaf: Validity("2022-12-02T21:46:04Z", "2023-11-17T20:40:52Z"), .sha1,
            intermediate: g7, .sha1, receipt: .sha1),
        // serial 58F7BAE4C282410B27D6567D5180A8F1
        Era(
            "WWDR G8, 2023 to 2024", leaf: Validity("2023-07-13T18:21:19Z", "2024-08-11T18:31:19Z"), .sha1,
            intermediate: g8, .sha1, receipt: .sha1),
        // the second leaf, which expires together with its intermediate: the last second of SHA-1
        Era(
            "WWDR G8, 2024 to 2025", leaf: Validity("2024-05-28T00:00:00Z", "2025-01-24T00:00:00Z"), .sha1,
            intermediate: g8, .sha1, receipt: .sha1),
        // serial 15E79FCE52550A65017C91DFE4EEB359
        Era(
            "WWDR G5, 2022 to 2024", leaf: Validity("2022-09-02T19:13:57Z", "2024-10-01T19:13:56Z"), .sha256,
            intermediate: g5, .sha256, receipt: .sha256),
        // serial 7D3920094EBEF3F8EFCA6C10EA8E4303
        Era(
            "WWDR G5, 2024 to 2026", leaf: Validity("2024-07-24T14:50:03Z", "2026-08-23T14:50:02Z"), .sha256,
            intermediate: g5, .sha256, receipt: .sha256),
        // the dates of the leaf that signs JWS. No receipt is known yet
        Era(
            "WWDR G6, elliptic", leaf: Validity("2025-09-19T19:44:51Z", "2027-10-13T17:47:23Z"), .sha384,
            intermediate: g6, .sha384, receipt: .sha256, isElliptic: true),
    ]

    private func authority(of era: Era) throws -> Authority {
        try .test { profiles throws(ForgeError) in
            profiles.root.digest = era.isElliptic ? era.intermediateDigest : .sha1
            profiles.intermediate.digest = era.intermediateDigest
            profiles.leaf.digest = era.leafDigest
            profiles.root.notBefore = "2006-04-25T21:40:36Z"
            profiles.root.notAfter = "2035-02-09T21:40:36Z"
            (profiles.intermediate.notBefore, profiles.intermediate.notAfter) = (
                era.intermediate.notBefore, era.intermediate.notAfter
            )
            (profiles.leaf.notBefore, profiles.leaf.notAfter) = (era.leaf.notBefore, era.leaf.notAfter)
            guard era.isElliptic else { return }
            profiles.root.key = try .generateEC(.p384)
            profiles.intermediate.key = try .generateEC(.p384)
            profiles.leaf.key = try .generateEC(.p256)
        }
    }

    /// Returns a verifier with default settings that treats an RSA root and the era's root as Apple's.
    private func verifier(of authority: Authority, _ era: Era) throws -> ReceiptVerifier {
        let roots = [try Authority.test().root, authority.root]
        return try ReceiptVerifier(
            anchors: TrustAnchors(
                anchors: roots.map { .init(der: $0.certificate.der, realm: .appStore) },
                knownIntermediate: era.isElliptic
                    ? .init(
                        der: try #require(authority.intermediate).certificate.der,
                        anchor: authority.root.certificate.der) : nil))
    }

    /// Checks the first and the last second of the chain's validity.
    @Test(arguments: eras)
    func isGenuine(era: Era) throws {
        let authority = try authority(of: era)
        let verifier = try verifier(of: authority, era)
        for date in [era.leaf.notBefore, era.end] {
            var recipe = ReceiptRecipe(authority: authority)
            recipe.digest = era.receiptDigest
            recipe.content.creationDate = date
            #expect(verifier.answer(to: try recipe.forge().bytes) == "genuine", "\(date)")
        }
    }

    /// Checks the same receipts with OpenSSL's own PKCS #7 code, for which a certificate is already expired
    /// in its last second.
    @Test(arguments: eras)
    func openSSLAgrees(era: Era) throws {
        let authority = try authority(of: era)
        let verifier = try ReceiptVerifier(
            anchors: .custom(authority.root.certificate.der), isCrossChecking: true)
        var recipe = ReceiptRecipe(authority: authority)
        recipe.digest = era.receiptDigest
        recipe.content.creationDate = era.leaf.notBefore
        #expect(verifier.answer(to: try recipe.forge().bytes) == "genuine")
    }
}
