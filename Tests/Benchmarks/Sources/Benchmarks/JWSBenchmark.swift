import AppReceipt
import CFloor
import ReceiptForge

/// The number of valid signatures after which a key is known.
private let acceptancesForTable = 1_000

/// Measures the verification of a compact JWS, with a key that signed many objects and with a new key. The
/// baseline is SHA-256 of the signing input and one P-256 check with a decoded key.
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
    // From then on, the verifier checks with a table of the key's multiples.
    for _ in 0..<acceptancesForTable { try verifyTransaction() }
    // Alternating runs, so that all see the same load of the machine, and short ones, so that other work does
    // not interrupt every run.
    var (known, new, three, floor) = (Double.infinity, Double.infinity, Double.infinity, Double.infinity)
    for _ in 0..<200 {
        floor = min(
            floor,
            nanoseconds(rounds: 40) {
                precondition(floor_verify(key, input, input.count, signature, signature.count))
            })
        known = min(known, try nanoseconds(rounds: 40) { try verifyTransaction() })
        let fresh = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
        _ = try fresh.verify(jws: transaction, for: .any)
        new = min(
            new, try nanoseconds(rounds: 40) { _ = try fresh.verify(jws: transaction, for: .any) })
        three = min(three, try nanoseconds(rounds: 14) { try verifyNotification() })
    }
    row("JWS, a transaction, known key", known, floor, 0.5)
    row("JWS, a transaction, new key", new, floor, 1.1)
    row("JWS, a notification, known key", three, floor, 1.75)
    try measureThreads("transactions", verifyTransaction)
}
