/// The trusted roots of a verifier, each with its kind. The caller selects them, and a receipt has no
/// influence on them.
public struct TrustAnchors: Sendable {
    struct Anchor: Sendable {
        let der: [UInt8]
        let realm: TrustAnchorKind
    }

    /// An intermediate and its trust anchor in DER. A test of the embedded certificates verifies its
    /// signature. The verifier does not.
    struct KnownIntermediate: Sendable {
        let der: [UInt8]
        let anchor: [UInt8]
    }

    private(set) var anchors: [Anchor]
    /// An intermediate that a trust anchor is known to have signed. A receipt under its elliptic key
    /// therefore needs only one check.
    private(set) var knownIntermediate: KnownIntermediate?

    /// The certificates in DER. Reports identify them by their digests.
    public var certificates: [[UInt8]] { anchors.map(\.der) }

    /// Apple Inc. Root, Apple Root CA - G2 and G3, embedded in the binary. Source: `Certificates/SOURCES.md`.
    public static let apple = TrustAnchors(
        anchors: AppleCertificate.roots.map { Anchor(der: $0.der, realm: .appStore) },
        knownIntermediate: KnownIntermediate(
            der: AppleCertificate.developerRelationsG6.der, anchor: AppleCertificate.roots[2].der))

    /// Returns trust anchors that replace Apple's, with the same requirements for chains.
    /// - Parameter certificates: the roots in DER.
    public static func custom(_ certificates: [UInt8]...) -> TrustAnchors { custom(each: certificates) }

    /// Returns trust anchors that replace Apple's, with the same requirements for chains.
    package static func custom(each certificates: [[UInt8]]) -> TrustAnchors {
        TrustAnchors(anchors: certificates.map { Anchor(der: $0, realm: .custom) })
    }

    /// Returns these trust anchors and a root with the same requirements for chains. Objects that chain to it
    /// have the kind ``TrustAnchorKind/custom``.
    /// - Parameter certificate: the certificate in DER.
    public func adding(root certificate: [UInt8]) -> TrustAnchors {
        TrustAnchors(
            anchors: anchors + [Anchor(der: certificate, realm: .custom)],
            knownIntermediate: knownIntermediate)
    }

    /// Returns these trust anchors and a StoreKit Test certificate exported from Xcode.
    /// - Parameter certificate: the certificate in DER.
    public func adding(storeKitTest certificate: [UInt8]) -> TrustAnchors {
        TrustAnchors(
            anchors: anchors + [Anchor(der: certificate, realm: .storeKitTest)],
            knownIntermediate: knownIntermediate)
    }

    /// Returns a StoreKit Test certificate as the only trust anchor, for tests.
    public static func storeKitTest(_ certificate: [UInt8]) -> TrustAnchors {
        TrustAnchors(anchors: []).adding(storeKitTest: certificate)
    }
}
