import AppReceipt
package import ReceiptExamination
import ReceiptJSON
import StrictJSON

/// The request for a verdict. Together with `received` and the root certificates, it determines the verdict.
package struct EvidenceRequest: Sendable {
    package private(set) var origin: ReceiptOrigin
    /// The place of the object in the received bytes: empty, or for example `#data.signedTransactionInfo`.
    private(set) var place = ""
    /// Whether the object came in an export, so that a wrapping is removed.
    private(set) var isUnwrapping = false
    private(set) var policy = VerificationPolicy.any
    private(set) var limits = ReceiptLimits()
    private(set) var sha1Signatures = SHA1Signatures.untilAppleStopped
    /// The policy and the lists for revocation, or nil if nothing was checked.
    private(set) var lists: RequestedLists?
    private(set) var question: EvidenceQuestion?

    static let file = "request.json"

    /// The contents of the file `request.json`.
    var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.number("evidence", Self.schemaVersion)
            json.string("appreceipt", ReceiptVerifier.packageVersion)
            switch origin {
            case .source(let path), .unsigned(let path):
                json.string("source", path)
            case .record(let id, let subject):
                json.string("id", id)
                json.string("subject", subject)
            case .tokens(let id, let subject):
                json.key("id")
                json.raw(id)
                json.key("subject")
                if let subject { json.raw(subject) } else { json.null() }
            case .unreadable(let line):
                json.number("line", line)
            }
            json.string("place", place)
            json.bool("is_of_export", isUnwrapping)
            json.key("bundle_id")
            json.allowed(policy.bundleIDs)
            json.key("app_apple_id")
            json.allowed(policy.appAppleIDs?.map { "\($0)" })
            json.key("environment")
            json.allowed(policy.environments.named?.map(\.rawValue))
            json.string("device_id", policy.deviceID.map { hexadecimal($0) })
            json.string("sha1_signatures", sha1Signatures.rawValue)
            json.object("limits") { json in
                for (setting, value) in limits.named {
                    json.key(setting.member)
                    json.number(value)
                }
            }
            json.key("revocation")
            if let lists { lists.write(to: &json) } else { json.null() }
            json.key("question")
            if let question { json.question(question) } else { json.null() }
        }
        json.endLine()
        return json.bytes
    }

    /// The schema version of bundles. Other versions of the program may use another one.
    static let schemaVersion = 2
}

extension EvidenceRequest {
    /// Returns the schema version of a bundle and the version of the program that made it, or nil if the file
    /// does not name both.
    static func origin(of bytes: [UInt8]) -> (schemaVersion: Int, version: String)? {
        var (schemaVersion, version): (Int?, String?)
        var reader = JSONReader(bytes.span)
        try? reader.object { (reader, name) throws(JSONError) in
            switch name.ifASCII {
            case "evidence": schemaVersion = try reader.integer(Int.self)
            case "appreceipt": version = try reader.string()
            default: try reader.skip()
            }
        }
        guard let schemaVersion, let version else { return nil }
        return (schemaVersion, version)
    }

    /// Reads the output of ``json``.
    /// - Parameter catalog: The bundle's catalog file, if there is one.
    init(parsing bytes: [UInt8], catalog: [UInt8]?) throws(JSONError) {
        var source: String?
        var id: [UInt8]?
        var subject: [UInt8]?
        var line: Int?
        var bundleIDs: [String]?
        var appAppleIDs: [Int64]?
        var environments = VerificationPolicy.Environments.anyEnvironment
        var device: [UInt8]?
        var reader = JSONReader(bytes.span)
        self.init(origin: .source(""))
        try reader.object { (reader, name) throws(JSONError) in
            let isNull = try reader.peek() == .null
            switch name.ifASCII {
            case "evidence":
                guard try reader.integer(Int.self) == Self.schemaVersion else {
                    throw reader.error(.unknownFormat)
                }
            case _ where isNull: try reader.skip()
            case "appreceipt": try reader.skip()
            case "source": source = try reader.string(atMost: bytes.count)
            case "id": id = Array(bytes[try reader.slice()])
            case "subject": subject = Array(bytes[try reader.slice()])
            case "line": line = try reader.integer(Int.self)
            case "place": place = try reader.string(atMost: bytes.count)
            case "is_of_export": isUnwrapping = try reader.bool()
            case "bundle_id": bundleIDs = try reader.allowed(atMost: bytes.count)
            case "app_apple_id":
                let texts = try reader.allowed(atMost: bytes.count)
                let numbers = texts.compactMap { Int64($0) }
                guard numbers.count == texts.count else { throw reader.error(.unknownFormat) }
                appAppleIDs = numbers
            case "environment":
                let names = try reader.allowed(atMost: bytes.count)
                let known = names.compactMap { ReceiptEnvironment(rawValue: $0.ifASCII) }
                guard known.count == names.count else { throw reader.error(.unknownFormat) }
                environments = .init(known)
            case "device_id":
                let text = try reader.string()
                guard let bytes = [UInt8](hexadecimal: text.utf8) else { throw reader.error(.unknownFormat) }
                device = bytes
            case "sha1_signatures": sha1Signatures = try reader.named()
            case "limits": limits = try reader.limits()
            case "revocation": lists = try RequestedLists(reading: &reader)
            case "question": question = try EvidenceQuestion(reading: &reader, catalog: catalog)
            default: throw reader.error(.unknownFormat)
            }
        }
        try reader.end()
        let origin: ReceiptOrigin? =
            source.map { .source($0) } ?? id.map { .tokens(id: $0, subject: subject) }
            ?? line.map { .unreadable(line: $0) }
        guard let origin else { throw reader.error(.missing("source")) }
        self.origin = origin
        policy = bundleIDs.map { VerificationPolicy.apps($0, environments) } ?? .anyApp(environments)
        if let appAppleIDs { policy = policy.expecting(appAppleIDs: appAppleIDs) }
        if let device { policy = policy.expecting(deviceID: device) }
    }
}

extension JSONWriter {
    /// Writes null if any value is allowed, a string for one allowed value, and an array for several.
    fileprivate mutating func allowed(_ values: [String]?) {
        guard let values, values.count != 1 else { return string(values?.first) }
        array(values) { json, value in json.string(value) }
    }
}

extension JSONReader {
    /// Reads allowed values as `JSONWriter.allowed(_:)` writes them.
    fileprivate mutating func allowed(atMost limit: Int) throws(JSONError) -> [String] {
        guard try peek() == .array else { return [try string(atMost: limit)] }
        return try list { (reader, _) throws(JSONError) in try reader.string(atMost: limit) }
    }
}
