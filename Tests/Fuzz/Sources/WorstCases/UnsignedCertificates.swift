import AppReceipt
import Foundation
import ReceiptForge

/// Unsigned certificates with the most expensive keys for decoders, in every position in a receipt. They are
/// the signer or issuers, or are added to a valid chain.
struct UnsignedCertificates {
    private let authority: Authority
    /// A second anchor with a key as slow as that of Apple's G3 root.
    private let elliptic: Authority
    private let intermediate: Identity
    private let keys: [(name: String, info: [UInt8])]

    init() throws {
        authority = try .test()
        elliptic = try .test { profiles throws(ForgeError) in
            profiles.root.key = try .generateEC(.p384)
            profiles.root.subject = DistinguishedName(commonName: "Elliptic Root")
        }
        intermediate = authority.intermediate ?? authority.root
        keys = try Self.keys()
    }

    private static func keys() throws -> [(name: String, info: [UInt8])] {
        let rsa = SignatureAlgorithm.rsaEncryption
        func key(modulus: Int, exponent: [UInt8]) -> [UInt8] {
            let modulus: [UInt8] = [0] + [UInt8](repeating: 0xC3, count: modulus)
            return BER.sequence(
                rsa, BER.bitString(BER.sequence(BER.element(2, modulus), BER.element(2, exponent))))
        }
        let elliptic: OID = [1, 2, 840, 10045, 2, 1]
        // 3 * 2^534 + 1. A square root modulo this prime takes about 534 squared steps.
        let prime: [UInt8] = [0x00, 0xC0] + [UInt8](repeating: 0, count: 65) + [0x01]
        func explicit(_ field: [UInt8], size: Int) -> [UInt8] {
            let compressed: [UInt8] = [2] + [UInt8](repeating: 0, count: size - 1) + [9]
            let number: [UInt8] = [UInt8](repeating: 0, count: size - 1) + [5]
            let curve = BER.sequence(BER.octetString(number), BER.octetString(number))
            let parameters = BER.sequence(
                BER.integer(1), field, curve, BER.octetString(compressed), BER.element(2, prime),
                BER.integer(1))
            return BER.sequence(BER.sequence(elliptic.encoded, parameters), BER.bitString(compressed))
        }
        let primeField: OID = [1, 2, 840, 10045, 1, 1]
        let sect571r1: OID = [1, 3, 132, 0, 39]
        let long: [UInt8] = [0x7F] + [UInt8](repeating: 0xFF, count: 255)
        return [
            ("RSA of 2,048 bits", key(modulus: 256, exponent: [1, 0, 1])),
            ("RSA of 16,384 bits", key(modulus: 2048, exponent: [1, 0, 1])),
            ("RSA, exponent of 2,048 bits", key(modulus: 256, exponent: long)),
            ("RSA of 60,000 bits", key(modulus: 7500, exponent: [1, 0, 1])),
            ("P-256", try PrivateKey.generateEC(.p256).subjectPublicKeyInfo),
            ("P-384", try PrivateKey.generateEC(.p384).subjectPublicKeyInfo),
            (
                "explicit parameters, chosen prime",
                explicit(
                    BER.sequence(primeField.encoded, BER.element(2, prime)), size: 67)
            ),
            (
                "binary curve of 571 bits",
                BER.sequence(
                    BER.sequence(elliptic.encoded, sect571r1.encoded),
                    BER.bitString([2] + [UInt8](repeating: 0x5A, count: 71) + [1]))
            ),
        ]
    }

    private func certificate(
        _ number: Int, key: [UInt8], subject: [UInt8], issuer: [UInt8], isElliptic: Bool
    ) -> [UInt8] {
        let ecdsa: OID = [1, 2, 840, 10045, 4, 3, 3]
        let algorithm =
            isElliptic
            ? BER.sequence(ecdsa.encoded)
            : SignatureAlgorithm.identifier(for: authority.root.key, digest: .sha256)
        // Two numbers with a long quotient.
        let numbers = ([0x5A, 0xA5] as [UInt8]).map {
            BER.element(2, [0x4A] + [UInt8](repeating: $0, count: 47))
        }
        let signature =
            isElliptic
            ? BER.sequence(numbers[0], numbers[1])
            : [UInt8](repeating: 0x5A, count: 256)
        let tbs = BER.sequence(
            BER.element(BER.Tag.context(0), BER.integer(2)), BER.integer(number), algorithm, issuer,
            BER.sequence(BER.time("2010-01-01T00:00:00Z"), BER.time("2040-01-01T00:00:00Z")), subject,
            key)
        return BER.sequence(tbs, algorithm, BER.bitString(signature))
    }

    /// Prints a line for each key and position, with the ratio to an ordinary receipt of that size.
    func measure(by search: Search) throws {
        print(
            column("unsigned key", 36) + column("where", 34) + column("answer", 10)
                + column("bytes", 9)
                + column("time", 13) + "ratio")
        let (roots, name) = ([authority.root, elliptic.root], intermediate.certificate.subject)
        let good = authority.bag
        var worst = 0.0
        for (keyName, key) in keys {
            for (root, isElliptic) in zip(roots, [false, true]) {
                let issuer = root.certificate.subject.encoded
                let kind = isElliptic ? "elliptic root" : "RSA root"
                let issuers = (0..<13).map {
                    certificate(
                        2 + $0, key: key, subject: name.encoded, issuer: issuer, isElliptic: isElliptic)
                }
                let signer = certificate(
                    1, key: key, subject: DistinguishedName(commonName: "S").encoded, issuer: issuer,
                    isElliptic: isElliptic)
                let sid = BER.sequence(issuer, BER.integer(1))
                worst = try max(
                    worst, line(keyName, "signer, names the \(kind)", search, bag: [signer], sid: sid),
                    line(keyName, "13 issuers, name the \(kind)", search, bag: good.prefix(1) + issuers),
                    line(keyName, "beside the chain, \(kind)", search, bag: good + issuers.prefix(1)),
                    line(
                        keyName, "the same, cross-checked", search, bag: good + issuers.prefix(10),
                        isCrossChecking: true))
            }
        }
        worst = try max(worst, measureWWDRG6(by: search))
        print(
            "worst ratio of unsigned certificates: \(rounded(worst)), \(worst < 3 ? "below" : "NOT BELOW") 3")
    }

