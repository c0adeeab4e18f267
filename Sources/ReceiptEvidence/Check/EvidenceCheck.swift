package import AppReceipt
package import ReceiptJSON
import StrictJSON

/// Checks a bundle with our own code: what came is verified anew, every other file is made anew from it, and whatever
/// differs is told with its place.
package struct EvidenceCheck: Sendable {
    /// Where a bundle is not what it claims to be.
    package struct Fault: Hashable, Sendable, CustomStringConvertible {
        /// Relative to the bundle's folder; empty for the bundle as a whole.
        package let file: String
        /// The first byte that differs.
        package let offset: Int?
        package let message: String

        package init(_ file: String, at offset: Int? = nil, _ message: String) {
            (self.file, self.offset, self.message) = (file, offset, message)
        }

        package var description: String {
            let place = offset.map { ", byte \($0)" } ?? ""
            return file.isEmpty ? message : "\(file)\(place): \(message)"
        }
    }

    let maker: EvidenceMaker

    package var verifier: ReceiptVerifier { maker.verifier }

    /// - Parameter maker: has the roots that the checker trusts; what it asks itself does not count.
    package init(_ maker: EvidenceMaker) { self.maker = maker }

    /// - Parameter files: all that is in the bundle's folder, in whatever order.
    /// - Returns: no faults where the bundle is what it claims to be; and what comes of what came, where it was found.
    /// - Throws: ``ReceiptError`` with code `unreadable` where OpenSSL fails.
    package func judge(
        _ files: [EvidenceFile]
    ) throws(ReceiptError) -> (faults: [Fault], examination: SignedExamination?) {
        var faults = try manifestFaults(in: files)
        func file(_ path: String) -> [UInt8]? { files.first { $0.path == path }?.bytes }
        guard let received = file("received"), let request = file(EvidenceRequest.file) else {
            let missing = file("received") == nil ? "received" : EvidenceRequest.file
            return (faults + [Fault(missing, "is missing")], nil)
        }
        let asked: EvidenceRequest
        do throws(JSONError) {
            asked = try EvidenceRequest(parsing: request, catalog: file("catalog.json"))
        } catch {
            return (faults + [Fault(EvidenceRequest.file, at: error.offset, "\(error)")], nil)
        }
        if let foreign = otherStrictness(asked) { return (faults + [foreign], nil) }
        guard let made = remake(asked, received) else {
            return (faults + [Fault(EvidenceRequest.file, "received holds no object at that place")], nil)
        }
        if let foreign = rootNotTrusted(file("root.pem"), made.examination) {
            return (faults + [foreign], made.examination)
        }
        faults += difference(of: files, from: made.bundle.files)
        faults += try inclusionFaults(in: files, made.examination, asked)
        return (faults, made.examination)
    }

    /// A bundle is not believed how strictly it is to be judged: the checker says so, as it says whom to trust.
    private func otherStrictness(_ request: EvidenceRequest) -> Fault? {
        var other: [(name: String, value: String)] = []
        if request.sha1Signatures != verifier.sha1Signatures {
            other.append((SHA1Signatures.setting, request.sha1Signatures.rawValue))
        }
        for ((setting, asked), (_, own)) in zip(request.limits.named, verifier.limits.named)
        where asked != own {
            other.append((setting.name, "\(asked)"))
        }
        guard !other.isEmpty else { return nil }
        let options = other.map { "--\($0.name) \($0.value)" }.joined(separator: " ")
        return Fault(EvidenceRequest.file, "made with other settings: give \(options)")
    }

    /// The bundle as it would be made of what came; nil where it has no such object.
    private func remake(
        _ request: EvidenceRequest, _ received: [UInt8]
    ) -> (examination: SignedExamination, bundle: EvidenceBundle)? {
        var made: (SignedExamination, EvidenceBundle)?
        try? maker.asking(request).makeBundles(
            of: received, from: request.origin, at: request.place, isUnwrapping: request.isUnwrapping
        ) { made = made ?? ($0, $1) }
        return made
    }

    /// What can be said of evidence that was made under a root which is not trusted here: nothing of it is the same.
    private func rootNotTrusted(_ root: [UInt8]?, _ examination: SignedExamination) -> Fault? {
        guard let root, case .failure(let refusal) = examination.result, refusal.code == .untrustedChain,
            !maker.anchors.contains(where: { PEM.certificate($0) == root }),
            let certificate = try? InputEncoding.decode(root.span).der,
            let digest = maker.verifier.sha256(of: certificate)
        else { return nil }
        return Fault(
            "root.pem",
            "made under a root that is not trusted here, of SHA-256 \(hexadecimal(digest)): whoever trusts it gives its file, --root FILE"
        )
    }

    /// That are told of one bundle.
    package static let mostFaults = 100

    /// Says for each file whether it is the one that is made anew. What an inclusion proof says is not made of what came.
    private func difference(of given: [EvidenceFile], from made: [EvidenceFile]) -> [Fault] {
        let ownFiles = given.filter { !$0.path.hasPrefix(Self.inclusion) }
        var faults: [Fault] = []
        for file in made where file.path != EvidenceBundle.manifest {
            guard let other = ownFiles.first(where: { $0.path == file.path }) else {
                faults.append(Fault(file.path, "is missing"))
                continue
            }
            guard other.bytes != file.bytes else { continue }
            let common = zip(other.bytes, file.bytes).prefix { $0 == $1 }.count
            let reason =
                file.path == EvidenceScript.name
                ? "not the script of this version: do not run it" : "not what received and the roots give"
            faults.append(Fault(file.path, at: common, reason))
        }
        for file in ownFiles where !made.contains(where: { $0.path == file.path }) {
            faults.append(Fault(file.path, "a file that this evidence has not"))
        }
        return Array(faults.prefix(Self.mostFaults))
    }

    static let inclusion = "inclusion/"

    /// Holds the manifest against the files.
    private func manifestFaults(in files: [EvidenceFile]) throws(ReceiptError) -> [Fault] {
        guard let manifest = files.first(where: { $0.path == EvidenceBundle.manifest }) else {
            return [Fault(EvidenceBundle.manifest, "is missing")]
        }
        let sums = Checksums(parsing: manifest.bytes, of: manifest.path)
        var faults = sums.faults
        for line in sums.lines {
            guard let file = files.first(where: { $0.path == line.path }) else {
                faults.append(Fault(line.path, "the manifest names it, and it is not there"))
                continue
            }
            if hexadecimal(try maker.verifier.digest(of: file.bytes)) != line.digest {
                faults.append(Fault(line.path, "not the file of the manifest"))
            }
            if faults.count >= Self.mostFaults { return faults }
        }
        let named = Set(sums.lines.map(\.path))
        for file in files where file.path != manifest.path && !named.contains(file.path) {
            faults.append(Fault(file.path, "a file that the manifest does not name"))
        }
        return faults
    }
}
