import AppReceipt
import ReceiptJSON

/// The state that calls of a thread use. Each call writes to caches, counters and buffers of its verifier. If
/// threads on distant cores shared them, they would spend a tenth of their time waiting for each other's
/// memory.
final class Lane: Sendable {
    let examiner: Examiner
    let writers = Writers()

    /// The number of shards of a handle.
    static let count = 8

    init(_ settings: Settings) throws(ReceiptError) {
        let verifier = try ReceiptVerifier(
            anchors: settings.anchors, limits: settings.limits, sha1Signatures: settings.sha1Signatures,
            isCrossChecking: settings.isCrossChecking)
        examiner = Examiner(verifier, policy: settings.policy)
    }
}
