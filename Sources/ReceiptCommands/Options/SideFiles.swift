package import AppReceipt
import ArgumentParser
import OfferEligibility
import ReceiptExamination
import ReceiptServices
package import RecordSources

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The given renewal information: unsigned entries and signed objects.
struct GivenRenewals {
    private(set) var unsigned: RenewalInformation?
    private(set) var signed = CustomerEvidence()
    private(set) var refusals: [CustomerEvidence.Refused] = []
    let isEmpty: Bool

    init(_ paths: [String], _ examiner: Examiner) throws(AuditError) {
        isEmpty = paths.isEmpty
        for path in paths {
            let bytes = try readSideFile(path)
            if Self.isSigned(bytes, examiner.verifier.limits) {
                refusals += signed.takeRenewals(bytes, of: path, examiner)
            } else {
                let found = try naming("\(path): not renewal information") {
                    try RenewalInformation(parsing: bytes).entries
                }
                unsigned = RenewalInformation(entries: (unsigned?.entries ?? []) + found)
            }
        }
    }

    /// Returns whether the bytes are a compact JWS, or JSON that contains one.
    private static func isSigned(_ bytes: [UInt8], _ limits: ReceiptLimits) -> Bool {
        switch try? RecognizedInput(bytes.span, limits: limits) {
        case .jws: true
        case .json(let text):
            (try? APIAnswer(parsing: text, limits: limits))?.elements.contains { !$0.isNull } ?? false
        case .receipt, .transactionReceipt, nil: false
        }
    }
}

/// Reads a file that is not evidence.
package func readSideFile(_ path: String, limit: Int = 64 << 20) throws(AuditError) -> [UInt8] {
    try naming(path) { try InputFile(path: path).read(limit: limit) }
}

/// Runs a step. Its error becomes a ``AuditError`` of one line that begins with the file's name.
package func naming<Value>(_ file: String, _ step: () throws -> Value) throws(AuditError) -> Value {
    do { return try step() } catch {
        let reason =
            switch error {
            case let error as ReceiptError: error.message
            case let error as CocoaError: systemReason(error)
            default: "\(error)"
            }
        throw AuditError("\(file): \(reason)")
    }
}

private func systemReason(_ error: CocoaError) -> String {
    switch error.code {
    case .fileReadNoSuchFile, .fileNoSuchFile: "No such file or directory"
    case .fileReadNoPermission, .fileWriteNoPermission: "Permission denied"
    case .fileWriteOutOfSpace: "No space left on device"
    case .fileWriteFileExists: "File exists"
    default: "cannot be read or written"
    }
}

/// Parses a date in RFC 3339, or a day, which means midnight UTC. Writes the interpretation of a day to
/// standard error.
package func instant(_ argument: String) throws -> Timestamp {
    if let date = Timestamp(rfc3339: argument) { return date }
    guard let midnight = Timestamp(rfc3339: "\(argument)T00:00:00Z") else {
        throw ValidationError("is not an RFC 3339 date, for example 2026-06-02T00:00:00Z")
    }
    StandardError.writeLine("\(argument): read as midnight UTC, \(midnight.rfc3339)")
    return midnight
}

extension Timestamp {
    /// The current time of the machine's clock.
    package static var now: Timestamp {
        Timestamp(millisecondsSince1970: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }
}
