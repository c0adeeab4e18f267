import ArgumentParser
import ReceiptForge
import RecordSources
import SystemLibrary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The `appreceipt forge` command: test receipts and JWS from a specification, or any number of receipts from
/// a seed.
package struct ForgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forge",
        abstract: "Create signed test receipts and JWS under a throwaway authority.",
        discussion: """
            Example: appreceipt forge stories.json --output receipts --roots roots
                     appreceipt verify receipts --root roots/root.cer

            A specification creates one file per entry, and the root certificates to verify them with. It can also \
            describe JWS: transactions, renewal information, app transactions, notifications, realtime requests and \
            App Store Server API responses:

              appreceipt forge jws.json --output signed --roots roots
              appreceipt verify signed --root roots/root.cer

            The specification is an object with a list of entries:

              {"receipts": [
                {"name": "months", "story": "Three months, renewed twice.",
                 "receipt": {
                   "bundle_id": "com.example.app",
                   "receipt_creation_date": "2026-07-01T12:00:00Z",
                   "in_app": [{
                     "product_id": "com.example.monthly",
                     "transaction_id": "100001",
                     "purchase_date": "2026-02-01T10:00:00Z",
                     "expires_date": "2026-03-03T10:00:00Z",
                     "repeat": {"count": 3, "days": 30}}]}},
                {"name": "forgery", "hostile": "content-replaced"},
                {"name": "renewal",
                 "transaction": {"productId": "com.example.yearly"}}]}

            Each entry has a name, which names the file, and at most one of receipt, transaction, renewal_info, \
            app_transaction, notification, realtime_request, answer and transaction_receipt. Their members are those of \
            appreceipt verify --json; the member names and dates of a JWS are Apple's. A member that you omit gets a \
            usual value, and null leaves it out. story is a comment, encoding is der, base64 or pem, and hostile is a variant of \
            --list-variants. container, chain and authority change the signature and the certificates. revocation_lists \
            describes lists for --crl of the commands that verify.

            Example specifications: Fixtures/specs in the source, doc/forge in a release.

            A seed creates any number of receipts as NDJSON, some genuine and some refused. The same seed gives the same \
            bytes:

              appreceipt forge --count 10000 --seed 7 --output receipts.ndjson

            The keys are public test keys, so nothing forged here is trusted by default.
            """)

    @Argument(help: "The specification in JSON; not with --count.")
    var spec: String?

    @Option(
        help: ArgumentHelp(
            "Write to this folder, created if missing; with --count, to this file, or - for standard output.",
            valueName: "path"))
    var output: String?

    @Option(help: "Create this many receipts as NDJSON.")
    var count: Int?

    @Option(help: "Derive the receipts of --count from this number.")
    var seed: UInt64 = 1

    @Option(help: .folder("Write the root certificates to this folder; the default is --output."))
    var roots: String?

    @Option(
        help: .folder(
            "Write the revocation lists of the specification to this folder; required if it has any."))
    var crls: String?

    @Flag(
        help: "List the hostile variants that a specification can use; names of JWS variants begin with jws-."
    )
    var listVariants = false

    package init() {}

    func validate() throws {
        guard !listVariants else { return }
        if let count {
            guard count >= 0 else { throw ValidationError("--count: must not be negative") }
            guard spec == nil else {
                throw ValidationError("--count: cannot be combined with a specification")
            }
            guard crls == nil else { throw ValidationError("--crls: requires a specification") }
        } else {
            guard spec != nil else { throw ValidationError("missing specification or --count") }
            guard output != nil else { throw ValidationError("--output: required with a specification") }
        }
    }

    func run() throws {
        if listVariants {
            try listAllVariants()
        } else if let count {
            try writeSeries(count)
        } else if let spec, let output {
            try writeReceipts(of: spec, to: output)
        }
    }

    private func listAllVariants() throws {
        let lines =
            HostileVariant.all.map { "\($0.id)\t\($0.expected.rawValue)\t\($0.summary)\n" }
            + HostileJWS.all.map { "\($0.id)\t\($0.expected.rawValue)\t\($0.summary)\n" }
        try StandardOutput.write(Array(lines.joined().utf8))
    }

    private func writeReceipts(of spec: String, to folder: String) throws {
        let specification = try naming(spec) {
            try ForgeSpecification(json: Array(try Data(contentsOf: URL(filePath: spec))))
        }
        guard specification.listCount == 0 || crls != nil else {
            throw ValidationError("--crls: required for the revocation_lists of \(spec)")
        }
        try makeFolder(folder)
        let rootFolder = roots ?? folder
        try makeFolder(rootFolder)
        for file in try naming(spec, { try specification.roots() }) { try write(file, to: rootFolder) }
        for index in 0..<specification.count {
            try write(naming(spec) { try specification.forge(index) }, to: folder)
        }
        guard let crls else { return }
        try makeFolder(crls)
        for index in 0..<specification.listCount {
            try write(naming(spec) { try specification.forgeList(index) }, to: crls)
        }
    }

    private func makeFolder(_ path: String) throws {
        try naming(path) {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
    }

    /// Writes a whole file atomically.
    private func write(_ file: ForgeSpecification.File, to folder: String) throws {
        let url = URL(filePath: folder).appending(path: file.name)
        try naming(url.path) { try Data(file.bytes).write(to: url, options: .atomic) }
    }

    private func writeSeries(_ count: Int) throws {
        let series = try naming("forge") { try ReceiptSeries(count: count, seed: seed) }
        if let roots {
            try makeFolder(roots)
            try write(ForgeSpecification.File(name: "root.cer", bytes: series.root), to: roots)
        }
        let sink = try OutputFile(creating: output ?? "-", O_TRUNC, mode: 0o666)
        var pending: [UInt8] = []
        for index in 0..<count {
            pending += try naming("forge") { try series.line(index) }
            // Buffered, to avoid a system call for each line and a large memory.
            guard pending.count > 1 << 16 || index == count - 1 else { continue }
            try sink.write(pending)
            pending.removeAll(keepingCapacity: true)
        }
        try sink.close()
    }
}
