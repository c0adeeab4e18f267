package import AppReceipt
package import ReceiptExamination
import ReceiptJSON
import StrictJSON

extension AuditLeaf {
    /// Returns whether an audit writes this leaf for this examination of an object from `origin`.
    package func states(
        _ examination: Examination, of origin: ReceiptOrigin, _ question: EvidenceQuestion?
    ) -> Bool {
        var place = examination.place
        if case .source = origin {
            // The name of a file already contains the place.
        } else {
            // The bundle does not contain the name of the member or column in which the record contained the
            // object.
            let path = path ?? ""
            guard path.utf8.reversed().starts(with: place.utf8.dropFirst().reversed()) else { return false }
            place = path.isEmpty ? "" : "#" + path
        }
        var found = Examination(
            examination.result, format: examination.format, sha256: examination.sha256,
            contentSHA256: examination.contentSHA256, place: place)
        found.wrapping = examination.wrapping
        let object = try? examination.result.get()
        var json = JSONWriter()
        json.isStating = true
        json.verification(
            found, of: origin, verdicts: object.flatMap { question?.verdicts(on: $0) },
            isAsked: question != nil)
        guard received == examination.received else { return false }
        if json.bytes == statement { return true }
        guard !isNamed, case .source(let source) = origin else { return false }
        return Self.statement(json.bytes, withoutName: source) == statement
    }

    /// The path of the object in its record, or nil if the record is the object.
    private var path: String? {
        var path: String?
        var reader = JSONReader(statement.span)
        try? reader.object { (reader, name) throws(JSONError) in
            if name.isExactly("path") {
                path = try reader.string(atMost: statement.count)
            } else {
                try reader.skip()
            }
        }
        return path
    }
}

extension EvidenceCheck {
    /// Returns the bundle's proof that its record is part of an audit, and the Merkle root that follows from
    /// it.
    /// - Returns: Nil if the bundle has no proof, or its proof leads to no root.
    /// - Throws: `ReceiptError` if OpenSSL fails.
    package func inclusion(in files: [EvidenceFile]) throws(ReceiptError) -> (
        proof: InclusionProof, root: String
    )? {
        let tree = MerkleTree(maker.verifier)
        guard let proof = try InclusionProof(files, tree), let root = try proof.root(of: tree) else {
            return nil
        }
        return (proof, root.text)
    }

    /// Compares the proof with the object that was found.
    func inclusionFaults(
        in files: [EvidenceFile], _ examination: Examination, _ asked: EvidenceRequest
    ) throws(ReceiptError) -> [Fault] {
        let given = files.filter { $0.path.hasPrefix(Self.inclusion) }
        guard !given.isEmpty else { return [] }
        if let other = given.first(where: { !InclusionProof.names.contains($0.path) }) {
            return [Fault(other.path, "unexpected file")]
        }
        guard let (proof, _) = try inclusion(in: given) else {
            return [Fault(Self.inclusion + "root", "does not match the leaf and its path")]
        }
        let isStated = proof.leaf.states(examination, of: asked.origin, asked.question)
        return isStated
            ? [] : [Fault(Self.inclusion + "leaf", "does not match what an audit states about received")]
    }
}
