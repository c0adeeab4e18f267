package import AppReceipt
import OfferEligibility
package import ReceiptExamination
import ReceiptJSON
import StrictJSON

/// A check of a bundle with this program's code. It verifies `received` again, makes every file again, and
/// compares the files.
package struct EvidenceCheck: Sendable {
    /// A difference between a bundle and its claims.
    package struct Fault: Error, Hashable, CustomStringConvertible {
        /// The path relative to the bundle's folder, or empty for the bundle as a whole.
        package let file: String
        /// The offset of the first faulty byte.
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

    /// The result of a check.
    package struct Outcome: Sendable {
        package var faults: [Fault] = []
        /// The reason why the bundle could not be checked: another version of the program made it.
        package var otherVersion: String?
        /// The examination of the object, or nil if `received` does not contain it.
        package var examination: Examination?
        /// The statements that only the author vouches for. They include the eligibility question if the
        /// checker has none.
        package var unproven = ""
    }

    let maker: EvidenceMaker
    let lastMaker = LastMaker()

    package var verifier: ReceiptVerifier { maker.verifier }

    /// Creates a check.
    /// - Parameter maker: A maker with the roots that the checker trusts, and with the question to compare
    ///   with the bundle's question.
    package init(_ maker: EvidenceMaker) { self.maker = maker }

    /// Checks a bundle.
    /// - Parameters:
    ///   - files: All files of the bundle's folder, in any order.
    ///   - isNumbered: Whether the caller compares the record's number with an audit that it also checks.
    ///   - lists: The revocation lists that came with an audit's bundle.
    /// - Throws: ``ReceiptError`` with code `unreadable` if OpenSSL fails.
    package func evaluate(
        _ files: [EvidenceFile], isNumbered: Bool = false, lists: [EvidenceFile] = []
    ) throws(ReceiptError) -> Outcome {
        var outcome = Outcome(faults: try manifestFaults(in: files))
        func file(_ path: String) -> [UInt8]? { files.first { $0.path == path }?.bytes }
        guard let received = file("received"), let request = file(EvidenceRequest.file) else {
            let missing = file("received") == nil ? "received" : EvidenceRequest.file
            outcome.faults.append(Fault(missing, "missing"))
            return outcome
        }
        let own = ReceiptVerifier.packageVersion
        let made = EvidenceRequest.origin(of: request)
        if let made, made.schemaVersion != EvidenceRequest.schemaVersion {
            outcome.otherVersion = "written by version \(made.version), checked with version \(own)"
            return outcome
        }
        let asked: EvidenceRequest
        do throws(JSONError) {
            asked = try EvidenceRequest(parsing: request, catalog: file("catalog.json"))
        } catch {
            outcome.faults.append(Fault(EvidenceRequest.file, at: error.offset, "\(error)"))
            return outcome
        }
        if let fault = otherStrictness(asked) ?? otherQuestion(asked) {
            outcome.faults.append(fault)
            return outcome
        }
        let carried = files.filter { $0.path.hasSuffix(".crl") || $0.path == EvidenceLists.distrust }
        let maker: EvidenceMaker
        do throws(Fault) {
            maker = try self.maker(for: asked, carried + lists).carryingLists(!carried.isEmpty)
        } catch {
            outcome.faults.append(error)
            return outcome
        }
        guard let remade = remake(asked, received, by: maker) else {
            outcome.faults.append(Fault(EvidenceRequest.file, "received contains no object at that place"))
            return outcome
        }
        outcome.examination = remade.examination
        outcome.unproven = unproven(
            asked, remade.examination, file(InclusionProof.names[0]).flatMap(AuditLeaf.init),
            isNumbered: isNumbered)
        if let foreign = rootNotTrusted(file("root.pem"), remade.examination) {
            outcome.faults.append(foreign)
            return outcome
        }
        let differences = try difference(of: files, from: remade.bundle.files, made?.version ?? own)
        outcome.faults += try inclusionFaults(in: files, remade.examination, asked)
        guard let made, made.version != own, outcome.faults.isEmpty else {
            outcome.faults = Array((outcome.faults + differences).prefix(Self.mostFaults))
            return outcome
        }
        let versions = "written by version \(made.version), checked with version \(own)"
        if let first = differences.first {
            outcome.otherVersion = "\(versions), which writes another \(first.file)"
        } else {
            outcome.unproven += (outcome.unproven.isEmpty ? "" : "; ") + versions
        }
        return outcome
    }

    /// Returns a fault if the bundle was made with other limits or SHA-1 settings. The checker chooses them,
    /// like the trusted roots.
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

    /// Returns a fault if catalog, date, products or policies differ from those of the checker's question.
    /// Returns nil if the checker has none.
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
        // Without --product, a bundle's question is about the products in the evidence of its app.
        if own.isNamingProducts, !asked.hasProducts(of: own) {
            let others = Set((asked.products ?? []).map { Array($0.utf8) })
                .symmetricDifference((own.products ?? []).map { Array($0.utf8) })
                .sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
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

    /// Returns the statements of a bundle that only its author vouches for.
    /// - Parameters:
    ///   - leaf: The record's leaf in an audit's tree, if the bundle has a proof.
    ///   - isNumbered: Whether other evidence than the proof confirms the record's number in the audit.
    private func unproven(
        _ request: EvidenceRequest, _ examination: Examination, _ leaf: AuditLeaf?, isNumbered: Bool
    ) -> String {
        let isAsked = request.question != nil && maker.question == nil
        var words = leaf?.isNamed == true ? [] : ["record name"]
        // The path to the root has the same shape in trees of several sizes.
        if leaf != nil, !isNumbered { words.append("record number") }
        if case .failure(let refusal) = examination.result {
            words += request.policy.options(of: refusal.code)
        }
        words += unprovenLists(request)
        if isAsked {
            words += ["catalog", "date", "products"]
        } else if let asked = request.question, maker.question.map(asked.hasProducts) != true {
            words.append("products")
        }
        guard !words.isEmpty else { return "" }
        return "not verified, stated by the author: \(words.joined(separator: ", "))"
            + (isAsked ? " (compare the question with --catalog FILE --as-of DATE)" : "")
    }

    /// Makes the bundle again from the received bytes, or returns nil if they do not contain the object.
    private func remake(
        _ request: EvidenceRequest, _ received: [UInt8], by maker: EvidenceMaker
    ) -> (examination: Examination, bundle: EvidenceBundle)? {
        var made: (Examination, EvidenceBundle)?
        try? maker.asking(request).makeBundles(
            of: received, from: request.origin, at: request.place, isUnwrapping: request.isUnwrapping
        ) { made = made ?? ($0, $1) }
        return made
    }

    private func rootNotTrusted(_ root: [UInt8]?, _ examination: Examination) -> Fault? {
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

    /// The maximum number of faults per bundle.
    package static let mostFaults = 100

    /// Compares each file with the file that this program makes. Skips the inclusion proof, which does not
    /// follow from the received bytes.
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
            // The request names the program's version, so its bytes differ. The check has already read its
            // members.
            if file.path == EvidenceRequest.file, version != ReceiptVerifier.packageVersion { continue }
            let isScript = EvidenceScript.files.contains { $0.path == file.path }
            if isScript {
                let digest = try verifier.digest(of: other.bytes.span).text
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

    private func manifestFaults(in files: [EvidenceFile]) throws(ReceiptError) -> [Fault] {
        guard let manifest = files.first(where: { $0.path == EvidenceBundle.manifest }) else {
            return [Fault(EvidenceBundle.manifest, "missing")]
        }
        let sums = Checksums(parsing: manifest.bytes, of: manifest.path)
        var faults = sums.faults
        for line in sums.lines {
            guard let file = files.first(where: { $0.path.isExactly(line.path) }) else {
                faults.append(Fault(line.path, "listed in the manifest but missing"))
                continue
            }
            if try verifier.digest(of: file.bytes.span).text != line.digest {
                faults.append(Fault(line.path, "does not match the manifest"))
            }
            if faults.count >= Self.mostFaults { return faults }
        }
        let named = Set(sums.lines.map { Array($0.path.utf8) })
        for file in files where file.path != manifest.path && !named.contains(Array(file.path.utf8)) {
            faults.append(Fault(file.path, "not listed in the manifest"))
        }
        // This also covers line endings and the order of names.
        if faults.isEmpty {
            let others = files.filter { $0.path != manifest.path }
            if try EvidenceBundle(others, verifier)[manifest.path] != manifest.bytes {
                faults.append(Fault(manifest.path, "wrong order or line endings"))
            }
        }
        return faults
    }
}

extension VerificationPolicy {
    /// Returns the command-line options for the policy that a refusal with this code depends on.
    fileprivate func options(of code: ReceiptError.Code) -> [String] {
        switch code {
        case .wrongBundleID:
            appAppleIDs == nil ? ["--bundle-id"] : ["--bundle-id", "--app-apple-id"]
        case .wrongEnvironment: ["--environment"]
        case .wrongDevice: ["--device-id"]
        default: []
        }
    }
}

extension EligibilityInstant {
    /// The instant as text for a message.
    fileprivate var words: String {
        switch self {
        case .clock: "a clock's reading of \(timestamp.rfc3339)"
        case .date: "the date \(timestamp.rfc3339)"
        }
    }
}
