import AppReceipt
import Foundation
import ReceiptForge
import Synchronization
import Testing

/// Memory that another process or thread changes during verification, such as a mapped file or shared pages.
@Suite(.serialized)
struct ChangingMemoryTests {
    struct Shape: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var form = SignedData.Form.der
        var signedAttributes = ReceiptRecipe.SignedAttributes.none
        /// The text to change. The test flips its last byte at its first occurrence.
        var text = "com.example.forge.monthly"
    }

    /// Checks that an accepted receipt has exactly the signed content, even if a byte changed during
    /// verification.
    @Test(arguments: [
        // The verifier hashes the content and reads it afterwards.
        Shape(testDescription: "content"),
        // The verifier joins the chunks first.
        Shape(testDescription: "content in chunks", form: .ber(chunkSize: 64)),
        // The verifier compares the content's digest with an attribute. The attributes have a digest of their
        // own.
        Shape(
            testDescription: "signed attributes",
            signedAttributes: .usual(signingTime: "2024-06-01T00:00:00Z")),
        // The verifier reads the date before it checks the signature, to check the certificates, and shows it
        // afterwards.
        Shape(testDescription: "creation date", text: "2024-06-01T00:00:00Z"),
    ])
    func readsWhatItChecks(_ shape: Shape) throws {
        var content = ReceiptContent(
            purchases: (0..<50).map { number in
                .subscription(
                    productID: "com.example.forge.monthly", transactionID: "\(number)",
                    purchaseDate: "2024-05-20T07:15:00Z", expiresDate: "2024-06-20T07:15:00Z")
            })
        content.creationDate = "2024-06-01T00:00:00Z"
        var recipe = ReceiptRecipe(content, authority: try .test())
        recipe.form = shape.form
        recipe.signedAttributes = shape.signedAttributes
        let forged = try recipe.forge()
        let verifier = try ReceiptVerifier(anchors: .custom(forged.anchor))
        let signed = try verifier.verify(forged.bytes, for: .any).payload.bytes
        let place = try #require(forged.bytes.firstRange(of: Array(shape.text.utf8))).upperBound - 2

        // Two mappings of one file, so that an address-based race detector does not report the test itself.
        let memory = try SharedMemory(forged.bytes)
        let isDone = Atomic(false)
        let accepted = Mutex<Set<[UInt8]>>([])
        DispatchQueue.concurrentPerform(iterations: 2) { index in
            if index == 0 {
                while !isDone.load(ordering: .relaxed) { memory.flip(place) }
            } else {
                for _ in 0..<400 {
                    if let read = try? memory.withSpan({ try verifier.verify($0, for: .any).payload.bytes }
                    ) {
                        accepted.withLock { _ = $0.insert(read) }
                    }
                }
                isDone.store(true, ordering: .relaxed)
            }
        }
        let others = accepted.withLock { $0.count { $0 != signed } }
        #expect(others == 0)
    }
}

/// The bytes of a file, mapped once for writing and once for reading.
@safe
private final class SharedMemory: @unchecked Sendable {
    private let writable: UnsafeMutableRawPointer
    private let readable: UnsafeMutableRawPointer
    private let count: Int

    init(_ bytes: [UInt8]) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "shared-\(UUID().uuidString)")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forUpdating: file)
        func map() throws -> UnsafeMutableRawPointer {
            let pointer = unsafe mmap(
                nil, bytes.count, PROT_READ | PROT_WRITE, MAP_SHARED, handle.fileDescriptor, 0)
            return try unsafe #require(pointer != MAP_FAILED ? pointer : nil)
        }
        unsafe (writable, readable) = (try map(), try map())
        count = bytes.count
    }

    deinit {
        unsafe munmap(writable, count)
        unsafe munmap(readable, count)
    }

    /// Flips the lowest bit of a byte. A second call restores it.
    func flip(_ place: Int) {
        let byte = unsafe writable.load(fromByteOffset: place, as: UInt8.self)
        unsafe writable.storeBytes(of: byte ^ 1, toByteOffset: place, as: UInt8.self)
    }

    func withSpan<Value>(_ body: (Span<UInt8>) throws -> Value) rethrows -> Value {
        let bytes = unsafe UnsafeBufferPointer(
            start: readable.assumingMemoryBound(to: UInt8.self), count: count)
        return try unsafe body(bytes.span)
    }
}
