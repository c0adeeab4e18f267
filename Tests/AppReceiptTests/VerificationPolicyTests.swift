import AppReceipt
import ReceiptForge
import Testing

/// The verification policy for a receipt: expected app, environment and device.
struct VerificationPolicyTests {
    private func receipt(
        for policy: VerificationPolicy = .any, _ change: (inout ReceiptContent) -> Void = { _ in }
    ) throws -> VerifiedReceipt {
        var content = ReceiptContent()
        change(&content)
        let forged = try ReceiptRecipe(content, authority: .test()).forge()
        return try ReceiptVerifier(anchors: .custom(forged.anchor)).verify(forged.bytes, for: policy)
    }

    /// Checks that an empty bundle ID, for example from a missing setting, does not match every app.
    @Test(arguments: [
        ("com.example.forge", true), ("com.example.forge2", false), ("COM.EXAMPLE.FORGE", false), ("", false),
        ("com.example.forge\0", false), ("*", false),
    ])
    func bundleID(bundleID: String, isTaken: Bool) throws {
        let policy = VerificationPolicy.app(bundleID, .anyEnvironment)
        if isTaken {
            #expect(try receipt(for: policy).payload.bundleID == bundleID)
            try receipt().require(policy)
        } else {
            let error = #expect(throws: ReceiptError.self) { try receipt(for: policy) }
            #expect(error?.code == .wrongBundleID)
            #expect(error?.field == "payload.bundle_id")
            let again = #expect(throws: ReceiptError.self) { try receipt().require(policy) }
            #expect(again == error)
        }
    }

