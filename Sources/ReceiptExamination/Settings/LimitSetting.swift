package import AppReceipt
package import StrictJSON

/// A limit and its name, for example `signature-checks` in options and server settings, and
/// `signature_checks` in JSON and Python. All texts about limits come from this table, or a test compares
/// them with it.
package struct LimitSetting: Sendable {
    /// The name with underscores, as in JSON and Python.
    package let member: StaticString
    /// The allowed values.
    package let range: ClosedRange<Int>
    package let limit: any WritableKeyPath<ReceiptLimits, Int> & Sendable
    private let summary: String

    private init(
        _ member: StaticString, _ limit: any WritableKeyPath<ReceiptLimits, Int> & Sendable, upTo most: Int,
        _ summary: String
    ) {
        (self.member, self.limit, range, self.summary) = (member, limit, 1...most, summary)
    }

    /// The description of the limit, its default and its range.
    package var help: String {
        "\(summary) Default \(ReceiptLimits()[keyPath: limit]), from 1 to \(range.upperBound)."
    }

    /// The name with hyphens, as in options.
    package var name: String { "\(member)".replacing("_", with: "-") }

    /// Returns the problem with a value, or nil if it is allowed.
    package func fault(_ value: Int) -> String? {
        range.contains(value)
            ? nil : "\(value) is not a number from \(range.lowerBound) to \(range.upperBound)"
    }

    package static let signatureChecks = LimitSetting(
        "signature_checks", \.signatureChecks, upTo: 1_000_000,
        "The maximum number of signature checks per certificate chain, one for each 2,048 bits of an RSA key."
    )
    package static let inputBytes = LimitSetting(
        "input_bytes", \.inputBytes, upTo: ReceiptLimits().inputBytes,
        "The maximum size of a receipt in bytes of DER; as text, 1.5 times that.")
    package static let nesting = LimitSetting(
        "nesting", \.nesting, upTo: 1000, "The maximum nesting depth of ASN.1 elements in a receipt.")
    package static let certificates = LimitSetting(
        "certificates", \.certificates, upTo: 1000, "The maximum number of certificates in a receipt.")
    package static let certificateBytes = LimitSetting(
        "certificate_bytes", \.certificateBytes, upTo: 1 << 20, "The maximum size of a certificate in bytes.")
    package static let purchases = LimitSetting(
        "purchases", \.purchases, upTo: 10_000_000, "The maximum number of purchases in a receipt.")
    package static let signedTextBytes = LimitSetting(
        "signed_text_bytes", \.signedTextBytes, upTo: ReceiptLimits().inputBytes,
        "The maximum size of a JWS or transaction receipt in bytes.")
    package static let signedObjects = LimitSetting(
        "signed_objects", \.signedObjects, upTo: 10_000_000,
        "The maximum number of signed objects in an App Store Server API response.")

    package static let all = [
        signatureChecks, inputBytes, nesting, certificates, certificateBytes, purchases, signedTextBytes,
        signedObjects,
    ]
}

extension ReceiptLimits {
    /// The limits and their values.
    package var named: [(setting: LimitSetting, value: Int)] {
        LimitSetting.all.map { ($0, self[keyPath: $0.limit]) }
    }
}

extension SHA1Signatures {
    package static let setting = "sha1-signatures"
    /// The description of the setting's values.
    package static let help = """
        Which SHA-1 signatures to accept. until-apple-stopped (the default): those of certificates that expire by \
        2025-01-24, and all under your own root. until-2025: those of certificates that expire by that date, under \
        every root. Or all, or none.
        """
}

extension JSONReader {
    package mutating func date() throws(JSONError) -> Timestamp {
        guard let date = Timestamp(rfc3339: try string()) else {
            throw error(.invalid("not an RFC 3339 date, for example 2026-06-02T00:00:00Z"))
        }
        return date
    }

    /// Reads an object of limits by name. The limits that it does not name keep their defaults.
    package mutating func limits() throws(JSONError) -> ReceiptLimits {
        var limits = ReceiptLimits()
        try object { (reader, name) throws(JSONError) in
            guard let setting = LimitSetting.all.first(where: { "\($0.member)".isExactly(name) }) else {
                throw reader.error(.invalid("unknown limit"))
            }
            let value: Int = try reader.integer()
            if let fault = setting.fault(value) { throw reader.error(.invalid(fault)) }
            limits[keyPath: setting.limit] = value
        }
        return limits
    }
}
