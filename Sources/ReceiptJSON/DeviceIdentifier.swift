/// Bytes of a device's identifier (identifierForVendor or the MAC address; for JWS, `AppStore.deviceVerificationID`), as hexadecimal digits write them; hyphens and
/// colons may separate these.
package struct DeviceIdentifier: Sendable {
    /// What is wrong with a text.
    package struct Fault: Error {
        /// One sentence.
        package let message: String
    }

    package let bytes: [UInt8]

    package init(_ text: String) throws(Fault) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
        guard !digits.isEmpty, digits.count.isMultiple(of: 2) else {
            throw Fault(message: "must be hexadecimal, two digits per byte")
        }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[index...index + 1], as: UTF8.self)
            guard !pair.hasPrefix("+"), let byte = UInt8(pair, radix: 16) else {
                throw Fault(message: "must be hexadecimal, two digits per byte; found '\(pair)'")
            }
            bytes.append(byte)
        }
        self.bytes = bytes
    }
}
