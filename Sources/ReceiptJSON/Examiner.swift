public import AppReceipt

/// What is asked of a receipt beside that it be genuine; nil asks nothing.
public struct Demands: Hashable, Sendable {
    public let bundleID: String?
    public let environment: ReceiptEnvironment?
    /// Bytes of the device's identifier.
    public let deviceID: [UInt8]?

    public init(bundleID: String? = nil, environment: ReceiptEnvironment? = nil, deviceID: [UInt8]? = nil) {
        self.bundleID = bundleID
        self.environment = environment
        self.deviceID = deviceID
    }
}

/// What came out for one receipt.
public struct Examination: Sendable {
    public let result: Result<VerifiedReceipt, Refusal>
    /// Of the DER bytes; nil where none could be decoded.
    public let sha256: [UInt8]?

    public init(_ result: Result<VerifiedReceipt, Refusal>, sha256: [UInt8]? = nil) {
        self.result = result
        self.sha256 = sha256
    }
}

/// Decodes and verifies receipts and makes the demands: the same steps for every command.
public struct Examiner: Sendable {
    public let verifier: ReceiptVerifier
    let demands: Demands
    private var isVerifying = true

    /// Decodes and takes the digest alone; whatever decodes is refused. It tells one receipt from another.
    package var withoutVerification: Examiner {
        var examiner = self
        examiner.isVerifying = false
        return examiner
    }

    public init(_ verifier: ReceiptVerifier, demands: Demands = Demands()) {
        self.verifier = verifier
        self.demands = demands
    }

    /// - Parameter input: a receipt in any ``InputEncoding``.
    public func examine(_ input: [UInt8]) -> Examination { examine(input.span) }

    /// - Parameter input: a receipt in any ``InputEncoding``.
    public func examine(_ input: Span<UInt8>) -> Examination {
        let der: [UInt8]
        do throws(ReceiptError) {
            der = try InputEncoding.decode(input, limits: verifier.limits).der
        } catch {
            return Examination(.failure(Refusal(error)))
        }
        return examine(container: der)
    }

    func examine(container der: [UInt8]) -> Examination {
        let sha256 = verifier.sha256(of: der)
        guard isVerifying else {
            return Examination(.failure(Refusal(code: .unreadable, message: "not verified")), sha256: sha256)
        }
        do throws(ReceiptError) {
            return Examination(.success(try verify(der)), sha256: sha256)
        } catch {
            return Examination(.failure(Refusal(error)), sha256: sha256)
        }
    }

    private func verify(_ der: [UInt8]) throws(ReceiptError) -> VerifiedReceipt {
        let receipt = try verifier.verify(container: der.span)
        try receipt.require(bundleID: demands.bundleID, environment: demands.environment)
        if let deviceID = demands.deviceID { try receipt.require(deviceID: deviceID) }
        return receipt
    }
}
