public import AppReceipt

/// Why there is no verified receipt, in the terms of the JSON contract.
public struct Refusal: Error, Hashable, Sendable {
    /// What kind of refusal it is.
    public let code: ReceiptError.Code
    /// One line for a person.
    public let message: String
    /// Index of the first byte at fault.
    public let offset: Int?
    /// The field at fault.
    public let field: String?
    /// The certificate at fault, where trust failed.
    public let certificate: CertificateFacts?

    /// A refusal with its place.
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

    /// The error's account of itself.
    public init(_ error: ReceiptError) {
        self.init(
            code: error.code, message: error.message, offset: error.offset, field: error.field,
            certificate: error.certificate)
    }
}
