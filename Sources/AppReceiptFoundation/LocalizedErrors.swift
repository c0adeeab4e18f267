public import AppReceipt
public import OfferEligibility
public import ReceiptASN1
public import StrictJSON

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

// `localizedDescription` is one line in English, with the place of the error.

extension ReceiptError: LocalizedError {
    /// The code, the problem and its place.
    public var errorDescription: String? { description }
}

extension InputEncoding.Fault: LocalizedError {
    /// The problem with the text.
    public var errorDescription: String? { description }
}

extension ASN1Error: LocalizedError {
    /// The fault and its place.
    public var errorDescription: String? { description }
}

extension JSONError: LocalizedError {
    /// The fault and its place.
    public var errorDescription: String? { description }
}

extension HistoryMergeError: LocalizedError {
    /// The reason why two evidence objects cannot be merged, with their indices from 0.
    public var errorDescription: String? { description }
}

extension SavedAnswerError: LocalizedError {
    /// The problem with the response.
    public var errorDescription: String? { description }
}
