import ReceiptForge
import StrictJSON
import Testing

@testable import AppReceipt

/// The caller's own list of distrusted certificates.
struct DistrustListTests {
    private static func list(_ entries: DistrustList.Entry...) -> DistrustList { DistrustList(entries) }

    private static func date(_ text: String) -> Timestamp? { Timestamp(rfc3339: text) }

    /// Checks dates and reasons, for a receipt of 2024-06-01.
    @Test(
        arguments: [
            (nil, nil, "revoked", "revoked"),
            (nil, .superseded, "revoked", "revoked"),
            ("2024-06-01T00:00:00Z", nil, "revoked", "revoked"),
            ("2024-06-01T00:00:01Z", nil, "no_information before-distrust", "revocation_unknown"),
            ("2024-06-01T00:00:01Z", .keyCompromise, "no_information before-distrust", "revocation_unknown"),
            (
                "2024-06-01T00:00:01Z", .superseded, "good 2025-01-01 before-distrust",
                "good 2025-01-01 before-distrust"
            ),
        ] as [(String?, RevocationReason?, String, String)])
    func dates(from: String?, reason: RevocationReason?, checked: String, required: String) throws {
        let bench = try RevocationBench()
        let distrust = Self.list(
            .init(.serial("7E570001", issuer: nil), from: from.flatMap(Self.date), reason: reason))
        let lists = try [bench.list(), bench.rootList()]
        #expect(try bench.answer(bench.verifier(lists, distrust: distrust)) == checked)
        #expect(try bench.answer(bench.verifier(lists, distrust: distrust, policy: .require)) == required)
        #expect(try bench.answer(bench.verifier(lists, distrust: distrust, policy: .off)) == "not_checked")
    }

