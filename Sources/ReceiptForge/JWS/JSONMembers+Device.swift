extension JSONMembers {
    /// Returns the members for this device. `deviceVerification` is the SHA-384 of the nonce and the device's
    /// identifier, both as a UUID in lower case (Apple, StoreKit, `AppStore.deviceVerificationID`).
    /// - Parameters:
    ///   - deviceID: The device's identifier, a UUID in lower case.
    ///   - nonce: The nonce, a UUID in lower case.
    /// - Throws: ``ForgeError`` if libcrypto fails.
    public func signed(
        forDevice deviceID: String, nonce: String = "48c8b92d-ce0d-4229-bedf-e61b4f9cfc92"
    ) throws(ForgeError) -> JSONMembers {
        var members = self
        let digest = try Digest.sha384.hash(Array((nonce + deviceID).utf8))
        members["deviceVerification"] = "\"\(Base64.text(digest))\""
        members["deviceVerificationNonce"] = "\"\(nonce)\""
        return members
    }
}
