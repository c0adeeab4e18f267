import AppReceipt
import CReceiptCrypto
import OfferEligibility
import ReceiptAudit
import ReceiptCommands
import ReceiptEvidence
import ReceiptExamination
import RecordSources

/// The self-contained bundle of an audit, and the proof of one record.
extension AuditCommand {
    func handOver(to folder: String, jobs: Int, _ progress: ProgressLine) throws {
        let database = "\(folder)/audit.sqlite"
        let recorded = resume ? try Audit.recordedAsOf(in: database) : nil
        let audit = try makeAudit(asOf: asOf.map(EligibilityInstant.date) ?? recorded ?? .clock(.now))
        let tool = AuditingTool(
            path: CommandLine.arguments[0],
            openSSL: unsafe String(cString: receipt_crypto_version_at_run_time()), try ReceiptVerifier())
        let (counts, handed) = try audit.writeEvidence(
            to: folder, by: tool, try makeEvidence(audit, isCarryingLists: false), isResuming: resume,
            arguments: Array(CommandLine.arguments.dropFirst()),
            jobs: jobs, recordsPerCommit: recordsPerCommit,
            mostRecords: evidence.evidenceRecords ?? Audit.mostEvidence, clock: { .now },
            report: progress.report)
        progress.end()
        writeSummary(counts)
        let missing =
            handed.missing == 0
            ? "" : "; \(handed.missing) references to records without evidence, use --prove to write it"
        StandardError.writeLine(
            "evidence: \(handed.records) records for \(handed.findings) findings\(missing)")
        StandardError.writeLine("SHA256SUMS of \(folder): \(handed.digest)")
        try exit(counts)
    }

    func prove(_ record: String) throws {
        guard let database = evidence.database, let output else { return }
        try InputFile(path: database).requireExistence()
        let recorded = try Audit.recordedSettings(in: database)
        let command = try recorded.map { try completed(by: $0, of: database) } ?? self
        let audit = try command.makeAudit(
            asOf: command.asOf.map(EligibilityInstant.date) ?? recorded?.asOf ?? .clock(.now))
        let proven = try audit.prove(
            record, in: database, to: output, by: command.makeEvidence(audit))
        StandardError.writeLine("Merkle root of the audit: \(proven.root)")
        let line = "record \(proven.number) of \(proven.records): \(output) \(hexadecimal(proven.digest))\n"
        try StandardOutput.write(Array(line.utf8))
    }

    /// Returns a maker of evidence for this audit's settings.
    private func makeEvidence(_ audit: Audit, isCarryingLists: Bool = true) throws -> EvidenceMaker {
        let anchors = try options.makeAnchors()
        let question = try GivenCatalog(groups.catalog).map { given in
            try EvidenceQuestion(
                catalog: given.bytes, products: nil, asOf: audit.settings.asOf,
                policies: policies.policies)
        }
        var lists = try EvidenceLists(audit.revocation, audit.verifier)
        lists.isCarried = isCarryingLists
        return EvidenceMaker(
            audit.verifier, anchors: anchors, policy: options.policy, question: question,
            lists: lists,
            report: EvidenceCommand.report(isTrustingAppleAlone: options.isTrustingAppleAlone))
    }
}
