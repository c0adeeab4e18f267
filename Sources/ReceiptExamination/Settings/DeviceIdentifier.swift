import StrictJSON

/// The bytes of a device identifier, read from hexadecimal digits that hyphens and colons may separate. The
/// identifier is identifierForVendor or the MAC address. For a JWS, it is `AppStore.deviceVerificationID`.
package struct DeviceIdentifier: Sendable {
    /// The error for a text that is not a device identifier.
    package struct Fault: Error {
        /// The problem in one sentence.
        package let message: String
    }

    package let bytes: [UInt8]

    /// The maximum length of the text. A UUID with separators has 47 characters.
    private static let mostCharacters = 64

    package init(_ text: String) throws(Fault) {
        guard text.utf8.count <= Self.mostCharacters else {
            throw Fault(message: "must have at most \(Self.mostCharacters) characters")
        }
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
        guard !digits.isEmpty, digits.count.isMultiple(of: 2) else {
            throw Fault(message: "must be hexadecimal, two digits per byte")
        }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[index...index + 1], as: UTF8.self)
            guard let byte = [UInt8](hexadecimal: pair.utf8) else {
                throw Fault(message: "must be hexadecimal, two digits per byte; found '\(pair)'")
            }
            bytes += byte
        }
        self.bytes = bytes
    }
}
