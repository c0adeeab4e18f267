/// All that makes a receipt: content, authority, signature, container; and edits on the way.
///
/// ```swift
/// var recipe = ReceiptRecipe(content, authority: try .test())
/// recipe.digest = .sha1
/// let receipt = try recipe.forge()
/// ```
public struct ReceiptRecipe: Sendable {
    /// Changes a value between two steps of forging.
    public typealias Edit<Value> = @Sendable (inout Value) throws(ForgeError) -> Void

    /// Which attributes the signature covers, if any.
    public enum SignedAttributes: Hashable, Sendable {
        /// None: the signature is over the content itself, as in Apple's receipts.
        case none
        /// contentType and messageDigest, and signingTime where given (RFC 3339 in UTC).
        case usual(signingTime: String?)
    }

    /// What it says.
    public var content: ReceiptContent
    /// Who signs it.
    public var authority: Authority
    /// The root to trust, in DER; nil for the authority's own.
    public var anchor: [UInt8]?
    /// The digest algorithm of the signature.
    public var digest: Digest = .sha256
    /// How the signature is padded.
    public var scheme: SignatureScheme = .pkcs1
    /// Whether attributes are signed in place of the content.
    public var signedAttributes: SignedAttributes = .none
    /// How the container is written.
    public var form: SignedData.Form = .der
    /// Whether the payload is wrapped in a second OCTET STRING, as some versions of Xcode do.
    public var doubleWrapped = false
    private var payloadEdits: [Edit<[UInt8]>] = []
    private var containerEdits: [Edit<SignedData>] = []
    private var receiptEdits: [Edit<[UInt8]>] = []

    /// An ordinary receipt of this content, signed by this authority.
    public init(_ content: ReceiptContent = ReceiptContent(), authority: Authority) {
        (self.content, self.authority) = (content, authority)
    }

    /// A receipt as Xcode makes it; trust ``Authority/storeKitTest(_:)``'s certificate for StoreKit Test.
    public static func xcode(_ content: ReceiptContent = .xcode()) throws(ForgeError) -> ReceiptRecipe {
        var recipe = ReceiptRecipe(content, authority: try .storeKitTest())
        recipe.form = .ber(chunkSize: 1_024)
        return recipe
    }

    /// Changes the payload's bytes before they are signed. Edits run in the order they were added.
    public mutating func editPayload(_ edit: @escaping Edit<[UInt8]>) { payloadEdits.append(edit) }

    /// Changes the container after the payload was signed.
    public mutating func editContainer(_ edit: @escaping Edit<SignedData>) { containerEdits.append(edit) }

    /// Changes the receipt's bytes at the end.
    public mutating func editReceipt(_ edit: @escaping Edit<[UInt8]>) { receiptEdits.append(edit) }

    /// The receipt, and the root under which it is to be judged.
    public func forge() throws(ForgeError) -> ForgedReceipt {
        var payload = try content.encoded()
        for edit in payloadEdits { try edit(&payload) }
        if doubleWrapped { payload = BER.octetString(payload) }
        let attributes: [CMSAttribute]? =
            switch signedAttributes {
            case .none: nil
            case .usual(let time): try CMSAttribute.usual(for: payload, digest: digest, signingTime: time)
            }
        let signerInfo = try SignerInfo(
            signing: payload, by: authority.leaf, digest: digest, scheme: scheme, signedAttributes: attributes
        )
        var container = SignedData(
            eContent: payload, certificates: authority.bag, signerInfos: [signerInfo])
        container.form = form
        for edit in containerEdits { try edit(&container) }
        var bytes = container.encoded
        for edit in receiptEdits { try edit(&bytes) }
        return ForgedReceipt(bytes: bytes, anchor: anchor ?? authority.root.certificate.der)
    }
}

/// A receipt and the root certificate that it is to be judged by, both in DER (or what is left of it).
public struct ForgedReceipt: Hashable, Sendable {
    /// The receipt.
    public var bytes: [UInt8]
    /// The root certificate to trust.
    public var anchor: [UInt8]
}
