import AppReceipt
import CAppReceiptBoundary
import ReceiptEvidence
import ReceiptJSON
import ReceiptServices
import StrictJSON

/// The result code of the lines that answer records, and the hashes of their leaves.
struct RecordNotes: ~Copyable {
    private var code = APPRECEIPT_OK
    /// Nil if the caller wants no leaves.
    private var hasher: LeafHasher?
    private var leaves = JSONWriter()
    private var isBroken = false

    /// Creates notes for records of one source.
    /// - Parameter source: the number of the records' source, or nil for no leaves.
    init(_ verifier: ReceiptVerifier, source: Int?) {
        hasher = source.map { LeafHasher(MerkleTree(verifier), source: $0) }
    }

    /// The length of the stored hashes, in bytes.
    var count: Int { leaves.count }

    /// Adds the last line written to `json`, with its leaf's hash.
    /// - Parameter number: the number of the record, from 1.
    mutating func add(_ line: AnsweredLine, of json: borrowing JSONWriter, number: Int) {
        if let refusal = line.refusal { code.take(refusal) }
        guard hasher != nil else { return }
        let leaf = json.withStatement(from: line.start) { first, second in
            Result { () throws(ReceiptError) in
                try hasher?.hash(place: number, line.received, first, second)
            }
        }
        if case .success(let digest?) = leaf { leaves.digitLine(digest.bytes) } else { isBroken = true }
    }

    /// Returns the lines, followed by an empty line and the lines of the leaves, if there are any.
    func answer(_ json: borrowing JSONWriter) throws(BoundaryFailure) -> BoundaryAnswer {
        guard !isBroken else { throw .unavailable }
        guard leaves.count > 0 else { return BoundaryAnswer(code, json.bytes) }
        var text: [UInt8] = []
        text.reserveCapacity(json.count + 1 + leaves.count)
        unsafe json.withBytes { unsafe text.append(contentsOf: $0) }
        text.append(0x0A)
        unsafe leaves.withBytes { unsafe text.append(contentsOf: $0) }
        return BoundaryAnswer(code, text)
    }
}

extension appreceipt_code {
    /// Adds a refusal. A record that could not be verified takes precedence over a refused one.
    mutating func take(_ refusal: ReceiptError) {
        if refusal.isTransient {
            self = APPRECEIPT_UNAVAILABLE
        } else if self == APPRECEIPT_OK {
            self = APPRECEIPT_REFUSED
        }
    }
}
