/// What a reader accepted although DER forbids it: the caller can see it afterwards and judge.
public struct ASN1Leniencies: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A length written with more octets than it needs (X.690, 10.1).
    @inlinable
    public static var nonMinimalLength: ASN1Leniencies { ASN1Leniencies(rawValue: 1 << 0) }

    /// An element that ends with end-of-contents octets; Xcode writes them (X.690, 10.1).
    @inlinable
    public static var indefiniteLength: ASN1Leniencies { ASN1Leniencies(rawValue: 1 << 1) }

    /// An OCTET STRING cut into chunks; Xcode writes them (X.690, 10.2).
    @inlinable
    public static var constructedOctetString: ASN1Leniencies { ASN1Leniencies(rawValue: 1 << 2) }

    /// An INTEGER with a leading octet that it does not need (X.690, 8.3.2).
    @inlinable
    public static var nonMinimalInteger: ASN1Leniencies { ASN1Leniencies(rawValue: 1 << 3) }
}
