import ReceiptCommands
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
    private var archive: OutputFile?
    private var isFinished = false

    /// Whether a signal has arrived. No further file is written then.
    private static let isEnding = Atomic<Bool>(false)

    /// Creates an output.
    /// - Parameter path: An archive if it ends in `.tar`, or a folder, which may exist if it is empty.
    /// - Throws: ``AuditError`` if something else exists there.
    init(path: String) throws(AuditError) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
        partial = "\(path).\(UUID().uuidString).part"
        if path.hasSuffix(".tar") {
            guard !Self.exists(path) else {
                throw AuditError("refusing to overwrite \(path); choose another path or delete it")
            }
            archive = try OutputFile(creating: partial, name: path, O_EXCL, mode: 0o600)
        } else {
            let manager = FileManager.default
            if Self.exists(path) {
                guard let names = try? manager.contentsOfDirectory(atPath: path) else {
                    throw AuditError("\(path): Not a directory")
                }
                guard names.isEmpty else {
                    throw AuditError(
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
        try? archive?.close()
        if !isFinished { try? FileManager.default.removeItem(atPath: partial) }
    }

    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    private var failure: AuditError { AuditError(creationMessage(path, errno)) }

    func write(_ bundle: EvidenceBundle, to name: String) throws(AuditError) {
        if archive == nil {
            let folders = Set(
                bundle.files.compactMap { $0.path.lastIndex(of: "/").map($0.path.prefix(upTo:)) })
            for folder in ["\(partial)/\(name)"] + folders.sorted().map({ "\(partial)/\(name)/\($0)" }) {
                guard unsafe mkdir(folder, 0o700) == 0 else { throw failure }
            }
        }
        for file in bundle.files {
            guard !Self.isEnding.load(ordering: .relaxed) else { throw AuditError("\(path): interrupted") }
            if let archive {
                try archive.write(TarArchive.entry("\(name)/\(file.path)", file.bytes))
                continue
            }
            let place = "\(partial)/\(name)/\(file.path)"
            let target = try OutputFile(creating: place, name: path, O_EXCL, mode: 0o600)
            defer { try? target.close() }
            try target.write(file.bytes)
        }
    }

    /// Gives the folder or archive its name.
    func finish() throws(AuditError) {
        try archive?.write(TarArchive.end)
        guard !Self.isEnding.load(ordering: .relaxed) else { throw AuditError("\(path): interrupted") }
        guard unsafe rename(partial, path) == 0 else { throw failure }
        isFinished = true
    }
}
