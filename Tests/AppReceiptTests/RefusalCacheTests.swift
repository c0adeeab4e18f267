import ReceiptForge
import Testing

@testable import AppReceipt

/// A verifier with cached refusals. It must answer exactly as a new verifier does.
struct RefusalCacheTests {
    private let authority: Authority
    private let shared: ReceiptVerifier

    init() throws {
        authority = try .test()
        shared = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
    }

    private func error(_ verifier: ReceiptVerifier, _ bytes: [UInt8]) -> ReceiptError? {
        do throws(ReceiptError) {
            _ = try verifier.verify(bytes, for: .any)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the error of a new verifier.
    private func fresh(_ bytes: [UInt8]) throws -> ReceiptError? {
        error(try ReceiptVerifier(anchors: .custom(authority.root.certificate.der)), bytes)
    }

    private func forged(
        by authority: Authority, at date: String = "2024-06-01T00:00:00Z",
        _ change: (inout ReceiptRecipe) -> Void = { _ in }
    ) throws -> [UInt8] {
        var recipe = ReceiptRecipe(authority: authority)
        recipe.content.creationDate = date
        change(&recipe)
        return try recipe.forge().bytes
    }

    private static let untrustedKey = Result { () throws(ForgeError) in try PrivateKey.generateRSA() }

    /// Returns an untrusted authority with the same names.
    private func untrustedAuthority(serial: UInt8 = 1) throws -> Authority {
        try .test { profiles throws(ForgeError) in
            profiles.root.key = try Self.untrustedKey.get()
            profiles.leaf.serialNumber = [1, serial]
        }
    }

    /// Returns an authority whose leaf lacks the marker and is valid in 2024, signed by the trusted
    /// authority.
    private func markerless() throws -> Authority {
        try .test { profiles in
            profiles.leaf[.receiptSigningMarker] = nil
            profiles.leaf.notBefore = "2024-01-01T00:00:00Z"
            profiles.leaf.notAfter = "2025-01-01T00:00:00Z"
        }
    }

    // MARK: - Same answer

    /// Checks every refusal in the forge's table that concerns certificates, three times in a row.
    @Test
    func repeatedRefusalIsTheSame() throws {
        let receipts = try HostileVariant.all
            .filter { ["untrusted_chain", "wrong_purpose"].contains($0.expected.rawValue) }
            .map { try $0.forge().bytes }
        let expected = try receipts.map(fresh)
        #expect(expected.count { $0 != nil } > 20)
        for _ in 0..<3 {
            for (bytes, expected) in zip(receipts, expected) {
                #expect(error(shared, bytes) == expected)
            }
        }
    }

    /// Checks that a refusal is cached only for dates with the same result: inside or outside the
    /// certificates' validity.
    @Test
    func cachedRefusalKeepsItsValidity() throws {
        let markerless = try markerless()
        let dates = [
            "2024-06-01T00:00:00Z", "2023-12-31T23:59:59Z", "2024-01-01T00:00:00Z",
            "2025-01-01T00:00:00.999Z", "2025-01-01T00:00:01Z", "2030-01-01T00:00:00Z",
        ]
        let receipts = try dates.map { try forged(by: markerless, at: $0) }
        let expected = try receipts.map(fresh)
        #expect(expected.map { $0?.code == .wrongPurpose } == [true, false, true, true, false, false])
        for order in [Array(receipts.indices), receipts.indices.reversed(), Array(receipts.indices)] {
            for index in order {
                #expect(error(shared, receipts[index]) == expected[index], "\(dates[index])")
            }
        }
    }

    /// Checks that a refusal without the right intermediate does not affect a receipt that contains it, and
    /// vice versa.
    @Test
    func refusalDependsOnTheIntermediates() throws {
        let whole = try forged(by: authority)
        let alone = try forged(by: authority) { $0.editContainer { $0.certificates?.removeLast(2) } }
        let untrusted = try #require(try untrustedAuthority().intermediate).certificate.der
        let other = try forged(by: authority) { $0.editContainer { $0.certificates?[1] = untrusted } }
        let both = try forged(by: authority) {
            $0.editContainer { $0.certificates?.insert(untrusted, at: 1) }
        }
        for _ in 0..<3 {
            for refused in [alone, other] {
                #expect(error(shared, refused)?.code == .untrustedChain)
                #expect(try error(shared, refused) == fresh(refused))
            }
            // Cached chains must not affect the refused receipts.
            for good in [whole, both] { #expect(error(shared, good) == nil) }
        }
    }

    /// Checks that a refusal does not affect another signer under the same intermediate.
    @Test
    func refusalConcernsOneSigner() throws {
        let markerless = try markerless()
        for _ in 0..<3 {
            #expect(error(shared, try forged(by: markerless))?.reason == .markerMissing(.signer))
            #expect(error(shared, try forged(by: authority)) == nil)
        }
    }

    /// Checks that each verifier caches only its own refusals, because other verifiers have other anchors.
    @Test
    func refusalsBelongToOneVerifier() throws {
        let authority = try untrustedAuthority()
        let bytes = try forged(by: authority)
        #expect(error(shared, bytes)?.code == .untrustedChain)
        #expect(error(try ReceiptVerifier(anchors: .custom(authority.root.certificate.der)), bytes) == nil)
        #expect(error(shared, bytes)?.code == .untrustedChain)
    }

    /// Checks that a refusal must occur twice before it is reused. A lack of memory can cause a wrong refusal
    /// by OpenSSL.
    @Test
    func refusalIsReusedAfterItOccurredTwice() throws {
        let cache = RefusalCache()
        let facts = try #require(
            try shared.verify(try forged(by: authority), for: .any).certificates.first)
        func error(_ reason: ReceiptError.Reason) -> ReceiptError {
            ReceiptError(.untrustedChain, reason, certificate: facts)
        }
        cache.insert(error(.certificateKey), from: 0, to: 9, of: [1])
        cache.insert(error(.certificateAlgorithm), from: 0, to: 9, of: [1])
        cache.insert(error(.certificateAlgorithm), from: 0, to: 8, of: [1])
        cache.insert(error(.certificateAlgorithm), from: 0, to: 9, of: [2])
        #expect(cache.refusal(of: [1], at: Timestamp(millisecondsSince1970: 5000)) == nil)
        cache.insert(error(.certificateAlgorithm), from: 0, to: 9, of: [1])
        #expect(
            cache.refusal(of: [1], at: Timestamp(millisecondsSince1970: 5000))
                == error(.certificateAlgorithm))
        #expect(cache.refusal(of: [1], at: Timestamp(millisecondsSince1970: 10000)) == nil)
        #expect(cache.refusal(of: [2], at: Timestamp(millisecondsSince1970: 5000)) == nil)
    }

    // MARK: - Bounds

    /// Checks results with more refusals than the cache stores, alternating with a genuine receipt.
    @Test
    func overflows() throws {
        let good = try forged(by: authority)
        let receipts = try (0..<70).map { try forged(by: untrustedAuthority(serial: $0)) }
        let expected = try receipts.map(fresh)
        for _ in 0..<3 {
            for (bytes, expected) in zip(receipts, expected) {
                #expect(expected?.code == .untrustedChain)
                #expect(error(shared, bytes) == expected)
                #expect(error(shared, good) == nil)
            }
        }
    }

    // MARK: - Threads

    @Test
    func isSharedByThreads() async throws {
        let receipts = try [
            forged(by: authority), forged(by: untrustedAuthority()), forged(by: markerless()),
            forged(by: markerless(), at: "2030-01-01T00:00:00Z"),
        ]
        let expected = try receipts.map(fresh)
        await withTaskGroup(of: Bool.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    (0..<50).allSatisfy { round in
                        let index = (thread + round) % receipts.count
                        return error(shared, receipts[index]) == expected[index]
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
