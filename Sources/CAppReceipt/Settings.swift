import AppReceipt
import OfferEligibility
import ReceiptExamination
import ReceiptJSON
import ReceiptServices
import StrictJSON

// appreceipt.h documents the members of the settings.

/// The settings of a verifier. Unknown members are errors, and so are empty lists, because they would look
/// like an absent requirement.
struct Settings {
    private(set) var anchors = TrustAnchors.apple
    private(set) var isCrossChecking = false
    private(set) var sha1Signatures = SHA1Signatures.untilAppleStopped
    private(set) var limits = ReceiptLimits()
    private(set) var revocation = RevocationSettings()
    private(set) var catalog: SubscriptionCatalog?
    private(set) var policies = OfferPolicies()
    private(set) var recordsAsOf: Timestamp?
    private(set) var isKeepingEvidence = false
    private(set) var recordsSource: Int?
    /// The requirements that genuine evidence must meet.
    private(set) var policy = VerificationPolicy.anyApp([])
    private var verifyReceipt = VerifyReceiptSettings()

    /// The maximum length in bytes, the same as for a catalog that `appreceipt` reads.
    static let maximumBytes = 64 << 20

    /// The maximum number of certificates, and of apps.
    private static let maximumElements = 1000

    private struct VerifyReceiptSettings {
        enum Environment: String, CaseIterable {
            case production, sandbox

            var environments: VerificationPolicy.Environments { self == .production ? .production : .sandbox }
            var endpoint: VerifyReceiptEndpoint.Environment { self == .production ? .production : .sandbox }
        }
        enum Latest: String, CaseIterable { case omitted, asOfReceipt = "as-of-receipt" }

        var environment: Environment?
        var sharedSecret: String?
        var latest = Latest.omitted
    }

    /// Returns the endpoint that answers as Apple's verifyReceipt does, with no requirements other than
    /// Apple's.
    /// - Returns: a failure if these settings have other requirements, because callers would rely on checks
    ///   that do not happen.
    func verifyReceiptEndpoint(
        _ verifier: ReceiptVerifier
    ) throws(ReceiptError) -> Result<VerifyReceiptEndpoint, BoundaryFailure> {
        if policy.deviceID != nil {
            return .failure(.badSettings("device_id: not supported by verifyReceipt"))
        }
        let hosts = VerifyReceiptSettings.Environment.allCases.filter {
            policy.environments.isSuperset(of: $0.environments)
        }
        guard let host = verifyReceipt.environment ?? hosts.first, hosts.contains(host) else {
            return .failure(
                .badSettings("verify_receipt.environment: not accepted by the setting environment"))
        }
        var endpoint = try VerifyReceiptEndpoint(
            host.endpoint, for: policy,
            password: verifyReceipt.sharedSecret.map { .required($0) } ?? .ignored, verifier: verifier)
        endpoint.latestReceiptInfo = verifyReceipt.latest == .omitted ? .leftOut : .asOfReceipt
        return .success(endpoint)
    }

