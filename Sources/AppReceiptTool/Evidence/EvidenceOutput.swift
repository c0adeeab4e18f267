import ReceiptAudit
import ReceiptEvidence
import RecordSources
import Synchronization
import SystemLibrary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The output for bundles: a folder or a tar archive, which gets its name only when it is complete.
final class EvidenceOutput {
    private let path: String
    private let partial: String
    private let isArchive: Bool
    private var descriptor: Int32 = -1
    private var isFinished = false

    /// Whether a signal has arrived. No further file is written then.
    private static let isEnding = Atomic<Bool>(false)

    /// Creates an output.
    ///
    /// - Parameter path: An archive if it ends in `.tar`, or a folder, which may exist if it is empty.
    /// - Throws: ``Failure`` if something else exists there.
    init(path: String) throws(Failure) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
        isArchive = path.hasSuffix(".tar")
        partial = "\(path).\(UUID().uuidString).part"
        if isArchive {
            guard !Self.exists(path) else {
                throw Failure("refusing to overwrite \(path); choose another path or delete it")
            }
            descriptor = unsafe open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw failure }
        } else {
            let manager = FileManager.default
            if Self.exists(path) {
                guard let names = try? manager.contentsOfDirectory(atPath: path) else {
                    throw Failure("\(path): Not a directory")
                }
                guard names.isEmpty else {
                    throw Failure(
                        "\(path): the folder is not empty; choose another path or empty it")
                }
            }
            guard unsafe mkdir(partial, 0o700) == 0 else { throw failure }
        }
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { _ in EvidenceOutput.isEnding.store(true, ordering: .relaxed) }
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if !isFinished { try? FileManager.default.removeItem(atPath: partial) }
    }

    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    private var failure: Failure { Failure(creationMessage(path, errno)) }

    func write(_ bundle: EvidenceBundle, to name: String) throws(Failure) {
        if !isArchive {
            let folders = Set(
                bundle.files.compactMap { $0.path.lastIndex(of: "/").map($0.path.prefix(upTo:)) })
            for folder in ["\(partial)/\(name)"] + folders.sorted().map({ "\(partial)/\(name)/\($0)" }) {
                guard unsafe mkdir(folder, 0o700) == 0 else { throw failure }
            }
        }
        for file in bundle.files {
            guard !Self.isEnding.load(ordering: .relaxed) else { throw Failure("\(path): interrupted") }
            if isArchive {
                try write(TarArchive.entry("\(name)/\(file.path)", file.bytes), to: descriptor)
                continue
            }
            let target = unsafe open(
                "\(partial)/\(name)/\(file.path)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard target >= 0 else { throw failure }
            defer { close(target) }
            try write(file.bytes, to: target)
        }
    }

    /// Gives the folder or archive its name.
    func finish() throws(Failure) {
        if isArchive { try write(TarArchive.end, to: descriptor) }
        guard !Self.isEnding.load(ordering: .relaxed) else { throw Failure("\(path): interrupted") }
        guard unsafe rename(partial, path) == 0 else { throw failure }
        isFinished = true
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes {
                unsafe systemWrite(descriptor, $0.baseAddress, $0.count)
            }
            if written < 0 && errno == EINTR { continue }
            guard written >= 0 else { throw failure }
            rest = rest.dropFirst(written)
        }
    }
}
