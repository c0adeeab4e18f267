/// One attack on a verifier, or an unusual receipt that a verifier must accept.
///
/// Each variant changes one thing in a valid receipt. ``all`` lists the variants. A test forges each one and
/// compares the verifier's answer under the anchor that comes with it:
///
/// ```swift
/// @Test(arguments: HostileVariant.all)
/// func answers(variant: HostileVariant) throws {
///     let forged = try variant.forge()
///     #expect(variant.answers.contains(verdict(of: forged.bytes, trusting: forged.anchor)))
/// }
/// ```
public struct HostileVariant: Sendable, CustomStringConvertible {
    /// A verifier's answer: genuine, or the refusal code.
    public enum Answer: String, Hashable, Sendable {
        /// Accepted, because the change is harmless.
        case genuine
        /// Refused as `malformed`.
        case malformed
        /// Refused as `too_large`.
        case tooLarge = "too_large"
        /// Refused as `untrusted_chain`.
        case untrustedChain = "untrusted_chain"
        /// Refused as `wrong_purpose`.
        case wrongPurpose = "wrong_purpose"
        /// Refused as `bad_signature`.
        case badSignature = "bad_signature"
        /// Refused as `wrong_bundle_id`.
        case wrongBundleID = "wrong_bundle_id"
        /// Refused as `wrong_environment`.
        case wrongEnvironment = "wrong_environment"
    }

    /// The variant's name, which is the same in every version.
    public let id: String
    /// A one-line description of the change to the receipt.
    public let summary: String
    /// The answer that the standards and Apple's documentation require, and that AppReceipt gives.
    public let expected: Answer
    /// Other acceptable answers, for example if two checks fail and either may come first.
    public let alternatives: Set<Answer>
    private let change: ReceiptRecipe.Edit<ReceiptRecipe>

    init(
        _ id: String, _ summary: String, _ expected: Answer, or alternatives: Set<Answer> = [],
        _ change: @escaping ReceiptRecipe.Edit<ReceiptRecipe>
    ) {
        self.id = id
        self.summary = summary
        self.expected = expected
        self.alternatives = alternatives
        self.change = change
    }

    /// All acceptable answers, including the expected one.
    public var answers: Set<Answer> { alternatives.union([expected]) }
    public var description: String { id }

    /// Forges the variant.
    ///
    /// - Parameter recipe: The valid receipt to start from, or nil for one with two purchases.
    /// - Throws: ``ForgeError`` if the receipt cannot be forged.
    public func forge(from recipe: ReceiptRecipe? = nil) throws(ForgeError) -> ForgedReceipt {
        var changed = if let recipe { recipe } else { try Self.validReceipt.get() }
        try change(&changed)
        return try changed.forge()
    }

    /// The receipt that variants start from.
    static let validReceipt = Result { () throws(ForgeError) in
        ReceiptRecipe(
            ReceiptContent(purchases: [
                PurchaseContent(
                    productID: "com.example.forge.lifetime", transactionID: "530001111222201",
                    purchaseDate: "2023-11-05T18:30:12Z"),
                subscription,
            ]), authority: try .test())
    }

    static let subscription = PurchaseContent.subscription(
        productID: "com.example.forge.monthly", transactionID: "530001111222202",
        purchaseDate: "2024-05-20T07:15:00Z", expiresDate: "2024-06-20T07:15:00Z")

    /// All variants, grouped by class of attack.
    public static let all: [HostileVariant] =
        harmless + chain + markers + bag + signature + signedAttributes + container + encoding + payload
        + attributes + purchases

    /// Returns the variant with this ID.
    /// - Throws: ``ForgeError/unknownVariant(_:)``
    public static func named(_ id: String) throws(ForgeError) -> HostileVariant {
        guard let variant = all.first(where: { $0.id == id }) else { throw .unknownVariant(id) }
        return variant
    }
}

// Functions that make the rows of the table. Each changes one step of the recipe. The usual answer is the
// default.
extension HostileVariant {
    /// Makes a variant that changes the contents of the certificates.
    static func profiles(
        _ id: String, _ summary: String, _ expected: Answer = .untrustedChain,
        or alternatives: Set<Answer> = [],
        _ edit: @escaping ReceiptRecipe.Edit<Authority.Profiles>
    ) -> HostileVariant {
        HostileVariant(id, summary, expected, or: alternatives) { recipe throws(ForgeError) in
            recipe.authority = try .test(edit)
        }
    }

    /// Makes a variant that changes the content of the receipt.
    static func content(
        _ id: String, _ summary: String, _ expected: Answer = .malformed, or alternatives: Set<Answer> = [],
        _ edit: @escaping ReceiptRecipe.Edit<ReceiptContent>
    ) -> HostileVariant {
        HostileVariant(id, summary, expected, or: alternatives) { recipe throws(ForgeError) in
            try edit(&recipe.content)
        }
    }

    /// Makes a variant that appends an attribute, even if there is one of the same type.
    static func added(
        _ id: String, _ summary: String, _ attribute: ReceiptAttribute, _ expected: Answer = .malformed,
        or alternatives: Set<Answer> = []
    ) -> HostileVariant {
        content(id, summary, expected, or: alternatives) { $0.otherAttributes.append(attribute) }
    }

    /// Makes a variant that changes the payload's bytes before they are signed.
    static func payload(
        _ id: String, _ summary: String, _ expected: Answer = .malformed, or alternatives: Set<Answer> = [],
        _ edit: @escaping ReceiptRecipe.Edit<[UInt8]>
    ) -> HostileVariant {
        HostileVariant(id, summary, expected, or: alternatives) { $0.editPayload(edit) }
    }

    /// Makes a variant that changes the container after signing.
    static func container(
        _ id: String, _ summary: String, _ expected: Answer = .malformed, or alternatives: Set<Answer> = [],
        _ edit: @escaping ReceiptRecipe.Edit<SignedData>
    ) -> HostileVariant {
        HostileVariant(id, summary, expected, or: alternatives) { $0.editContainer(edit) }
    }

    /// Makes a variant that changes the container's SignerInfo after signing.
    static func signerInfo(
        _ id: String, _ summary: String, _ expected: Answer = .badSignature,
        or alternatives: Set<Answer> = [],
        _ edit: @escaping ReceiptRecipe.Edit<SignerInfo>
    ) -> HostileVariant {
        container(id, summary, expected, or: alternatives) { container throws(ForgeError) in
            try edit(&container.signerInfos[0])
        }
    }

    /// Makes a variant that signs other bytes than the payload.
    static func signing(
        _ id: String, _ summary: String, _ message: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> HostileVariant {
        HostileVariant(id, summary, .badSignature) { recipe in
            let key = recipe.authority.leaf.key
            recipe.editContainer { container throws(ForgeError) in
                container.signerInfos[0].signature = try key.sign(message(container.eContent ?? []))
            }
        }
    }

    /// Makes a variant that changes the bytes of the finished receipt.
    static func bytes(
        _ id: String, _ summary: String, _ expected: Answer = .malformed, or alternatives: Set<Answer> = [],
        _ edit: @escaping ReceiptRecipe.Edit<[UInt8]>
    ) -> HostileVariant {
        HostileVariant(id, summary, expected, or: alternatives) { $0.editReceipt(edit) }
    }
}
