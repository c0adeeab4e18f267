import ArgumentParser
import ReceiptExamination
import ReceiptJSON
import RecordSources

package struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify receipts and signed transactions.",
        discussion: """
            Example: appreceipt verify --bundle-id com.example.app receipts/ more.b64

            File types are detected from content: app receipts (DER, base64 or PEM); signed transactions, renewal \
            information, app transactions, notifications and realtime requests (compact JWS); App Store Server API \
            responses (JSON with signed objects at any depth); and transaction receipts (iOS 6). Directories are read in \
            sorted order, without hidden files.

            Exit status: 0 everything genuine, 1 something was refused, 2 something could not be read, 64 wrong usage.
            """)

    @Argument(help: SharedHelp.files)
    var files: [String]

    @Flag(help: SharedHelp.json)
    var json = false

    @Flag(help: "Print one line per signed object.")
    var brief = false

    @OptionGroup var walk: WalkOptions

    @OptionGroup var options: VerificationOptions

    package init() {}

    func validate() throws {
        if files.contains("") { throw ValidationError("FILE: empty path") }
        if json && brief {
            throw ValidationError("--brief: cannot be combined with --json")
        }
    }

    func run() throws {
        let examiner = try options.makeExaminer()
        var status = ExitStatus()
        let report = VerificationReport(
            style: .standardOutput, width: TerminalStyle.width,
            isTrustingAppleAlone: options.isTrustingAppleAlone)
        for file in files.lazy.flatMap({ FolderWalk($0, filter: walk.filter) }) {
            try examiner.examine(signedObjectsIn: file) { (examination) throws(any Error) in
                status.note(examination.result)
                if json {
                    try StandardOutput.writeLine { $0.verification(examination, of: file.source) }
                } else {
                    let separator = status.count > 1 && !brief ? "\n" : ""
                    let text = separator + report.text(of: examination, from: file.source, isBrief: brief)
                    try StandardOutput.write(Array(text.utf8))
                }
            }
        }
        if !json && status.count != 1 { StandardError.writeLine(status.summary) }
        if status.count == 0 { try ExitStatus.exitWithoutFiles() }
        status.noteUnusedLists(of: examiner.verifier)
        try status.exit()
    }
}
