public import AppReceipt

/// The reason why there is no verified receipt, in the terms of the JSON contract.
public struct Refusal: Error, Hashable, Sendable {
    /// The refusal code, for scripts and `switch` statements.
    public let code: ReceiptError.Code
    /// The reason on one line, for a person.
    public let message: String
    /// The offset of the first faulty byte.
    public let offset: Int?
    /// The faulty field, for example `signerInfos[0].signature`.
    public let field: String?
    /// The faulty certificate, if the chain is not trusted.
    public let certificate: CertificateFacts?
    /// Whether the refusal is temporary: the machine lacked a resource, and a retry may succeed. Nothing was
    /// evaluated.
    package var isPassing = false

    /// Creates a refusal that may be temporary.
    package init(code: ReceiptError.Code, message: String, isPassing: Bool) {
        self.init(code: code, message: message)
        self.isPassing = isPassing
    }

    /// Creates a refusal for the caller's own reason, for example a file that cannot be read.
    public init(
        code: ReceiptError.Code, message: String, offset: Int? = nil, field: String? = nil,
        certificate: CertificateFacts? = nil
    ) {
        self.code = code
        self.message = message
        self.offset = offset
        self.field = field
        self.certificate = certificate
    }

    /// Creates a refusal from a verifier's error.
    public init(_ error: ReceiptError) {
        self.init(
            code: error.code, message: error.message, offset: error.offset, field: error.field,
            certificate: error.certificate)
        // A verifier reports `unreadable` only if it lacks a resource.
        isPassing = error.code == .unreadable
    }
}
