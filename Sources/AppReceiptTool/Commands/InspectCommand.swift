import AppReceipt
import ArgumentParser
import ReceiptASN1
import ReceiptAudit
import ReceiptJSON

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Shows what a receipt is made of, without verifying anything.",
        discussion: """
            Example: appreceipt inspect receipt.b64

            Prints the ASN.1 tree, an element a line: the offset of its first byte, the lengths of header and \
            content, the type, what it is in a receipt, and its value. Offsets count in the DER bytes, also where \
            the file is base64. Of a compact JWS, header, certificates, payload and signature are shown, of a \
            transactionReceipt its lists. Damaged input is shown as far as it can be read.
            """)

    @Argument(help: ArgumentHelp("A file, or - for standard input.", valueName: "file"))
    var file: String

    @Flag(help: "Print long values in full.")
    var full = false

    func run() throws {
        let limits = ReceiptLimits()
        let recognised: RecognisedInput
        do throws(Refusal) {
            let input = try InputFile(path: file).read(limit: limits.textBytes)
            do throws(ReceiptError) {
                recognised = try RecognisedInput(input.span, limits: limits)
            } catch {
                throw Refusal(error)
            }
        } catch {
            let place = error.offset.map { " at byte \($0)" } ?? ""
            StandardError.writeLine("\(file): \(error.code.rawValue)\(place): \(error.message)")
            throw ExitCode(error.code == .unreadable ? 2 : 1)
        }
        let fault: String?
        if case .receipt(let der) = recognised {
            var tree = ReceiptTree(style: .standardOutput, isFull: full)
            fault = try tree.write(der, from: file)
        } else {
            var tree = SignedTextTree(style: .standardOutput, isFull: full)
            fault = try tree.write(recognised, from: file)
        }
        if let fault {
            StandardError.writeLine("\(file): \(fault)")
            throw ExitCode(1)
        }
    }
}
