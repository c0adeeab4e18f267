import AppReceipt
import ReceiptForge

extension Check {
    /// Random sequences of receipts for one verifier, which must answer as a new verifier does. The first two
    /// bytes select anchors and their order, and each further byte selects a receipt.
    static let order = Check(
        name: "order", form: .bytes, longest: 40,
        seeds: {
            var random = SplitMix64(seed: 0x4F52)
            return (0..<40).map { _ in (0..<16).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) } }
        }
    ) { bytes in
        let world = OrderWorld.shared
        let store = bytes.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        guard let shared = world.verifier(store) else { return Outcome(answer: "no anchors") }
        for (place, byte) in bytes.dropFirst(2).enumerated() {
            let receipt = world.receipts[Int(byte) % world.receipts.count]
            guard let fresh = world.verifier(store) else { continue }
            let answer = OrderWorld.answer(of: shared, to: receipt)
            let expected = OrderWorld.answer(of: fresh, to: receipt)
            if answer != expected {
                return Outcome(
                    answer: "\(answer)", fault: "receipt \(byte), number \(place): alone it is \(expected)")
            }
        }
        return Outcome(answer: "the same in this order")
    }
}

/// Authorities that share names and keys, with receipts that they signed.
private struct OrderWorld: Sendable {
    let receipts: [[UInt8]]
    private let roots: [[UInt8]]
    private let storeKitRoots: [[UInt8]]

    static let shared: OrderWorld = {
        do { return try OrderWorld() } catch { fatalError("\(error)") }
    }()

    /// The answer of a verifier, with everything that a report shows.
    enum Answer: Equatable {
        case genuine(TrustAnchorKind, [CertificateFacts])
        case refused(ReceiptError)
    }

    static func answer(of verifier: ReceiptVerifier, to receipt: [UInt8]) -> Answer {
        do throws(ReceiptError) {
            let verified = try verifier.verify(receipt, for: .any)
            return .genuine(verified.realm, verified.certificates)
        } catch {
            return .refused(error)
        }
    }

    /// Returns a verifier with some of the anchors in some order, or nil if the number selects none.
    func verifier(_ store: Int) -> ReceiptVerifier? {
        func pick(_ list: [[UInt8]], _ bits: Int, isReversed: Bool) -> [[UInt8]] {
            let picked = list.indices.filter { bits >> $0 & 1 == 1 }.map { list[$0] }
            return isReversed ? picked.reversed() : picked
        }
        let custom = pick(roots, store, isReversed: store >> 12 & 1 == 1)
        let storeKit = pick(storeKitRoots, store >> 4, isReversed: store >> 13 & 1 == 1)
        // One initializer for each number of roots, because it takes them as separate arguments.
        var anchors: TrustAnchors? =
            switch custom.count {
            case 0: nil
            case 1: .custom(custom[0])
            case 2: .custom(custom[0], custom[1])
            default: .custom(custom[0], custom[1], custom[2])
            }
        for root in storeKit { anchors = anchors?.adding(storeKitTest: root) ?? .storeKitTest(root) }
        return anchors.flatMap { try? ReceiptVerifier(anchors: $0) }
    }

    private init() throws {
        let authority = try Authority.test()
        guard let intermediate = authority.intermediate else { throw ForgeError.unknownVariant("order") }
        let times = [
            ("2010-01-01T00:00:00Z", "2040-01-01T00:00:00Z"),
            ("2021-01-01T00:00:00Z", "2025-01-01T00:00:00Z"),
            ("2024-01-01T00:00:00Z", "2030-01-01T00:00:00Z"),
        ]
        var (roots, intermediates): ([Identity], [Identity]) = ([], [])
        for (number, time) in times.enumerated() {
            let renewed = try Authority.test { profiles in
                profiles.root.serialNumber = [2, UInt8(number)]
                profiles.intermediate.serialNumber = [3, UInt8(number)]
                for certificate in [\Authority.Profiles.root, \.intermediate] {
                    profiles[keyPath: certificate].notBefore = time.0
                    profiles[keyPath: certificate].notAfter = time.1
                }
            }
            roots.append(renewed.root)
            if let intermediate = renewed.intermediate { intermediates.append(intermediate) }
        }
        // StoreKit Test certificates with their own names and keys, and with those of the other authorities.
        let plain = try Authority.storeKitTest()
        let storeKit = try [intermediate, authority.root].flatMap { identity in
            try times.prefix(2).map { time in
                try Authority.storeKitTest { profile in
                    profile.subject = identity.certificate.subject
                    profile.key = identity.key
                    (profile.notBefore, profile.notAfter) = time
                }.root
            }
        }
        let markerless = try Authority.test { $0.leaf[.receiptSigningMarker] = nil }
        let junk = BER.sequence(
            BER.sequence(
                BER.integer(9), SignatureAlgorithm.identifier(for: authority.root.key, digest: .sha256),
                authority.root.certificate.subject.encoded, BER.sequence(),
                intermediate.certificate.subject.encoded),
            SignatureAlgorithm.identifier(for: authority.root.key, digest: .sha256), BER.bitString([1]))
        let all = intermediates.map(\.certificate.der)
        let bags: [[[UInt8]]] = [
            [], [all[0]], [all[1]], all, all.reversed(), [junk, all[0]],
            [all[2], storeKit[0].certificate.der],
        ]
        var receipts: [[UInt8]] = []
        for date in ["2020-06-01T00:00:00Z", "2023-06-01T00:00:00Z", "2026-06-01T00:00:00Z"] {
            for type in ["Production", "Xcode"] {
                var content = ReceiptContent()
                content.creationDate = date
                content.receiptType = type
                for leaf in [authority.leaf, markerless.leaf] {
                    for bag in bags {
                        var recipe = ReceiptRecipe(content, authority: authority)
                        recipe.authority.leaf = leaf
                        recipe.editContainer { $0.certificates = [leaf.certificate.der] + bag }
                        receipts.append(try recipe.forge().bytes)
                    }
                }
                receipts.append(try ReceiptRecipe(content, authority: plain).forge().bytes)
            }
        }
        self.roots = roots.map(\.certificate.der)
        self.receipts = receipts
        storeKitRoots = [plain.root.certificate.der] + storeKit.map(\.certificate.der)
    }
}
