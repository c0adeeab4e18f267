/// A fault of a JWS other than a fault of its JSON.
public enum JWSFault: Hashable, Sendable {
    /// The text does not consist of three parts separated by two periods.
    case parts
    /// A character outside base64url, or bits after the last byte.
    case base64
    /// `alg` is not ES256.
    case algorithm
    /// A header member that is not on the allowed list, or has a value that is not.
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
        case .parts: "not a compact JWS: header, payload and signature with a period between them"
        case .base64: "not base64url without padding"
        case .algorithm: "the algorithm is not ES256"
        case .headerMember: "a header member that is not on the list"
        case .certificateCount: "neither three certificates nor one"
        case .signatureLength: "an ES256 signature has 64 bytes"
        case .kind: "no member, or more than one, tells what was signed"
        case .body: "a notification with more than one body"
        case .unexpectedKind: "signed for something else"
        case .dateMissing: "the date of signing is missing"
        case .number: "not a whole number of 64 bits, or not a date from 1970 to 9999"
        case .count: "not a whole number from 0 to 4294967295"
        }
    }
}
