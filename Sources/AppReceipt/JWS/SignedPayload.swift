/// A JWS payload with a verified chain and signature. All verified JWS types contain one. Only a
/// ``ReceiptVerifier`` creates one.
public struct SignedPayload: Sendable {
    let payload: JWSPayload
    let chain: CertificateChain

    /// The signed JSON, byte for byte.
    public var json: [UInt8] { payload.bytes }

    /// Returns the signed bytes of a member's JSON object.
    package func object(_ name: String) -> [UInt8]? {
        guard let member = payload.members[name], case .object = member.value else { return nil }
        return Array(payload.bytes[member.range])
    }

    /// Returns the members of a member's JSON object.
    func members(of name: String) -> NestedMembers? {
        guard let member = payload.members[name], case .object = member.value else { return nil }
        return NestedMembers(payload.bytes, in: member.range)
    }

    /// The kind of object, as one of its members identifies it.
    public var kind: JWSKind { payload.kind }
}
