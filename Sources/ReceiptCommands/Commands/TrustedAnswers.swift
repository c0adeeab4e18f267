import ArgumentParser
import OfferEligibility
import ReceiptExamination
import ReceiptJSON
import RecordSources
import StrictJSON

/// The answers of `eligibility --trusting` to saved responses of verifyReceipt. They are not signed, and
/// every line says so.
struct TrustedAnswers {
    typealias Contents = ReadOnce<Result<[UInt8], AuditError>>

    var selection: ProductSelection
    private(set) var contents: Contents
    let asOf: EligibilityInstant
    let isJSON: Bool

    init(selection: ProductSelection, contents: Contents, asOf: EligibilityInstant, isJSON: Bool) {
        (self.selection, self.contents, self.asOf, self.isJSON) = (selection, contents, asOf, isJSON)
    }

    /// Collects the products in the responses if they are needed.
    static func take(_ paths: [String], reading contents: inout Contents, into shown: inout ShownProducts?) {
        guard shown != nil else { return }
        for path in paths {
            if let history = try? history(read(path, &contents), of: path) { shown?.take(history) }
        }
    }

    private static func read(_ path: String, _ contents: inout Contents) throws(AuditError) -> [UInt8] {
        try contents.value(of: InputFile(path: path)) { _ in
            Result { () throws(AuditError) in try readSideFile(path) }
        }.get()
    }

    /// Answers for each response.
    /// - Throws: An error of writing. Exit status 2 if a file is not such a response, after all others are
    ///   answered.
    mutating func answer(_ paths: [String]) throws {
        var hasFailed = false
        for path in paths {
            let history: PurchaseHistory
            let renewals: RenewalInformation?
            do {
                let bytes = try Self.read(path, &contents)
                history = try Self.history(bytes, of: path)
                renewals = try Self.renewals(bytes, of: path)
            } catch let error as AuditError {
                StandardError.writeError(error.description)
                hasFailed = true
                continue
            }
            let verdicts = selection.rules.verdicts(
                for: selection.products(for: history), in: history, asOf: asOf, renewals: renewals)
            guard isJSON || verdicts.isEmpty else {
                let report = EligibilityReport(verdicts, of: [path])
                let lines = report.text.split(separator: "\n", omittingEmptySubsequences: false)
                let text = lines.map { $0.isEmpty ? "" : "unsigned: \($0)" }.joined(separator: "\n")
                try StandardOutput.write(Array(text.utf8))
                continue
            }
            for verdict in verdicts {
                try StandardOutput.writeLine { $0.verdict(verdict, of: .unsigned(path)) }
            }
        }
        if hasFailed { throw ExitCode(2) }
    }

    /// Returns the renewal information in a response, or nil if it has none.
    private static func renewals(_ bytes: [UInt8], of path: String) throws -> RenewalInformation? {
        do throws(JSONError) {
            return try RenewalInformation(parsing: bytes)
        } catch {
            if error.fault == .missing("pending_renewal_info") { return nil }
            // A JSON array contains purchases here, which the history has already read.
            if bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "[") {
                return nil
            }
            throw AuditError("\(path): not renewal information: \(error)")
        }
    }

    private static func history(_ bytes: [UInt8], of path: String) throws -> PurchaseHistory {
        do throws(SavedAnswerError) {
            return try PurchaseHistory(trusting: bytes)
        } catch {
            switch error {
            case .unreadable(let error):
                throw AuditError("\(path): not a saved verifyReceipt response: \(error)")
            case .contradiction(let error):
                throw AuditError("\(path): its purchase lists contradict each other: \(error)")
            }
        }
    }
}
