import ReceiptAudit
import SystemLibrary

/// The signals that end a process. Their handlers remove unfinished files.
enum TerminationSignals {
    static func install() {
        // Initializes lazy globals now instead of in a handler.
        UnfinishedFile.remove()
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let before = signal(number) { number in
                UnfinishedFile.remove()
                signal(number, SIG_DFL)
                raise(number)
            }
            // The parent process ignores the signal, as nohup does.
            if unsafe unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                signal(number, SIG_IGN)
            }
        }
    }
}
