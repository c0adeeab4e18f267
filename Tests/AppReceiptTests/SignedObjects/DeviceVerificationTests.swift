import AppReceipt
import ReceiptForge
import Testing

/// The device of a JWS, which `deviceVerification` and `deviceVerificationNonce` identify.
struct DeviceVerificationTests {
    private static let deviceID: [UInt8] = (0..<16).map { $0 &* 0x11 }
    private static let device = "00112233-4455-6677-8899-aabbccddeeff"

    private func fault(
        of members: JSONMembers, for deviceID: [UInt8] = deviceID
    ) throws -> ReceiptError.Reason? {
        let text = try JWSRecipe(members, authority: JWSTests.authority).forge()
        let object = try SignedObjectTests.verifier.verify(jws: text, for: .any)
        let jws = try #require(object.jws)
        do throws(ReceiptError) {
            try jws.require(deviceID: deviceID)
            return nil
        } catch {
            #expect(error.code == .wrongDevice)
            #expect(error.field == "payload.deviceVerification")
            return error.reason
        }
    }

    /// Checks against a digest from Python's hashlib, which covers the nonce's text and then the device
    /// identifier's.
    @Test func digestMatchesApplesDefinition() throws {
        let members = try JSONMembers.transaction.signed(forDevice: Self.device)
        #expect(
            members["deviceVerification"]
                == "\"MO/7qzz7DzGk0PGn+eOV8bPkl0PUi5Lh1DSxV0kLUUlgFBx84F/OABpzuBdtv5tw\"")
    }

    @Test(arguments: [JSONMembers.transaction, .renewalInfo, .appTransaction])
    func onlyTheseKindsNameADevice(members: JSONMembers) throws {
        #expect(try fault(of: members) == .deviceVerification(.absent))
        let signed = try members.signed(forDevice: Self.device)
        #expect(try fault(of: signed) == nil)
        #expect(
            try fault(of: signed, for: [UInt8](repeating: 7, count: 16)) == .deviceVerification(.mismatch))
    }

    /// Checks that a policy with a device checks the same.
    @Test func policyNamesADevice() throws {
        let signed = try JSONMembers.transaction.signed(forDevice: Self.device)
        let text = try JWSRecipe(signed, authority: JWSTests.authority).forge()
        let verifier = SignedObjectTests.verifier
        #expect(throws: Never.self) {
            try verifier.verify(jws: text, for: .any.expecting(deviceID: Self.deviceID))
        }
        let error = #expect(throws: ReceiptError.self) {
            try verifier.verify(jws: text, for: .any.expecting(deviceID: Self.deviceID.reversed()))
        }
        #expect(error?.reason == .deviceVerification(.mismatch))
    }

    /// Checks that the device identifier must be a UUID. A Mac's hardware address, which app receipts use, is
    /// refused.
    @Test(arguments: [0, 1, 6, 15, 17, 32])
    func identifierIsAUUID(count: Int) throws {
        let signed = try JSONMembers.transaction.signed(forDevice: Self.device)
        let other = Array((Self.deviceID + Self.deviceID).prefix(count))
        #expect(try fault(of: signed, for: other) == .deviceVerification(.identifierLength(count)))
    }

    /// Checks payloads with one changed member.
    @Test(
        arguments: [
            // only one of the two members
            ("deviceVerification", nil, .absent), ("deviceVerificationNonce", nil, .absent),
            // base64 in the other alphabet, without padding, too short, and empty
            ("deviceVerification", #""_-_-""#, .unreadable), ("deviceVerification", #""AAA""#, .unreadable),
            ("deviceVerification", #""AAAA""#, .mismatch), ("deviceVerification", #""""#, .mismatch),
            // another nonce, and invalid UUIDs
            ("deviceVerificationNonce", #""48c8b92d-ce0d-4229-bedf-e61b4f9cfc93""#, .mismatch),
            ("deviceVerificationNonce", #""""#, .unreadable),
            ("deviceVerificationNonce", #""x""#, .unreadable),
            ("deviceVerificationNonce", #""48c8b92dce0d4229bedfe61b4f9cfc92""#, .unreadable),
            ("deviceVerificationNonce", #""48c8b92d-ce0d-4229-bedf-e61b4f9cfc9""#, .unreadable),
            ("deviceVerificationNonce", #""48c8b92d-ce0d-4229-bedf-e61b4f9cfc921""#, .unreadable),
            ("deviceVerificationNonce", #""48c8b92d-ce0d-4229-bedf-e61b4f9cfc9g""#, .unreadable),
            // the nonce is compared in lower case
            ("deviceVerificationNonce", #""48C8B92D-CE0D-4229-BEDF-E61B4F9CFC92""#, nil),
        ] as [(String, String?, DeviceVerificationFault?)])
    func members(name: String, value: String?, expected: DeviceVerificationFault?) throws {
        var signed = try JSONMembers.appTransaction.signed(forDevice: Self.device)
        signed[name] = value
        #expect(try fault(of: signed) == expected.map { .deviceVerification($0) })
    }

    /// Checks that the members have no effect in kinds for which Apple does not document them.
    @Test func notificationNamesNoDevice() throws {
        let signed = try JSONMembers.notification().signed(forDevice: Self.device)
        #expect(try fault(of: signed) == .deviceVerification(.absent))
    }
}
