/// The kind of a trust anchor, which determines the objects it is allowed for.
public enum TrustAnchorKind: String, Sendable, CaseIterable {
    /// Apple's own roots. Signer and intermediate must have Apple's marker extensions.
    case appStore = "app_store"
    /// A certificate exported from Xcode. It is allowed only for receipts of type Xcode and for JWS of Xcode
    /// or local testing. Reports state this kind.
    case storeKitTest = "storekit_test"
    /// A root that the caller trusts instead of Apple's, with the same requirements.
    case custom
}
