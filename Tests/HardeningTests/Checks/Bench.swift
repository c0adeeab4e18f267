import AppReceipt
import Foundation
import ReceiptForge

/// What the checks judge with: one authority that the forge signs for, and verifiers that trust it.
struct Bench: Sendable {
    let authority: Authority
    let storeKit: Authority
    /// Trusts the authority, and the other one for StoreKit Test.
    let verifier: ReceiptVerifier
    /// The same, with OpenSSL's second opinion.
    let crossChecking: ReceiptVerifier
    /// What was ever signed by either: the receipts of the fixtures and the forge's variants.
    let receipts: [[UInt8]]
    let signedPayloads: Set<[UInt8]>
    /// A payload and its signature.
    let payload: [UInt8]
    let signer: SignerInfo

    /// A test that cannot be set up is worth a trap.
    static let shared: Bench = {
        do { return try Bench() } catch { fatalError("\(error)") }
    }()

    private init() throws {
        authority = try .test()
        storeKit = try .storeKitTest()
        let anchors = TrustAnchors.custom(authority.root.certificate.der)
            .adding(storeKitTest: storeKit.root.certificate.der)
        verifier = try ReceiptVerifier(anchors: anchors)
        crossChecking = try ReceiptVerifier(anchors: anchors, isCrossChecking: true)
        payload = try ReceiptContent().encoded()
        signer = try SignerInfo(signing: payload, by: authority.leaf)
        let fixtures = try Fixtures.files(in: "receipts").map(\.bytes)
        let variants = try HostileVariant.all.filter { !Self.isLarge.contains($0.id) }.map {
            try $0.forge().bytes
        }
        receipts = fixtures + variants
        let verifier = self.verifier
        signedPayloads = Set(receipts.compactMap { try? verifier.verify($0, for: .anyApp).payload.bytes })
    }

    private static let isLarge: Set<String> = [
        "above-16-mib", "purchases-100001", "nesting-definite", "nesting-open", "nesting-closed",
        "nesting-in-purchase",
    ]

    /// The roots as OpenSSL gets them.
    var roots: [UInt8] { authority.root.certificate.der + storeKit.root.certificate.der }
}

/// The committed files.
enum Fixtures {
    /// The folder of that name next to or above this file.
    static let folder: URL = {
        var folder = URL(filePath: #filePath).deletingLastPathComponent()
        while folder.path != "/" {
            let candidate = folder.appending(path: "Fixtures")
            if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
            folder.deleteLastPathComponent()
        }
        return folder
    }()

    static func files(in name: String) throws -> [(name: String, bytes: [UInt8])] {
        let folder = Self.folder.appending(path: name)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
            ($0, [UInt8](try Data(contentsOf: folder.appending(path: $0))))
        }
    }
}
