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
        guard let date = Timestamp.signed(number) else {
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

    /// The members that name the app and the environment: the body's in a notification.
    private var named: SignedMembers? { kind == .notification ? body?.members : members }

    /// Whether the environment is determined by the prefix of an identifier.
    private var isToken: Bool { body?.name == "externalPurchaseToken" }

    private var environmentMember: String {
        kind == .appTransaction ? "receiptType" : isToken ? "externalPurchaseId" : "environment"
    }

    /// The environment that the payload names, or nil if it names none of the four. The sandbox's external
    /// purchase identifiers start with SANDBOX (Apple, "App Store Server Notifications", externalPurchaseId).
    var environment: ReceiptEnvironment? {
        guard let text = named?.text(environmentMember) else { return nil }
        guard isToken else { return ReceiptEnvironment(rawValue: text.ifASCII) }
        return text.isEmpty ? nil : text.utf8.starts(with: "SANDBOX".utf8) ? .sandbox : .production
    }

    /// The bundle ID. Renewal information names no app, and realtime requests name it by `appAppleId`.
    var bundleID: String? { kind == .realtimeRequest ? nil : named?.text("bundleId") }

    /// `appAppleId`, which identifies the app in the App Store. Transactions and renewal information have
    /// none.
    var appAppleID: Int64? {
        kind == .transaction || kind == .renewalInfo ? nil : named?.integer("appAppleId")
    }

    /// The paths of the members that name the app and the environment. These members may be absent.
    var bundleIDField: String { field("bundleId") }
    var environmentField: String { field(environmentMember) }
    var appAppleIDField: String { field("appAppleId") }

    private func field(_ name: String) -> String {
        "payload." + (kind == .notification ? "\(body?.name ?? "data").\(name)" : name)
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
