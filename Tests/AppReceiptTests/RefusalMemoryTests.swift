import ReceiptForge
import Testing

@testable import AppReceipt

/// A verifier that remembers refused chains answers as one that never saw the receipt's certificates before.
struct RefusalMemoryTests {
    private let authority: Authority
    private let shared: ReceiptVerifier

    init() throws {
        authority = try .test()
        shared = try ReceiptVerifier(anchors: .custom(authority.root.certificate.der))
    }

    private func error(_ verifier: ReceiptVerifier, _ bytes: [UInt8]) -> ReceiptError? {
        do throws(ReceiptError) {
            _ = try verifier.verify(bytes, for: .anyApp)
            return nil
        } catch {
            return error
        }
    }

    /// What a verifier says that knows nothing but its anchor.
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

    private static let strangersKey = Result { () throws(ForgeError) in try PrivateKey.generateRSA() }

    /// A whole authority of the same names that nobody trusts.
    private func stranger(serial: UInt8 = 1) throws -> Authority {
        try .test { profiles throws(ForgeError) in
            profiles.root.key = try Self.strangersKey.get()
            profiles.leaf.serialNumber = [1, serial]
        }
    }

    /// Signed by the right authority, without the marker; valid in 2024.
    private func markerless() throws -> Authority {
        try .test { profiles in
            profiles.leaf[.receiptSigningMarker] = nil
            profiles.leaf.notBefore = "2024-01-01T00:00:00Z"
            profiles.leaf.notAfter = "2025-01-01T00:00:00Z"
        }
    }

    // MARK: - The same answer

    /// Every refusal of the forge's table that is about certificates: three times in a row, and between others.
    @Test
    func saysTheSameAgain() throws {
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

    /// A refusal for the time is one of that time alone, and others are known for the certificates' validity alone.
    @Test
    func keepsTheWindow() throws {
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

    /// A signer that is refused alone is good where a candidate vouches for it, and the other way round.
    @Test
    func keepsAllCandidates() throws {
        let whole = try forged(by: authority)
        let alone = try forged(by: authority) { $0.editContainer { $0.certificates?.removeLast(2) } }
        let stranger = try #require(try stranger().intermediate).certificate.der
        let other = try forged(by: authority) { $0.editContainer { $0.certificates?[1] = stranger } }
        let both = try forged(by: authority) { $0.editContainer { $0.certificates?.insert(stranger, at: 1) } }
        for _ in 0..<3 {
            for refused in [alone, other] {
                #expect(error(shared, refused)?.code == .untrustedChain)
                #expect(try error(shared, refused) == fresh(refused))
            }
            // Chains that are in the cache by now do not stand in for the ones that are refused.
            for good in [whole, both] { #expect(error(shared, good) == nil) }
        }
    }

    /// Another signer under the same intermediate is another question.
    @Test
    func keepsTheSigner() throws {
        let markerless = try markerless()
        for _ in 0..<3 {
            #expect(error(shared, try forged(by: markerless))?.reason == .markerMissing(.signer))
            #expect(error(shared, try forged(by: authority)) == nil)
        }
    }

    /// Another verifier has other anchors: the memory is each one's own.
    @Test
    func isOfOneVerifier() throws {
        let stranger = try stranger()
        let bytes = try forged(by: stranger)
        #expect(error(shared, bytes)?.code == .untrustedChain)
        #expect(error(try ReceiptVerifier(anchors: .custom(stranger.root.certificate.der)), bytes) == nil)
        #expect(error(shared, bytes)?.code == .untrustedChain)
    }

    /// OpenSSL may blame a certificate for memory that was missing: what it said once need not be so.
    @Test
    func believesWhatWasSaidTwice() throws {
        let memory = RefusalMemory()
        let facts = try #require(
            try shared.verify(try forged(by: authority), for: .anyApp).certificates.first)
        func error(_ reason: ReceiptError.Reason) -> ReceiptError {
            ReceiptError(.untrustedChain, reason, certificate: facts)
        }
        memory.insert(error(.certificateKey), from: 0, to: 9, of: [1])
        memory.insert(error(.certificateAlgorithm), from: 0, to: 9, of: [1])
        memory.insert(error(.certificateAlgorithm), from: 0, to: 8, of: [1])
        memory.insert(error(.certificateAlgorithm), from: 0, to: 9, of: [2])
        #expect(memory.refusal(of: [1], at: Timestamp(millisecondsSince1970: 5000)) == nil)
        memory.insert(error(.certificateAlgorithm), from: 0, to: 9, of: [1])
        #expect(
            memory.refusal(of: [1], at: Timestamp(millisecondsSince1970: 5000))
                == error(.certificateAlgorithm))
        #expect(
            memory.refusal(of: [1], at: Timestamp(millisecondsSince1970: 10000)) == nil
                && memory.refusal(of: [2], at: Timestamp(millisecondsSince1970: 5000)) == nil)
    }

    // MARK: - Bounds

    /// More strangers than the memory holds, twice over, with a good one between them.
    @Test
    func overflows() throws {
        let good = try forged(by: authority)
        let receipts = try (0..<70).map { try forged(by: stranger(serial: $0)) }
        let expected = try receipts.map(fresh)
        for _ in 0..<3 {
            for (bytes, expected) in zip(receipts, expected) {
                #expect(expected?.code == .untrustedChain && error(shared, bytes) == expected)
                #expect(error(shared, good) == nil)
            }
        }
    }

    // MARK: - Threads

    @Test
    func isSharedByThreads() async throws {
        let receipts = try [
            forged(by: authority), forged(by: stranger()), forged(by: markerless()),
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
