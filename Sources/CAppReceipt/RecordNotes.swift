import AppReceipt
import CAppReceiptBorder
import ReceiptEvidence
import ReceiptJSON

/// What is told of the lines that answer records.
struct RecordNotes: ~Copyable {
    private var code = APPRECEIPT_OK
    /// Nil where no leaves are wanted.
    private var hasher: LeafHasher?
    private var leaves = JSONWriter()
    private var isBroken = false

    /// - Parameter source: the number of the source that the records stand in; nil asks for no leaves.
    init(_ verifier: ReceiptVerifier, source: Int?) {
        hasher = source.map { LeafHasher(MerkleTree(verifier), source: $0) }
    }

    /// Bytes that are kept here.
    var count: Int { leaves.count }

    /// Takes note of a line that was written last, and of its leaf's hash.
    /// - Parameter number: of the record, from 1 on.
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

    /// The lines, and behind an empty one those of the leaves, if there are any.
    func answer(_ json: borrowing JSONWriter) throws(BorderFailure) -> Answer {
        guard !isBroken else { throw .unavailable }
        guard leaves.count > 0 else { return Answer(code, json.bytes) }
        var text: [UInt8] = []
        text.reserveCapacity(json.count + 1 + leaves.count)
        unsafe json.withBytes { unsafe text.append(contentsOf: $0) }
        text.append(0x0A)
        unsafe leaves.withBytes { unsafe text.append(contentsOf: $0) }
        return Answer(code, text)
    }
}

extension appreceipt_code {
    /// What could not be judged weighs more than what was refused.
    mutating func take(_ refusal: Refusal) {
        if refusal.isPassing {
            self = APPRECEIPT_UNAVAILABLE
        } else if self == APPRECEIPT_OK {
            self = APPRECEIPT_REFUSED
        }
    }
}
