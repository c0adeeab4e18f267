import ReceiptCommands
import ReceiptEvidence
import RecordSources
import SystemLibrary

/// A reader of untrusted bundles, in folders or archives.
///
/// Below the path, it follows no links and opens only files and folders. It reads no more than the limits for
/// bundles.
struct EvidenceInput {
    let path: String

    /// The maximum size of a bundle and of an archive, in bytes.
    private static let mostBytes = 1 << 30
    /// The maximum number of files in a bundle.
    private static let mostFiles = 100
    private static let mostBundles = 100_000
    /// The number of bytes that the rest of the bundle may have.
    private var room = Self.mostBytes

    init(path: String) { self.path = path }

    typealias Files = Result<[EvidenceFile], AuditError>

    /// Calls a closure for each bundle.
    /// - Parameter body: Receives the bundle's name, or an empty name if the path is the bundle, and its
    ///   files. In a folder of bundles, an error concerns only one bundle: a file cannot be read, or cannot belong to it.
    /// - Throws: ``AuditError`` if nothing more can be read.
    mutating func forEachBundle(_ body: (_ name: String, _ files: Files) throws -> Void) throws {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure(path) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return try forEachBundle(ofArchive: try read(descriptor, path), body)
        }
        let names = try names(in: descriptor, path)
        if names.contains(EvidenceBundle.manifest) {
            return try body("", .success(try files(in: descriptor, path, names)))
        }
        guard !names.isEmpty else { throw AuditError("\(path): the folder is empty") }
        guard names.count <= Self.mostBundles else {
            throw AuditError("\(path): more evidence folders than the limit of \(Self.mostBundles)")
        }
        for name in names {
            try body(name, Files { () throws(AuditError) in try files(ofBundle: name, in: descriptor) })
        }
    }

    private mutating func files(ofBundle name: String, in parent: Int32) throws(AuditError) -> [EvidenceFile]
    {
        let place = "\(path)/\(name)"
        let folder = unsafe openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { throw AuditError("\(place): not an evidence folder") }
        defer { close(folder) }
        room = Self.mostBytes
        return try files(in: folder, place, try names(in: folder, place))
    }

    private func forEachBundle(
        ofArchive bytes: [UInt8], _ body: (_ name: String, _ files: Files) throws -> Void
    ) throws {
        let files: [EvidenceFile]
        do throws(TarArchive.Fault) {
            files = try TarArchive.files(in: bytes)
        } catch {
            throw AuditError(
                "\(path), byte \(error.offset): not a tar archive written by appreceipt evidence")
        }
        var bundles: [(name: String, files: [EvidenceFile])] = []
        for file in files {
            guard let slash = file.path.firstIndex(of: "/") else {
                throw AuditError("\(path): a file outside the evidence folders")
            }
            let name = String(file.path[..<slash])
            let inner = EvidenceFile(String(file.path[file.path.index(after: slash)...]), file.bytes)
            if bundles.last?.name != name { bundles.append((name, [])) }
            let last = bundles.count - 1
            guard bundles[last].files.count < Self.mostFiles else { throw tooManyFiles("\(path)/\(name)") }
            bundles[last].files.append(inner)
        }
        guard Set(bundles.map(\.name)).count == bundles.count, !bundles.isEmpty else {
            throw AuditError("\(path): not an evidence archive, or its entries are out of order")
        }
        for bundle in bundles {
            guard Set(bundle.files.map(\.path)).count == bundle.files.count else {
                throw AuditError("\(path): contains a file twice")
            }
            try body(bundle.name, .success(bundle.files))
        }
    }

    private mutating func files(
        in folder: Int32, _ place: String, _ names: [String], below front: String = ""
    ) throws(AuditError) -> [EvidenceFile] {
        guard names.count <= Self.mostFiles else { throw tooManyFiles(place) }
        var files: [EvidenceFile] = []
        for name in names {
            let descriptor = unsafe openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else {
                // A link or a socket, which a bundle cannot contain.
                if errno == ELOOP || errno == ENXIO { throw AuditError("\(place)/\(name): not a file") }
                throw failure("\(place)/\(name)")
            }
            defer { close(descriptor) }
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw failure("\(place)/\(name)") }
            switch status.st_mode & S_IFMT {
            case S_IFREG:
                files.append(EvidenceFile(front + name, try read(descriptor, "\(place)/\(name)")))
            case S_IFDIR where front.isEmpty:
                let inner = try self.names(in: descriptor, "\(place)/\(name)")
                guard !inner.isEmpty else { throw AuditError("\(place)/\(name): empty folder") }
                files += try self.files(in: descriptor, "\(place)/\(name)", inner, below: name + "/")
            default: throw AuditError("\(place)/\(name): not a file")
            }
        }
        return files
    }

    /// Returns the sorted names in a folder, including hidden ones.
    private func names(in folder: Int32, _ place: String) throws(AuditError) -> [String] {
        // closedir closes the descriptor of its stream, so this is a copy.
        let copy = unsafe openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let directory = unsafe fdopendir(copy) else { throw failure(place) }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory), names.count <= Self.mostBundles {
            let bytes = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
                unsafe Array($0.prefix { $0 != 0 })
            }
            guard bytes != Array(".".utf8), bytes != Array("..".utf8) else { continue }
            guard let name = String(validating: bytes, as: UTF8.self) else {
                throw AuditError("\(place): unexpected file name (not UTF-8)")
            }
            names.append(name)
        }
        return names.sorted()
    }

    private mutating func read(_ descriptor: Int32, _ place: String) throws(AuditError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let part = try AuditError.naming(place) {
                try systemRead(descriptor, upTo: 1 << 16)
            }
            if part.isEmpty { return bytes }
            bytes += part
            room -= part.count
            guard room >= 0 else {
                throw AuditError(
                    "\(place): larger than an evidence folder can be (limit \(Self.mostBytes) bytes)")
            }
        }
    }

    private func tooManyFiles(_ place: String) -> AuditError {
        AuditError("\(place): more files than an evidence folder can have (limit \(Self.mostFiles))")
    }

    private func failure(_ place: String) -> AuditError {
        AuditError("\(place): \(systemMessage(errno))")
    }
}
