import AppReceipt
import ArgumentParser
import OfferEligibility
import ReceiptAudit
import ReceiptCommands
import ReceiptEvidence
import ReceiptExamination
import RecordSources

struct EvidenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evidence",
        abstract: "Write verdicts that anyone can check without this program, or check them.",
        discussion: """
            Example: appreceipt evidence receipt.b64 --output evidence
                     sh evidence/receipt.b64/check.sh

            Writes a self-contained folder for every signed object: the bytes as received, the signed bytes, the \
            certificates, the verdict with the position of each value in the signed bytes, and two scripts. check.sh \
            checks the signature with sh, coreutils and openssl. check.py checks the values of the verdict with Python and \
            openssl. The digest printed after each folder is the SHA-256 of its SHA256SUMS and covers every byte.

            To check evidence with this program:

              appreceipt evidence --check evidence

            To compare the verdicts on offers, too, add --catalog, --as-of and --product.

            Exit status: 0 everything genuine, 1 something was refused, 2 something could not be read or written, 64 wrong \
            usage. With --check, as check.sh: 0 Apple signed this, 1 not confirmed, 2 could not be checked, 3 signed under \
            a root other than Apple's, 4 a refusal; of several, the first of 1, 2, 3, 4 that applies. For a folder of audit \
            --evidence, 0 means that it agrees with itself, and that each checked signature is Apple's or refused as it says.
            """)

    @Argument(
        help: .file(
            "Files, directories, or - for standard input; with --check, evidence folders or archives."))
    var files: [String]

    @Option(
        help: ArgumentHelp(
            "Write to this new or empty folder, or to this tar archive if the name ends in .tar.",
            valueName: "path"))
    var output: String?

    @Flag(help: "Check evidence of this command or of audit --evidence, instead of writing it.")
    var check = false

    @OptionGroup var groups: CatalogOptions

    @OptionGroup var asked: ProductOptions

    @Flag(help: SharedHelp.singleGroup)
    var singleGroup = false

    @OptionGroup var policies: PolicyOptions

    @OptionGroup var walk: WalkOptions

    @OptionGroup var options: VerificationOptions

    func validate() throws {
        if files.isEmpty || files.contains("") { throw ValidationError("FILE: missing or empty path") }
        guard !check else {
            let isAsking = groups.isGiven || singleGroup || !asked.products.isEmpty || asked.asOf != nil
            if output != nil || options.policy != .any {
                throw ValidationError("--check: cannot be combined with --output or a verification policy")
            }
            if isAsking, !(groups.isGiven || singleGroup) || asked.asOf == nil {
                throw ValidationError(
                    "--check: to compare the verdicts on offers, give both --catalog FILE and --as-of DATE"
                )
            }
            return
        }
        if output ?? "" == "" {
            throw ValidationError("--output: required; name a new folder or a .tar file")
        }
        if groups.isGiven || singleGroup {
            try asked.requireGroups(hasCatalog: groups.isGiven, singleGroup: singleGroup)
        } else if !asked.products.isEmpty || asked.asOf != nil {
            throw ValidationError("missing --catalog FILE or --single-group")
        }
    }

    func run() throws {
        let anchors = try options.makeAnchors()
        let revocation = try options.revocation.inputs()
        let examiner = try options.makeExaminer(anchors: anchors, revocation)
        let verifier = examiner.verifier
        let lists = try naming("--crl") { try EvidenceLists(revocation, verifier) }
        var question = try question()
        func maker() -> EvidenceMaker {
            EvidenceMaker(
                verifier, anchors: anchors, policy: options.policy, question: question, lists: lists,
                report: Self.report(isTrustingAppleAlone: options.isTrustingAppleAlone))
        }
        if check { return try check(with: EvidenceCheck(maker())) }
        let path = self.output ?? ""
        if let folder = try files.first(where: { try InputFile(path: path).isBelow(InputFile(path: $0)) }) {
            throw AuditError("--output: \(path) is inside the source folder \(folder)")
        }
        let output = try EvidenceOutput(path: path)
        let inputs = files.lazy.flatMap { FolderWalk($0, filter: walk.filter) }
        var kept: [String: [UInt8]] = [:]
        if let asked = question {
            question?.shown = shownProducts(of: asked, in: inputs, examiner, keeping: &kept)
        }
        let maker = maker()
        var selection = question.map {
            ProductSelection(rules: $0.rules, named: $0.products, shown: $0.shown)
        }
        var status = ExitStatus()
        var names = EvidenceNames()
        var lines: [String] = []
        for file in inputs {
            let received: [UInt8]
            do throws(ReceiptError) {
                if let bytes = kept[file.source] {
                    received = bytes
                } else {
                    received = try file.read(limit: verifier.limits.textBytes)
                }
            } catch {
                status.note(Result<Never, ReceiptError>.failure(error))
                StandardError.writeError("\(file.source): \(error.message)")
                continue
            }
            do {
                try maker.makeBundles(of: received, from: .source(file.source)) { examination, bundle in
                    status.note(examination.result)
                    if case .success(let object) = examination.result, let history = object.purchaseHistory {
                        _ = selection?.products(for: history)
                    }
                    let last = file.source.split(separator: "/").last.map(String.init) ?? file.source
                    let name = names.name(for: last + examination.place)
                    try output.write(bundle, to: name)
                    lines.append("\(name)  \(examination.word)  \(hexadecimal(bundle.digest))\n")
                }
            } catch let error as ReceiptError {
                throw AuditError("\(file.source): \(error.message)")
            }
        }
        guard status.count > 0 else { throw AuditError("no files found") }
        try output.finish()
        // The lines appear only after the bundles exist.
        try StandardOutput.write(Array(lines.joined().utf8))
        for script in lines.isEmpty ? [] : EvidenceScript.files {
            guard let digest = verifier.sha256(of: script.bytes) else { continue }
            StandardError.writeLine("SHA-256 of \(script.path) in each folder: \(hexadecimal(digest))")
        }
        selection?.writeSkipped()
        if status.count != 1 { StandardError.writeLine(status.summary) }
        status.noteUnusedLists(of: verifier)
        try status.exit()
    }

    /// Returns the products in each app's evidence, or nil if the catalog names apps or one app is expected.
    /// All apps are known after the last file.
    /// - Parameter kept: Receives the bytes of standard input and of the first file, because a pipe can be
    ///   read only once.
    private func shownProducts(
        of question: EvidenceQuestion, in files: some Sequence<InputFile>, _ examiner: Examiner,
        keeping kept: inout [String: [UInt8]]
    ) -> ShownProducts? {
        guard groups.isGiven, question.rules.catalog.apps == nil,
            options.policy.bundleIDs?.count != 1
        else { return nil }
        var shown = ShownProducts(of: question.products ?? [])
        for (index, file) in files.enumerated() {
            guard let bytes = try? file.read(limit: examiner.verifier.limits.textBytes) else { continue }
            if index == 0 || file.source == "-" { kept[file.source] = bytes }
            examiner.examine(signedObjects: bytes) { (examination) throws(Never) in
                guard case .success(let object) = examination.result,
                    let history = try? PurchaseHistory(evidence: [object])
                else { return }
                shown.take(history)
            }
        }
        return shown
    }

    private func question() throws -> EvidenceQuestion? {
        guard groups.isGiven || singleGroup else { return nil }
        let bytes = try GivenCatalog(groups.catalog)?.bytes
        return try naming("--catalog: not a catalog") {
            try EvidenceQuestion(
                catalog: bytes, products: asked.products.isEmpty ? nil : asked.products,
                asOf: asked.instantAsked, policies: policies.policies)
        }
    }

    /// Returns the report that `verify` prints.
    static func report(isTrustingAppleAlone: Bool) -> EvidenceMaker.Report {
        { examination, source in
            // The advice depends only on the roots, as in `verify`.
            VerificationReport.plain(isTrustingAppleAlone: isTrustingAppleAlone)
                .text(of: examination, from: source)
        }
    }

    private func check(with checker: EvidenceCheck) throws {
        var faultsInAll = 0
        var statuses: Set<Int32> = []
        func say(_ line: String) throws { try StandardOutput.write(Array(line.printable.utf8) + [0x0A]) }
        func say(_ faults: [EvidenceCheck.Fault], of place: String) throws {
            faultsInAll += faults.count
            for fault in faults { try say("\(place)\(fault.file.isEmpty ? ": " : "/")\(fault)") }
        }
        func fail(_ error: AuditError, _ place: String) throws {
            StandardError.writeError("\(error)")
            statuses.insert(2)
            try say("\(place): not checked")
        }
        func check(_ path: String) throws {
            let faultsBefore = faultsInAll
            var isComplete = true
            var handed = try BundleCheck(path, checker.verifier)
            let bundles = handed == nil ? path : handed?.records
            let lists = try handed?.lists() ?? []
            if let bundles {
                var input = EvidenceInput(path: bundles)
                try input.forEachBundle { name, result in
                    let place = name.isEmpty ? bundles : "\(bundles)/\(name)"
                    let files: [EvidenceFile]
                    do throws(AuditError) {
                        files = try result.get()
                    } catch {
                        isComplete = false
                        handed?.note(name)
                        return try fail(error, place)
                    }
                    let outcome = try checker.evaluate(files, isNumbered: handed != nil, lists: lists)
                    let inclusion = try checker.inclusion(in: files)
                    let faults = outcome.faults + (handed?.faults(of: name, inclusion) ?? [])
                    try say(faults, of: place)
                    if faults.isEmpty, let other = outcome.otherVersion {
                        isComplete = false
                        statuses.insert(2)
                        return try say("\(place): not checked: \(other)")
                    }
                    guard let examination = outcome.examination, faults.isEmpty else { return }
                    // Findings rest on refused records, so an audit's refusals confirm it.
                    if handed == nil || examination.status == 3 { statuses.insert(examination.status) }
                    let audited = inclusion.map { proof, root in
                        ", record \(proof.index + 1) of \(proof.treeSize) under Merkle root \(root)"
                    }
                    try say(
                        "\(place): verified, \(examination.word)\(examination.code)\(audited ?? "")"
                    )
                    if !outcome.unproven.isEmpty { try say("    \(outcome.unproven)") }
                }
            }
            guard let handed else { return }
            let (faults, count, digest) = try handed.faults()
            try say(faults, of: path)
            // Findings rest on all evidence of an audit.
            guard isComplete, faultsInAll == faultsBefore else { return }
            try say(
                "\(path): verified under Merkle root \(handed.root) of \(handed.recordCount) record\(handed.recordCount == 1 ? "" : "s"); \(count) files match SHA256SUMS, SHA-256 \(digest)"
            )
            let forgotten = try handed.forgotten()
            let unsigned = handed.recordCount - handed.recordsSeen - forgotten
            if unsigned > 0 {
                try say(
                    "    \(unsigned) record\(unsigned == 1 ? " has" : "s have") no evidence here: their signatures were not checked"
                )
            }
            if forgotten > 0 {
                try say(
                    "    \(forgotten) record\(forgotten == 1 ? "" : "s") forgotten: only the hash of each leaf was checked"
                )
            }
        }
        for path in files {
            do {
                try check(path)
            } catch let error as AuditError {
                try fail(error, path)
            }
        }
        if faultsInAll > 0 { statuses.insert(1) }
        if let status = [1, 2, 3, 4].first(where: statuses.contains) { throw ExitCode(status) }
    }
}

extension Examination {
    /// The word for the result: GENUINE, with a note if it is not Apple's, or REFUSED.
    fileprivate var word: String {
        switch result {
        case .success(let object):
            object.object.realm == .appStore ? "GENUINE" : "GENUINE, BUT NOT APPLE'S"
        case .failure: "REFUSED"
        }
    }

    /// The exit status of a check that confirms the result, as in check.sh.
    fileprivate var status: Int32 {
        switch result {
        case .success(let object): object.object.realm == .appStore ? 0 : 3
        case .failure: 4
        }
    }

    /// The code of the refusal, in parentheses.
    fileprivate var code: String {
        if case .failure(let refusal) = result { " (\(refusal.code.rawValue))" } else { "" }
    }
}
