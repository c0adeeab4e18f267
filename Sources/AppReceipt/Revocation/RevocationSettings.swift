/// The revocation lists and the distrust list of a verifier, and their use.
public struct RevocationSettings: Sendable {
    /// The certificate revocation lists.
    public var lists: [RevocationList]
    /// The caller's own list of distrusted certificates, or nil if there is none.
    public var distrust: DistrustList?
    /// The policy. Without lists, ``RevocationPolicy/check`` checks nothing.
    public var policy: RevocationPolicy

    /// Creates settings. The default checks nothing.
    public init(
        lists: [RevocationList] = [], distrust: DistrustList? = nil, policy: RevocationPolicy = .check
    ) {
        (self.lists, self.distrust, self.policy) = (lists, distrust, policy)
    }

    var isChecking: Bool {
        switch policy {
        case .off: false
        case .check: !lists.isEmpty || distrust != nil
        case .require: true
        }
    }
}
