import AppReceipt
import ArgumentParser
import CReceiptCrypto
import ReceiptCommands
import RecordSources

#if Server
    import ReceiptServer
#endif

@main
struct AppReceiptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "appreceipt",
        abstract: "Verify App Store receipts and signed transactions offline.",
        discussion: """
            Example: appreceipt verify receipt.b64

            Exit status: 0 everything genuine, 1 something was refused, 2 something could not be read, 64 wrong usage.
            """,
        subcommands: [
            VerifyCommand.self, VerifyReceiptCommand.self, InspectCommand.self, EligibilityCommand.self,
            RulesCommand.self,
            AuditCommand.self, AskCommand.self, MigrateCommand.self, EvidenceCommand.self, ForgetCommand.self,
            ForgeCommand.self,
            SchemaCommand.self,
        ] + serving)

    #if Server
        private static let serving: [any ParsableCommand.Type] = [ServeCommand.self]
    #else
        private static let serving: [any ParsableCommand.Type] = []
    #endif

    static let _errorLabel = "error"

    @Flag(
        name: [.long, .customShort("V")],
        help: "Print the versions of this tool and of OpenSSL, and the SHA-256 of each trusted root.")
    var version = false

    /// Prints the versions. The flag belongs to this command, but may be after the name of another one, which must not run.
    func validate() throws {
        guard version else { return }
        let verifier = try ReceiptVerifier()
        let roots = AppleCertificate.roots.map { root in
            "\(root.name.padded(to: 20)) \(hexadecimal(verifier.sha256(of: root.der) ?? []))"
        }
        let text = unsafe """
        appreceipt \(ReceiptVerifier.packageVersion)
        OpenSSL, built with  \(String(cString: receipt_crypto_version_at_build_time()))
        OpenSSL, running     \(String(cString: receipt_crypto_version_at_run_time()))

        """
        throw CleanExit.message(text + roots.joined(separator: "\n"))
    }

    func run() throws { throw CleanExit.helpRequest(self) }

    /// Runs the command. First disables the machine's OpenSSL configuration, which must not affect a verdict.
    static func main() {
        receipt_crypto_ignore_configuration()
        #if Server
            // SIGHUP must not end a server that is still reading its command line.
            if CommandLine.arguments.dropFirst().first == ServeCommand.configuration.commandName {
                ReceiptServer.recordHangups()
            }
        #endif
        do {
            try CommandName.validate(CommandLine.arguments.dropFirst())
            var command = try parseAsRoot()
            try command.run()
        } catch let error as AuditError {
            StandardError.writeError(error.description)
            exit(withError: ExitCode(2))
        } catch {
            let message = fullMessage(for: error)
            // Without an error, the message is a result, such as help.
            if exitCode(for: error) == .success, !message.isEmpty {
                try? StandardOutput.write(Array("\(UsageMessage.help(message))\n".utf8))
                exit()
            }
            guard !message.isEmpty else { exit(withError: error) }
            guard exitCode(for: error) != .failure else {
                // An unknown error. Exit status 1 would be a verdict.
                StandardError.writeError("\(error)")
                exit(withError: ExitCode(2))
            }
            let problem = Self.message(for: error)
            StandardError.write(
                message: message.replacing(problem, with: UsageMessage.text(problem), maxReplacements: 1),
                quoting: CommandLine.arguments)
            exit(withError: exitCode(for: error))
        }
    }
}
