import AppReceipt
import COpinion
import ReceiptASN1

/// A rule that differs between the package and OpenSSL's PKCS #7 code. A difference that no rule explains is
/// a defect.
struct DifferenceRule<Answer>: Sendable {
    let name: String
    /// Returns whether the rule is the reason for this answer to these bytes.
    let explains: @Sendable (Answer, [UInt8]) -> Bool
}

extension DifferenceRule where Answer == ReceiptError {
    /// Rules by which the package refuses and OpenSSL accepts.
    static let whereOpenSSLAccepts: [DifferenceRule] = [
        reading("payload grammar: OpenSSL does not read the content") { $0.hasPrefix("payload") },
        reading("certificates: DER, size, tags, fields and unused bits by RFC 5280") {
            $0.hasPrefix("certificates")
        },
        reading("strict container: unsigned parts have one encoding") { _ in true },
        reason("closed list of digest and signature algorithms, declared in digestAlgorithms") {
            switch $0 {
            case .digestAlgorithm, .signatureAlgorithm: true
            default: false
            }
        },
        reason("closed list of certificate algorithms and keys") {
            $0 == .certificateAlgorithm || $0 == .certificateKey
        },
        reason(
            "certificates: nested DER, only fields of the version, each extension once and by RFC 5280"
        ) {
            if case .certificateUndecodable = $0 { true } else { false }
        },
        reason("unprocessed critical extensions, name constraints, policy constraints") {
            // X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION
            if case .noPath(34, _) = $0 { true } else { false }
        },
        reason("limit on signature checks") {
            if case .signatureChecks = $0 { true } else { false }
        },
        reason("issuers need basic constraints") { $0 == .notAnAuthority },
        reason("marker extensions of signer and intermediate") {
            $0 == .markerMissing(.signer) || $0 == .markerMissing(.intermediate)
        },
        reason("signer, intermediate, root") { $0 == .pathLength },
        reason("the signer's key usage and basic constraints") {
            $0 == .keyUsage || $0 == .signerIsAuthority
        },
        reason("trust anchor kinds: StoreKit Test only for Xcode") {
            if case .realm = $0 { true } else { false }
        },
        reason("the signer's name is compared byte for byte and unique") {
            $0 == .signerNotFound || $0 == .signerAmbiguous
        },
        reason("signed attributes: content type data and the digest, once each") {
            $0 == .contentTypeAttribute || $0 == .messageDigestAttribute
        },
        DifferenceRule(name: "issuer names are compared byte by byte") { error, bytes in
            guard case .noPath = error.reason else { return false }
            return ContainerFields(bytes)?.hasIssuerOfEveryCertificate == false
        },
        DifferenceRule(name: "signed attributes are hashed in their given order") { error, bytes in
            error.reason == .signatureMismatch && ContainerFields(bytes)?.areSignedAttributesSorted == false
        },
    ]

    private static func reading(_ name: String, _ isField: @escaping @Sendable (String) -> Bool)
        -> DifferenceRule
    {
        DifferenceRule(name: name) { error, _ in
            if case .encoding = error.reason { isField(error.field ?? "") } else { false }
        }
    }

    private static func reason(_ name: String, _ isIt: @escaping @Sendable (ReceiptError.Reason) -> Bool)
        -> DifferenceRule
    {
        DifferenceRule(name: name) { error, _ in isIt(error.reason) }
    }
}

extension DifferenceRule where Answer == VerifiedReceipt {
    /// Rules by which the package accepts and OpenSSL refuses.
    static let whereOpenSSLRefuses: [DifferenceRule] = [
        DifferenceRule(name: "signed attributes are hashed in their given order") { _, bytes in
            ContainerFields(bytes)?.areSignedAttributesSorted == false
        },
        // The package compares names as bytes. Descriptions show a value of invalid text as # and digits.
        DifferenceRule(name: "the content of names is not checked") { receipt, _ in
            receipt.certificates.contains { $0.subject.contains("=#") || $0.issuer.contains("=#") }
        },
        // OpenSSL decodes all certificates, so an invalid one that the chain does not need causes a refusal.
        DifferenceRule(name: "certificates outside the chain are not decoded") { receipt, bytes in
            guard var fields = ContainerFields(bytes) else { return false }
            let chain = Set(receipt.certificates.map(\.sha256))
            fields.keepCertificates { Bench.shared.verifier.sha256(of: $0).map(chain.contains) ?? false }
            return Opinion(of: fields.encoded).isGenuine
        },
    ]
}

/// The parts of a container as a tree of elements, for explanations.
struct ContainerFields {
    private var nodes: [TLVNode]
    private let certificates: Int?

    init?(_ bytes: [UInt8]) {
        guard let nodes = TLVNode.parse(bytes[...]), let fields = Self.fields(nodes) else { return nil }
        self.nodes = nodes
        certificates = fields.firstIndex { $0.tag == 0xA0 }
    }

    /// Returns the fields of SignedData.
    private static func fields(_ nodes: [TLVNode]) -> [TLVNode]? {
        nodes.first?.children?.dropFirst().first?.children?.first?.children
    }

    private var bag: [TLVNode] {
        guard let certificates, let fields = Self.fields(nodes) else { return [] }
        return fields[certificates].children ?? []
    }

    /// Whether each certificate's issuer equals the subject of some certificate, byte for byte.
    var hasIssuerOfEveryCertificate: Bool {
        let names = bag.compactMap { certificate -> (issuer: [UInt8], subject: [UInt8])? in
            guard let tbs = certificate.children?.first?.children else { return nil }
            let fields = tbs.first?.tag == 0xA0 ? tbs.dropFirst() : tbs[...]
            guard fields.count >= 5 else { return nil }
            let start = fields.startIndex
            return (TLVNode.encode([fields[start + 2]]), TLVNode.encode([fields[start + 4]]))
        }
        let subjects = Set(names.map(\.subject))
        return names.count == bag.count && names.allSatisfy { subjects.contains($0.issuer) }
    }

    /// Whether the signed attributes are in DER order, or absent.
    var areSignedAttributesSorted: Bool {
        let signer: [TLVNode] = Self.fields(nodes)?.last?.children?.first?.children ?? []
        let attributes: [TLVNode] = signer.first { $0.tag == 0xA0 }?.children ?? []
        func isSorted(_ nodes: [TLVNode]) -> Bool {
            let encoded = nodes.map { TLVNode.encode([$0]) }
            return zip(encoded, encoded.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) }
        }
        return isSorted(attributes) && attributes.allSatisfy { isSorted($0.children?.last?.children ?? []) }
    }

    mutating func keepCertificates(_ isKept: ([UInt8]) -> Bool) {
        guard let certificates, var fields = Self.fields(nodes) else { return }
        fields[certificates].children = bag.filter { isKept(TLVNode.encode([$0])) }
        nodes[0].children?[1].children?[0].children = fields
    }

    var encoded: [UInt8] { TLVNode.encode(nodes) }
}