    /// Checks that bundle IDs are compared by bytes. Swift strings are equal if they are canonically
    /// equivalent.
    @Test
    func bundleIDIsComparedByBytes() throws {
        let composed = VerificationPolicy.app("com.example.caf\u{E9}", .production)
        let decomposed = VerificationPolicy.app("com.example.cafe\u{301}", .production)
        _ = try receipt(for: composed) { $0.bundleID = "com.example.caf\u{E9}" }
        #expect(throws: ReceiptError.self) {
            try receipt(for: decomposed) { $0.bundleID = "com.example.caf\u{E9}" }
        }
        #expect(throws: ReceiptError.self) {
            try receipt(for: .apps(["com.example.cafe\u{301}", "a"], .production)) {
                $0.bundleID = "com.example.caf\u{E9}"
            }
        }
    }

    /// Checks that a receipt with a missing or unknown type matches no environment.
    @Test(
        arguments: [
            ("Production", .production), ("ProductionSandbox", .sandbox), ("Nonsense", nil), (nil, nil),
        ] as [(String?, ReceiptEnvironment?)])
    func environment(type: String?, environment: ReceiptEnvironment?) throws {
        for demanded in ReceiptEnvironment.allCases {
            for policy in [
                VerificationPolicy.anyApp(.only(demanded)), .app("com.example.forge", .only(demanded)),
            ] {
                if demanded == environment {
                    _ = try receipt(for: policy) { $0.receiptType = type }
                } else {
                    let error = #expect(throws: ReceiptError.self) {
                        try receipt(for: policy) { $0.receiptType = type }
                    }
                    #expect(error?.code == .wrongEnvironment)
                    #expect(error?.field == "payload.receipt_type")
                }
            }
        }
        for policy in [VerificationPolicy.any, .anyApp(.anyEnvironment)] {
            _ = try receipt(for: policy) { $0.receiptType = type }
        }
    }

    /// Checks that sets derived from `.anyEnvironment` or from raw bits do not match a receipt without an
    /// environment.
    @Test(
        arguments: [
            // Any environment except the sandbox.
            .anyEnvironment.subtracting(.sandbox),
            .anyEnvironment.symmetricDifference([.production, .xcode]),
            .anyEnvironment.intersection([.production, .sandbox, .xcode]),
            .init(rawValue: 0b1_0000), .init(rawValue: 0b1_0111), .init(rawValue: 0b0_1111),
        ] as [VerificationPolicy.Environments])
    func onlyAnyEnvironmentAcceptsAMissingEnvironment(environments: VerificationPolicy.Environments) throws {
        let error = #expect(throws: ReceiptError.self) {
            try receipt(for: .anyApp(environments)) { $0.receiptType = nil }
        }
        #expect(error?.code == .wrongEnvironment)
    }

    /// Checks sets of apps and environments. One member must match, and the empty set matches nothing.
    @Test(
        arguments: [
            (["com.example.other", "com.example.forge"], [.production], nil),
            (["com.example.forge", "com.example.forge"], [.production, .sandbox], nil),
            (["com.example.forge"], [.sandbox, .xcode], .wrongEnvironment),
            (["com.example.forge"], [], .wrongEnvironment),
            (["com.example.other", "com.example"], [.production], .wrongBundleID),
            (["", ""], .anyEnvironment, .wrongBundleID),
            ([], .anyEnvironment, .wrongBundleID),
        ] as [([String], VerificationPolicy.Environments, ReceiptError.Code?)])
    func sets(bundleIDs: [String], environments: VerificationPolicy.Environments, code: ReceiptError.Code?)
        throws
    {
        let policy = VerificationPolicy.apps(bundleIDs, environments)
        let receipt = try receipt()
        do throws(ReceiptError) {
            try receipt.require(policy)
            #expect(code == nil)
        } catch {
            #expect(error.code == code)
        }
    }

    /// Checks production and sandbox together, as App Review needs them. Only `.anyEnvironment` matches a
    /// receipt without an environment.
    @Test(
        arguments: [("Production", true), ("ProductionSandbox", true), ("Xcode", false), (nil, false)]
            as [(String?, Bool)])
    func productionAndSandbox(type: String?, isAccepted: Bool) throws {
        let receipt = try receipt { $0.receiptType = type }
        let policy = VerificationPolicy.anyApp([.production, .sandbox])
        if isAccepted {
            try receipt.require(policy)
        } else {
            #expect(throws: ReceiptError.self) { try receipt.require(policy) }
        }
        // Unused bits match no environment.
        #expect(throws: ReceiptError.self) { try receipt.require(.anyApp(.init(rawValue: 0b1110_0000))) }
        try receipt.require(.anyApp(.init(rawValue: .max)))
    }

    /// Checks that the message lists the allowed values and shortens a long list.
    @Test(arguments: [
        (["a"], "bundle ID is 'com.example.forge', not 'a'"),
        (["a", "b"], "bundle ID is 'com.example.forge', not one of 'a', 'b'"),
        ([], "bundle ID is 'com.example.forge', and none is allowed"),
        (
            (1000...1999).map { "\($0)" },
            "bundle ID is 'com.example.forge', not one of '1000', '1001', '1002', '1003', '1004', '1005', '1006', '1007' and 992 more"
        ),
    ])
    func message(bundleIDs: [String], message: String) throws {
        let error = #expect(throws: ReceiptError.self) {
            try receipt(for: .apps(bundleIDs, .anyEnvironment))
        }
        #expect(error?.message == message)
        #expect(error?.reason == .bundleID(expected: bundleIDs, found: "com.example.forge"))
        #expect(VerificationPolicy.apps(["b", "a", "b"], .xcode) == .apps(["a", "b"], .xcode))
    }

    /// Checks that every overload of `verify` refuses a receipt of another app or environment.
    @Test
    func everyOverloadChecksThePolicy() throws {
        let forged = try ReceiptRecipe(authority: .test()).forge()
        let verifier = try ReceiptVerifier(anchors: .custom(forged.anchor))
        for policy in [VerificationPolicy.app("com.example.other", .production), .anyApp(.sandbox)] {
            #expect(throws: ReceiptError.self) { try verifier.verify(forged.bytes, for: policy) }
            #expect(throws: ReceiptError.self) { try verifier.verify(forged.bytes.span, for: policy) }
            #expect(throws: ReceiptError.self) { try verifier.verify(container: forged.bytes, for: policy) }
        }
    }

    static let device: [UInt8] = (0..<16).map { $0 &* 0x11 }

    @Test
    func device() throws {
        try receipt().require(deviceID: Self.device)
        for other in [[], Array(Self.device.dropLast()), Self.device + [0], Self.device.reversed()] {
            let error = #expect(throws: ReceiptError.self) { try receipt().require(deviceID: other) }
            #expect(error?.code == .wrongDevice)
        }
    }

    /// Checks that a policy with a device checks the same as `require(deviceID:)`, through every function, and that other
    /// expectations keep the device.
    @Test
    func policyNamesADevice() throws {
        let receipt = try receipt()
        for policy in [
            VerificationPolicy.any.expecting(deviceID: Self.device),
            .any.expecting(deviceID: Self.device).ofAnyApp,
            .any.expecting(deviceID: [1]).ofAppsAlone,
        ] { #expect(throws: Never.self) { try receipt.require(policy) } }
        for policy in [
            VerificationPolicy.any.expecting(deviceID: [1]), .any.expecting(deviceID: []),
            .any.expecting(deviceID: [1]).ofAnyApp,
        ] {
            let error = #expect(throws: ReceiptError.self) { try receipt.require(policy) }
            #expect(error?.code == .wrongDevice)
        }
    }

    /// Checks that a receipt without an opaque value or hash, or with a hash of the wrong length, matches no
    /// device.
    @Test(arguments: [4, 5])
    func deviceNeedsAttributes(type: Int) throws {
        let error = #expect(throws: ReceiptError.self) {
            try receipt { $0.omittedTypes = [type] }.require(deviceID: Self.device)
        }
        #expect(error?.code == .wrongDevice)
        #expect(throws: ReceiptError.self) { try receipt { $0.sha1Hash = [] }.require(deviceID: Self.device) }
    }

    /// Checks kind, payload changes and whether a bundle ID is also expected, with the field at fault. nil:
    /// accepted.
    @Test(
        arguments: [
            // A realtime request names its app by appAppleId only, even if a bundle ID is also expected.
            (.realtimeRequest, "appAppleId", "77", false, nil),
            (.realtimeRequest, "appAppleId", "77", true, nil),
            (.realtimeRequest, "appAppleId", "78", true, "payload.appAppleId"),
            (.realtimeRequest, "appAppleId", nil, false, "payload.appAppleId"),
            (.realtimeRequest, "appAppleId", "0", false, "payload.appAppleId"),
            // A sandbox app transaction may omit appAppleId if the bundle ID identifies the app.
            (.appTransaction, "appAppleId", "77", false, nil),
            (.appTransaction, "appAppleId", "78", true, "payload.appAppleId"),
            (.appTransaction, "appAppleId", nil, true, nil), (.appTransaction, "appAppleId", "0", true, nil),
            (.appTransaction, "appAppleId", nil, false, "payload.appAppleId"),
            // Transactions and renewal information have no appAppleId.
            (.transaction, "x", "1", true, nil), (.transaction, "x", "1", false, "payload.appAppleId"),
            (.transaction, "appAppleId", "77", false, "payload.appAppleId"),
            (.renewalInfo, "x", "1", true, "payload.bundleId"),
            (.renewalInfo, "x", "1", false, "payload.appAppleId"),
        ] as [(JWSKind, String, String?, Bool, String?)])
    func appAppleIDIsRequiredByKind(
        kind: JWSKind, member: String, value: String?, isOfBundle: Bool, field: String?
    ) throws {
        var payload: JSONMembers =
            switch kind {
            case .transaction: .transaction
            case .renewalInfo: .renewalInfo
            case .appTransaction: .appTransaction
            case .notification: .notification()
            case .realtimeRequest: .realtimeRequest
            }
        payload[member] = value
        try expectAppAppleID(of: payload, isOfBundle: isOfBundle, field: field)
    }

    /// Checks environment and appAppleId of a notification's data and whether a bundle ID is also expected,
    /// with the field at fault.
    @Test(
        arguments: [
            (#""Production""#, "77", false, nil), (#""Production""#, "77", true, nil),
            (#""Production""#, "78", true, "payload.data.appAppleId"),
            (#""Production""#, nil, true, "payload.data.appAppleId"),
            (#""Production""#, "0", true, "payload.data.appAppleId"),
            // An unknown environment does not count as a test environment.
            (#""Staging""#, nil, true, "payload.data.appAppleId"),
            (nil, nil, true, "payload.data.appAppleId"),
            (#""Sandbox""#, nil, true, nil), (#""Sandbox""#, nil, false, "payload.data.appAppleId"),
        ] as [(String?, String?, Bool, String?)])
    func productionNotificationMustNameAppAppleID(
        environment: String?, id: String?, isOfBundle: Bool, field: String?
    ) throws {
        var body: JSONMembers = ["bundleId": #""com.example.app""#]
        body["environment"] = environment
        body["appAppleId"] = id
        var payload = JSONMembers.notification()
        payload["data"] = body.text
        try expectAppAppleID(of: payload, isOfBundle: isOfBundle, field: field)
    }

    private func expectAppAppleID(of payload: JSONMembers, isOfBundle: Bool, field: String?) throws {
        let verifier = try ReceiptVerifier(anchors: .custom(JWSTests.authority.root.certificate.der))
        let jws = try JWSRecipe(payload, authority: JWSTests.authority).forge()
        let policy = isOfBundle ? VerificationPolicy.app("com.example.app", .anyEnvironment) : .any
        do throws(ReceiptError) {
            _ = try verifier.verify(jws: jws, for: policy.expecting(appAppleIDs: [76, 77]))
            #expect(field == nil)
        } catch {
            #expect(error.code == .wrongBundleID)
            #expect(error.field == field)
            if field?.hasSuffix("appAppleId") == true { #expect(error.message.hasPrefix("appAppleId is ")) }
        }
        // An empty list matches nothing, and the empty bundle ID matches no app.
        for nothing in [
            policy.expecting(appAppleIDs: []), .apps([], .anyEnvironment).expecting(appAppleIDs: [77]),
            .app("", .anyEnvironment).expecting(appAppleIDs: [77]),
            .apps(["", ""], .anyEnvironment).expecting(appAppleIDs: [77]),
        ] {
            #expect(throws: ReceiptError.self) { try verifier.verify(jws: jws, for: nothing) }
        }
    }

    /// Checks that the refusal names an alternative policy if the object can satisfy one.
    @Test(arguments: [
        (JWSKind.transaction, "Production", true), (.appTransaction, "Sandbox", true),
        (.appTransaction, "Production", false), (.renewalInfo, "Sandbox", false),
        (.realtimeRequest, "Sandbox", false),
    ])
    func refusalWithoutAppAppleIDNamesTheRemedy(kind: JWSKind, environment: String, isNamed: Bool) throws {
        var payload: JSONMembers =
            switch kind {
            case .transaction: .transaction
            case .renewalInfo: .renewalInfo
            case .appTransaction: .appTransaction
            case .notification: .notification()
            case .realtimeRequest: .realtimeRequest
            }
        payload["appAppleId"] = nil
        payload[kind == .appTransaction ? "receiptType" : "environment"] = "\"\(environment)\""
        let verifier = try ReceiptVerifier(anchors: .custom(JWSTests.authority.root.certificate.der))
        let jws = try JWSRecipe(payload, authority: JWSTests.authority).forge()
        let error = #expect(throws: ReceiptError.self) {
            try verifier.verify(jws: jws, for: .any.expecting(appAppleIDs: [77]))
        }
        #expect(error?.field == "payload.appAppleId")
        #expect(
            error?.message == "appAppleId is not named, not '77'"
                + (isNamed ? "; use the bundle ID to prove the app of such an object (--bundle-id)" : ""))
    }

    /// Checks that a bundle ID is also needed if the number may belong to another app.
    @Test func bundleIDIsNeededWithNumbersOfSeveralApps() throws {
        let verifier = try ReceiptVerifier(anchors: .custom(JWSTests.authority.root.certificate.der))
        var transaction = JSONMembers.appTransaction
        transaction["appAppleId"] = "77"
        let policy = VerificationPolicy.app("com.example.app", .anyEnvironment).expecting(someOf: [77, 78])
        _ = try verifier.verify(
            jws: try JWSRecipe(transaction, authority: JWSTests.authority).forge(), for: policy)
        var request = JSONMembers.realtimeRequest
        request["appAppleId"] = "77"
        let jws = try JWSRecipe(request, authority: JWSTests.authority).forge()
        let error = #expect(throws: ReceiptError.self) { try verifier.verify(jws: jws, for: policy) }
        #expect(error?.code == .wrongBundleID)
        #expect(error?.field == "payload.bundleId")
    }

    /// Checks attribute 1 and the receipt type, with the results for an expected bundle ID and for none.
    @Test(
        arguments: [
            (77, "Production", true, true), (78, "Production", false, false),
            (nil, "Production", false, false),
            // A present but invalid number is not the same as an absent one.
            (1 << 63, "Production", false, false), (1 << 63, "ProductionSandbox", false, false),
            (0, "Production", false, false), (77, "ProductionSandbox", true, true),
            (78, "ProductionSandbox", false, false), (nil, "ProductionSandbox", true, false),
            (0, "ProductionSandbox", true, false),
        ] as [(UInt64?, String, Bool, Bool)])
    func receiptNamesAppAppleIDInAttribute1(
        id: UInt64?, type: String, withBundleID: Bool, without: Bool
    ) throws {
        var content = ReceiptContent.sandbox(bundleID: "com.example.app")
        content.receiptType = type
        content.appItemID = id
        let recipe = ReceiptRecipe(content, authority: try .test())
        let verifier = try ReceiptVerifier(anchors: .custom(recipe.authority.root.certificate.der))
        let bytes = try recipe.forge().bytes
        for (policy, isAccepted) in [
            (VerificationPolicy.app("com.example.app", .anyEnvironment), withBundleID), (.any, without),
        ] {
            do throws(ReceiptError) {
                _ = try verifier.verify(bytes, for: policy.expecting(appAppleIDs: [77]))
                #expect(isAccepted)
            } catch {
                #expect(!isAccepted)
                #expect(error.code == .wrongBundleID)
                #expect(error.field == "payload.app_item_id")
            }
        }
    }
}