    /// Parses settings.
    /// - Throws: `BoundaryFailure`, also if apps or environments are missing, so that a missing setting
    ///   removes no check.
    init(_ text: [UInt8]) throws(BoundaryFailure) {
        var bundleIDs: [String]?
        var appAppleIDs: [Int64]?
        var environments: VerificationPolicy.Environments?
        var deviceID: [UInt8]?
        guard !text.isEmpty else { throw Self.unsaid("bundle_ids") }
        do throws(JSONError) {
            var reader = JSONReader(text.span)
            var (roots, testRoots): ([[UInt8]]?, [[UInt8]]) = (nil, [])
            var (lists, policy): ([RevocationList], RevocationPolicy?) = ([], nil)
            try reader.object { (reader, name) throws(JSONError) in
                switch name.ifASCII {
                case "roots": roots = try Self.certificates(&reader)
                case "storekit_test_roots": testRoots = try Self.certificates(&reader)
                case "bundle_ids":
                    let ids = try Self.oneOrMore(&reader) { (reader, _) throws(JSONError) in
                        let bundleID = try reader.string()
                        guard !bundleID.isEmpty else {
                            throw reader.error(.invalid("empty bundle ID"))
                        }
                        return bundleID
                    }
                    guard VerificationPolicy(bundleIDs: ids, []) != nil else {
                        throw reader.error(.invalid("'any' cannot be combined with other bundle IDs"))
                    }
                    bundleIDs = ids
                case "app_apple_id":
                    if try reader.peek() == .string {
                        let word = try reader.string()
                        guard word == VerificationPolicy.anyWord else {
                            throw reader.error(.invalid("must be a number, an array of numbers or 'any'"))
                        }
                        return
                    }
                    appAppleIDs = try Self.oneOrMore(&reader) { (reader, _) throws(JSONError) in
                        let id: Int64 = try reader.integer()
                        guard id > 0 else { throw reader.error(.integerOutOfRange) }
                        return id
                    }
                case "environment":
                    let expected: [ExpectedEnvironment] = try Self.oneOrMore(&reader) {
                        (reader, _) throws(JSONError) in try reader.choice()
                    }
                    guard let accepted = VerificationPolicy.Environments(expected) else {
                        throw reader.error(.invalid("'any' cannot be combined with other environments"))
                    }
                    environments = accepted
                case "device_id":
                    let digits = try reader.string()
                    do throws(DeviceIdentifier.Fault) {
                        deviceID = try DeviceIdentifier(digits).bytes
                    } catch {
                        throw reader.error(.invalid(error.message))
                    }
                case "cross_check": isCrossChecking = try reader.bool()
                case "sha1_signatures": sha1Signatures = try reader.choice()
                case "limits": limits = try reader.limits()
                case "crl": lists = try Self.revocationLists(&reader)
                case "distrust":
                    revocation.distrust = try Self.object(name, of: text, &reader) {
                        (json) throws(JSONError) in
                        try DistrustList(parsing: json)
                    }
                case "revocation": policy = try reader.choice()
                case "catalog":
                    catalog = try Self.object(name, of: text, &reader) { (json) throws(JSONError) in
                        try SubscriptionCatalog(parsing: json)
                    }
                case "policies": try readPolicies(&reader)
                case "records": try readRecords(&reader)
                case "verify_receipt": try readVerifyReceipt(&reader)
                default: throw reader.error(.invalid("unknown setting"))
                }
            }
            try reader.end()
            guard recordsAsOf == nil || catalog != nil else {
                throw JSONError(.missing("catalog"), at: text.count, path: "records.as_of")
            }
            try setRevocation(lists, policy, at: text.count)
            if let roots { anchors = .custom(each: roots) }
            for root in testRoots { anchors = anchors.adding(storeKitTest: root) }
        } catch {
            throw .badSettings("\(error)")
        }
        guard let bundleIDs else { throw Self.unsaid("bundle_ids") }
        guard let environments else { throw Self.unsaid("environment") }
        policy = VerificationPolicy(bundleIDs: bundleIDs, environments) ?? .anyApp([])
        if let appAppleIDs { policy = policy.expecting(appAppleIDs: appAppleIDs) }
        if let deviceID { policy = policy.expecting(deviceID: deviceID) }
    }

    /// Sets the lists and the policy, which must not look like a check that does not happen.
    private mutating func setRevocation(
        _ lists: [RevocationList], _ policy: RevocationPolicy?, at end: Int
    ) throws(JSONError) {
        let isGiven = !lists.isEmpty || revocation.distrust != nil
        switch policy {
        case .off where isGiven:
            throw JSONError(
                .invalid("off cannot be combined with crl or distrust"), at: end, path: "revocation")
        case .check where !isGiven:
            throw JSONError(.invalid("check requires crl or distrust"), at: end, path: "revocation")
        case .require where lists.isEmpty:
            throw JSONError(.invalid("require requires crl"), at: end, path: "revocation")
        default: break
        }
        (revocation.lists, revocation.policy) = (lists, policy ?? .check)
    }

