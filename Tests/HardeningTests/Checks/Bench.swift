import AppReceipt
import Foundation
import ReceiptForge

/// The shared setup of the checks: an authority for which the forge signs, and verifiers that trust it.
struct Bench: Sendable {
    let authority: Authority
    let storeKit: Authority
    /// A verifier that trusts the authority, and the other authority for StoreKit Test.
    let verifier: ReceiptVerifier
    /// The same verifier with a cross-check by OpenSSL.
    let crossChecking: ReceiptVerifier
    /// Every receipt that either authority signed: the fixtures and the forge's variants.
    let receipts: [[UInt8]]
    let signedPayloads: Set<[UInt8]>
    /// A payload, which `signer` signs.
    let payload: [UInt8]
    let signer: SignerInfo

    /// The shared instance. Traps if the setup fails.
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
        signedPayloads = Set(receipts.compactMap { try? verifier.verify($0, for: .any).payload.bytes })
    }

    private static let isLarge: Set<String> = [
        "above-16-mib", "purchases-100001", "nesting-definite", "nesting-open", "nesting-closed",
        "nesting-in-purchase",
    ]

    /// The roots in the format for OpenSSL.
    var roots: [UInt8] { authority.root.certificate.der + storeKit.root.certificate.der }
}

/// The committed files.
enum Fixtures {
    /// The folder named Fixtures in this file's folder or in one above it.
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
