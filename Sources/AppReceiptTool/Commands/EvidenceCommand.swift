import AppReceipt
import ArgumentParser
import OfferEligibility
import ReceiptAudit
import ReceiptEvidence
import ReceiptJSON
import StrictJSON

struct EvidenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evidence",
        abstract: "Writes verdicts that anyone can check without this program, and checks them.",
        discussion: """
            Example: appreceipt evidence receipt.b64 --output evidence
                     sh evidence/receipt.b64/check.sh

            For every signed object a folder: the bytes as they came, what was signed and the signature, the \
            certificates, the verdict with the place of each value in the signed bytes, and check.sh, which checks all \
            of it with sh and openssl. The number behind each folder is the SHA-256 of its SHA256SUMS: whoever has it \
            from you knows that the folder is yours, every byte of it.

            appreceipt evidence --check evidence

            does the same with this program's own code, and says where evidence is not what it claims to be.

            Exit status: 0 everything genuine, or as it claims to be; 1 something was refused, or is not; 2 something \
            could not be read or written; 64 wrong usage.
            """)

    @Argument(
        help: ArgumentHelp(
            "Files, directories, or - for standard input; with --check, evidence.", valueName: "file"))
    var files: [String]

    @Option(
        help: ArgumentHelp(
            "The folder to write, or the tar archive where it ends in .tar. Must not exist, or be empty.",
            valueName: "path"))
    var output: String?

    @Flag(help: "Check evidence: folders of this command, or archives.")
    var check = false

    @Option(
        help: ArgumentHelp(
            "Also ask which offers the customer may get: a StoreKit configuration file, or JSON of groups.",
            valueName: "file"))
    var catalog: String?

    @Option(
        name: .customLong("product"),
        help: ArgumentHelp(
            "Ask about this product; may be repeated. Without it, about all of the catalogue.",
            valueName: "id"))
    var products: [String] = []

    @Option(
        help: ArgumentHelp(
            "Ask about this instant, RFC 3339. Without it, the machine's clock is read.", valueName: "date"),
        transform: instant)
    var asOf: Timestamp?

    @Flag(help: "In place of a catalogue: all subscriptions are one group.")
    var singleGroup = false

    @OptionGroup var policies: PolicyOptions

    @OptionGroup var walk: WalkOptions

    @OptionGroup var options: VerificationOptions

    func validate() throws {
        if files.isEmpty || files.contains("") { throw ValidationError("A path is missing or empty.") }
        guard !check else {
            let isAsking = catalog != nil || singleGroup || !products.isEmpty || asOf != nil
            if output != nil || isAsking || options.demands != Demands(.anyApp) {
                throw ValidationError("--check asks nothing of its own: it takes evidence and roots.")
            }
            return
        }
        if output ?? "" == "" { throw ValidationError("Say with --output where the evidence goes.") }
        if catalog != nil && singleGroup {
            throw ValidationError("--single-group stands in place of a catalogue: give one of the two.")
        }
        let isAsking = catalog != nil || singleGroup
        if !isAsking, !products.isEmpty || asOf != nil {
            throw ValidationError("Which product is of which group? Give --catalog FILE or --single-group.")
        }
        if singleGroup && products.isEmpty {
            throw ValidationError("Without a catalogue the products must be named: --product ID.")
        }
    }

    func run() throws {
        let anchors = try options.makeAnchors()
        let verifier = try options.makeExaminer(anchors: anchors).verifier
        let maker = EvidenceMaker(
            verifier, anchors: anchors, demands: options.demands, question: try question(),
            account: Self.account(isTrustingAppleAlone: options.isTrustingAppleAlone))
        if check { return try check(with: EvidenceCheck(maker)) }
        let output = try EvidenceOutput(path: output ?? "")
        var status = ExitStatus()
        var names = EvidenceNames()
        var lines: [String] = []
        for file in files.lazy.flatMap({ FolderWalk($0, filter: walk.filter) }) {
            let received: [UInt8]
            do throws(Refusal) {
                received = try file.read(limit: verifier.limits.textBytes)
            } catch {
                status.note(Result<Never, Refusal>.failure(error))
                StandardError.writeLine("\(file.source): \(error.message)")
                continue
            }
            do {
                try maker.makeBundles(of: received, from: .source(file.source)) { examination, bundle in
                    status.note(examination.result)
                    let last = file.source.split(separator: "/").last.map(String.init) ?? file.source
                    let name = names.name(for: last + examination.place)
                    try output.write(bundle, to: name)
                    lines.append("\(name)  \(examination.word)  \(hexadecimal(bundle.digest))\n")
                }
            } catch let refusal as Refusal {
                throw Failure("\(file.source): \(refusal.message)")
            } catch let error as ReceiptError {
                throw Failure("\(file.source): \(error.message)")
            }
        }
        guard status.count > 0 else { throw Failure("no file was found: there is no evidence") }
        try output.finish()
        // Nothing is said of what is not there.
        try StandardOutput.write(Array(lines.joined().utf8))
        if let digest = verifier.sha256(of: EvidenceScript.bytes) {
            StandardError.writeLine("check.sh of all of them has the SHA-256 \(hexadecimal(digest))")
        }
        if status.count != 1 { StandardError.writeLine(status.summary) }
        try status.exit()
    }

    private func question() throws -> EvidenceQuestion? {
        guard catalog != nil || singleGroup else { return nil }
        let bytes = try catalog.map { try readSideFile($0) }
        do throws(JSONError) {
            return try EvidenceQuestion(
                catalog: bytes, products: products.isEmpty ? nil : products,
                asOf: asOf.map(EligibilityInstant.date) ?? .clock(.now), policies: policies.policies)
        } catch {
            throw Failure("\(catalog ?? "-"): not a catalogue: \(error)")
        }
    }

    /// The account as `verify` prints it, in no colour and of one width on every machine.
    static func account(isTrustingAppleAlone: Bool) -> EvidenceMaker.Account {
        { examination, source in
            // What a refusal advises depends on the roots alone, as it does in verify.
            VerificationAccount(
                style: TerminalStyle(isColoured: false), width: 120,
                isTrustingAppleAlone: isTrustingAppleAlone
            ).text(of: examination, from: source)
        }
    }

    private func check(with check: EvidenceCheck) throws {
        var hasFaults = false
        for path in files {
            try EvidenceInput(path: path).forEachBundle { name, files in
                let place = name.isEmpty ? path : "\(path)/\(name)"
                let (faults, examination) = try check.judge(files)
                hasFaults = hasFaults || !faults.isEmpty
                guard let examination, faults.isEmpty else {
                    for fault in faults {
                        try StandardOutput.write(Array("\(place)/\(fault)".printable.utf8) + [0x0A])
                    }
                    return
                }
                let audited = try check.inclusion(in: files).map { proof, root in
                    ", record \(proof.index + 1) of \(proof.treeSize) under the root \(root)"
                }
                let line =
                    "\(place): what it claims to be, \(examination.word)\(audited ?? "")".printable
                try StandardOutput.write(Array(line.utf8) + [0x0A])
            }
        }
        if hasFaults { throw ExitCode(1) }
    }
}

extension SignedExamination {
    /// In a line: GENUINE, and whose it is, or REFUSED.
    fileprivate var word: String {
        switch result {
        case .success(let object):
            object.object.realm == .appStore ? "GENUINE" : "GENUINE, BUT NOT APPLE'S"
        case .failure: "REFUSED"
        }
    }
}
