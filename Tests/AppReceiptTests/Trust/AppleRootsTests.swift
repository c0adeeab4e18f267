import AppReceipt
import AppleRoots
import Testing

/// The embedded certificates are Apple's: digests as published beside the format's measurements.
struct AppleRootsTests {
    @Test(arguments: [
        ("Apple Inc. Root", "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024"),
        ("Apple Root CA - G2", "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050"),
        ("Apple Root CA - G3", "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"),
    ])
    func digests(name: String, sha256: String) throws {
        let root = try #require(AppleRoot.all.first { $0.name == name })
        #expect(try ReceiptVerifier().sha256(of: root.der)?.hexadecimal == sha256)
    }

    /// The two that transaction receipts do not bring along.
    @Test(arguments: [
        (AppleIntermediate.iTunesStore, "447ad65484610f20fdc33804c8597a1e208fbe4ef9c5653485cc7d3df730c016"),
        (.developerRelations, "ce057691d730f89ca25e916f7335f4c8a15713dcd273a658c024023f8eb809c2"),
    ])
    func intermediates(intermediate: AppleIntermediate, sha256: String) throws {
        #expect(try ReceiptVerifier().sha256(of: intermediate.der)?.hexadecimal == sha256)
    }

    @Test
    func areThree() { #expect(AppleRoot.all.count == 3) }
}

extension [UInt8] {
    var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
