import AppReceipt
import CFloor
import ReceiptForge

/// Measures the verification of a compact JWS. The baseline is SHA-256 of the signing input and one P-256
/// check with a decoded key.
func measureJWS() throws {
    let authority = try Authority.appStoreJWS()
    let verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
    let transaction = try JWSRecipe(authority: authority).forge()
    let renewal = try JWSRecipe(.renewalInfo, authority: authority).forge()
    let notification = try JWSRecipe(
        .notification(["signedTransactionInfo": "\"\(transaction)\"", "signedRenewalInfo": "\"\(renewal)\""]),
        authority: authority
    ).forge()
    @Sendable func verifyTransaction() throws {
        guard case .transaction = try verifier.verify(jws: transaction, for: .any) else { fatalError() }
    }
    func verifyNotification() throws {
        guard case .notification(let object) = try verifier.verify(jws: notification, for: .any) else {
            fatalError()
        }
        for enclosure in object.enclosures { _ = try verifier.verify(jws: enclosure.text, for: .any) }
        precondition(object.enclosures.count == 2)
    }
    try verifyNotification()

    let input = Array(transaction[..<(transaction.lastIndex(of: ".") ?? transaction.endIndex)].utf8)
    let leaf = authority.leaf
    let signature = try leaf.key.sign(input, digest: .sha256)
    let key = floor_key_new(leaf.certificate.der, leaf.certificate.der.count, "SHA256")
    // Alternating runs, so that all see the same load of the machine.
    var (one, three, floor) = (Double.infinity, Double.infinity, Double.infinity)
    for _ in 0..<40 {
        floor = min(
            floor,
            nanoseconds(rounds: 200) {
                precondition(floor_verify(key, input, input.count, signature, signature.count))
            })
        one = min(one, try nanoseconds(rounds: 200) { try verifyTransaction() })
        three = min(three, try nanoseconds(rounds: 70) { try verifyNotification() })
    }
    row("JWS, a transaction", one, floor, 1.25)
    row("JWS, a notification with two", three, floor, 3.3)
    try measureThreads("transactions", verifyTransaction)
}
