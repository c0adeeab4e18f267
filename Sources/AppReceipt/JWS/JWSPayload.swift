import StrictJSON

/// The payload of a JWS: a strictly parsed JSON object.
struct JWSPayload: Sendable {
    let bytes: [UInt8]
    let members: SignedMembers
    let kind: JWSKind
    /// The date of signing, at which the certificates must be valid.
    let date: Timestamp
    /// The body of a notification, if it has one. Set by `check(in:)`.
    private(set) var body: (name: String, members: SignedMembers)?

    /// Parses the JSON but interprets only its kind and date of signing, because its signature is not
    /// verified yet.
    init(parsing bytes: [UInt8]) throws(ReceiptError) {
        let members = try SignedMembers(parsing: bytes.span, in: 0..<bytes.count, path: "payload")
        let kinds = JWSKind.allCases.filter { members[$0.distinctiveMember] != nil }
        guard let kind = kinds.first, kinds.count == 1 else { throw .jws(.kind, at: nil, "payload") }
        let field = "payload.\(kind.dateMember)"
        guard let date = members[kind.dateMember] else { throw .jws(.dateMissing, at: nil, field) }
        guard case .number(let number) = date.value else {
            throw ReceiptError(
                .malformed, .json(.unexpectedKind(expected: .number, found: date.value.kind)),
                offset: date.range.lowerBound, field: field)
        }
        guard let date = Timestamp.signed(number)?.date else {
            throw .jws(.number, at: date.range.lowerBound, field)
        }
        (self.bytes, self.kind, self.date, self.members) = (bytes, kind, date, members)
    }

    /// Checks the types of documented members, and that the kind of trust anchor is allowed for the
    /// environment.
    mutating func check(in realm: TrustAnchorKind) throws(ReceiptError) {
        let isStoreKitTest = realm == .storeKitTest
        try members.check(
            against: kind.members, isStoreKitTest: isStoreKitTest, of: bytes.span, path: "payload")
        if kind == .notification {
            for (name, types) in JWSKind.bodies {
                guard let member = members[name] else { continue }
                let path = "payload.\(name)"
                guard body == nil else { throw .jws(.body, at: member.range.lowerBound, path) }
                let inner = try SignedMembers(parsing: bytes.span, in: member.range, path: path)
                try inner.check(against: types, isStoreKitTest: isStoreKitTest, of: bytes.span, path: path)
                body = (name, inner)
            }
        }
        let isOfXcode = environment == .xcode || environment == .localTesting
        guard isOfXcode == isStoreKitTest else {
            throw ReceiptError(.untrustedChain, .realm(realm), field: environmentField)
        }
    }

    private var environmentMember: String {
        switch kind {
        case .transaction, .renewalInfo, .realtimeRequest: "environment"
        case .appTransaction: "receiptType"
        case .notification:
            body?.name == Self.token
                ? "\(Self.token).externalPurchaseId" : "\(body?.name ?? "data").environment"
        }
    }

    /// The environment that the payload names, or nil if it names none of the four.
    var environment: ReceiptEnvironment? {
        let text =
            switch kind {
            case .transaction, .renewalInfo, .realtimeRequest: members.text("environment")
            case .appTransaction: members.text("receiptType")
            case .notification: body?.members.text("environment")
            }
        if let body, body.name == Self.token { return Self.environment(ofToken: body.members) }
        return text.flatMap { ReceiptEnvironment(rawValue: $0.ifASCII) }
    }

    /// The notification body whose environment is determined by the prefix of an identifier.
    private static let token = "externalPurchaseToken"

    /// Returns the environment of an external purchase token: the sandbox's identifiers start with SANDBOX
    /// (Apple, "App Store Server Notifications", externalPurchaseId). Nil without an identifier.
    private static func environment(ofToken token: SignedMembers) -> ReceiptEnvironment? {
        guard let id = token.text("externalPurchaseId"), !id.isEmpty else { return nil }
        return id.utf8.starts(with: "SANDBOX".utf8) ? .sandbox : .production
    }

    /// The bundle ID. Renewal information names no app, and realtime requests name it by `appAppleId`.
    var bundleID: String? {
        switch kind {
        case .transaction, .renewalInfo, .appTransaction: members.text("bundleId")
        case .notification: body?.members.text("bundleId")
        case .realtimeRequest: nil
        }
    }

    /// `appAppleId`, which identifies the app in the App Store. Transactions and renewal information have
    /// none.
    var appAppleID: Int64? {
        switch kind {
        case .appTransaction, .realtimeRequest: members.integer("appAppleId")
        case .notification: body?.members.integer("appAppleId")
        case .transaction, .renewalInfo: nil
        }
    }

    /// The paths of the members that name the app and the environment. These members may be absent.
    var bundleIDField: String {
        "payload." + (kind == .notification ? "\(body?.name ?? "data").bundleId" : "bundleId")
    }
    var environmentField: String { "payload.\(environmentMember)" }
    var appAppleIDField: String {
        "payload." + (kind == .notification ? "\(body?.name ?? "data").appAppleId" : "appAppleId")
    }

    /// The use of `appAppleId` in objects of this kind.
    var appAppleIDUse: NamedOrigin.AppAppleIDUse {
        switch kind {
        case .realtimeRequest: .alone
        case .appTransaction, .notification: .besideBundleID
        case .transaction, .renewalInfo: .optional
        }
    }
}
