import AppReceipt
import ReceiptJSON

/// What the calls of a thread go through. Each call writes to caches, counts and lent memory of its verifier's: where threads
/// of cores that lie far apart do so together, a tenth of their time is waiting for each other's memory.
final class Lane: Sendable {
    let examiner: Examiner
    let writers = Writers()

    /// Of a handle.
    static let count = 8

    init(_ settings: Settings) throws(ReceiptError) {
        let verifier = try ReceiptVerifier(
            anchors: settings.anchors, limits: settings.limits, sha1Signatures: settings.sha1Signatures,
            isCrossChecking: settings.isCrossChecking)
        examiner = Examiner(verifier, demands: settings.demands)
    }
}
