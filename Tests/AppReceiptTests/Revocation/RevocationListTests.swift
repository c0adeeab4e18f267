import ReceiptForge
import Testing

@testable import AppReceipt

/// Certificate revocation lists of every form, and their effect on a receipt of 2024-06-01.
struct RevocationListTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: String
        let isUsed: Bool
        let change: @Sendable (inout RevocationListProfile) -> Void

        init(
            _ name: String, _ answer: String, isUsed: Bool = true,
            _ change: @escaping @Sendable (inout RevocationListProfile) -> Void
        ) {
            (testDescription, self.answer, self.isUsed, self.change) = (name, answer, isUsed, change)
        }
    }

    private static func entry(
        _ date: String, _ reason: UInt8? = nil, invalidity: String? = nil
    ) -> @Sendable (inout RevocationListProfile) -> Void {
        {
            $0.entries = [
                .init(RevocationBench.leaf, date: date, reason: reason, invalidityDate: invalidity)
            ]
        }
    }

    private static let before = "2024-05-01T00:00:00Z"
    private static let after = "2024-07-01T00:00:00Z"

    static let rows: [Row] = [
        Row("no entries", "good 2025-01-01") { _ in },
        Row("another certificate", "good 2025-01-01") {
            $0.entries = [.init([0x7E, 0x57, 0x00, 0x02], date: before)]
        },
        // Dates and reasons: revoked before the receipt, at its instant, and after it.
        Row("no reason, before", "revoked", entry(before)),
        Row("no reason, same instant", "revoked", entry("2024-06-01T00:00:00Z")),
        Row("no reason, a second later", "no_information before-revocation", entry("2024-06-01T00:00:01Z")),
        Row("unspecified, after", "no_information before-revocation", entry(after, 0)),
        Row("key compromise, before", "revoked", entry(before, 1)),
        Row("key compromise, after", "revoked", entry(after, 1)),
        Row("compromise of the authority, after", "revoked", entry(after, 2)),
        Row("affiliation changed, after", "good 2025-01-01 before-revocation", entry(after, 3)),
        Row("superseded, before", "revoked", entry(before, 4)),
        Row("superseded, after", "good 2025-01-01 before-revocation", entry(after, 4)),
        Row("cessation of operation, after", "good 2025-01-01 before-revocation", entry(after, 5)),
        Row("hold, before", "revoked", entry(before, 6)),
        Row("hold, after", "no_information before-revocation", entry(after, 6)),
        Row("privilege withdrawn, after", "good 2025-01-01 before-revocation", entry(after, 9)),
        Row("compromise of an attribute authority, after", "revoked", entry(after, 10)),
        Row("superseded after, but invalid before", "revoked", entry(after, 4, invalidity: before)),
        Row("superseded before, invalid after", "revoked", entry(before, 4, invalidity: after)),
        Row(
            "superseded and invalid after", "good 2025-01-01 before-revocation",
            entry(after, 4, invalidity: after)),
        Row(
            "GeneralizedTime from 2050 on", "no_information before-revocation", entry("2051-01-01T00:00:00Z")),
        // The earliest date.
        Row("superseded on an impossible date", "revoked", entry("2024-12-32T00:00:00Z", 4)),
        Row(
            "superseded after, invalid since an impossible date", "revoked",
            entry(after, 4, invalidity: "2024-13-01T00:00:00Z")),
        // Several entries of one certificate: each counts.
        Row("two entries", "revoked") {
            $0.entries = [
                .init(RevocationBench.leaf, date: after, reason: 4),
                .init(RevocationBench.leaf, date: before, reason: 4),
            ]
        },
        Row("after other entries, not sorted", "revoked") {
            $0.entries = [
                .init([0x7F], date: before), .init([1], date: before),
                .init(RevocationBench.leaf, date: before), .init([2], date: before),
            ]
        },
        Row("an unknown extension of an entry", "revoked") {
            entry(before)(&$0)
            $0.entries[0].extensions.append(CertificateExtension([1, 2, 3], value: BER.null))
        },
        // The list's own dates.
        Row("issued before the receipt, still valid", "good 2024-05-01") { $0.thisUpdate = before },
        Row("next list due at the receipt's date", "good 2024-05-01") {
            ($0.thisUpdate, $0.nextUpdate) = (before, "2024-06-01T00:00:00Z")
        },
        Row("next list due before the receipt", "no_information", isUsed: false) {
            ($0.thisUpdate, $0.nextUpdate) = (before, "2024-05-31T23:59:59Z")
        },
        Row("expired, but it revokes", "revoked") {
            ($0.thisUpdate, $0.nextUpdate) = (before, "2024-05-31T23:59:59Z")
            entry(before)(&$0)
        },
        Row("issued after the certificate expired", "no_information", isUsed: false) {
            ($0.thisUpdate, $0.nextUpdate) = ("2040-01-01T00:00:01Z", "2041-01-01T00:00:00Z")
        },
        Row("issued after it expired, but it revokes", "revoked") {
            ($0.thisUpdate, $0.nextUpdate) = ("2040-01-01T00:00:01Z", "2041-01-01T00:00:00Z")
            entry(before)(&$0)
        },
        // An entry with a later date shows the status like a list without it, and only as long as its list is valid.
        Row("superseded after, in a list that was due before the receipt", "no_information before-revocation")
        {
            entry(after, 4)(&$0)
            ($0.thisUpdate, $0.nextUpdate) = (before, "2024-05-31T23:59:59Z")
        },
        // Lists that give no information, even if they revoke.
        Row("no next date", "no_information", isUsed: false) {
            $0.nextUpdate = nil
            entry(before)(&$0)
        },
        Row("version 1", "no_information", isUsed: false) {
            ($0.version, $0.extensions) = (nil, [])
            entry(before)(&$0)
        },
        Row("SHA-1", "no_information", isUsed: false) {
            $0.digest = .sha1
            entry(before)(&$0)
        },
        Row("a delta", "no_information", isUsed: false) {
            $0.extensions.append(.deltaCRLIndicator(base: 1))
            entry(before)(&$0)
        },
        Row("indirect", "no_information", isUsed: false) {
            $0.extensions.append(.issuingDistributionPoint(flags: [4]))
            entry(before)(&$0)
        },
        Row("an entry of another issuer", "no_information", isUsed: false) {
            entry(before)(&$0)
            $0.entries[0].extensions.append(.certificateIssuer(DistinguishedName(commonName: "Other")))
        },
        Row("only some reasons", "no_information", isUsed: false) {
            $0.extensions.append(.issuingDistributionPoint(flags: [3]))
        },
        Row("an unknown critical extension", "no_information", isUsed: false) {
            $0.extensions.append(CertificateExtension([1, 2, 3], critical: true, value: BER.null))
        },
        Row("an unknown extension", "good 2025-01-01") {
            $0.extensions.append(CertificateExtension([1, 2, 3], value: BER.null))
        },
        Row("an unknown critical extension of any entry", "no_information", isUsed: false) {
            $0.entries = [.init([3], date: before)]
            $0.entries[0].extensions = [CertificateExtension([1, 2, 3], critical: true, value: BER.null)]
        },
        Row("removeFromCRL", "no_information", isUsed: false) {
            $0.entries = [.init([3], date: before, reason: 8)]
        },
        // The scope.
        Row("only user certificates", "good 2025-01-01") {
            $0.extensions.append(.issuingDistributionPoint(flags: [1]))
        },
        Row("only authorities", "no_information", isUsed: false) {
            $0.extensions.append(.issuingDistributionPoint(flags: [2]))
        },
        Row("only attribute certificates", "no_information", isUsed: false) {
            $0.extensions.append(.issuingDistributionPoint(flags: [5]))
        },
        Row("a distribution point that the leaf does not name", "no_information", isUsed: false) {
            $0.extensions.append(.issuingDistributionPoint(uri: "http://example.com/a.crl"))
        },
        // An entry counts whatever the scope.
        Row("only authorities, but it revokes", "revoked") {
            $0.extensions.append(.issuingDistributionPoint(flags: [2]))
            entry(before)(&$0)
        },
        Row("another distribution point, but it revokes", "revoked") {
            $0.extensions.append(.issuingDistributionPoint(uri: "http://example.com/a.crl"))
            entry(before)(&$0)
        },
        // The issuer.
        Row("another issuer's name", "no_information", isUsed: false) {
            $0.issuer = DistinguishedName(commonName: "Other")
            entry(before)(&$0)
        },
    ]

    @Test(arguments: rows)
    func answer(_ row: Row) throws {
        let bench = try RevocationBench()
        var profile = RevocationListProfile()
        row.change(&profile)
        let verifier = try bench.verifier([bench.list(profile), bench.rootList()])
        // Twice: by search and from the cache.
        #expect(try bench.answer(verifier) == row.answer)
        #expect(try bench.answer(verifier) == row.answer)
        #expect(verifier.unusedRevocationLists.isEmpty == row.isUsed)
    }

    /// Checks that `require` refuses whatever is not good, and `off` checks nothing.
    @Test(arguments: rows)
    func policies(_ row: Row) throws {
        let bench = try RevocationBench()
        var profile = RevocationListProfile()
        row.change(&profile)
        let lists = try [bench.list(profile), bench.rootList()]
        let strict = row.answer.hasPrefix("no_information") ? "revocation_unknown" : row.answer
        #expect(try bench.answer(bench.verifier(lists, policy: .require)) == strict)
        #expect(try bench.answer(bench.verifier(lists, policy: .off)) == "not_checked")
    }

    /// Checks the reason for each list that is not used.
    @Test(
        arguments: [
            ("version 1", .version), ("SHA-1", .algorithm), ("no next date", .noNextUpdate),
            ("a delta", .delta),
            ("indirect", .indirect), ("an entry of another issuer", .indirect),
            ("only some reasons", .someReasons),
            ("removeFromCRL", .removal), ("an unknown critical extension", .criticalExtension("1.2.3")),
            ("an unknown critical extension of any entry", .criticalExtension("1.2.3")),
            ("only authorities", .scope), ("only attribute certificates", .scope),
            ("another issuer's name", .issuer), ("issued after the certificate expired", .afterExpiry),
            ("next list due before the receipt", .outdated),
        ] as [(String, RevocationListFault)])
    func faults(name: String, fault: RevocationListFault) throws {
        let bench = try RevocationBench()
        var profile = RevocationListProfile()
        try #require(Self.rows.first { $0.testDescription == name }).change(&profile)
        let verifier = try bench.verifier([bench.list(profile), bench.rootList()])
        _ = try bench.answer(verifier)
        #expect(verifier.unusedRevocationLists.map(\.fault) == [fault])
        #expect(verifier.unusedRevocationLists.map(\.list.name) == ["leaves"])
        // A list without use for these chains may be in the folder.
        #expect(verifier.unusableRevocationLists.map(\.fault) == (fault.isOfList ? [fault] : []))
    }

    /// Checks that every list is reported if no result rests on any.
    @Test
    func listsOfOtherIssuers() throws {
        let bench = try RevocationBench()
        let profile = RevocationListProfile(thisUpdate: Self.before, nextUpdate: "2024-05-02T00:00:00Z")
        let verifier = try bench.verifier([bench.list(profile)])
        _ = try bench.answer(verifier)
        #expect(verifier.unusableRevocationLists.map(\.fault) == [.outdated])
    }

    /// Checks the signature: another key with the issuer's name, a changed byte, an issuer that may not sign lists.
    @Test
    func signature() throws {
        let bench = try RevocationBench()
        var forger = try #require(bench.authority.intermediate)
        forger.key = try .generateRSA()
        let stolen = try RevocationListProfile().signed(by: forger)
        var damaged = try RevocationListProfile().signed(by: try #require(bench.authority.intermediate))
        damaged[damaged.count - 1] ^= 1
        for bytes in [stolen, damaged] {
            let verifier = try bench.verifier([RevocationList(parsing: bytes)])
            #expect(try bench.answer(verifier) == "no_information")
            #expect(verifier.unusedRevocationLists.map(\.fault) == [.signature])
        }
        let limited = try RevocationBench(
            .test { $0.intermediate[CertificateExtension.keyUsageOID] = .keyUsage(.keyCertSign) })
        let verifier = try limited.verifier([limited.list(), limited.rootList()])
        #expect(try limited.answer(verifier) == "no_information")
        #expect(verifier.unusedRevocationLists.map(\.fault) == [.keyUsage])
    }

    /// Checks that every certificate below the anchor needs a list, and that the oldest list gives the date.
    @Test
    func depth() throws {
        let bench = try RevocationBench()
        let old = RevocationListProfile(thisUpdate: "2024-01-01T00:00:00Z")
        #expect(try bench.answer(bench.verifier([bench.list()])) == "no_information")
        #expect(try bench.answer(bench.verifier([bench.rootList()])) == "no_information")
        #expect(try bench.answer(bench.verifier([bench.list(), bench.rootList(old)])) == "good 2024-01-01")
        #expect(try bench.answer(bench.verifier([bench.list(old), bench.rootList()])) == "good 2024-01-01")
        // Of two lists of one issuer, the newest.
        #expect(
            try bench.answer(bench.verifier([bench.list(old), bench.list(), bench.rootList()]))
                == "good 2025-01-01")
        #expect(try bench.answer(bench.verifier([])) == "not_checked")
        #expect(try bench.answer(bench.verifier([], policy: .require)) == "revocation_unknown")
        let revoked = RevocationListProfile(entries: [
            .init(RevocationBench.intermediate, date: Self.before, reason: 1)
        ])
        let verifier = try bench.verifier([bench.list(), bench.rootList(revoked)])
        let error = #expect(throws: ReceiptError.self) {
            _ = try verifier.verify(bench.receipt(), for: .any)
        }
        guard case .revoked(let facts) = error?.reason else { return #expect(Bool(false)) }
        #expect(facts.depth == 1)
        #expect(facts.reason == .keyCompromise)
        #expect(error?.certificate?.serialNumber == "5eed")
        #expect(
            error?.message
                == "certificate 1: revoked 2024-05-01T00:00:00Z, key compromise, in the list of 2025-01-01T00:00:00Z: \(error?.certificate?.subject ?? "")"
        )
    }

    /// Checks that a list for a distribution point covers the certificates that name it.
    @Test
    func distributionPoint() throws {
        let uri = "http://example.com/a.crl"
        let bench = try RevocationBench(
            .test { $0.leaf.extensions.append(.cRLDistributionPoint(uri: uri)) })
        var profile = RevocationListProfile()
        profile.extensions.append(.issuingDistributionPoint(uri: uri))
        #expect(
            try bench.answer(bench.verifier([bench.list(profile), bench.rootList()])) == "good 2025-01-01")
        profile.extensions[profile.extensions.count - 1] = .issuingDistributionPoint(uri: uri + "x")
        #expect(
            try bench.answer(bench.verifier([bench.list(profile), bench.rootList()])) == "no_information")
    }

    /// Checks elliptic issuers.
    @Test
    func ellipticIssuer() throws {
        let bench = try RevocationBench(
            .test { profiles throws(ForgeError) in
                profiles.root.key = try .generateEC(.p384)
                profiles.intermediate.key = try .generateEC(.p256)
            })
        #expect(try bench.answer(bench.verifier([bench.list(), bench.rootList()])) == "good 2025-01-01")
        let revoked = RevocationListProfile(entries: [.init(RevocationBench.leaf, date: Self.before)])
        #expect(try bench.answer(bench.verifier([bench.list(revoked), bench.rootList()])) == "revoked")
    }

    /// Checks that the batch of receipts gives the same results as single calls.
    @Test
    func severalReceipts() throws {
        let bench = try RevocationBench()
        let revoked = RevocationListProfile(entries: [
            .init(RevocationBench.leaf, date: "2024-06-01T12:00:00Z", reason: 4)
        ])
        let verifier = try bench.verifier([bench.list(revoked), bench.rootList()])
        let inputs =
            try (1...17).map { day in
                try bench.receipt(at: "2024-05-\(day + 14 < 10 ? "0" : "")\(day + 14)T00:00:00Z")
            } + (try (1...9).map { day in try bench.receipt(at: "2024-06-0\(day)T00:00:00Z") })
        let answers = verifier.verify(each: inputs, for: .any).map { result in
            switch result {
            case .success(let receipt): receipt.revocation.text
            case .failure(let error): error.code.rawValue
            }
        }
        #expect(
            answers == [String](repeating: "good 2025-01-01 before-revocation", count: 18)
                + [String](repeating: "revoked", count: 8))
    }

    /// Checks a JWS and the date of a transaction receipt, which may have been signed after the purchase.
    @Test(
        arguments: [
            (before, 4, "revoked", "revoked"),
            (after, 4, "good 2025-01-01 before-revocation", "no_information before-revocation"),
            (after, 1, "revoked", "revoked"),
        ] as [(String, UInt8, String, String)])
    func otherObjects(date: String, reason: UInt8, jws: String, transactionReceipt: String) throws {
        func answer(_ body: () throws(ReceiptError) -> any SignedObject) -> String {
            do throws(ReceiptError) {
                return try body().revocation.text
            } catch {
                return error.code.rawValue
            }
        }
        let signing = try RevocationBench(.testJWS())
        var recipe = JWSRecipe(.transaction, authority: signing.authority)
        recipe.payload["signedDate"] = "1717200000000"
        let text = try recipe.forge()
        let jwsEntries = [
            RevocationListProfile.Entry(
                signing.authority.leaf.certificate.serialNumber, date: date, reason: reason)
        ]
        let jwsVerifier = try signing.verifier([
            signing.list(RevocationListProfile(entries: jwsEntries)), signing.rootList(),
        ])
        // Three times: by search, and from the caches of chains and headers.
        for _ in 0..<3 {
            #expect(
                answer { () throws(ReceiptError) in
                    try jwsVerifier.verify(jws: text, for: .any).object
                } == jws)
        }
        let bench = try RevocationBench()
        var old = TransactionReceiptRecipe(version: 3, signer: bench.authority.leaf)
        old.purchaseInfo = old.purchaseInfo.map { name, text in
            (name, name == "purchase-date-ms" ? "1717200000000" : text)
        }
        let list = Array(try old.forge().utf8)
        let entries = [RevocationListProfile.Entry(RevocationBench.leaf, date: date, reason: reason)]
        let verifier = try bench.verifier([
            bench.list(RevocationListProfile(entries: entries)), bench.rootList(),
        ])
        let root = bench.authority.root.certificate.der
        let intermediate = try #require(bench.authority.intermediate).certificate.der
        #expect(
            answer { () throws(ReceiptError) in
                try verifier.verify(
                    transactionReceipt: list, for: .any,
                    issuers: .custom(root: root, versionTwo: intermediate, laterVersions: [intermediate]))
            } == transactionReceipt)
    }

    /// Checks that a StoreKit Test certificate, which no list can cover, has no information.
    @Test
    func storeKitTest() throws {
        let receipt = try ReceiptRecipe.xcode().forge()
        let bench = try RevocationBench()
        func verifier(_ policy: RevocationPolicy) throws -> ReceiptVerifier {
            try ReceiptVerifier(
                anchors: .storeKitTest(receipt.anchor),
                revocation: RevocationSettings(lists: [bench.list()], policy: policy))
        }
        #expect(try verifier(.check).verify(receipt.bytes, for: .any).revocation.text == "no_information")
        let error = #expect(throws: ReceiptError.self) {
            _ = try verifier(.require).verify(receipt.bytes, for: .any)
        }
        #expect(error?.code == .revocationUnknown)
    }

    /// Checks PEM, and lists that are not valid DER.
    @Test
    func encodings() throws {
        let bench = try RevocationBench()
        let der = try RevocationListProfile(entries: [.init([5], date: Self.before)]).signed(
            by: bench.authority.root)
        let pem = ReceiptEncoding.pem.encode(der, label: "X509 CRL")
        #expect(try RevocationList(parsing: pem).count == 1)
        #expect(throws: ReceiptError.self) { _ = try RevocationList(parsing: der + [0]) }
        #expect(throws: ReceiptError.self) { _ = try RevocationList(parsing: Array(der.dropLast())) }
        #expect(throws: ReceiptError.self) {
            _ = try RevocationList(parsing: bench.authority.root.certificate.der)
        }
        #expect(throws: ReceiptError.self) { _ = try RevocationList(parsing: []) }
    }

    /// Checks serial numbers, dates and extensions of entries that are refused.
    @Test(
        arguments: [
            // Empty, and not the shortest form.
            [], [0, 1], [0xFF, 0x80],
        ] as [[UInt8]])
    func invalidSerialNumbers(_ serialNumber: [UInt8]) throws {
        let profile = RevocationListProfile(entries: [.init(serialNumber, date: Self.before)])
        let error = #expect(throws: ReceiptError.self) { _ = try RevocationBench().list(profile) }
        #expect(error?.code == .malformed)
        #expect(error?.field == "certificateList.tbsCertList.revokedCertificates[0]")
    }

    /// Checks that numbers that RFC 5280 does not allow do not hide the other entries.
    @Test(
        arguments: [
            // Zero, negative, 21 octets.
            [0], [0x80], [0, 0xFF] + [UInt8](repeating: 1, count: 19),
        ] as [[UInt8]])
    func unusualSerialNumbers(_ serialNumber: [UInt8]) throws {
        let bench = try RevocationBench()
        let profile = RevocationListProfile(entries: [
            .init(serialNumber, date: Self.before), .init(RevocationBench.leaf, date: Self.before),
        ])
        #expect(try bench.answer(bench.verifier([bench.list(profile), bench.rootList()])) == "revoked")
    }

    /// Checks that a certificate whose serial number is not in DER is not good, because no entry can have it.
    @Test
    func serialNumberThatNoEntryHas() throws {
        let bench = try RevocationBench(.test { $0.leaf.serialNumber = [0] + RevocationBench.leaf })
        let profile = RevocationListProfile(entries: [
            .init(RevocationBench.leaf, date: Self.before, reason: 1)
        ])
        let answer = try bench.answer(bench.verifier([bench.list(profile), bench.rootList()]))
        #expect(answer == "no_information")
    }

    /// Checks that a list which the issuer signed after its own certificate had expired shows nothing.
    @Test
    func expiredIssuer() throws {
        let bench = try RevocationBench(.test { $0.intermediate.notAfter = "2024-12-31T00:00:00Z" })
        #expect(try bench.answer(bench.verifier([bench.list(), bench.rootList()])) == "no_information")
    }

    /// Checks several entries of one certificate: a compromise, an earlier date and an unknown reason count, in any order.
    @Test
    func entriesOfOneCertificate() throws {
        let bench = try RevocationBench()
        let harmless = RevocationListProfile.Entry(RevocationBench.leaf, date: Self.after, reason: 4)
        for (other, answer) in [
            (RevocationListProfile.Entry(RevocationBench.leaf, date: Self.after, reason: 1), "revoked"),
            (.init(RevocationBench.leaf, date: Self.before, reason: 4), "revoked"),
            (.init(RevocationBench.leaf, date: Self.before), "revoked"),
            (.init(RevocationBench.leaf, date: "2024-08-01T00:00:00Z"), "no_information before-revocation"),
        ] {
            for entries in [[harmless, harmless, other], [other, harmless]] {
                let list = try bench.list(RevocationListProfile(entries: entries))
                #expect(try bench.answer(bench.verifier([list, bench.rootList()])) == answer)
            }
        }
    }

    /// Checks that a JWS whose header is in the cache is checked at its own date.
    @Test
    func cachedHeader() throws {
        let signing = try RevocationBench(.testJWS())
        func jws(_ date: String) throws -> String {
            var recipe = JWSRecipe(.transaction, authority: signing.authority)
            recipe.payload["signedDate"] = date
            return try recipe.forge()
        }
        let entry = RevocationListProfile.Entry(
            signing.authority.leaf.certificate.serialNumber, date: "2024-06-01T12:00:00Z", reason: 4)
        let verifier = try signing.verifier([
            signing.list(RevocationListProfile(entries: [entry])), signing.rootList(),
        ])
        // 2024-06-01 at 0:00, and a day later.
        for _ in 0..<2 {
            let earlier = try verifier.verify(jws: jws("1717200000000"), for: .any)
            #expect(earlier.object.revocation.text == "good 2025-01-01 before-revocation")
        }
        for _ in 0..<2 {
            let error = #expect(throws: ReceiptError.self) {
                _ = try verifier.verify(jws: jws("1717286400000"), for: .any)
            }
            #expect(error?.code == .revoked)
        }
    }

    /// Checks the order of refusals: an untrusted certificate is not looked up, and its receipt is not said to be revoked.
    @Test
    func untrustedCertificate() throws {
        let bench = try RevocationBench()
        let profile = RevocationListProfile(entries: [.init(RevocationBench.leaf, date: Self.before)])
        let other = try RevocationBench()
        let verifier = try ReceiptVerifier(
            anchors: .apple,
            revocation: RevocationSettings(
                lists: [bench.list(profile)],
                distrust: DistrustList([.init(.serial("7e570001", issuer: nil))])))
        #expect(try other.answer(verifier) == "untrusted_chain")
        #expect(verifier.unmatchedDistrustEntries == [0])
    }

    @Test
    func invalidEntries() throws {
        func entries(_ change: (inout RevocationListProfile.Entry) -> Void) -> RevocationListProfile {
            var entry = RevocationListProfile.Entry([1], date: Self.before)
            change(&entry)
            return RevocationListProfile(entries: [.init([2], date: Self.before), entry])
        }
        for profile in [
            // No date, an unknown reason, a reason of two octets, two reasons, a date that is no GeneralizedTime.
            entries { $0.date = "" },
            entries { $0.extensions = [.reasonCode(7)] },
            entries { $0.extensions = [.reasonCode(11)] },
            entries {
                $0.extensions = [CertificateExtension([2, 5, 29, 21], value: BER.element(0x0A, [0, 1]))]
            },
            entries { $0.extensions = [.reasonCode(1), .reasonCode(1)] },
            entries {
                $0.extensions = [CertificateExtension([2, 5, 29, 24], value: BER.time(Self.before))]
            },
            // A reason with a length of two octets.
            entries {
                $0.extensions = [CertificateExtension([2, 5, 29, 21], value: [0x0A, 0x81, 0x01, 0x01])]
            },
        ] {
            let error = #expect(throws: ReceiptError.self) { _ = try RevocationBench().list(profile) }
            #expect(error?.field == "certificateList.tbsCertList.revokedCertificates[1]")
        }
    }

    /// Checks that no mutation of a list traps, and that none is used.
    @Test
    func mutations() throws {
        let bench = try RevocationBench()
        let der = try RevocationListProfile(entries: [
            .init([5], date: Self.before, reason: 1, invalidityDate: Self.before)
        ]).signed(by: try #require(bench.authority.intermediate))
        let input = try bench.receipt()
        for index in der.indices {
            for mask: UInt8 in [0x01, 0x80, 0xFF] {
                var bytes = der
                bytes[index] ^= mask
                guard let list = try? RevocationList(parsing: bytes) else { continue }
                let verifier = try bench.verifier([list, bench.rootList()])
                #expect(try verifier.verify(input, for: .any).revocation.outcome == .noInformation)
            }
        }
    }

    /// Checks a list with as many entries as fit into a test's time, at its first and last one.
    @Test
    func manyEntries() throws {
        let bench = try RevocationBench()
        var profile = RevocationListProfile()
        profile.fillers = 100_000
        let list = try bench.list(profile)
        #expect(list.count == 100_000)
        #expect(try bench.answer(bench.verifier([list, bench.rootList()])) == "good 2025-01-01")
        profile.entries = [.init(RevocationBench.leaf, date: Self.before)]
        #expect(try bench.answer(bench.verifier([bench.list(profile), bench.rootList()])) == "revoked")
    }
}
