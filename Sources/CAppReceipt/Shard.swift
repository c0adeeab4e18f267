import AppReceipt
import ReceiptExamination

/// The verifier and buffers for some of the threads. Each call writes to caches and counters. If all threads
/// shared them, threads on distant cores would spend a tenth of their time waiting for each other's memory.
final class Shard: Sendable {
    let examiner: Examiner
    let writers = Writers()

    /// The number of shards of a handle.
    static let count = 8

    init(_ settings: Settings) throws(ReceiptError) {
        let verifier = try ReceiptVerifier(
            anchors: settings.anchors, limits: settings.limits, sha1Signatures: settings.sha1Signatures,
            revocation: settings.revocation, isCrossChecking: settings.isCrossChecking)
        examiner = Examiner(verifier, policy: settings.policy)
    }
}