    /// Measures Apple's own anchors with many unsigned signers, each group with one verifier. The signers
    /// name WWDR G5, which leads to ordinary refusals, or WWDR G6, Apple's elliptic intermediate. In some
    /// rows, wrong issuers precede WWDR G6. Returns the largest ratio to an ordinary receipt of that size.
    private func measureWWDRG6(by search: Search) throws -> Double {
        let key = try PrivateKey.generateEC(.p256).subjectPublicKeyInfo
        let root = subject(of: try apples("AppleIncRootCertificate"))
        var worst = 0.0
        for (name, wrong) in [
            ("AppleWWDRCAG5", 0), ("AppleWWDRCAG6", 0), ("AppleWWDRCAG6", 3), ("AppleWWDRCAG6", 8),
        ] {
            let intermediate = try apples(name)
            let issuer = subject(of: intermediate)
            let receipts = try (0..<Self.flood).map { number in
                let signer = certificate(
                    number, key: key, subject: DistinguishedName(commonName: "S").encoded, issuer: issuer,
                    isElliptic: name == "AppleWWDRCAG6")
                let issuers = (0..<wrong).map {
                    certificate(
                        number * wrong + $0, key: key, subject: issuer, issuer: root, isElliptic: false)
                }
                var recipe = ReceiptRecipe(authority: authority)
                recipe.editContainer { container in
                    container.certificates = [signer] + issuers + [intermediate]
                    container.signerInfos[0].sid = BER.sequence(issuer, BER.integer(number))
                }
                return try recipe.forge().bytes
            }
            let verifier = try ReceiptVerifier()
            var accepted = 0
            let time = processorTime {
                for bytes in receipts where (try? verifier.verify(bytes, for: .any)) != nil {
                    accepted += 1
                }
            }
            let cost = Search.Cost(milliseconds: time / Double(Self.flood), isAccepted: accepted > 0)
            let ratio = search.ratio(cost, bytes: receipts[0].count)
            let place =
                "\(Self.flood) signers, name \(name.suffix(2))" + (wrong > 0 ? ", \(wrong) wrong" : "")
            printLine("P-256", place, cost, bytes: receipts[0].count, ratio)
            worst = max(worst, ratio)
        }
        return worst
    }

    private static let flood = 1000

    private func apples(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).appending(path: "../../../../../Certificates").standardized
        return [UInt8](try Data(contentsOf: folder.appending(path: "\(name).cer")))
    }

    /// Returns the subject of a certificate of Apple's. These names have fewer than 128 bytes and begin with
    /// the common name.
    private func subject(of certificate: [UInt8]) -> [UInt8] {
        let commonName: [UInt8] = [0x06, 0x03, 0x55, 0x04, 0x03]
        let places = certificate.indices.filter { certificate[$0...].starts(with: commonName) }
        let start = places[1] - 6
        return Array(certificate[start..<start + 2 + Int(certificate[start + 1])])
    }

    private func line(
        _ key: String, _ place: String, _ search: Search, bag: [[UInt8]], sid: [UInt8]? = nil,
        isCrossChecking: Bool = false
    ) throws -> Double {
        var recipe = ReceiptRecipe(authority: authority)
        recipe.editContainer { container in
            container.certificates = bag
            if let sid { container.signerInfos[0].sid = sid }
        }
        let bytes = try recipe.forge().bytes
        let anchors = TrustAnchors.custom(roots: authority, elliptic)
        let cost = search.cost(of: bytes, runs: 5, anchors: anchors, isCrossChecking: isCrossChecking)
        var ratio = search.ratio(cost, bytes: bytes.count)
        if isCrossChecking {
            let ordinary = try ReceiptRecipe(authority: authority).forge().bytes
            let base = search.cost(of: ordinary, runs: 5, anchors: anchors, isCrossChecking: true)
            ratio = cost.milliseconds / base.milliseconds
        }
        printLine(key, place, cost, bytes: bytes.count, ratio)
        return ratio
    }

    private func printLine(_ key: String, _ place: String, _ cost: Search.Cost, bytes: Int, _ ratio: Double) {
        print(
            column(key, 36) + column(place, 34) + column(cost.isAccepted ? "accepted" : "refused", 10)
                + column("\(bytes)", 9) + column(String(format: "%.3f ms", cost.milliseconds), 13)
                + rounded(ratio) + (ratio < 3 ? "" : "  ABOVE 3"))
    }
}

extension TrustAnchors {
    fileprivate static func custom(roots first: Authority, _ second: Authority) -> TrustAnchors {
        .custom(first.root.certificate.der, second.root.certificate.der)
    }
}

func rounded(_ ratio: Double) -> String { String(format: "%.2f", ratio) }
