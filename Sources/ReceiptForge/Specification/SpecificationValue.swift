#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A JSON value of a specification. An object in place of a compact JWS is the payload to sign.
enum SpecificationValue: Decodable {
    /// The JSON text of null, a Boolean or a number.
    case literal(String)
    case text(String)
    case list([SpecificationValue])
    /// The members sorted by name, because decoding loses their order.
    case object([(name: String, value: SpecificationValue)])

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: SpecificationObject.Key.self) {
            self = .object(
                try container.allKeys.sorted { $0.stringValue < $1.stringValue }.map {
                    ($0.stringValue, try container.decode(SpecificationValue.self, forKey: $0))
                })
            return
        }
        if var container = try? decoder.unkeyedContainer() {
            var list: [SpecificationValue] = []
            while !container.isAtEnd { list.append(try container.decode(SpecificationValue.self)) }
            self = .list(list)
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .literal("null")
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let flag = try? container.decode(Bool.self) {
            self = .literal("\(flag)")
        } else if let number = try? container.decode(Int64.self) {
            self = .literal("\(number)")
        } else {
            self = .literal("\(try container.decode(Decimal.self))")
        }
    }

    /// Returns the value as JSON, in which `sign` signs the payloads of compact JWS.
    func json(
        under name: String = "", _ sign: (_ payload: JSONMembers) throws(ForgeError) -> String
    ) throws(ForgeError) -> String {
        switch self {
        case .literal(let text): return text
        case .text(let text): return Self.quoted(text)
        case .list(let values):
            var texts: [String] = []
            for value in values { texts.append(try value.json(under: name, sign)) }
            return "[\(texts.joined(separator: ","))]"
        case .object(let members):
            guard let kind = SignedKind(member: name) else { return try Self.members(members, sign).text }
            return Self.quoted(try sign(kind.payload(with: members, sign)))
        }
    }

    static func members(
        _ list: [(name: String, value: SpecificationValue)],
        _ sign: (_ payload: JSONMembers) throws(ForgeError) -> String
    ) throws(ForgeError) -> JSONMembers {
        var members = JSONMembers([])
        for (name, value) in list { members.list.append((name, try value.json(under: name, sign))) }
        return members
    }

    private static func quoted(_ text: String) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }
}

extension JSONMembers {
    /// The members of every notification body.
    static let body: JSONMembers = ["bundleId": #""com.example.app""#, "environment": #""Sandbox""#]

    /// A sandbox token, whose identifier names the environment.
    static let externalPurchaseToken: JSONMembers = [
        "externalPurchaseId": #""SANDBOX_b2158121-7af9-49d4-9561-1f588205523e""#,
        "tokenCreationDate": "1777593600000", "appAppleId": "1470168868", "bundleId": #""com.example.app""#,
    ]

    /// Replaces the values of these members. Null removes a member.
    mutating func replace(_ members: JSONMembers) { replace(members.list) }
    mutating func replace(_ members: [(name: String, value: String)]) {
        for (name, value) in members { self[name] = value == "null" ? nil : value }
    }

    /// Whether StoreKit Test signs the payload.
    var isOfXcode: Bool {
        let names = [#""Xcode""#, #""LocalTesting""#]
        let bodies = ["data", "summary", "appData"].compactMap { self[$0] }
        return [self["environment"], self["receiptType"]].contains { names.contains($0 ?? "") }
            || bodies.contains { body in names.contains { body.contains("\"environment\":\($0)") } }
    }
}
