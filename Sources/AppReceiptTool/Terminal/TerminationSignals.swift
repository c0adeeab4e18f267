import ReceiptAudit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The signals that end a process for good, and leave nothing unfinished behind.
enum TerminationSignals {
    static func install() {
        // What is made at first use is made now, not in a handler.
        UnfinishedFile.remove()
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let before = signal(number) { number in
                UnfinishedFile.remove()
                signal(number, SIG_DFL)
                raise(number)
            }
            // Whoever started this wants it ignored, as nohup does.
            if unsafe unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                signal(number, SIG_IGN)
            }
        }
    }
}
