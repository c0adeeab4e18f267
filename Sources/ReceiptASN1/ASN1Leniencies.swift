/// The deviations from DER that a reader accepted, for the caller to check afterwards.
public struct ASN1Leniencies: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A length with more octets than necessary (X.690, 10.1).
    @inlinable
    public static var nonMinimalLength: ASN1Leniencies { ASN1Leniencies(rawValue: 1 << 0) }

    /// An element that ends with end-of-contents octets, which Xcode writes (X.690, 10.1).
    @inlinable
    public static var indefiniteLength: ASN1Leniencies { ASN1Leniencies(rawValue: 1 << 1) }

    /// An OCTET STRING split into chunks, which Xcode writes (X.690, 10.2).
    @inlinable
    public static var constructedOctetString: ASN1Leniencies { ASN1Leniencies(rawValue: 1 << 2) }

    /// An INTEGER with an unnecessary leading octet (X.690, 8.3.2).
    @inlinable
    public static var nonMinimalInteger: ASN1Leniencies { ASN1Leniencies(rawValue: 1 << 3) }
}
