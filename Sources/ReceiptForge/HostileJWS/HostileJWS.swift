/// One way to attack a verifier of JWS, or to provoke it with something odd that it must accept: ``HostileVariant`` for
/// what is signed as JWS.
///
/// Each starts from a valid transaction of com.example.app in the sandbox and changes one thing. The answer is to a caller
/// who asks for that app and that environment, and trusts the anchor that comes with it:
///
/// ```swift
/// @Test(arguments: HostileJWS.all)
/// func answers(variant: HostileJWS) throws {
///     let forged = try variant.forge()
///     #expect(variant.answers.contains(verdict(of: forged.text, trusting: forged.anchor)))
/// }
/// ```
public struct HostileJWS: Sendable, CustomStringConvertible {
    /// What a verifier is to answer.
    public typealias Answer = HostileVariant.Answer

    /// The variant's name, the same in every version; begins with `jws-`.
    public let id: String
    /// What was done to the JWS, in one line.
    public let summary: String
    /// The answer that RFC 7515 and Apple's instructions ask for, and that AppReceipt gives.
    public let expected: Answer
    /// Other answers that can be defended, for example where two checks fail and either may come first.
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

    /// Every answer that can be defended, the expected one included.
    public var answers: Set<Answer> { alternatives.union([expected]) }
    public var description: String { id }

    /// Makes the variant.
    ///
    /// - Parameter recipe: the valid JWS to start from; nil for a transaction. Its edits may be replaced.
    public func forge(from recipe: JWSRecipe? = nil) throws(ForgeError) -> ForgedJWS {
        var changed = if let recipe { recipe } else { JWSRecipe(authority: try .testJWS()) }
        try change(&changed)
        return ForgedJWS(
            text: try changed.forge(), anchor: changed.anchor ?? changed.authority.root.certificate.der)
    }

    /// Every variant, by what is attacked.
    public static let all: [HostileJWS] =
        harmless + header + x5c + chain + signature + serialisation + payload + members

    /// - Throws: ``ForgeError/unknownVariant(_:)``
    public static func named(_ id: String) throws(ForgeError) -> HostileJWS {
        guard let variant = all.first(where: { $0.id == id }) else { throw .unknownVariant(id) }
        return variant
    }
}

/// A JWS and the root certificate, in DER, that it is to be judged by.
public struct ForgedJWS: Hashable, Sendable {
    /// The JWS, or what was made of it.
    public var text: String
    /// The root certificate to trust.
    public var anchor: [UInt8]
}

// Makers for the rows of the table: each changes one step of the recipe.
extension HostileJWS {
    /// Gives a member of the header another value, as JSON; nil takes it away.
    static func header(
        _ id: String, _ summary: String, _ name: String, _ value: String?, _ expected: Answer = .malformed
    ) -> HostileJWS {
        HostileJWS(id, summary, expected) { $0.header[name] = value }
    }

    /// Changes the bytes of the header.
    static func headerBytes(
        _ id: String, _ summary: String, _ expected: Answer = .malformed,
        _ edit: @escaping ReceiptRecipe.Edit<[UInt8]>
    ) -> HostileJWS {
        HostileJWS(id, summary, expected) { $0.editHeader = edit }
    }

    /// Changes the texts of x5c.
    static func texts(
        _ id: String, _ summary: String, _ expected: Answer = .malformed, or alternatives: Set<Answer> = [],
        _ edit: @escaping ReceiptRecipe.Edit<[String]>
    ) -> HostileJWS {
        HostileJWS(id, summary, expected, or: alternatives) { recipe throws(ForgeError) in
            var texts = recipe.authority.bag.map { Base64.text($0) }
            try edit(&texts)
            recipe.header["x5c"] = "[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + "]"
        }
    }

    /// Changes the certificates of x5c.
    static func certificates(
        _ id: String, _ summary: String, _ expected: Answer, or alternatives: Set<Answer> = [],
        _ edit: @escaping ReceiptRecipe.Edit<[[UInt8]]>
    ) -> HostileJWS {
        HostileJWS(id, summary, expected, or: alternatives) { recipe throws(ForgeError) in
            var certificates = recipe.authority.bag
            try edit(&certificates)
            recipe.setCertificates(certificates)
        }
    }

    /// Changes what the certificates say.
    static func profiles(
        _ id: String, _ summary: String, _ expected: Answer, or alternatives: Set<Answer> = [],
        _ edit: @escaping ReceiptRecipe.Edit<Authority.Profiles>
    ) -> HostileJWS {
        HostileJWS(id, summary, expected, or: alternatives) { recipe throws(ForgeError) in
            recipe.authority = try .testJWS(edit)
        }
    }

    /// Changes r and s.
    static func rs(
        _ id: String, _ summary: String, _ expected: Answer = .badSignature,
        _ edit: @escaping ReceiptRecipe.Edit<[UInt8]>
    ) -> HostileJWS {
        HostileJWS(id, summary, expected) { $0.editSignature = edit }
    }

    /// Changes the three parts of the text.
    static func parts(
        _ id: String, _ summary: String, _ expected: Answer = .malformed, or alternatives: Set<Answer> = [],
        _ edit: @escaping @Sendable (inout [String]) -> Void
    ) -> HostileJWS {
        text(id, summary, expected, or: alternatives) { text in
            var parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            edit(&parts)
            text = parts.joined(separator: ".")
        }
    }

    /// Changes the text.
    static func text(
        _ id: String, _ summary: String, _ expected: Answer = .malformed, or alternatives: Set<Answer> = [],
        _ edit: @escaping ReceiptRecipe.Edit<String>
    ) -> HostileJWS {
        HostileJWS(id, summary, expected, or: alternatives) { $0.editText = edit }
    }

    /// Gives a member of the payload another value, as JSON; nil takes it away.
    static func member(
        _ id: String, _ summary: String, _ name: String, _ value: String?, _ expected: Answer = .malformed
    ) -> HostileJWS {
        HostileJWS(id, summary, expected) { $0.payload[name] = value }
    }

    /// Adds a member to the payload, whether one of this name stands there or not.
    static func added(
        _ id: String, _ summary: String, _ name: String, _ value: String, _ expected: Answer = .malformed
    ) -> HostileJWS {
        HostileJWS(id, summary, expected) { $0.payload.list.append((name, value)) }
    }

    /// Changes the payload's bytes before they are signed.
    static func payloadBytes(
        _ id: String, _ summary: String, _ expected: Answer = .malformed, or alternatives: Set<Answer> = [],
        _ edit: @escaping ReceiptRecipe.Edit<[UInt8]>
    ) -> HostileJWS {
        HostileJWS(id, summary, expected, or: alternatives) { $0.editPayload = edit }
    }
}

extension JWSRecipe {
    mutating func setCertificates(_ certificates: [[UInt8]]) {
        header["x5c"] = "[" + certificates.map { "\"\(Base64.text($0))\"" }.joined(separator: ",") + "]"
    }
}
