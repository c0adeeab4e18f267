import AppReceipt
import ArgumentParser
import ReceiptAudit

/// The exit status of a command over many receipts: the worst of what happened.
struct ExitStatus {
    private var hasRefused = false
    private var hasUnreadable = false

    mutating func note(_ examination: Examination) {
        guard case .failure(let refusal) = examination.result else { return }
        if refusal.code == .unreadable { hasUnreadable = true } else { hasRefused = true }
    }

    /// 2 where something could not be read, else 1 where a receipt was refused.
    func exit() throws(ExitCode) {
        if hasUnreadable { throw ExitCode(2) }
        if hasRefused { throw ExitCode(1) }
    }
}
