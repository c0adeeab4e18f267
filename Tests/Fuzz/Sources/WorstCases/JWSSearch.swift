import AppReceipt
import Foundation
import ReceiptForge

/// The most expensive JWS of three sizes, accepted and refused, compared with an ordinary one: a transaction
/// with a long unknown member. All use one verifier that has cached the chain, because creating a verifier
/// would dominate the cost.
struct JWSSearch {
    private static let names = ["payload", "header", "x5c", "end", "text"]
    private static let choices = [14, 14, 4, 5, 4]
    private var random = SplitMix64(seed: 0x1A57)
    private let authority: Authority
    private let verifier: ReceiptVerifier
    private let heavy: [[UInt8]]

    init() throws {
        authority = try .appStoreJWS()
        verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
        // Unsigned certificates of almost 8 KiB, before the trusted root.
        let untrusted = try Authority.appStoreJWS { profiles in
            let policies = (0..<600).map { [1, 3, 9, UInt64($0)] as OID }
            profiles.leaf.extensions.append(.certificatePolicies(policies))
            profiles.intermediate.extensions.append(.certificatePolicies(policies))
        }
        heavy = untrusted.bag.dropLast() + [authority.root.certificate.der]
    }

    /// Returns members that fill this number of bytes.
    private func filler(_ gene: Int, room: Int) -> String? {
        func repeated(_ unit: String) -> String {
            String(repeating: unit, count: max(0, room / unit.utf8.count))
        }
        func numbered(_ make: (Int) -> String) -> String {
            (0..<room / make(99_999).utf8.count).map(make).joined(separator: ",")
        }
        switch gene {
        case 0: return nil
        case 1: return "\"x\":\"\(repeated("a"))\""
        case 2: return numbered { "\"\($0)\":1" }
        case 3: return "\"x\":[\(repeated("1,"))1]"
        case 4: return "\"x\":[\(repeated("[],"))[]]"
        case 5: return "\"x\":[\(repeated("{},"))[]]"
        case 6:
            let deep = String(repeating: "[", count: 60) + String(repeating: "]", count: 60)
            return "\"x\":[\(repeated(deep + ","))1]"
        case 7: return "\"x\":\"\(repeated(#"\u0041"#))\""
        case 8: return "\"x\":\"\(repeated(#"\ud83d\ude00"#))\""
        case 9: return "\"x\":\"\(repeated("\u{316}\u{301}"))\""
        case 10: return "\"x\":\(repeated("1"))"
        case 11: return numbered { "\"a\u{316}\u{301}\u{316}\u{301}\($0)\":\"\"" }
        case 12: return "\"x\":1" + repeated(" ")
        default: return "\"x\":[\(numbered { "{\"\($0)\":{\"a\":\"\"}}" })]"
        }
    }

    private func make(_ genes: [Int], bytes: Int) throws -> String {
        var recipe = JWSRecipe(authority: authority)
        // Base64 turns three bytes into four.
        let room = max(0, bytes - 5_000) / 4 * 3 / (genes[0] != 0 && genes[1] != 0 ? 2 : 1)
        switch genes[2] {
        case 1: recipe.header["x5c"] = "[" + heavy.map { "\"\(base64($0))\"" }.joined(separator: ",") + "]"
        case 2: recipe.header["x5c"] = "[\"\(String(repeating: "A", count: 10_000))\",\"AAAA\",\"AAAA\"]"
        case 3: recipe.signer = try .generateEC()
        default: break
        }
        func fill(_ gene: Int) -> ReceiptRecipe.Edit<[UInt8]>? {
            guard let members = filler(gene, room: room) else { return nil }
            return { json in
                json.replaceSubrange(json.count - 1..<json.count - 1, with: Array((",\(members)").utf8))
            }
        }
        let end: [UInt8] = [[], Array(",\"x\":1}".utf8), [0x78], Array("}".utf8), [0xFF]][genes[3]]
        let edit = fill(genes[0])
        recipe.editPayload = { json throws(ForgeError) in
            try edit?(&json)
            if genes[3] == 1 { json.removeLast() }
            json += end
        }
        recipe.editHeader = fill(genes[1])
        recipe.editText = { text in
            switch genes[4] {
            case 1: text.removeLast()
            case 2: text += "="
            case 3: text += String(repeating: ".", count: 64)
            default: break
            }
        }
        return try recipe.forge()
    }

    private func base64(_ bytes: [UInt8]) -> String {
        String(decoding: ReceiptEncoding.base64.encode(bytes), as: UTF8.self)
    }

    private func cost(_ text: String) -> (milliseconds: Double, memory: Int, isAccepted: Bool) {
        let input = Array(text.utf8)
        return WorstCases.cost {
            (try? verifier.verify(signedObject: input, for: .any)) != nil
        }
    }

    mutating func run() throws {
        print(
            column("JWS: most expensive of its size", 52), column("bytes", 10), column("answer", 9),
            column("time", 13),
            column("memory", 8), "ratio")
        for bytes in [8 << 10, 64 << 10, 1_000_000] {
            let plain = try make([1, 0, 0, 0, 0], bytes: bytes)
            let ordinary = cost(plain).milliseconds / Double(plain.utf8.count)
            for accepted in [true, false] {
                var best = (
                    ratio: 0.0, genes: [Int](), bytes: 0,
                    cost: (milliseconds: 0.0, memory: 0, isAccepted: false)
                )
                for _ in 0..<8 {
                    var genes = pick(accepted)
                    var least = 0.0
                    for _ in 0..<24 {
                        var changed = genes
                        let gene = Int(random.next() % UInt64(genes.count))
                        changed[gene] = pick(accepted)[gene]
                        let text = try make(changed, bytes: bytes)
                        guard text.utf8.count > bytes / 2 else { continue }
                        let spent = cost(text)
                        guard spent.isAccepted == accepted else { continue }
                        let ratio = spent.milliseconds / (ordinary * Double(text.utf8.count))
                        if ratio > least { (least, genes) = (ratio, changed) }
                        if ratio > best.ratio { best = (ratio, changed, text.utf8.count, spent) }
                    }
                }
                let named = zip(Self.names, best.genes).map { "\($0) \($1)" }.joined(separator: ", ")
                print(
                    column(named, 52), column("\(best.bytes)", 10),
                    column(accepted ? "accepted" : "refused", 9),
                    column(String(format: "%.3f ms", best.cost.milliseconds), 13),
                    column("\(best.cost.memory) MiB", 8),
                    String(format: "%.2f", best.ratio))
            }
        }
    }

    /// Returns random genes. An accepted input needs a valid header, valid certificates and a valid end.
    private mutating func pick(_ accepted: Bool) -> [Int] {
        var genes = Self.choices.map { Int(random.next() % UInt64($0)) }
        if accepted { genes.replaceSubrange(1..., with: [0, 0, 0, 0]) }
        return genes
    }
}
