import AppleRoots

/// What an anchor may vouch for.
public enum TrustRealm: String, Sendable, CaseIterable {
    /// Apple's own roots: signer and intermediate must carry Apple's marker extensions.
    case appStore = "app_store"
    /// A certificate exported from Xcode: only receipts of type Xcode, and reported as such.
    case storeKitTest = "storekit_test"
    /// A root that the caller trusts instead of Apple's, with the same demands.
    case custom
}

/// The roots that a verifier trusts, each for one realm. The receipt never chooses among them.
public struct TrustAnchors: Sendable {
    struct Anchor: Sendable {
        let der: [UInt8]
        let realm: TrustRealm
    }

    /// Certificates in DER. The signature of one over the other is not checked again: a test of the embedded ones does.
    struct KnownIntermediate: Sendable {
        let der: [UInt8]
        let anchor: [UInt8]
    }

    private(set) var anchors: [Anchor]
    /// An intermediate and the anchor that is known to have signed it, so that a receipt over its elliptic key costs one
    /// check.
    private(set) var knownIntermediate: KnownIntermediate?

    /// The certificates, in DER: what a report names by their digests.
    public var certificates: [[UInt8]] { anchors.map(\.der) }

    /// Apple Inc. Root, Apple Root CA - G2 and G3, embedded in the binary; see `Certificates/SOURCES.md`.
    public static let apple = TrustAnchors(
        anchors: AppleRoot.all.map { Anchor(der: $0.der, realm: .appStore) },
        knownIntermediate: KnownIntermediate(
            der: AppleIntermediate.developerRelationsG6.der, anchor: AppleRoot.all[2].der))

    /// Roots to be trusted instead of Apple's, with the same demands on the chain.
    /// - Parameter certificates: DER.
    public static func custom(_ certificates: [UInt8]...) -> TrustAnchors { custom(each: certificates) }

    /// The same of a list.
    package static func custom(each certificates: [[UInt8]]) -> TrustAnchors {
        TrustAnchors(anchors: certificates.map { Anchor(der: $0, realm: .custom) })
    }

    /// These anchors and a StoreKit Test certificate, as exported from Xcode.
    /// - Parameter certificate: DER.
    public func adding(storeKitTest certificate: [UInt8]) -> TrustAnchors {
        TrustAnchors(
            anchors: anchors + [Anchor(der: certificate, realm: .storeKitTest)],
            knownIntermediate: knownIntermediate)
    }

    /// A StoreKit Test certificate alone, for a test that wants no other.
    public static func storeKitTest(_ certificate: [UInt8]) -> TrustAnchors {
        TrustAnchors(anchors: []).adding(storeKitTest: certificate)
    }

    init(anchors: [Anchor], knownIntermediate: KnownIntermediate? = nil) {
        self.anchors = anchors
        self.knownIntermediate = knownIntermediate
    }
}
