import AppReceipt
import ArgumentParser
import RecordSources

package struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show the structure of a receipt without verifying it.",
        discussion: """
            Example: appreceipt inspect receipt.b64

            Prints the ASN.1 tree, one element per line: the offset of its first byte, the lengths of header and content, \
            the type, its meaning in a receipt and its value. Offsets count in the DER bytes, even if the file is base64. \
            For a compact JWS it prints header, certificates, payload and signature, and for a transaction receipt its \
            property lists. Damaged input is printed as far as it is readable.

            Exit status: 0 the whole input is printed, 1 the input is damaged, 2 it could not be read, 64 wrong usage.
            """)

    @Argument(help: .file("A file, or - for standard input."))
    var file: String

    @Flag(help: "Print long values in full.")
    var full = false

    package init() {}

    func validate() throws {
        if file.isEmpty { throw ValidationError("FILE: empty path") }
    }

    func run() throws {
        let limits = ReceiptLimits()
        let recognized: RecognizedInput
        do throws(ReceiptError) {
            let input = try InputFile(path: file).read(limit: limits.textBytes)
            recognized = try RecognizedInput(input.span, limits: limits)
        } catch {
            let place = error.offset.map { " at byte \($0)" } ?? ""
            let code = error.code == .unreadable ? "" : "\(error.code.rawValue)\(place): "
            StandardError.writeError("\(file): \(code)\(error.message)")
            throw ExitCode(error.code == .unreadable ? 2 : 1)
        }
        let fault: String?
        if case .receipt(let der) = recognized {
            var tree = ReceiptTree(style: .standardOutput, isFull: full)
            fault = try tree.write(der, from: file)
        } else {
            var tree = SignedTextTree(style: .standardOutput, isFull: full)
            fault = try tree.write(recognized, from: file)
        }
        if let fault {
            StandardError.writeError("\(file): \(fault)")
            throw ExitCode(1)
        }
    }
}
