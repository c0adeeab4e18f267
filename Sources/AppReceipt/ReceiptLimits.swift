/// What a receipt may cost. Whatever exceeds a limit is refused before it is looked at.
public struct ReceiptLimits: Hashable, Sendable {
    /// Bytes of the DER container, at most 2 GiB less one: places in it are kept in 32 bits, and OpenSSL counts in
    /// them. A text encoding may be half as long again.
    public var inputBytes = 16 << 20 {
        didSet { inputBytes = min(inputBytes, Int(Int32.max)) }
    }

    /// Constructed elements inside one another.
    public var nesting = 32

    /// Certificates in the container.
    public var certificates = 16

    /// In-app purchases in the payload.
    public var purchases = 100_000

    public init() {}

    /// Bytes that a base64 text with line breaks may have for a container of ``inputBytes``.
    public var textBytes: Int {
        let (half, overflow) = inputBytes.addingReportingOverflow(inputBytes / 2)
        return overflow ? .max : half
    }
}
