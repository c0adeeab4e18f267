package import AppReceipt
package import ArgumentParser
package import ReceiptExamination
package import RecordSources

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The revocation lists and the distrust list that the user carries in.
package struct RevocationOptions: ParsableArguments {
    @Option(name: .customLong("crl"), help: SharedHelp.revocationLists)
    package var lists: [String] = []

    @Option(help: SharedHelp.distrust)
    package var distrust: String?

    @Option(help: SharedHelp.distrustKey)
    package var distrustKey: String?

    @Option(help: SharedHelp.revocation)
    package var revocation: RevocationPolicy?

    package init() {}

    /// The given files with the names of their options. Folders are left out.
    package var files: [(String, String?)] {
        lists.filter { (try? InputFile(path: $0).isFolder) != true }.map { ("--crl", $0) }
            + [("--distrust", distrust), ("--distrust-key", distrustKey)]
    }

    var isGiven: Bool { !lists.isEmpty || distrust != nil || distrustKey != nil || revocation != nil }

    package func validate() throws {
        if (lists + [distrust, distrustKey].compactMap { $0 }).contains("") {
            throw ValidationError("--crl, --distrust, --distrust-key: empty path")
        }
        switch revocation {
        case .off where !lists.isEmpty || distrust != nil:
            throw ValidationError("--revocation off: cannot be combined with --crl or --distrust")
        case .check where lists.isEmpty && distrust == nil:
            throw ValidationError("--revocation check: requires --crl FILE or --distrust FILE")
        case .require where lists.isEmpty:
            throw ValidationError("--revocation require: requires --crl FILE")
        default: break
        }
        if distrustKey != nil, distrust == nil {
            throw ValidationError("--distrust-key: requires --distrust FILE")
        }
    }

    /// Reads the lists.
    /// - Parameter warn: The closure that receives warnings about dates that do not match the clock. They do not change a
    ///   result.
    /// - Throws: ``AuditError`` if a file cannot be read or is not a list.
    package func inputs(
        warn: (String) -> Void = StandardError.writeLine
    ) throws(AuditError) -> RevocationInputs {
        var read: [RevocationList] = []
        var room = RevocationList.maximumBytes
        for path in lists {
            for file in try Self.files(at: path) {
                let list = try Self.list(file, &room)
                if let warning = Self.warning(about: list) { warn(warning) }
                read.append(list)
            }
        }
        let json = try distrust.map { path throws(AuditError) in try distrustList(path) }
        return try naming("\(distrust ?? ""): not a distrust list") {
            try RevocationInputs(lists: read, distrust: json, policy: revocation)
        }
    }

    /// Returns the file, or all files of the folder, hidden ones included, but not those in its subfolders.
    private static func files(at path: String) throws(AuditError) -> [InputFile] {
        do {
            guard try InputFile(path: path).isFolder else { return [InputFile(path: path)] }
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            let files = try names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                .map { InputFile(source: "\(path)/\($0)", at: SystemPath("\(path)/\($0)")) }
                .filter { try !$0.isFolder }
            guard !files.isEmpty else { throw AuditError("\(path): the folder has no CRLs") }
            return files
        } catch let error as AuditError {
            throw error
        } catch {
            throw AuditError("\(path): the folder cannot be listed")
        }
    }

    private static func list(_ file: InputFile, _ room: inout Int) throws(AuditError) -> RevocationList {
        do throws(ReceiptError) {
            // PEM is longer than DER.
            let bytes = try file.read(limit: RevocationList.maximumBytes / 2 * 3)
            let list = try RevocationList(parsing: bytes, name: file.source)
            room -= list.byteCount
            guard room >= 0 else {
                throw ReceiptError(
                    .tooLarge,
                    message: "the CRLs have more than \(RevocationList.maximumBytes) bytes in total")
            }
            return list
        } catch {
            guard error.code == .malformed else { throw AuditError("\(file.source): \(error.message)") }
            throw AuditError(
                "\(file.source): not a certificate revocation list in DER or PEM: \(error.description)")
        }
    }

    private static func warning(about list: RevocationList) -> String? {
        let now = Timestamp.now
        if list.issuedAt > now {
            return "\(list.name): issued \(list.issuedAt), after the date of this machine's clock"
        }
        guard let next = list.nextUpdate, next < now else { return nil }
        return "\(list.name): expired \(next); it shows the state of \(list.issuedAt), not of today"
    }

    private func requireSignature(of list: [UInt8], _ path: String, by keyPath: String) throws(AuditError) {
        guard let key = DistrustKey(parsing: try readSideFile(keyPath)) else {
            throw AuditError("\(keyPath): not a public key of minisign or ssh-ed25519")
        }
        let signature = try readSideFile(path + key.suffix)
        guard try naming(path, { try key.verifies(signature, of: list) }) else {
            throw AuditError("\(path)\(key.suffix): not a signature of \(path) by the key in \(keyPath)")
        }
    }

    private func distrustList(_ path: String) throws(AuditError) -> [UInt8] {
        let bytes = try readSideFile(path)
        if let distrustKey { try requireSignature(of: bytes, path, by: distrustKey) }
        return bytes
    }
}

extension ReceiptVerifier {
    /// Reports the revocation lists on which no result rests, and the entries of the distrust list without a match.
    /// - Returns: Whether a list is unusable.
    func reportUnusedLists() -> Bool {
        let unusable = unusableRevocationLists.map(\.list.name)
        for (list, fault) in unusedRevocationLists {
            let write = unusable.contains(list.name) ? StandardError.writeError : StandardError.writeLine
            write("\(list.name): not used: \(fault)")
        }
        let unmatched = unmatchedDistrustEntries
        if let first = unmatched.first {
            let others = unmatched.count == 1 ? "" : " and \(unmatched.count - 1) more"
            StandardError.writeLine(
                "--distrust: no verified certificate matches certificates[\(first)]\(others)")
        }
        return !unusable.isEmpty
    }
}
