import AppReceipt
import ReceiptForge
import Testing

/// What a caller can demand of a verified receipt.
struct DemandTests {
    private func receipt(_ change: (inout ReceiptContent) -> Void = { _ in }) throws -> VerifiedReceipt {
        var content = ReceiptContent()
        change(&content)
        let forged = try ReceiptRecipe(content, authority: .test()).forge()
        return try ReceiptVerifier(anchors: .custom(forged.anchor)).verify(forged.bytes)
    }

    @Test
    func bundleID() throws {
        try receipt().require(bundleID: "com.example.forge")
        for other in ["com.example.forge2", "COM.EXAMPLE.FORGE", "", "com.example.forge\0"] {
            let error = #expect(throws: ReceiptError.self) { try receipt().require(bundleID: other) }
            #expect(error?.code == .wrongBundleID)
        }
    }

    /// Swift's strings are equal when they look alike; identifiers are not.
    @Test
    func bundleIDIsComparedByBytes() throws {
        let composed = try receipt { $0.bundleID = "com.example.caf\u{E9}" }
        #expect(throws: ReceiptError.self) { try composed.require(bundleID: "com.example.cafe\u{301}") }
        try composed.require(bundleID: "com.example.caf\u{E9}")
    }

    @Test
    func environment() throws {
        try receipt().require(environment: .production)
        for type in ["ProductionSandbox", "Xcode", "Nonsense", nil] {
            let error = #expect(throws: ReceiptError.self) {
                try receipt { $0.receiptType = type }.require(environment: .production)
            }
            #expect(error?.code == .wrongEnvironment)
        }
    }

    static let device: [UInt8] = (0..<16).map { $0 &* 0x11 }

    @Test
    func device() throws {
        try receipt().require(deviceID: Self.device)
        for other in [[], Array(Self.device.dropLast()), Self.device + [0], Self.device.reversed()] {
            let error = #expect(throws: ReceiptError.self) { try receipt().require(deviceID: other) }
            #expect(error?.code == .wrongDevice)
        }
    }

    /// A receipt that cannot answer is not for this device: without opaque value or hash, or with a short one.
    @Test(arguments: [4, 5])
    func deviceNeedsAttributes(type: Int) throws {
        let error = #expect(throws: ReceiptError.self) {
            try receipt { $0.omittedTypes = [type] }.require(deviceID: Self.device)
        }
        #expect(error?.code == .wrongDevice)
        #expect(throws: ReceiptError.self) { try receipt { $0.sha1Hash = [] }.require(deviceID: Self.device) }
    }
}
