package import AppReceipt
package import ReceiptExamination
import StrictJSON

/// The revocation lists and the distrust list behind verdicts, which bundles carry for their check.
package struct EvidenceLists: Sendable {
    package let inputs: RevocationInputs
    package let facts: RevocationFacts
    /// Whether each bundle has the lists. An audit's bundle has them once for all records.
    package var isCarried = true

    package static let none = EvidenceLists()

    /// The maximum number of revocation lists, because check.sh lists every file of a bundle.
    static let mostLists = 50
    static let distrust = "distrust.json"

    private init() { (inputs, facts) = (.none, .none) }

    /// - Throws: ``ReceiptError`` with code `too_large` if there are too many lists, or `unreadable` if OpenSSL
    ///   fails.
    package init(_ inputs: RevocationInputs, _ verifier: ReceiptVerifier) throws(ReceiptError) {
        self.inputs = inputs
        facts = try RevocationFacts(inputs, verifier)
        guard facts.lists.count <= Self.mostLists else {
            throw ReceiptError(
                .tooLarge,
                message: "\(facts.lists.count) revocation lists, evidence has at most \(Self.mostLists)")
        }
    }

    /// Returns the name of the revocation list at this position, from 0, in the order of the digests.
    static func name(_ position: Int) -> String { "\(position + 1).crl" }

    package var files: [EvidenceFile] {
        let lists = inputs.settings.lists
        var files = facts.lists.enumerated().compactMap { index, list in
            list.positions.first.map { EvidenceFile(Self.name(index), lists[$0].der) }
        }
        if facts.distrust != nil, let distrust = inputs.distrust {
            files.append(EvidenceFile(Self.distrust, distrust))
        }
        return files
    }
}

/// The policy and the lists that a request names by digest.
struct RequestedLists: Hashable {
    let policy: RevocationPolicy
    /// The SHA-256 of each revocation list in hexadecimal, sorted.
    let lists: [String]
    let distrust: String?

    /// Returns nil if nothing is checked.
    init?(_ facts: RevocationFacts) {
        guard facts.policy != .off else { return nil }
        (policy, lists, distrust) = (facts.policy, facts.lists.map(\.sha256), facts.distrust)
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.string("policy", policy.rawValue)
            json.array("crl", lists) { $0.string($1) }
            json.string("distrust", distrust)
        }
    }

    init(reading reader: inout JSONReader) throws(JSONError) {
        var (policy, lists, distrust): (RevocationPolicy?, [String], String?) = (nil, [], nil)
        try reader.object { (reader, name) throws(JSONError) in
            switch name.ifASCII {
            case "policy": policy = RevocationPolicy(rawValue: try reader.string().ifASCII)
            case "crl":
                try reader.array { (reader, index) throws(JSONError) in
                    guard index < EvidenceLists.mostLists else { throw reader.error(.unknownFormat) }
                    lists.append(try reader.string())
                }
            case "distrust": distrust = try reader.null() ? nil : reader.string()
            default: throw reader.error(.unknownFormat)
            }
        }
        guard let policy, policy != .off, (lists + [distrust ?? ""]).allSatisfy(\.isASCII),
            lists == Set(lists).sorted()
        else {
            throw reader.error(.unknownFormat)
        }
        (self.policy, self.lists, self.distrust) = (policy, lists, distrust)
    }
}
