import AppReceipt
import ArgumentParser
import ReceiptAudit
import ReceiptJSON

/// The exit status of a command over many receipts: the worst of what happened.
struct ExitStatus {
    private var genuine = 0
    private var refused = 0
    private var unreadable = 0

    mutating func note(_ examination: Examination) { note(examination.result) }

    mutating func note(_ result: Result<some Any, Refusal>) {
        switch result {
        case .success: genuine += 1
        case .failure(let refusal) where refusal.code == .unreadable: unreadable += 1
        case .failure: refused += 1
        }
    }

    /// Notes that something genuine was left without an answer, or is not whose it must be.
    mutating func noteRefusal() { refused += 1 }

    /// How many receipts were noted.
    var count: Int { genuine + refused + unreadable }

    /// The counts, for a person.
    var summary: String { "\(genuine) genuine, \(refused) refused, \(unreadable) unreadable" }

    /// 2 where something could not be read, else 1 where a receipt was refused.
    func exit() throws(ExitCode) {
        if unreadable > 0 { throw ExitCode(2) }
        if refused > 0 { throw ExitCode(1) }
    }
}
