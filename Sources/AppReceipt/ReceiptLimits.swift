/// The limits on a receipt. Values are clamped to 0 through 2³¹ - 1, the largest offset in a receipt.
public struct ReceiptLimits: Hashable, Sendable {
    /// The maximum length of the DER container, in bytes. A text encoding may be 50% longer.
    @Limit public var inputBytes = 16 << 20

    /// The maximum depth of nested constructed elements.
    @Limit public var nesting = 32

    /// The maximum number of certificates in the container.
    @Limit public var certificates = 16

    /// The maximum length of a certificate, in bytes. Apple's have up to 1,600.
    @Limit public var certificateBytes = 8 << 10

    /// The maximum number of signature checks in the search for a chain.
    ///
    /// An RSA key counts as one check for each 2,048 bits. A check with an elliptic key takes forty times as
    /// long, so it counts as forty. Each certificate is checked once, even if it occurs twice. Apple's
    /// receipts need two checks, so the default allows for six wrong issuers.
    ///
    /// A check with the key of WWDR G6, Apple's elliptic intermediate, counts as five. A check with any other
    /// elliptic key exceeds the default, because an attacker can name Apple's elliptic root as an issuer. If
    /// all trust anchors are elliptic, two such checks are added to the limit. The limit does not apply to
    /// JWS, which name every certificate of their chain.
    @Limit public var signatureChecks = 8

    /// The maximum number of in-app purchases in the payload.
    @Limit public var purchases = 100_000

    /// The maximum length of a compact JWS or a transaction receipt, in bytes. Apple's have up to 19,000.
    @Limit public var signedTextBytes = 1 << 20

    /// The maximum number of signed objects in a response of the App Store Server API. Apple's responses
    /// contain 20.
    ///
    /// Each object produces hundreds of bytes of output. So the limit is lower if the objects after the first
    /// 64 have less than 1,024 bytes on average. Apple's objects have at least 1,500.
    @Limit public var signedObjects = 100_000

    /// Creates the default limits. No known genuine receipt reaches them.
    public init() {}

    /// Returns the maximum number of signed objects in an input of `count` bytes.
    package func signedObjects(inBytes count: Int) -> Int { min(signedObjects, 64 + count / 1024) }

    /// The maximum length in bytes of base64 text with line breaks, for a container of ``inputBytes``.
    public var textBytes: Int { inputBytes + inputBytes / 2 }

    /// A number from 0 to 2³¹ - 1, the largest offset in a receipt.
    @propertyWrapper
    public struct Limit: Hashable, Sendable {
        private var value: Int

        /// Creates a limit, clamped to 0 through 2³¹ - 1.
        public init(wrappedValue: Int) { value = Self.clamped(wrappedValue) }

        /// The limit. New values are clamped to 0 through 2³¹ - 1.
        public var wrappedValue: Int {
            get { value }
            set { value = Self.clamped(newValue) }
        }

        private static func clamped(_ value: Int) -> Int { min(max(value, 0), Int(Int32.max)) }
    }
}
