package import AppReceipt
import OfferEligibility
package import ReceiptJSON
import StrictJSON

/// Checks a bundle with this program's code: verifies `received` again, makes every file of it anew, and compares.
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

    /// The outcome of a check.
    package struct Judgement: Sendable {
        package var faults: [Fault] = []
        /// Why the bundle could not be checked: another version of the program made it.
        package var otherVersion: String?
        /// Nil where `received` holds no such object.
        package var examination: SignedExamination?
        /// The author's words that nothing signed says, with the question of eligibility.
        package var unproven = ""
    }

    let maker: EvidenceMaker

    package var verifier: ReceiptVerifier { maker.verifier }

    /// - Parameter maker: has the roots that the checker trusts, and the question that a bundle's is compared with.
    package init(_ maker: EvidenceMaker) { self.maker = maker }

    /// - Parameters:
    ///   - files: all files of the bundle's folder, in any order.
    ///   - isNumbered: whether the caller compares the record's number with an audit that it checks.
    /// - Throws: ``ReceiptError`` with code `unreadable` where OpenSSL fails.
    package func judge(
        _ files: [EvidenceFile], isNumbered: Bool = false
    ) throws(ReceiptError) -> Judgement {
        var judgement = Judgement(faults: try manifestFaults(in: files))
        func file(_ path: String) -> [UInt8]? { files.first { $0.path == path }?.bytes }
        guard let received = file("received"), let request = file(EvidenceRequest.file) else {
            let missing = file("received") == nil ? "received" : EvidenceRequest.file
            judgement.faults.append(Fault(missing, "missing"))
            return judgement
        }
        let own = ReceiptVerifier.packageVersion
        let made = EvidenceRequest.origin(of: request)
        if let made, made.form != EvidenceRequest.form {
            judgement.otherVersion = "written by version \(made.version), checked with version \(own)"
            return judgement
        }
        let asked: EvidenceRequest
        do throws(JSONError) {
            asked = try EvidenceRequest(parsing: request, catalog: file("catalog.json"))
        } catch {
            judgement.faults.append(Fault(EvidenceRequest.file, at: error.offset, "\(error)"))
            return judgement
        }
        if let fault = otherStrictness(asked) ?? otherQuestion(asked) {
            judgement.faults.append(fault)
            return judgement
        }
        guard let remade = remake(asked, received) else {
            judgement.faults.append(Fault(EvidenceRequest.file, "received contains no object at that place"))
            return judgement
        }
        judgement.examination = remade.examination
        judgement.unproven = unproven(
            asked, remade.examination, file(InclusionProof.names[0]).flatMap(AuditLeaf.init),
            isNumbered: isNumbered)
        if let foreign = rootNotTrusted(file("root.pem"), remade.examination) {
            judgement.faults.append(foreign)
            return judgement
        }
        let differences = try difference(of: files, from: remade.bundle.files, made?.version ?? own)
        judgement.faults += try inclusionFaults(in: files, remade.examination, asked)
        guard let made, made.version != own, judgement.faults.isEmpty else {
            judgement.faults = Array((judgement.faults + differences).prefix(Self.mostFaults))
            return judgement
        }
        let versions = "written by version \(made.version), checked with version \(own)"
        if let first = differences.first {
            judgement.otherVersion = "\(versions), which writes another \(first.file)"
        } else {
            judgement.unproven += (judgement.unproven.isEmpty ? "" : "; ") + versions
        }
        return judgement
    }

    /// The checker decides how strict a check is, as it decides which roots are trusted.
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
        return Fault(EvidenceRequest.file, "made with other settings; add \(options)")
    }

    /// Compares catalog, date and policies with those of the checker, where the checker gives some.
    private func otherQuestion(_ request: EvidenceRequest) -> Fault? {
        guard let own = maker.question else { return nil }
        guard let asked = request.question else {
            return Fault(EvidenceRequest.file, "contains no eligibility question")
        }
        if asked.catalog != own.catalog { return Fault("catalog.json", "differs from --catalog") }
        if asked.asOf != own.asOf {
            return Fault(
                EvidenceRequest.file, "as of \(asked.asOf.words), expected \(own.asOf.words) (--as-of)")
        }
        // Without --product a bundle asks about the products that its app shows.
        if own.isNamingProducts, asked.products != own.products {
            let others = Set(asked.products ?? []).symmetricDifference(own.products ?? []).sorted()
            return Fault(
                EvidenceRequest.file,
                "other products or another order: \(others.joined(separator: ", ")) (--product)"
            )
        }
        if asked.rules.policies != own.rules.policies {
            return Fault(EvidenceRequest.file, "other policies than given")
        }
        return nil
    }

    /// The parts of a bundle that rest on nothing but its author's word.
    /// - Parameters:
    ///   - leaf: of the record in an audit's tree, if the bundle has a proof.
    ///   - isNumbered: whether the record's number in the audit follows from more than the proof.
    private func unproven(
        _ request: EvidenceRequest, _ examination: SignedExamination, _ leaf: AuditLeaf?, isNumbered: Bool
    ) -> String {
        let isAsked = request.question != nil && maker.question == nil
        var words = leaf?.isNamed == true ? [] : ["record name"]
        // The way to the root has the same form in trees of several sizes.
        if leaf != nil, !isNumbered { words.append("record number") }
        if case .failure(let refusal) = examination.result {
            words += request.demands.options(of: refusal.code)
        }
        if isAsked {
            words += ["catalog", "date", "products"]
        } else if let asked = request.question, asked.products != maker.question?.products {
            words.append("products")
        }
        guard !words.isEmpty else { return "" }
        return "not verified, stated by the author: \(words.joined(separator: ", "))"
            + (isAsked ? " (compare the question with --catalog FILE --as-of DATE)" : "")
    }

    /// The bundle as this program makes it of the bytes received; nil where they hold no such object.
    private func remake(
        _ request: EvidenceRequest, _ received: [UInt8]
    ) -> (examination: SignedExamination, bundle: EvidenceBundle)? {
        var made: (SignedExamination, EvidenceBundle)?
        try? maker.asking(request).makeBundles(
            of: received, from: request.origin, at: request.place, isUnwrapping: request.isUnwrapping
        ) { made = made ?? ($0, $1) }
        return made
    }

    private func rootNotTrusted(_ root: [UInt8]?, _ examination: SignedExamination) -> Fault? {
        guard let root, case .failure(let refusal) = examination.result, refusal.code == .untrustedChain,
            !maker.anchors.contains(where: { PEM.certificate($0) == root }),
            let certificate = try? InputEncoding.decode(root.span).der,
            let digest = maker.verifier.sha256(of: certificate)
        else { return nil }
        return Fault(
            "root.pem",
            "signed under an untrusted root of SHA-256 \(hexadecimal(digest)); to trust it, use --root FILE"
        )
    }

    /// Faults of one bundle, at most.
    package static let mostFaults = 100

    /// Says for each file whether it is the one that is made anew. An inclusion proof does not follow from the bytes
    /// received.
    private func difference(
        of given: [EvidenceFile], from made: [EvidenceFile], _ version: String
    ) throws(ReceiptError) -> [Fault] {
        let ownFiles = given.filter { !$0.path.hasPrefix(Self.inclusion) }
        var faults: [Fault] = []
        for file in made where file.path != EvidenceBundle.manifest {
            guard let other = ownFiles.first(where: { $0.path == file.path }) else {
                faults.append(Fault(file.path, "missing"))
                continue
            }
            guard other.bytes != file.bytes else { continue }
            // It was read member by member, and names the version.
            if file.path == EvidenceRequest.file, version != ReceiptVerifier.packageVersion { continue }
            let isScript = EvidenceScript.files.contains { $0.path == file.path }
            if isScript {
                let digest = hexadecimal(try verifier.digest(of: other.bytes))
                if EvidenceScript.version(of: file.path, digest) == version { continue }
            }
            let common = zip(other.bytes, file.bytes).prefix { $0 == $1 }.count
            let reason =
                isScript
                ? "not the script published with version \(version); do not run it"
                : "does not match received and the roots"
            faults.append(Fault(file.path, at: common, reason))
        }
        for file in ownFiles where !made.contains(where: { $0.path == file.path }) {
            faults.append(Fault(file.path, "unexpected file"))
        }
        return faults
    }

    static let inclusion = "inclusion/"

    /// Compares the manifest with the files.
    private func manifestFaults(in files: [EvidenceFile]) throws(ReceiptError) -> [Fault] {
        guard let manifest = files.first(where: { $0.path == EvidenceBundle.manifest }) else {
            return [Fault(EvidenceBundle.manifest, "missing")]
        }
        let sums = Checksums(parsing: manifest.bytes, of: manifest.path)
        var faults = sums.faults
        for line in sums.lines {
            guard let file = files.first(where: { $0.path == line.path }) else {
                faults.append(Fault(line.path, "listed in the manifest but missing"))
                continue
            }
            if hexadecimal(try maker.verifier.digest(of: file.bytes)) != line.digest {
                faults.append(Fault(line.path, "does not match the manifest"))
            }
            if faults.count >= Self.mostFaults { return faults }
        }
        let named = Set(sums.lines.map(\.path))
        for file in files where file.path != manifest.path && !named.contains(file.path) {
            faults.append(Fault(file.path, "not listed in the manifest"))
        }
        // With every line ended, and in the order of the names.
        if faults.isEmpty {
            let others = files.filter { $0.path != manifest.path }
            if try EvidenceBundle(others, verifier)[manifest.path] != manifest.bytes {
                faults.append(Fault(manifest.path, "wrong order or line endings"))
            }
        }
        return faults
    }
}

extension Demands {
    /// The options of the demands that a refusal with this code rests on.
    fileprivate func options(of code: ReceiptError.Code) -> [String] {
        switch code {
        case .wrongBundleID:
            audience.appAppleIDs == nil ? ["--bundle-id"] : ["--bundle-id", "--app-apple-id"]
        case .wrongEnvironment: ["--environment"]
        case .wrongDevice: ["--device-id"]
        default: []
        }
    }
}

extension EligibilityInstant {
    /// For a message.
    fileprivate var words: String {
        switch self {
        case .clock: "a clock's reading of \(timestamp.rfc3339)"
        case .date: "the date \(timestamp.rfc3339)"
        }
    }
}
