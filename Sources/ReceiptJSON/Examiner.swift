public import AppReceipt

/// What is asked of a receipt beside that it be genuine.
public struct Demands: Hashable, Sendable {
    /// The apps and environments that are accepted.
    public let audience: ReceiptAudience
    /// Bytes of the device's identifier; nil asks for no device.
    public let deviceID: [UInt8]?

    /// Demands on the audience and, where one is named, the device.
    public init(_ audience: ReceiptAudience, deviceID: [UInt8]? = nil) {
        self.audience = audience
        self.deviceID = deviceID
    }

    /// - Parameter isAppLeft: of whatever app: for what names none.
    /// - Throws: `ReceiptError` with code `wrong_bundle_id` or `wrong_environment`.
    func require(_ object: some SignedObject, isAppLeft: Bool = false) throws(ReceiptError) {
        try object.require(isAppLeft ? audience.ofAnyApp : audience)
    }
}

/// What came out for one receipt.
public struct Examination: Sendable {
    /// The receipt, or why there is none.
    public let result: Result<VerifiedReceipt, Refusal>
    /// Of the DER bytes; nil where none could be decoded.
    public let sha256: [UInt8]?
    /// Of the signed content; nil where the receipt was refused.
    public let contentSHA256: [UInt8]?
    /// What an export had wrapped the receipt in, from the outside in, where it is more than an `InputEncoding`.
    public var wrapping: [String] = []
    /// Whether the input was padded base64 of the DER bytes and nothing else.
    fileprivate(set) var isPlainBase64 = false

    /// A result under the names of what it came from.
    public init(
        _ result: Result<VerifiedReceipt, Refusal>, sha256: [UInt8]? = nil, contentSHA256: [UInt8]? = nil
    ) {
        self.result = result
        self.sha256 = sha256
        self.contentSHA256 = contentSHA256
    }
}

/// Decodes and verifies receipts and makes the demands: the same steps for every command.
public struct Examiner: Sendable {
    /// Who judges.
    public let verifier: ReceiptVerifier
    let demands: Demands
    private var isVerifying = true
    private(set) var isLeavingAppOfRenewals = false

    /// Whether an app is demanded.
    package var isForApps: Bool { demands.audience.isForApps }

    /// Makes no demand on the app of renewal information, which names none: the caller finds out whose it is.
    public var leavingAppOfRenewals: Examiner {
        var examiner = self
        examiner.isLeavingAppOfRenewals = true
        return examiner
    }

    /// Decodes and takes the digest alone; whatever decodes is refused. It tells one receipt from another.
    package var withoutVerification: Examiner {
        var examiner = self
        examiner.isVerifying = false
        return examiner
    }

    /// Examines with this verifier, and makes these demands of what is genuine.
    public init(_ verifier: ReceiptVerifier, demands: Demands) {
        self.verifier = verifier
        self.demands = demands
    }

    /// Decodes and judges.
    /// - Parameter input: a receipt in any `InputEncoding`.
    public func examine(_ input: [UInt8]) -> Examination { examine(input.span) }

    /// Decodes and judges.
    /// - Parameter input: a receipt in any `InputEncoding`.
    public func examine(_ input: Span<UInt8>) -> Examination {
        let (der, encoding): ([UInt8], InputEncoding)
        do throws(ReceiptError) {
            (der, encoding) = try InputEncoding.decode(input, limits: verifier.limits)
        } catch {
            return Examination(.failure(Refusal(error)))
        }
        var examination = examine(container: der)
        // As many characters as padded base64 has, the last of them padding where there is some: none is white space.
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
