import ArgumentParser
import CReceiptCrypto
import ReceiptAudit

@main
struct AppReceiptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "appreceipt",
        abstract: "Verifies and reads App Store receipts, offline.",
        discussion: """
            Exit status: 0 everything genuine, 1 at least one receipt refused, 2 something could not be read, \
            64 wrong usage.
            """,
        subcommands: [
            VerifyCommand.self, InspectCommand.self, EligibilityCommand.self, RulesCommand.self,
            AuditCommand.self, ForgeCommand.self, SchemaCommand.self,
        ])

    /// Before anything else: no OpenSSL configuration of the machine shall take part in a verdict.
    static func main() {
        receipt_crypto_ignore_configuration()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let failure as Failure {
            StandardError.writeLine(failure.description)
            exit(withError: ExitCode(2))
        } catch let error as AuditError {
            StandardError.writeLine(error.description)
            exit(withError: ExitCode(2))
        } catch {
            exit(withError: error)
        }
    }
}
