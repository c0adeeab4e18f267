public import AppReceipt
public import OfferEligibility
public import ReceiptASN1
public import StrictJSON

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

// What `localizedDescription` says, in English: one line for a person, with the place.

extension ReceiptError: LocalizedError {
    /// The code, what is wrong, and where.
    public var errorDescription: String? { description }
}

extension InputEncoding.Fault: LocalizedError {
    /// What is wrong with the text.
    public var errorDescription: String? { description }
}

extension ASN1Error: LocalizedError {
    /// What is wrong, and where.
    public var errorDescription: String? { description }
}

extension JSONError: LocalizedError {
    /// What is wrong, and where.
    public var errorDescription: String? { description }
}

extension HistoryMergeError: LocalizedError {
    /// Which two pieces of evidence do not go together.
    public var errorDescription: String? { description }
}

extension SavedAnswerError: LocalizedError {
    /// What is wrong with the answer.
    public var errorDescription: String? { description }
}
