/// The inputs of a receipt: content, authority, signature, container, and edits of the steps.
///
/// ```swift
/// var recipe = ReceiptRecipe(content, authority: try .test())
/// recipe.digest = .sha1
/// let receipt = try recipe.forge()
/// ```
public struct ReceiptRecipe: Sendable {
    /// A function that changes a value between two steps of forging.
    public typealias Edit<Value> = @Sendable (inout Value) throws(ForgeError) -> Void

    /// The attributes that the signature covers, if any.
    public enum SignedAttributes: Hashable, Sendable {
        /// No attributes: the signature covers the content itself, as in Apple's receipts.
        case none
        /// The attributes contentType and messageDigest, and signingTime if it is given (RFC 3339 in UTC).
        case usual(signingTime: String?)
    }

    /// The receipt's content.
    public var content: ReceiptContent
    /// The authority that signs the receipt.
    public var authority: Authority
    /// The root to trust in DER, or nil for the authority's own.
    public var anchor: [UInt8]?
    /// The digest algorithm of the signature.
    public var digest: Digest = .sha256
    /// The padding of the signature.
    public var scheme: SignatureScheme = .pkcs1
    /// The attributes that are signed instead of the content.
    public var signedAttributes: SignedAttributes = .none
    /// The encoding of the container.
    public var form: SignedData.Form = .der
    /// Whether the payload is wrapped in a second OCTET STRING, as in some versions of Xcode.
    public var doubleWrapped = false
    private var payloadEdits: [Edit<[UInt8]>] = []
    private var containerEdits: [Edit<SignedData>] = []
    private var receiptEdits: [Edit<[UInt8]>] = []

    /// Creates a recipe for an ordinary receipt with this content, signed by this authority.
    public init(_ content: ReceiptContent = ReceiptContent(), authority: Authority) {
        (self.content, self.authority) = (content, authority)
    }

    /// Returns a recipe for a receipt like Xcode's. Verifiers must trust the certificate of
    /// ``Authority/storeKitTest(_:)`` for StoreKit Test.
    /// - Throws: ``ForgeError`` if libcrypto fails.
    public static func xcode(_ content: ReceiptContent = .xcode()) throws(ForgeError) -> ReceiptRecipe {
        var recipe = ReceiptRecipe(content, authority: try .storeKitTest())
        recipe.form = .ber(chunkSize: 1_024)
        return recipe
    }

    /// Adds an edit of the payload's bytes before they are signed. Edits run in the order of their addition.
    public mutating func editPayload(_ edit: @escaping Edit<[UInt8]>) { payloadEdits.append(edit) }

    /// Adds an edit of the container after the payload was signed.
    public mutating func editContainer(_ edit: @escaping Edit<SignedData>) { containerEdits.append(edit) }

    /// Adds an edit of the bytes of the finished receipt.
    public mutating func editReceipt(_ edit: @escaping Edit<[UInt8]>) { receiptEdits.append(edit) }

    /// Returns the receipt and the root to verify it with.
    /// - Throws: ``ForgeError`` if libcrypto fails, and any error that an edit throws.
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
