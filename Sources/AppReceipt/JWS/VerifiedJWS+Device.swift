import StrictJSON

/// The reason why a signed object does not prove that it is for a device.
public enum DeviceVerificationFault: Hashable, Sendable {
    /// The object names no device. Either its kind never does, or `deviceVerification` or
    /// `deviceVerificationNonce` is missing.
    case absent
    /// `deviceVerification` is not base64, or `deviceVerificationNonce` is not a UUID.
    case unreadable
    /// The object was signed for another device.
    case mismatch
    /// The identifier is not a UUID like `AppStore.deviceVerificationID`: it has this number of bytes instead
    /// of 16.
    case identifierLength(Int)
}

extension DeviceVerificationFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .absent: "names no device: deviceVerification and deviceVerificationNonce are missing"
        case .unreadable: "deviceVerification is not base64, or deviceVerificationNonce is not a UUID"
        case .mismatch: "signed for another device"
        case .identifierLength(let count):
            "device identifier has \(count) bytes, expected the 16 bytes of a UUID"
        }
    }
}

extension ReceiptError {
    package static func notForDevice(_ fault: DeviceVerificationFault, _ field: String) -> ReceiptError {
        ReceiptError(.wrongDevice, .deviceVerification(fault), field: field)
    }
}

extension VerifiedJWS {
    /// `deviceVerification`: base64 of the SHA-384 of the nonce and the device's identifier. Nil if the
    /// object names no device.
    public var deviceVerification: String? { documentedText("deviceVerification") }

    /// `deviceVerificationNonce`: the UUID that ``deviceVerification`` was computed with.
    public var deviceVerificationNonce: String? { documentedText("deviceVerificationNonce") }

    /// Returns a member. Returns nil for kinds for which it is not documented, even if they have such a member.
    package func documentedText(_ name: String) -> String? {
        signed.kind.members[name] == nil ? nil : members.text(name)
    }

    /// Checks that the object was signed for this device. `deviceVerification` must be the SHA-384 of
    /// `deviceVerificationNonce` and the device's identifier, both as UUID text in lower case. The comparison
    /// takes constant time.
    ///
    /// StoreKit on a device signs both members. Notifications and objects from the App Store Server API have
    /// neither. Source: Apple, StoreKit (`AppStore.deviceVerificationID`).
    /// - Parameter deviceID: the 16 bytes of `AppStore.deviceVerificationID`.
    /// - Throws: ``ReceiptError`` with code `wrong_device`, also if the object names no device.
    public func require(deviceID: [UInt8]) throws(ReceiptError) {
        let field = "payload.deviceVerification"
        guard let verification = deviceVerification, let nonce = deviceVerificationNonce else {
            throw .notForDevice(.absent, field)
        }
        guard let device = uuidText(deviceID) else {
            throw .notForDevice(.identifierLength(deviceID.count), field)
        }
        var fault = 0
        guard let nonce = uuidText(nonce),
            let expected = StrictBase64.standard.decode(Array(verification.utf8).span, fault: &fault)
        else { throw .notForDevice(.unreadable, field) }
        let digest = try signed.chain.context.digest(.sha384, of: nonce.span, device.span)
        guard digest.equals(expected.span) else { throw .notForDevice(.mismatch, field) }
    }
}

/// Returns the text of a UUID in lower case (RFC 9562, 4). Returns nil unless there are 16 bytes.
private func uuidText(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count == 16 else { return nil }
    var text = Array(hexadecimal(bytes).utf8)
    for place in [8, 13, 18, 23] { text.insert(UInt8(ascii: "-"), at: place) }
    return text
}

/// Returns a UUID with digits of either case in lower case. Returns nil for other text.
private func uuidText(_ uuid: String) -> [UInt8]? {
    let digits = uuid.utf8.filter { $0 != UInt8(ascii: "-") }
    guard let text = [UInt8](hexadecimal: digits).flatMap(uuidText),
        text.elementsEqual(uuid.lowercased().utf8)
    else { return nil }
    return text
}