    /// Reads revocation lists. A list that can give no information is an error.
    private static func revocationLists(_ reader: inout JSONReader) throws(JSONError) -> [RevocationList] {
        var room = RevocationList.maximumBytes
        return try list(&reader) { (reader, index) throws(JSONError) in
            let text = try reader.text(atMost: maximumBytes)
            let list: RevocationList
            do throws(ReceiptError) {
                list = try RevocationList(parsing: text, name: "crl[\(index)]")
            } catch {
                throw reader.error(.invalid("not a certificate revocation list: \(error.description)"))
            }
            if let fault = list.fault { throw reader.error(.invalid("cannot be used: \(fault)")) }
            room -= list.byteCount
            guard room >= 0 else {
                throw reader.error(
                    .invalid("more than \(RevocationList.maximumBytes) bytes of revocation lists"))
            }
            return list
        }
    }

    /// Parses an object in the settings.
    /// - Throws: `JSONError` with an offset and a path in the whole settings.
    private static func object<Value>(
        _ name: String, of text: [UInt8], _ reader: inout JSONReader,
        _ parse: ([UInt8]) throws(JSONError) -> Value
    ) throws(JSONError) -> Value {
        let range = try reader.slice(of: .object)
        do throws(JSONError) {
            return try parse(Array(text[range]))
        } catch {
            throw JSONError(
                error.fault, at: range.lowerBound + error.offset,
                path: error.path.isEmpty ? name : "\(name).\(error.path)")
        }
    }

    private static func unsaid(_ name: String) -> BoundaryFailure {
        .badSettings("\(name): required; name the accepted values or \"any\"")
    }

    private mutating func readPolicies(_ reader: inout JSONReader) throws(JSONError) {
        try reader.object { (reader, name) throws(JSONError) in
            switch name.ifASCII {
            case "refunds": policies.refunds = try reader.choice()
            case "stale_evidence": policies.staleEvidence = try reader.choice()
            case "partial_evidence": policies.partialEvidence = try reader.choice()
            case "promotional_scope": policies.promotionalScope = try reader.choice()
            default: throw reader.error(.invalid("unknown setting"))
            }
        }
    }

    private mutating func readRecords(_ reader: inout JSONReader) throws(JSONError) {
        try reader.object { (reader, name) throws(JSONError) in
            switch name.ifASCII {
            case "as_of": recordsAsOf = try reader.date()
            case "evidence": isKeepingEvidence = try reader.bool()
            case "source":
                let number: Int = try reader.integer()
                guard number > 0 else { throw reader.error(.integerOutOfRange) }
                recordsSource = number
            default: throw reader.error(.invalid("unknown setting"))
            }
        }
    }

    private mutating func readVerifyReceipt(_ reader: inout JSONReader) throws(JSONError) {
        try reader.object { (reader, name) throws(JSONError) in
            switch name.ifASCII {
            case "environment": verifyReceipt.environment = try reader.choice()
            case "shared_secret": verifyReceipt.sharedSecret = try reader.string()
            case "latest": verifyReceipt.latest = try reader.choice()
            default: throw reader.error(.invalid("unknown setting"))
            }
        }
    }

    /// Reads one element, or an array of at least one.
    private static func oneOrMore<Element>(
        _ reader: inout JSONReader, _ element: (inout JSONReader, Int) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        try reader.peek() == .array ? try list(&reader, element) : [try element(&reader, 0)]
    }

    private static func list<Element>(
        _ reader: inout JSONReader, _ element: (inout JSONReader, Int) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        let list = try reader.list(atMost: maximumElements, element)
        guard !list.isEmpty else { throw reader.error(.empty) }
        return list
    }

    private static func certificates(_ reader: inout JSONReader) throws(JSONError) -> [[UInt8]] {
        try list(&reader) { (reader, _) throws(JSONError) in
            let text = try reader.text(atMost: 64 << 10)
            do throws(ReceiptError) {
                // The text cannot be a certificate in DER. The second byte would be above 0x80, which cannot
                // follow the first one, 0x30, in UTF-8.
                return try InputEncoding.decode(text).der
            } catch {
                throw reader.error(.invalid("not a certificate: \(error.message)"))
            }
        }
    }
}
