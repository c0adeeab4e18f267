import AppReceipt
import ReceiptExamination
import StrictJSON

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
