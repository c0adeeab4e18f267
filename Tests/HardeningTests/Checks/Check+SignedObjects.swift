import AppReceipt
import Foundation
import ReceiptForge
import StrictJSON

extension Check {
    /// JWS, responses that contain them, and other recognized formats. Only objects that the forge signed may
    /// be genuine, with exactly the signed bytes.
    static let jws = Check(
        name: "jws", form: .bytes, longest: 6144, seeds: { SignedBench.shared.seeds }
    ) { bytes in
        do throws(ReceiptError) {
            let object = try SignedBench.shared.verifier.verify(signedObject: bytes, for: .any)
            let isSigned = object.jws.map { SignedBench.shared.payloads.contains($0.signed.json) } ?? false
            return Outcome(answer: "genuine", fault: isSigned ? nil : "never signed")
        } catch {
            return Outcome(answer: error.place, fault: error.code == .unreadable ? "OpenSSL fails" : nil)
        }
    }

    /// Payloads signed by a trusted authority. Foundation must accept each payload that the verifier reads,
    /// and errors must be inside the payload.
    static let jwsPayload = Check(
        name: "json", form: .bytes, longest: 2048,
        seeds: { SignedBench.shared.payloads.sorted { $0.count < $1.count } }
    ) { bytes in
        do throws(ReceiptError) {
            let object = try SignedBench.shared.verify(payload: bytes)
            let isObject = (try? JSONSerialization.jsonObject(with: Data(bytes))) is [String: Any]
            let isWhole = object.jws?.signed.json == bytes
            return Outcome(
                answer: "\(object.object.verifiedAt)",
                fault: !isWhole ? "the payload differs" : isObject ? nil : "Foundation refuses this JSON")
        } catch {
            let isInside = error.offset.map { (0...bytes.count).contains($0) } ?? true
            return Outcome(answer: error.place, fault: isInside ? nil : "the offset lies outside")
        }
    }

    /// Property lists. Only signed ones may be genuine.
    static let transactionReceipt = Check(
        name: "transaction-receipt", form: .bytes, longest: 6144,
        seeds: { [SignedBench.shared.transactionReceipt, Array(SignedBench.shared.purchaseInfo.utf8)] }
    ) { bytes in
        let bench = SignedBench.shared
        do throws(ReceiptError) {
            let receipt = try bench.verifier.verify(
                transactionReceipt: bytes, for: .any, issuers: bench.issuers)
            let list = TransactionReceiptRecipe.list(receipt.members)
            return Outcome(answer: "genuine", fault: list == bench.purchaseInfo ? nil : "never signed")
        } catch {
            return Outcome(answer: error.place, fault: error.code == .unreadable ? "OpenSSL fails" : nil)
        }
    }
}

/// The shared setup for the checks of signed objects.
struct SignedBench: Sendable {
    let authority: Authority
    let verifier: ReceiptVerifier
    let issuers: TransactionReceiptIssuers
    let seeds: [[UInt8]]
    let payloads: Set<[UInt8]>
    let transactionReceipt: [UInt8]
    let purchaseInfo: String

    /// The shared instance. Traps if the setup fails.
    static let shared: SignedBench = {
        do { return try SignedBench() } catch { fatalError("\(error)") }
    }()

    private init() throws {
        authority = try .appStoreJWS()
        let old = try Authority.test()
        let root = old.root.certificate.der
        let intermediate = old.intermediate?.certificate.der ?? []
        verifier = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der, root))
        issuers = .custom(root: root, versionTwo: intermediate, laterVersions: [intermediate])
        let transaction = try JWSRecipe(.transaction, authority: authority).forge()
        let all: [JSONMembers] = [
            .transaction, .renewalInfo, .appTransaction, .realtimeRequest,
            .notification(["signedTransactionInfo": "\"x\"", "appAppleId": "1"]),
        ]
        let authority = authority
        let texts = try all.map { try JWSRecipe($0, authority: authority).forge() }
        seeds = (texts + [#"{"signedTransactions":["\#(transaction)"]}"#]).map { Array($0.utf8) }
        payloads = Set(all.map { Array($0.text.utf8) })
        let recipe = TransactionReceiptRecipe(version: 3, signer: old.leaf)
        transactionReceipt = Array(try recipe.forge().utf8)
        purchaseInfo = TransactionReceiptRecipe.list(recipe.purchaseInfo)
    }

    /// Signs and verifies arbitrary bytes.
    func verify(payload: [UInt8]) throws(ReceiptError) -> VerifiedObject {
        var recipe = JWSRecipe(authority: authority)
        recipe.editPayload = { $0 = payload }
        let text: String
        do { text = try recipe.forge() } catch { fatalError("\(error)") }
        return try verifier.verify(jws: text, for: .any)
    }
}
