import AppReceipt
import ArgumentParser
import ReceiptAudit
import ReceiptJSON

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Says what Apple signed and what it says.",
        discussion: """
            Example: appreceipt verify --bundle-id com.example.app receipts/ more.b64

            What a file is, its content tells: a receipt (DER, base64 or PEM), a signed transaction, renewal \
            information, app transaction, notification or realtime request (compact JWS), an answer of the App Store \
            Server API (JSON with signed objects at any depth), or a transaction receipt. A directory is walked in sorted \
            order, hidden files left out; - is standard input.
            """)

    @Argument(help: ArgumentHelp("Files, directories, or - for standard input.", valueName: "file"))
    var files: [String]

    @Flag(help: "Print one JSON object a line, in the order of the input.")
    var json = false

    @Flag(help: "Print one line a receipt.")
    var brief = false

    @OptionGroup var walk: WalkOptions

    @OptionGroup var options: VerificationOptions

    func validate() throws {
        if files.contains("") { throw ValidationError("A path is empty.") }
        if json && brief {
            throw ValidationError("--json prints one object a line already: --brief is for people.")
        }
    }

    func run() throws {
        let examiner = try options.makeExaminer()
        var status = ExitStatus()
        var writer = JSONWriter()
        let account = VerificationAccount(
            style: .standardOutput, width: TerminalStyle.width,
            isTrustingAppleAlone: options.isTrustingAppleAlone)
        for file in files.lazy.flatMap({ FolderWalk($0, filter: walk.filter) }) {
            try examiner.examine(anythingIn: file) { (examination) throws(any Error) in
                status.note(examination.result)
                if json {
                    writer.removeAll()
                    writer.verification(examination, of: file.source)
                    writer.endLine()
                    try StandardOutput.write(writer.bytes)
                } else {
                    let separator = status.count > 1 && !brief ? "\n" : ""
                    let text = separator + account.text(of: examination, from: file.source, isBrief: brief)
                    try StandardOutput.write(Array(text.utf8))
                }
            }
        }
        if !json && status.count != 1 { StandardError.writeLine(status.summary) }
        if status.count == 0 {
            StandardError.writeLine("no file was found: nothing was judged")
            throw ExitCode(2)
        }
        try status.exit()
    }
}
