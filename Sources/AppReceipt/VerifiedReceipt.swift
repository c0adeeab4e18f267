/// A receipt whose chain and signature were checked: the only thing that rules and audits accept.
///
/// No initialiser is public and the type is not `Decodable`: only ``ReceiptVerifier/verify(_:)-([UInt8])``
/// makes one, so holding a value of this type is the proof.
public struct VerifiedReceipt: Sendable {
    /// What was signed.
    public let payload: ReceiptPayload
}
