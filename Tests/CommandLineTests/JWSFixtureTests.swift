import AppReceipt
import Foundation
import ReceiptForge
import Testing

/// The JWS of `Fixtures/` say what their descriptions say, and verify. A signature of an elliptic curve is another each
/// time, so they are not compared byte for byte; with `FORGE_FIXTURES=1` in the environment they are made anew first.
@Suite("JWS fixtures")
struct JWSFixtureTests {
    /// By file: JSON in which `{"$signed": {…}}` stands for a compact JWS of that payload.
    static func descriptions() throws -> [String: Any] {
        let bytes = try Data(contentsOf: FixtureTests.fixtures.appending(path: "specs/jws.json"))
        return try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    }

    /// The test authority, with a leaf that can sign JWS.
    static func authority() throws -> Authority {
        try .test { (profiles) throws(ForgeError) in profiles.leaf.key = try .generateEC(.p256) }
    }

    @Test(arguments: try descriptions().keys.sorted())
    func saysWhatItsDescriptionSays(file: String) throws {
        let url = FixtureTests.fixtures.appending(path: file)
        let description = try #require(try Self.descriptions()[file])
        if ProcessInfo.processInfo.environment["FORGE_FIXTURES"] != nil {
            let made = try Self.signed(description, by: Self.authority())
            let text = try made as? String ?? Self.text(made)
            try Data((text + "\n").utf8).write(to: url)
        }
        let text = try String(contentsOf: url, encoding: .utf8).trimmingCharacters(in: .newlines)
        let json = try? JSONSerialization.jsonObject(with: Data(text.utf8))
        #expect(try Self.text(Self.read(json ?? text)) == Self.text(description))

        let root = try Data(contentsOf: FixtureTests.fixtures.appending(path: "roots/root.cer"))
        let verifier = try ReceiptVerifier(anchors: .custom([UInt8](root)))
        let texts =
            json == nil ? [text] : try APIAnswer(parsing: Array(text.utf8)).elements.map { $0.text ?? "" }
        for text in texts {
            _ = try verifier.verify(jws: text, for: .anyApp)
        }
    }

    private static func text(_ value: Any) throws -> String {
        let options: JSONSerialization.WritingOptions = [
            .sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed,
        ]
        return String(
            decoding: try JSONSerialization.data(withJSONObject: value, options: options), as: UTF8.self)
    }

    /// Every description of a JWS in its place, the innermost first.
    private static func signed(_ value: Any, by authority: Authority) throws -> Any {
        switch value {
        case let object as [String: Any]:
            let object = try object.mapValues { try signed($0, by: authority) }
            guard let payload = object["$signed"] as? [String: Any] else { return object }
            let members = try payload.sorted { $0.key < $1.key }.map { ($0.key, try text($0.value)) }
            return try JWSRecipe(JSONMembers(members), authority: authority).forge()
        case let array as [Any]: return try array.map { try signed($0, by: authority) }
        default: return value
        }
    }

    /// Every JWS as its description.
    private static func read(_ value: Any) throws -> Any {
        switch value {
        case let text as String where text.hasPrefix("eyJ"):
            let parts = text.split(separator: ".").map(String.init)
            let base64 = parts[1].replacing("-", with: "+").replacing("_", with: "/")
            let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
            let payload = try #require(Data(base64Encoded: base64 + padding))
            return ["$signed": try read(JSONSerialization.jsonObject(with: payload))]
        case let object as [String: Any]: return try object.mapValues(read)
        case let array as [Any]: return try array.map(read)
        default: return value
        }
    }
}
