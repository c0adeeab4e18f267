/// What is wrong with a JWS beside what is wrong with any JSON.
public enum JWSFault: Hashable, Sendable {
    /// Not three parts with two periods between them.
    case parts
    /// A character that is not of base64url, or bits behind the last byte.
    case base64
    /// `alg` is not ES256.
    case algorithm
    /// A header member that is not on the closed list, or says something that is not.
    case headerMember
    /// `x5c` holds neither the three certificates of the App Store nor the one of StoreKit Test.
    case certificateCount
    /// An ES256 signature has 64 bytes.
    case signatureLength
    /// No member, or more than one, tells what was signed.
    case kind
    /// A notification with more than one of its bodies.
    case body
    /// Another kind than the place calls for.
    case unexpectedKind
    /// The date at which it was signed is missing.
    case dateMissing
    /// A number of a documented member that is no whole number of 64 bits, or no date from 1970 to 9999.
    case number
    /// A number of a documented member that is no whole number of 32 bits without a sign.
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
