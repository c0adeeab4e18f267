/// One attack on a JWS verifier, or an unusual JWS that a verifier must accept. It is the counterpart of
/// ``HostileVariant`` for JWS.
///
/// Each variant changes one thing in a valid transaction of com.example.app in the sandbox. The answers are
/// for a caller that expects this app and environment, and trusts the anchor that comes with the variant:
///
/// ```swift
/// @Test(arguments: HostileJWS.all)
/// func answers(variant: HostileJWS) throws {
///     let forged = try variant.forge()
///     #expect(variant.answers.contains(verdict(of: forged.text, trusting: forged.anchor)))
/// }
/// ```
public struct HostileJWS: Sendable, CustomStringConvertible {
    /// A verifier's answer.
    public typealias Answer = HostileVariant.Answer

    /// The variant's name, which is the same in every version and begins with `jws-`.
    public let id: String
    /// A one-line description of the change to the JWS.
    public let summary: String
    /// The answer that RFC 7515 and Apple's documentation require, and that AppReceipt gives.
    public let expected: Answer
    /// Other acceptable answers, for example if two checks fail and either may come first.
    public let alternatives: Set<Answer>
    private let change: ReceiptRecipe.Edit<JWSRecipe>

    init(
        _ id: String, _ summary: String, _ expected: Answer = .malformed, or alternatives: Set<Answer> = [],
        _ change: @escaping ReceiptRecipe.Edit<JWSRecipe>
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
    /// - Parameter recipe: The valid JWS to start from, or nil for a transaction. The variant may replace its
    ///   edits.
    /// - Throws: ``ForgeError`` if the JWS cannot be forged.
    public func forge(from recipe: JWSRecipe? = nil) throws(ForgeError) -> ForgedJWS {
        var changed = if let recipe { recipe } else { JWSRecipe(authority: try .testJWS()) }
        try change(&changed)
        return ForgedJWS(
            text: try changed.forge(), anchor: changed.anchor ?? changed.authority.root.certificate.der)
    }

    /// All variants, grouped by the part that they attack.
    public static let all: [HostileJWS] =
        harmless + header + x5c + chain + signature + serialization + payload + members

    /// Returns the variant with this ID.
    /// - Throws: ``ForgeError/unknownVariant(_:)``
    public static func named(_ id: String) throws(ForgeError) -> HostileJWS {
        guard let variant = all.first(where: { $0.id == id }) else { throw .unknownVariant(id) }
        return variant
    }
}

// Functions that make the rows of the table. Each changes one step of the recipe.
extension HostileJWS {
    /// Makes a variant that sets a member of the header to JSON text. Nil removes the member.
    static func header(
        _ id: String, _ summary: String, _ name: String, _ value: String?, _ expected: Answer = .malformed
    ) -> HostileJWS {
        HostileJWS(id, summary, expected) { $0.header[name] = value }
    }

    /// Makes a variant that changes the bytes of the header.
    static func headerBytes(
        _ id: String, _ summary: String, _ edit: @escaping ReceiptRecipe.Edit<[UInt8]>
    ) -> HostileJWS {
        HostileJWS(id, summary) { $0.editHeader = edit }
    }

    /// Makes a variant that changes the strings of x5c.
    static func texts(
        _ id: String, _ summary: String, _ edit: @escaping ReceiptRecipe.Edit<[String]>
    ) -> HostileJWS {
        HostileJWS(id, summary) { recipe throws(ForgeError) in
            var texts = recipe.authority.bag.map { Base64.text($0) }
            try edit(&texts)
            recipe.header["x5c"] = JWSRecipe.x5c(of: texts)
        }
    }

    /// Makes a variant that changes the certificates of x5c.
    static func certificates(
        _ id: String, _ summary: String, _ expected: Answer = .untrustedChain,
        or alternatives: Set<Answer> = [],
        _ edit: @escaping ReceiptRecipe.Edit<[[UInt8]]>
    ) -> HostileJWS {
        HostileJWS(id, summary, expected, or: alternatives) { recipe throws(ForgeError) in
            var certificates = recipe.authority.bag
            try edit(&certificates)
            recipe.setCertificates(certificates)
        }
    }

    /// Makes a variant that changes the contents of the certificates.
    static func profiles(
        _ id: String, _ summary: String, _ expected: Answer = .untrustedChain,
        or alternatives: Set<Answer> = [],
        _ edit: @escaping ReceiptRecipe.Edit<Authority.Profiles>
    ) -> HostileJWS {
        HostileJWS(id, summary, expected, or: alternatives) { recipe throws(ForgeError) in
            recipe.authority = try .testJWS(edit)
        }
    }

    /// Makes a variant that changes r and s.
    static func rs(
        _ id: String, _ summary: String, _ expected: Answer = .badSignature,
        _ edit: @escaping ReceiptRecipe.Edit<[UInt8]>
    ) -> HostileJWS {
        HostileJWS(id, summary, expected) { $0.editSignature = edit }
    }

    /// Makes a variant that changes the three parts of the text.
    static func parts(
        _ id: String, _ summary: String, _ expected: Answer = .malformed, or alternatives: Set<Answer> = [],
        _ edit: @escaping ReceiptRecipe.Edit<[String]>
    ) -> HostileJWS {
        HostileJWS(id, summary, expected, or: alternatives) { $0.editParts(edit) }
    }

    /// Makes a variant that changes the text.
    static func text(
        _ id: String, _ summary: String, _ expected: Answer = .malformed, or alternatives: Set<Answer> = [],
        _ edit: @escaping ReceiptRecipe.Edit<String>
    ) -> HostileJWS {
        HostileJWS(id, summary, expected, or: alternatives) { $0.editText = edit }
    }

    /// Makes a variant that sets a member of the payload to JSON text. Nil removes the member.
    static func member(
        _ id: String, _ summary: String, _ name: String, _ value: String?, _ expected: Answer = .malformed
    ) -> HostileJWS {
        HostileJWS(id, summary, expected) { $0.payload[name] = value }
    }

    /// Makes a variant that appends a member to the payload, even if there is one with the same name.
    static func added(
        _ id: String, _ summary: String, _ name: String, _ value: String, _ expected: Answer = .malformed
    ) -> HostileJWS {
        HostileJWS(id, summary, expected) { $0.payload.list.append((name, value)) }
    }

    /// Makes a variant that changes the payload's bytes before they are signed.
    static func payloadBytes(
        _ id: String, _ summary: String, _ edit: @escaping ReceiptRecipe.Edit<[UInt8]>
    ) -> HostileJWS {
        HostileJWS(id, summary) { $0.editPayload = edit }
    }
}
