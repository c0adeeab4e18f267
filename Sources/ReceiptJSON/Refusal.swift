public import AppReceipt

/// Why there is no verified receipt, in the terms of the JSON contract.
public struct Refusal: Error, Hashable, Sendable {
    /// For scripts, and to switch over.
    public let code: ReceiptError.Code
    /// One line for a person.
    public let message: String
    /// Index of the first byte at fault.
    public let offset: Int?
    /// The field at fault, for example `signerInfos[0].signature`.
    public let field: String?
    /// The certificate at fault, where trust failed.
    public let certificate: CertificateFacts?
    /// Whether the machine is to blame, which was short of something: nothing was judged, and may be tried again.
    package var isPassing = false

    /// A refusal that says nothing of what was to be read.
    package init(code: ReceiptError.Code, message: String, isPassing: Bool) {
        self.init(code: code, message: message)
        self.isPassing = isPassing
    }

    /// A refusal for a reason of the caller's, for example a file that cannot be read.
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

    /// What a verifier said.
    public init(_ error: ReceiptError) {
        self.init(
            code: error.code, message: error.message, offset: error.offset, field: error.field,
            certificate: error.certificate)
        // All that a verifier cannot read it for.
        isPassing = error.code == .unreadable
    }
}
