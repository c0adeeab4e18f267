public import AppReceipt

/// A verification policy: the expected app, environment and device of a genuine receipt.
public struct VerificationPolicy: Hashable, Sendable {
    /// The allowed apps and environments.
    public let audience: ReceiptAudience
    /// The bytes of the expected device identifier, or nil to allow any device.
    public let deviceID: [UInt8]?

    /// Creates a policy from the allowed apps and environments and, optionally, a device.
    public init(_ audience: ReceiptAudience, deviceID: [UInt8]? = nil) {
        self.audience = audience
        self.deviceID = deviceID
    }

    /// Requires that an object has an allowed app and environment.
    /// - Parameter isAppLeft: Whether any app is allowed, for objects that name none.
    /// - Throws: `ReceiptError` with code `wrong_bundle_id` or `wrong_environment`.
    func require(_ object: some SignedObject, isAppLeft: Bool = false) throws(ReceiptError) {
        try object.require(isAppLeft ? audience.ofAnyApp : audience)
    }
}

/// The result of examining one receipt.
public struct Examination: Sendable {
    /// The verified receipt, or the reason for the refusal.
    public let result: Result<VerifiedReceipt, Refusal>
    /// The SHA-256 of the DER bytes, or nil if no bytes could be decoded.
    public let sha256: [UInt8]?
    /// The SHA-256 of the signed content, or nil if the receipt was refused.
    public let contentSHA256: [UInt8]?
    /// The wrappings that an export added around the receipt, outermost first. Empty if there is only an
    /// `InputEncoding`.
    public var wrapping: [String] = []
    /// Whether the input was padded base64 of the DER bytes and nothing else.
    fileprivate(set) var isPlainBase64 = false

    /// Creates an examination from a result and the digests of its input.
    public init(
        _ result: Result<VerifiedReceipt, Refusal>, sha256: [UInt8]? = nil, contentSHA256: [UInt8]? = nil
    ) {
        self.result = result
        self.sha256 = sha256
        self.contentSHA256 = contentSHA256
    }
}

/// Decodes receipts, verifies them and applies the verification policy. Every command uses the same steps.
public struct Examiner: Sendable {
    /// The verifier of the receipts.
    public let verifier: ReceiptVerifier
    let demands: VerificationPolicy
    private var isVerifying = true
    private(set) var isLeavingAppOfRenewals = false

    /// Whether the policy restricts the app.
    package var isForApps: Bool { demands.audience.isForApps }

    /// An examiner that does not check the app of renewal information, which names none. The caller
    /// determines the app.
    public var leavingAppOfRenewals: Examiner {
        var examiner = self
        examiner.isLeavingAppOfRenewals = true
        return examiner
    }

    /// An examiner that only decodes receipts and computes the digests that identify them. Each result is a
    /// refusal.
    package var withoutVerification: Examiner {
        var examiner = self
        examiner.isVerifying = false
        return examiner
    }

    /// Creates an examiner with a verifier and a verification policy.
    public init(_ verifier: ReceiptVerifier, demands: VerificationPolicy) {
        self.verifier = verifier
        self.demands = demands
    }

    /// Decodes and verifies a receipt.
    /// - Parameter input: A receipt in any `InputEncoding`.
    public func examine(_ input: [UInt8]) -> Examination { examine(input.span) }

    /// Decodes and verifies a receipt.
    /// - Parameter input: A receipt in any `InputEncoding`.
    public func examine(_ input: Span<UInt8>) -> Examination {
        let (der, encoding): ([UInt8], InputEncoding)
        do throws(ReceiptError) {
            (der, encoding) = try InputEncoding.decode(input, limits: verifier.limits)
        } catch {
            return Examination(.failure(Refusal(error)))
        }
        var examination = examine(container: der)
        // The input has the length of padded base64, and ends with padding if padding is needed. It therefore
        // contains no white space.
        examination.isPlainBase64 =
            encoding == .base64 && input.count == (der.count + 2) / 3 * 4
            && (der.count.isMultiple(of: 3) || input[input.count - 1] == UInt8(ascii: "="))
        return examination
    }

    package func examine(container der: [UInt8]) -> Examination {
        guard let sha256 = verifier.sha256(of: der) else {
            return Examination(.failure(Refusal(.cryptographyUnavailable)))
        }
        guard isVerifying else {
            return Examination(.failure(Refusal(code: .unreadable, message: "not verified")), sha256: sha256)
        }
        do throws(ReceiptError) {
            let receipt = try verify(der)
            return Examination(.success(receipt), sha256: sha256, contentSHA256: try receipt.contentDigest)
        } catch {
            return Examination(.failure(Refusal(error)), sha256: sha256)
        }
    }

    private func verify(_ der: [UInt8]) throws(ReceiptError) -> VerifiedReceipt {
        let receipt = try verifier.verify(container: der, for: .anyApp)
        try demands.require(receipt)
        if let deviceID = demands.deviceID { try receipt.require(deviceID: deviceID) }
        return receipt
    }
}
