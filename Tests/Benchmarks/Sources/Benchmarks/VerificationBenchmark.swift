import AppReceipt
import CFloor
import Foundation
import ReceiptForge

/// Measures verification against its baseline in one process. Only the ratios are comparable between
/// machines.
func measureVerification() throws {
    print("verification                            ns      floor ns   ratio  budget")
    try measureCached("2 purchases, SHA-256", purchases: 2, digest: .sha256, budget: 1.35, together: 0.5)
    try measureCached("187 purchases, SHA-1", purchases: 187, digest: .sha1, budget: 2, together: 2.6)
    try measureUncached()
    let forged = try recipe(purchases: 2, digest: .sha256).forge()
    let verifier = try ReceiptVerifier(anchors: .custom(forged.anchor))
    try measureThreads("receipts") { _ = try verifier.verify(forged.bytes, for: .any) }
    try measureJWS()
}

private func recipe(purchases: Int, digest: ReceiptForge.Digest) throws -> ReceiptRecipe {
    let content = ReceiptContent(
        purchases: (0..<purchases).map { number in
            .subscription(
                productID: "com.example.forge.monthly", transactionID: "\(530_001_111_222_201 + number)",
                purchaseDate: "2024-05-20T07:15:00Z", expiresDate: "2024-06-20T07:15:00Z")
        })
    var recipe = ReceiptRecipe(content, authority: try .test())
    recipe.digest = digest
    return recipe
}

private func measureCached(
    _ name: String, purchases: Int, digest: ReceiptForge.Digest, budget: Double,
    together budgetTogether: Double
) throws {
    let recipe = try recipe(purchases: purchases, digest: digest)
    let forged = try recipe.forge()
    let content = try recipe.content.encoded()
    let leaf = recipe.authority.leaf
    let signature = try SignerInfo(
        signing: content, by: leaf, digest: digest, scheme: .pkcs1, signedAttributes: nil
    ).signature
    let key = floor_key_new(
        leaf.certificate.der, leaf.certificate.der.count, digest == .sha1 ? "SHA1" : "SHA256")
    let verifier = try ReceiptVerifier(anchors: .custom(forged.anchor))
    _ = try verifier.verify(forged.bytes, for: .any)
    let many = Array(repeating: forged.bytes, count: 16)
    precondition(verifier.verify(each: many, for: .any).allSatisfy { (try? $0.get()) != nil })

    // Alternating runs, so that all see the same load of the machine.
    var ours = Double.infinity
    var each = Double.infinity
    var floor = Double.infinity
    for _ in 0..<40 {
        floor = min(
            floor,
            nanoseconds(rounds: 500) {
                precondition(floor_verify(key, content, content.count, signature, signature.count))
            })
        ours = min(ours, try nanoseconds(rounds: 500) { _ = try verifier.verify(forged.bytes, for: .any) })
        each = min(each, nanoseconds(rounds: 32) { _ = verifier.verify(each: many, for: .any) } / 16)
    }
    row(name, ours, floor, budget)
    row("the same, of 16 in one call", each, floor, budgetTogether)
}

/// Measures receipts with a new verifier each, against OpenSSL's own check of the same three certificates.
private func measureUncached() throws {
    let recipe = try recipe(purchases: 0, digest: .sha256)
    let forged = try recipe.forge()
    var tamperedRecipe = recipe
    // The chain is valid, but the receipt's signature is not, so the cache stays empty.
    tamperedRecipe.editContainer { container in container.signerInfos[0].signature[0] ^= 1 }
    let tampered = try tamperedRecipe.forge()
    let verifier = try ReceiptVerifier(anchors: .custom(forged.anchor))
    let warm = try ReceiptVerifier(anchors: .custom(forged.anchor))
    _ = try warm.verify(forged.bytes, for: .any)
    var cold = Double.infinity
    var hot = Double.infinity
    var floor = Double.infinity
    for _ in 0..<20 {
        floor = min(floor, nanoseconds(rounds: 100) { precondition(checkChain(recipe.authority.bag)) })
        cold = min(cold, nanoseconds(rounds: 100) { _ = try? verifier.verify(tampered.bytes, for: .any) })
        hot = min(hot, nanoseconds(rounds: 100) { _ = try? warm.verify(tampered.bytes, for: .any) })
    }
    row("the chain alone, not cached", cold - hot, floor, 1.1)
}

private func checkChain(_ bag: [[UInt8]]) -> Bool {
    bag[0].withUnsafeBufferPointer { leaf in
        bag[1].withUnsafeBufferPointer { intermediate in
            bag[2].withUnsafeBufferPointer { root in
                floor_chain(
                    [leaf.baseAddress, intermediate.baseAddress, root.baseAddress], bag.map(\.count),
                    1_717_236_000)
            }
        }
    }
}

/// Measures the same work with one thread and with two.
func measureThreads(_ name: String, _ work: @escaping @Sendable () throws -> Void) throws {
    try work()
    let rounds = 10_000
    func seconds(threads: Int) -> Double {
        let start = ContinuousClock.now
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            for _ in 0..<rounds { try? work() }
        }
        let spent = ContinuousClock.now - start
        return Double(spent.components.seconds) + Double(spent.components.attoseconds) / 1e18
    }
    var best = 0.0
    for _ in 0..<5 { best = max(best, 2 * seconds(threads: 1) / seconds(threads: 2)) }
    print("\(name), two threads: \(String(format: "%.2f", best)) times one, budget 1.9")
}

func nanoseconds(rounds: Int, _ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    for _ in 0..<rounds { try body() }
    let spent = ContinuousClock.now - start
    return (Double(spent.components.seconds) * 1e9 + Double(spent.components.attoseconds) / 1e9)
        / Double(rounds)
}

func row(_ name: String, _ ours: Double, _ floor: Double, _ budget: Double) {
    let figures = String(format: "%12.0f %12.0f %7.2f %7.2f", ours, floor, ours / floor, budget)
    print(name.padding(toLength: 32, withPad: " ", startingAt: 0) + figures)
}