    /// Checks which certificates an entry matches: each of the chain, by digest, and by serial number and issuer.
    @Test
    func identities() throws {
        let bench = try RevocationBench()
        let verifier = try bench.verifier([])
        let chain = try verifier.verify(bench.receipt(), for: .any).certificates
        func answer(_ identity: DistrustList.Entry.Identity) throws -> String {
            try bench.answer(bench.verifier([], distrust: Self.list(.init(identity))))
        }
        for certificate in chain {
            #expect(try answer(.sha256(certificate.sha256)) == "revoked")
            #expect(try answer(.serial(certificate.serialNumber, issuer: nil)) == "revoked")
            #expect(
                try answer(.serial("000" + certificate.serialNumber, issuer: certificate.issuer)) == "revoked"
            )
            #expect(try answer(.serial(certificate.serialNumber, issuer: "CN=Other")) == "not_checked")
            #expect(try answer(.serial(certificate.serialNumber + "0", issuer: nil)) == "not_checked")
        }
        #expect(try answer(.sha256([UInt8](repeating: 0, count: 32))) == "not_checked")
        #expect(try answer(.keySHA256([UInt8](repeating: 0, count: 32))) == "not_checked")
    }

    /// Checks that an entry about a key matches another certificate of the key, with which anyone can replace the first.
    @Test
    func key() throws {
        let bench = try RevocationBench()
        let leaf = bench.authority.leaf
        let other = try RevocationBench(
            .test {
                $0.leaf.key = leaf.key
                $0.leaf.serialNumber = [0x7E, 0x57, 0x00, 0x09]
            })
        let verifier = try bench.verifier([])
        let certificate = try #require(verifier.sha256(of: leaf.certificate.der))
        let key = try #require(verifier.sha256(of: leaf.key.subjectPublicKeyInfo))
        #expect(
            try other.answer(other.verifier([], distrust: Self.list(.init(.sha256(certificate)))))
                == "not_checked")
        for bench in [bench, other] {
            #expect(
                try bench.answer(bench.verifier([], distrust: Self.list(.init(.keySHA256(key))))) == "revoked"
            )
        }
    }

    /// Checks the positions of entries that match nothing.
    @Test
    func unmatched() throws {
        let bench = try RevocationBench()
        let distrust = Self.list(
            .init(.serial("99", issuer: nil)), .init(.serial("7e570001", issuer: nil)),
            .init(.serial("7e570001", issuer: "CN=Other")))
        let verifier = try bench.verifier([], distrust: distrust)
        #expect(verifier.unmatchedDistrustEntries == [0, 1, 2])
        #expect(try bench.answer(verifier) == "revoked")
        #expect(verifier.unmatchedDistrustEntries == [0, 2])
    }

    /// Checks that the other valid ECDSA signature of a certificate does not evade its digest, for both curves.
    @Test(arguments: [.p256, .p384] as [PrivateKey.Curve])
    func twin(curve: PrivateKey.Curve) throws {
        let bench = try RevocationBench(
            .test { profiles throws(ForgeError) in
                profiles.root.key = try .generateEC(.p384)
                profiles.intermediate.key = try .generateEC(curve)
            })
        let leaf = bench.authority.leaf.certificate.der
        let certificate = try #require(Certificate(der: leaf))
        let twins = certificate.twins(of: leaf)
        var isFound = false
        for twin in twins {
            var authority = bench.authority
            authority.leaf.certificate.der = twin
            let other = try RevocationBench(authority)
            // A form for the other curve has no valid signature.
            guard try other.answer(other.verifier([])) == "not_checked" else { continue }
            isFound = true
            let verifier = try bench.verifier([])
            for der in [leaf, twin] {
                let distrust = Self.list(.init(.sha256(try #require(verifier.sha256(of: der)))))
                #expect(try bench.answer(bench.verifier([], distrust: distrust)) == "revoked")
                #expect(try other.answer(other.verifier([], distrust: distrust)) == "revoked")
            }
        }
        #expect(isFound)
    }

    @Test
    func json() throws {
        let digest = String(repeating: "aB", count: 32)
        let list = try DistrustList(
            parsing: Array(
                """
                {"certificates": [
                  {"sha256": "\(digest)", "from": "2026-03-01", "reason": "key-compromise", "note": "incident 12"},
                  {"serial": "0A", "issuer": "CN=Some", "from": "2026-03-01T10:00:00+01:00"}]}
                """.utf8))
        #expect(
            list.entries == [
                .init(
                    .sha256([UInt8](repeating: 0xAB, count: 32)), from: Self.date("2026-03-01T00:00:00Z"),
                    reason: .keyCompromise, note: "incident 12"),
                .init(.serial("0A", issuer: "CN=Some"), from: Self.date("2026-03-01T09:00:00Z")),
            ])
        #expect(try DistrustList(parsing: Array("{\"certificates\": []}".utf8)).entries.isEmpty)
    }

    @Test(arguments: [
        // Not an object with the list, an unknown member, no certificates.
        "[]", "{}", #"{"certificates": [], "more": 1}"#, #"{"certificates": {}}"#,
        // No identity, two, an issuer beside a digest.
        #"{"certificates": [{}]}"#, #"{"certificates": [{"note": "x"}]}"#,
        #"{"certificates": [{"serial": "01", "sha256": "\#(digest)"}]}"#,
        #"{"certificates": [{"sha256": "\#(digest)", "issuer": "CN=X"}]}"#,
        #"{"certificates": [{"sha256": "\#(digest)", "key_sha256": "\#(digest)"}]}"#,
        #"{"certificates": [{"serial": "01", "issuer": ""}]}"#,
        #"{"certificates": [{"serial": "\#(String(repeating: "1", count: 255))"}]}"#,
        // Invalid values.
        #"{"certificates": [{"serial": ""}]}"#, #"{"certificates": [{"serial": "0x12"}]}"#,
        #"{"certificates": [{"serial": 12}]}"#, #"{"certificates": [{"sha256": "abcd"}]}"#,
        #"{"certificates": [{"serial": "01", "from": "yesterday"}]}"#,
        #"{"certificates": [{"serial": "01", "reason": "stolen"}]}"#,
        #"{"certificates": [{"serial": "01", "note": "a\nb"}]}"#,
        #"{"certificates": [{"serial": "01", "serial": "02"}]}"#,
        #"{"certificates": [{"serial": "01", "Note": "a"}]}"#,
    ])
    func invalidJSON(_ text: String) {
        #expect(throws: JSONError.self) { _ = try DistrustList(parsing: Array(text.utf8)) }
    }

    private static let digest = String(repeating: "ab", count: 32)
}
