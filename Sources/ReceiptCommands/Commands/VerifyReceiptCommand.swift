import AppReceipt
import ArgumentParser
import ReceiptExamination
import ReceiptServices
import RecordSources

package struct VerifyReceiptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-receipt",
        abstract: "Answer as Apple's verifyReceipt did.",
        discussion: """
            Example: appreceipt verify-receipt receipt.der --latest history.json --latest notification.jws

            Prints the response body of Apple's deprecated endpoint for each app receipt, one JSON object per line. \
            Without --environment, each receipt is answered in its own environment.

            --latest FILE adds signed transactions that are newer than the receipt to latest_receipt_info, and signed \
            renewal information to pending_renewal_info. They must be genuine and belong to the receipt's app and \
            environment; make sure that they belong to the receipt's customer. Consumables that the receipt does not list \
            are omitted, because signed transactions do not show whether the app has finished them.

            Exit status: 0 every status is 0, 1 a receipt or a --latest file was refused, 2 something could not be read, \
            64 wrong usage.
            """)

    @Argument(
        help: SharedHelp.files)
    var files: [String]

    @Option(
        help: .file(
            """
            Add these signed transactions to latest_receipt_info: compact JWS, notifications or App Store Server API \
            responses. The word as-of-receipt writes only the receipt's own transactions. May be repeated.
            """))
    var latest: [String] = []

    @Flag(help: "Keep only the newest transaction of each subscription in latest_receipt_info.")
    var excludeOldTransactions = false

    @OptionGroup var walk: WalkOptions

    @OptionGroup var options: VerificationOptions

    /// The word that the server's setting has, too. A file of this name must be given as ./as-of-receipt.
    private static let asOfReceipt = "as-of-receipt"

    package init() {}

    func validate() throws {
        if (files + latest).contains("") { throw ValidationError("FILE, --latest: empty path") }
        if options.deviceID != nil {
            throw ValidationError("--device-id: not supported by verifyReceipt; use appreceipt verify")
        }
        if accepted.isEmpty {
            throw ValidationError("--environment: verifyReceipt supports only production and sandbox")
        }
        if latest.contains(Self.asOfReceipt), latest.count > 1 {
            throw ValidationError("--latest: as-of-receipt cannot be combined with files")
        }
        if (files + latest).filter({ $0 == "-" }).count > 1 {
            throw ValidationError("-: standard input is given twice")
        }
    }

    func run() throws {
        let verifier = try options.makeExaminer().verifier
        let found = files.lazy.flatMap { FolderWalk($0, filter: walk.filter) }
        let isAsOfReceipt = latest == [Self.asOfReceipt]
        var inputs: [(name: String, bytes: [UInt8])]?
        if !latest.isEmpty, !isAsOfReceipt {
            inputs = try latest.map { ($0, try readSideFile($0)) }
            guard Array(found.prefix(2)).count < 2 else {
                throw ValidationError("--latest: requires exactly one receipt")
            }
        }
        var status = ExitStatus()
        for file in found {
            let receipt: [UInt8]
            do throws(ReceiptError) {
                receipt = try file.read(limit: verifier.limits.textBytes)
            } catch {
                status.report(error, of: file.source, at: error.field.map { " at \($0)" } ?? "")
                continue
            }
            let answer = try answer(about: receipt, inputs, isAsOfReceipt: isAsOfReceipt, verifier)
            try StandardOutput.write(answer.body + [0x0A])
            if let refusal = answer.refusal {
                status.report(refusal, of: file.source, at: refusal.field.map { " at \($0)" } ?? "")
            } else {
                status.note(Result<Void, ReceiptError>.success(()))
            }
            if !answer.leftOut.isEmpty {
                let ids = answer.leftOut.joined(separator: ", ")
                StandardError.writeLine(
                    "--latest: omitted consumables that the app may have finished: \(ids)")
            }
            for original in answer.unmatchedRenewals {
                StandardError.writeLine(
                    "--latest: omitted renewal information of \(original.isEmpty ? "no transaction" : original): "
                        + "the receipt and --latest contain no transaction of that subscription")
            }
        }
        if status.count == 0 { try ExitStatus.exitWithoutFiles() }
        status.noteUnusedLists(of: verifier)
        try status.exit()
    }

    private var accepted: [VerifyReceiptEndpoint.Environment] {
        let environments = options.policy.environments
        return VerifyReceiptEndpoint.Environment.allCases.filter {
            environments.accepts($0 == .production ? .production : .sandbox)
        }
    }

    /// Returns the answer for the first accepted environment that matches. Tries production first, as clients
    /// do.
    private func answer(
        about receipt: [UInt8], _ inputs: [(name: String, bytes: [UInt8])]?, isAsOfReceipt: Bool,
        _ verifier: ReceiptVerifier
    ) throws -> VerifyReceiptAnswer {
        var answer = VerifyReceiptAnswer(.notAuthenticated)
        for environment in accepted {
            var endpoint = try VerifyReceiptEndpoint(
                environment, for: options.policy, password: .ignored, verifier: verifier)
            endpoint.latestReceiptInfo = isAsOfReceipt ? .asOfReceipt : .leftOut
            answer = endpoint.answer(
                about: receipt, latest: inputs, excludingOld: excludeOldTransactions, at: .now)
            guard answer.status == .sandboxReceipt || answer.status == .productionReceipt else { break }
        }
        return answer
    }
}
