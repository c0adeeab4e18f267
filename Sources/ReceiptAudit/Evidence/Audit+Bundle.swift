import AppReceipt
import ReceiptEvidence
import ReceiptJSON

extension Audit {
    /// The evidence of a record, with the proof that it is in the tree; nil where nothing in it is signed.
    func bundle(of record: ProvenRecord) throws -> EvidenceBundle? {
        guard let received = record.received else { return nil }
        return try EvidenceBundle(
            [EvidenceFile("received", received)] + record.inclusion.files(tree), judge.examiner.verifier)
    }
}
