package import AppReceipt
package import ArgumentParser

/// The exit status of a command over many receipts, which is that of the worst result.
package struct ExitStatus {
    private var genuine = 0
    private var refused = 0
    private var unreadable = 0
    private var hasUnusableLists = false

    package init() {}

    package mutating func note(_ result: Result<some Any, ReceiptError>) {
        switch result {
        case .success: genuine += 1
        case .failure(let refusal) where refusal.code == .unreadable: unreadable += 1
        case .failure: refused += 1
        }
    }

    /// Counts and reports a refusal.
    mutating func report(_ refusal: ReceiptError, of source: String, at place: String = "") {
        note(Result<Never, ReceiptError>.failure(refusal))
        guard refusal.code != .unreadable else {
            return StandardError.writeError("\(source): \(refusal.message)")
        }
        StandardError.writeLine("\(source): refused (\(refusal.code.rawValue))\(place): \(refusal.message)")
    }

    /// Counts a genuine object as refused, if it has no answer or belongs to another app.
    mutating func noteRefusal() { refused += 1 }

    /// Reports the lists without use. Unusable revocation lists make the exit status 2.
    package mutating func noteUnusedLists(of verifier: ReceiptVerifier) {
        if verifier.reportUnusedLists() { hasUnusableLists = true }
    }

    /// The number of results.
    package var count: Int { genuine + refused + unreadable }

    /// The counts, for people.
    package var summary: String { "\(genuine) genuine, \(refused) refused, \(unreadable) unreadable" }

    /// Exits with status 2, because there was nothing to read.
    static func exitWithoutFiles() throws(ExitCode) -> Never {
        StandardError.writeError("no files found")
        throw ExitCode(2)
    }

    /// Exits with status 2 if something or a revocation list is unusable, or with 1 if a receipt was refused.
    package func exit() throws(ExitCode) {
        if unreadable > 0 || hasUnusableLists { throw ExitCode(2) }
        if refused > 0 { throw ExitCode(1) }
    }
}
