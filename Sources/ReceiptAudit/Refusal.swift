public import AppReceipt

/// Why there is no verified receipt, in the terms of the JSON contract.
public struct Refusal: Error, Hashable, Sendable {
    public let code: ReceiptError.Code
    /// One line for a person.
    public let message: String
    /// Index of the first byte at fault.
    public let offset: Int?
    public let field: String?

    public init(code: ReceiptError.Code, message: String, offset: Int? = nil, field: String? = nil) {
        self.code = code
        self.message = message
        self.offset = offset
        self.field = field
    }

    public init(_ error: ReceiptError) {
        self.init(code: error.code, message: error.message, offset: error.offset, field: error.field)
    }
}
