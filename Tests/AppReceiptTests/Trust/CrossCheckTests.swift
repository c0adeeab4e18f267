import ReceiptASN1
import ReceiptForge
import Testing

@testable import AppReceipt

/// The cross-check with OpenSSL's own PKCS #7 code: its input, and the effect of its result.
struct CrossCheckTests {
    private let authority: Authority
    private let anchors: AnchorStore
    private let time = Timestamp(millisecondsSince1970: 1_717_236_000_000)

    init() throws {
        authority = try .test()
        anchors = try AnchorStore(.custom(authority.root.certificate.der), context: CryptoContext())
    }

    /// Checks the one receipt on which both differ: attribute values out of DER order, which OpenSSL sorts
    /// before hashing.
    @Test
    func differentResultIsARefusal() throws {
        let leaf = authority.leaf
        var recipe = ReceiptRecipe(authority: authority)
        recipe.editContainer { container throws(ForgeError) in
            let usual = try CMSAttribute.usual(for: container.eContent ?? []).flatMap(\.encoded)
            let values = BER.element(BER.Tag.set, BER.integer(2) + BER.integer(1))
            let unsorted = usual + BER.sequence(([1, 3, 9, 9] as OID).encoded, values)
            var signer = try SignerInfo(signing: BER.element(BER.Tag.set, unsorted), by: leaf)
            signer.rawSignedAttributes = BER.element(BER.Tag.context(0), unsorted)
            container.signerInfos = [signer]
        }
        let bytes = try recipe.forge().bytes
        let root = authority.root.certificate.der
        #expect(try ReceiptVerifier(anchors: .custom(root)).answer(to: bytes) == "genuine")
        #expect(
            try ReceiptVerifier(anchors: .custom(root), isCrossChecking: true).answer(to: bytes)
                == "bad_signature")
    }

    /// Checks that OpenSSL receives only the chain. OpenSSL could not decode the extra certificate in this
    /// container, in DER or in Xcode's format.
    @Test(arguments: [true, false])
    func openSSLReceivesOnlyTheChain(isDER: Bool) throws {
        let name = BER.sequence([])
        let algorithm = BER.sequence(([1, 2, 3] as OID).encoded)
        let shaped = BER.sequence(
            BER.sequence(BER.integer(1), algorithm, name, name, name), algorithm, BER.bitString([]))
        var recipe = ReceiptRecipe(authority: authority)
        recipe.form = isDER ? .der : .ber(chunkSize: 1000)
        recipe.editContainer { $0.certificates?.append(shaped) }
        let verifier = try ReceiptVerifier(
            anchors: .custom(authority.root.certificate.der), isCrossChecking: true)
        #expect(verifier.answer(to: try recipe.forge().bytes) == "genuine")
        #expect(verifier.answer(to: try recipe.forge().bytes) == "genuine")
    }

    @Test
    func otherContentIsRefused() throws {
        let recipe = ReceiptRecipe(authority: authority)
        let (bytes, content) = (try recipe.forge().bytes, try recipe.content.encoded())
        try anchors.crossCheck(on: bytes.span, content: content.span, at: time)
        var other = content
        other[other.count - 1] ^= 1
        for wrong in [other, Array(content.dropLast()), content + [0], []] {
            let error = #expect(throws: ReceiptError.self) {
                try anchors.crossCheck(on: bytes.span, content: wrong.span, at: time)
            }
            #expect(error?.code == .malformed)
        }
    }

    /// Checks that OpenSSL's refusals map to codes for an untrusted chain and for a bad signature.
    @Test
    func openSSLRefusalsHaveCodes() throws {
        let recipe = ReceiptRecipe(authority: authority)
        let content = try recipe.content.encoded()
        func refusal(of bytes: [UInt8]) -> ReceiptError.Code? {
            do throws(ReceiptError) {
                try anchors.crossCheck(on: bytes.span, content: content.span, at: time)
                return nil
            } catch { return error.code }
        }
        var broken = try recipe.forge().bytes
        broken[broken.count - 1] ^= 1
        #expect(refusal(of: broken) == .badSignature)
        let untrusted = ReceiptRecipe(authority: try .generate())
        #expect(refusal(of: try untrusted.forge().bytes) == .untrustedChain)
    }

    @Test
    func bytesAfterTheContainerAreRefused() throws {
        let recipe = ReceiptRecipe(authority: authority)
        let (bytes, content) = (try recipe.forge().bytes + [0], try recipe.content.encoded())
        #expect(throws: ReceiptError.self) {
            try anchors.crossCheck(on: bytes.span, content: content.span, at: time)
        }
    }

    @Test
    func anchorsAreWholeCertificates() throws {
        let root = authority.root.certificate.der
        for der in [root + [0], Array(root.dropLast())] {
            #expect(throws: ReceiptError.self) { try ReceiptVerifier(anchors: .custom(der)) }
        }
    }
}
