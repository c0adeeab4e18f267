/// A fault of a JWS other than a fault of its JSON.
public enum JWSFault: Hashable, Sendable {
    /// The text does not consist of three parts separated by two periods.
    case parts
    /// A character outside base64url, or bits after the last byte.
    case base64
    /// `alg` is not ES256.
    case algorithm
    /// A header member, or its value, that is not on the allowed list.
    case headerMember
    /// `x5c` contains neither the three certificates of the App Store nor the single one of StoreKit Test.
    case certificateCount
    /// The length of the signature is not 64 bytes, as ES256 requires.
    case signatureLength
    /// No member, or more than one, identifies the kind of object.
    case kind
    /// A notification with several bodies.
    case body
    /// A kind that is not allowed in this place.
    case unexpectedKind
    /// The date of signing is missing.
    case dateMissing
    /// A documented member whose number is not a 64-bit integer, or not a date from 1970 to 9999.
    case number
    /// A documented member whose number is not a 32-bit unsigned integer.
    case count
}

extension JWSFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .parts: "not an Apple receipt or compact JWS (header.payload.signature)"
        case .base64: "not base64url without padding"
        case .algorithm: "algorithm is not ES256"
        case .headerMember: "unsupported header member"
        case .certificateCount: "must have one or three certificates"
        case .signatureLength: "ES256 signature must have 64 bytes"
        case .kind: "unknown or ambiguous kind of signed object"
        case .body: "notification with more than one body"
        case .unexpectedKind: "another kind of signed object than expected"
        case .dateMissing: "missing signing date"
        case .number: "not a whole number of 64 bits, or not a date from 1970 to 9999"
        case .count: "not a whole number from 0 to 4294967295"
        }
    }
}
