import AppReceipt
import CHost
import COpinion
import Foundation
import ReceiptForge

// A host program that embeds the library:
//
//     Embedding forge FOLDER                       writes roots with elliptic keys, and receipts under them
//     Embedding answers ORDER ROOT FILE…           prints the answers to receipts; ORDER, the use of OpenSSL:
//         alone                                    no use
//         initialises-first, initialises-later     initialization before the verifier is created, or after its use
//         engine-first, engine-later               HOST_ENGINE as default for all operations
//     Embedding control ORDER ROOT SECONDS FILE    prints whether OpenSSL's own code accepts the file in such a host
//     Embedding queue ROOT FILE…                   checks that the host's error queue does not change

func bytes(of path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

func prepare(_ order: String, _ moment: String) {
    if order == "initialises-\(moment)" { host_initialises_openssl() }
    guard order == "engine-\(moment)" else { return }
    guard let path = ProcessInfo.processInfo.environment["HOST_ENGINE"], host_sets_default_engine(path) else {
        fatalError("the engine does not load")
    }
}

func answer(of verifier: ReceiptVerifier, to bytes: [UInt8]) -> String {
    do throws(ReceiptError) {
        let receipt = try verifier.verify(bytes, for: .any)
        return "genuine \(receipt.certificates.map(\.subject))"
    } catch {
        return "\(error.code.rawValue) \(error.field ?? "") \(error.certificate?.subject ?? "")"
    }
}

func answers(_ order: String, root: [UInt8], files: [String]) throws {
    prepare(order, "first")
    let verifier = try ReceiptVerifier(anchors: .custom(root))
    if order.hasSuffix("-later") {
        for file in files { _ = answer(of: verifier, to: try bytes(of: file)) }
        prepare(order, "later")
    }
    // The answers of a verifier that has cached the chain, and of a new one.
    for verifier in [verifier, try ReceiptVerifier(anchors: .custom(root))] {
        for file in files { print(file, answer(of: verifier, to: try bytes(of: file))) }
    }
}

func control(_ order: String, root: [UInt8], seconds: Int64, file: String) throws {
    prepare(order, "first")
    prepare(order, "later")
    let bytes = try bytes(of: file)
    let container = opinion_decode(bytes, bytes.count)
    let roots = opinion_roots_decode(root, root.count)
    let passes = container.map { opinion_verify($0, roots, seconds) } ?? false
    print(passes ? "passes" : "refused")
}

/// Writes an elliptic root, a receipt under it, and a receipt whose intermediate the root did not sign.
func forge(into folder: URL) throws {
    for curve in [PrivateKey.Curve.p256, .p384] {
        let authority = try Authority.test { profiles throws(ForgeError) in
            profiles.root.key = try .generateEC(curve)
        }
        var recipe = ReceiptRecipe(authority: authority)
        let write = { (bytes: [UInt8], name: String) in
            try Data(bytes).write(to: folder.appending(path: "\(curve)-\(name)"))
        }
        try write(authority.root.certificate.der, "root.cer")
        try write(recipe.forge().bytes, "genuine.der")
        recipe.editContainer { container in
            guard let last = container.certificates?[1].indices.last else { return }
            container.certificates?[1][last] ^= 1
        }
        try write(recipe.forge().bytes, "forged.der")
    }
}

func queue(root: [UInt8], files: [String]) throws {
    // OpenSSL's queue holds fifteen errors.
    for count in [0, 1, 3, 15] {
        for isCrossChecking in [false, true] {
            for file in files {
                let bytes = try bytes(of: file)
                for isMark in count > 0 ? [false, true] : [false] {
                    host_queues_errors(Int32(count))
                    let verifier = try ReceiptVerifier(
                        anchors: .custom(root), isCrossChecking: isCrossChecking)
                    let answer = answer(of: verifier, to: bytes)
                    _ = try? ReceiptVerifier(anchors: .custom(Array(root.dropLast())))
                    let isSame = isMark ? host_finds_its_mark() : host_finds_its_errors(Int32(count))
                    guard !isSame else { continue }
                    print("\(count) errors of the host, \(file): the queue changed; the answer is: \(answer)")
                    exit(1)
                }
            }
        }
    }
}

let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, arguments.count) {
case ("forge", 2): try forge(into: URL(filePath: arguments[2]))
case ("answers", 4...):
    try answers(arguments[2], root: bytes(of: arguments[3]), files: Array(arguments.dropFirst(3)))
case ("control", 5):
    try control(
        arguments[2], root: bytes(of: arguments[3]), seconds: Int64(arguments[4]) ?? 0, file: arguments[5])
case ("queue", 3...): try queue(root: bytes(of: arguments[2]), files: Array(arguments.dropFirst(2)))
default: exit(64)
}
