import AppReceipt
import ArgumentParser
import OfferEligibility
import ReceiptAudit
import ReceiptExamination
import ReceiptJSON
import ReceiptServices
import RecordSources
import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

private let sideFileLimit = 64 << 20

/// The given renewal information: unsigned entries and signed objects.
struct GivenRenewals {
    private(set) var unsigned: RenewalInformation?
    private(set) var signed = CustomerEvidence()
    private(set) var refusals: [CustomerEvidence.Refused] = []
    let isEmpty: Bool

    init(_ paths: [String], _ examiner: Examiner) throws(Failure) {
        isEmpty = paths.isEmpty
        for path in paths {
            let bytes = try readSideFile(path)
            if Self.isSigned(bytes, examiner.verifier.limits) {
                refusals += signed.takeRenewals(bytes, of: path, examiner)
            } else {
                let entries = (unsigned?.entries ?? []) + (try Self.entries(of: bytes, path))
                unsigned = RenewalInformation(entries: entries)
            }
        }
    }

    /// Returns whether the bytes are a compact JWS, or JSON that contains one.
    private static func isSigned(_ bytes: [UInt8], _ limits: ReceiptLimits) -> Bool {
        switch try? RecognizedInput(bytes.span, limits: limits) {
        case .jws: true
        case .json(let text): (try? APIAnswer(parsing: text, limits: limits)) != nil
        case .receipt, .transactionReceipt, nil: false
        }
    }

    private static func entries(of bytes: [UInt8], _ path: String) throws(Failure) -> [RenewalInformation
        .Entry]
    {
        do throws(JSONError) {
            return try RenewalInformation(parsing: bytes).entries
        } catch {
            throw Failure("\(path): not renewal information: \(error)")
        }
    }
}

func readSideFile(_ path: String) throws(Failure) -> [UInt8] {
    do throws(ReceiptError) {
        return try InputFile(path: path).read(limit: sideFileLimit)
    } catch {
        throw Failure("\(path): \(error.message)")
    }
}

/// Parses a date in RFC 3339, or a day, which means midnight UTC. Writes the interpretation of a day to
/// standard error.
func instant(_ argument: String) throws -> Timestamp {
    if let date = Timestamp(rfc3339: argument) { return date }
    guard let midnight = Timestamp(rfc3339: "\(argument)T00:00:00Z") else {
        throw ValidationError("is not an RFC 3339 date, for example 2026-06-02T00:00:00Z")
    }
    StandardError.writeLine("\(argument): read as midnight UTC, \(midnight.rfc3339)")
    return midnight
}

extension Timestamp {
    /// The current time of the machine's clock.
    static var now: Timestamp {
        Timestamp(millisecondsSince1970: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }
}
