/// What a receipt may cost. Limits are kept between 0 and 2³¹ - 1, the most that places in a receipt can
/// name.
public struct ReceiptLimits: Hashable, Sendable {
    /// Bytes of the DER container. A text encoding may be half as long again.
    @Limit public var inputBytes = 16 << 20

    /// Constructed elements inside one another.
    @Limit public var nesting = 32

    /// Certificates in the container.
    @Limit public var certificates = 16

    /// Bytes of a certificate. Apple's have up to 1,600.
    @Limit public var certificateBytes = 8 << 10

    /// Checks of certificates' signatures that the search for a chain may take: one for each 2,048 bits of an RSA key,
    /// forty with an elliptic one, which takes as much longer; a certificate that stands twice is checked once. Apple's
    /// receipts need two. The default leaves room for six wrong issuers. A check with the key of WWDR G6, Apple's elliptic
    /// intermediate, counts for five; any other elliptic key exceeds the default, because anyone can name Apple's elliptic
    /// root as an issuer. Where every anchor is elliptic, two such checks come on top. A JWS names every certificate of its
    /// chain, so this limit does not apply to it.
    @Limit public var signatureChecks = 8

    /// In-app purchases in the payload.
    @Limit public var purchases = 100_000

    /// Bytes of a compact JWS, or of a transaction receipt. Apple's have up to 19,000.
    @Limit public var signedTextBytes = 1 << 20

    /// Signed objects in one answer of the App Store Server API. Apple's hold 20. The limit is lower for an answer in which
    /// they would have less than 1,024 bytes on average, beyond the first 64: Apple's have 1,500 and more, and each gets an
    /// answer of hundreds of bytes.
    @Limit public var signedObjects = 100_000

    /// The limits that no genuine receipt is known to reach.
    public init() {}

    /// The most signed objects in so many bytes.
    package func signedObjects(inBytes count: Int) -> Int { min(signedObjects, 64 + count / 1024) }

    /// Bytes that a base64 text with line breaks may have for a container of ``inputBytes``.
    public var textBytes: Int { inputBytes + inputBytes / 2 }

    /// A number of things, never negative and never larger than a place in a receipt.
    @propertyWrapper
    public struct Limit: Hashable, Sendable {
        private var value: Int

        /// Takes the nearest value within 0 to 2³¹ - 1.
        public init(wrappedValue: Int) { value = Self.clamped(wrappedValue) }

        /// The limit; what is set is kept between 0 and 2³¹ - 1.
        public var wrappedValue: Int {
            get { value }
            set { value = Self.clamped(newValue) }
        }

        private static func clamped(_ value: Int) -> Int { min(max(value, 0), Int(Int32.max)) }
    }
}
