import ArgumentParser
import ReceiptForge

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The `appreceipt forge` command: test receipts and JWS from a specification, or any number of receipts from
/// a seed.
struct ForgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forge",
        abstract: "Make signed test receipts and JWS under a throw-away authority.",
        discussion: """
            From a description, one file for each entry, and the roots to verify them with:

              appreceipt forge Fixtures/specs/stories.json --output receipts --roots roots
              appreceipt verify receipts --root roots/root.cer

            Transactions, renewal information, app transactions, notifications, realtime requests and whole answers \
            of Apple's server, as JWS:

              appreceipt forge Fixtures/specs/jws.json --output signed --roots roots
              appreceipt verify signed --root roots/root.cer --storekit-test-root roots/storekit-test-jws-root.cer

            From a seed, any number of receipts as NDJSON, a mix of genuine and refused ones; the \
            same seed gives the same bytes:

              appreceipt forge --count 10000 --seed 7 --output receipts.ndjson

            The keys are public test keys: nothing forged here is trusted by anybody.
            """)

    @Argument(help: "The description, JSON. Not with --count.")
    var spec: String?

    @Option(
        help: ArgumentHelp(
            "The folder for the receipts, made where missing; with --count a file, or - for standard output.",
            valueName: "path"))
    var output: String?

    @Option(help: "Make this many receipts as NDJSON.")
    var count: Int?

    @Option(help: "What the receipts of --count are derived from.")
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "The folder for the root certificates; the receipts' own folder where not given.",
            valueName: "folder"))
    var roots: String?

    @Flag(help: "List the hostile variants that a description can ask for; those of JWS begin with jws-.")
    var listVariants = false

    func validate() throws {
        guard !listVariants else { return }
        if let count {
            guard count >= 0 else { throw ValidationError("--count must not be negative.") }
            guard spec == nil else { throw ValidationError("Give either a description or --count.") }
        } else {
            guard spec != nil else { throw ValidationError("Give a description, or --count.") }
            guard output != nil else { throw ValidationError("Say with --output where the receipts go.") }
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
        try makeFolder(folder)
        let rootFolder = roots ?? folder
        try makeFolder(rootFolder)
        for file in try naming(spec, { try specification.roots() }) { try write(file, to: rootFolder) }
        for index in 0..<specification.count {
            try write(naming(spec) { try specification.forge(index) }, to: folder)
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
        let sink = try OutputFile(path: output ?? "-")
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

    /// Runs a step, and reports an error in one line that begins with the file's name.
    private func naming<Value>(_ file: String, _ step: () throws -> Value) throws(Failure) -> Value {
        do { return try step() } catch {
            throw Failure("\(file): \((error as? CocoaError).map(Self.reason) ?? "\(error)")")
        }
    }

    private static func reason(_ error: CocoaError) -> String {
        switch error.code {
        case .fileReadNoSuchFile, .fileNoSuchFile: "there is no such file or folder"
        case .fileReadNoPermission, .fileWriteNoPermission: "not permitted"
        case .fileWriteOutOfSpace: "no space left"
        case .fileWriteFileExists: "there is a file of this name"
        default: "can't be read or written"
        }
    }
}

/// A new file, or standard output.
@safe
private struct OutputFile {
    private let path: String
    /// The open file, or nil for standard output.
    private let stream: UnsafeMutablePointer<FILE>?

    init(path: String) throws(Failure) {
        self.path = path
        unsafe stream = path == "-" ? nil : fopen(path, "we")
        if path != "-", unsafe stream == nil { throw failure }
    }

    func write(_ bytes: [UInt8]) throws(Failure) {
        guard let stream = unsafe stream else { return try StandardOutput.write(bytes) }
        guard unsafe fwrite(bytes, 1, bytes.count, stream) == bytes.count else { throw failure }
    }

    func close() throws(Failure) {
        if let stream = unsafe stream, unsafe fclose(stream) != 0 { throw failure }
    }

    private var failure: Failure { Failure("\(path): \(unsafe String(cString: strerror(errno)))") }
}
