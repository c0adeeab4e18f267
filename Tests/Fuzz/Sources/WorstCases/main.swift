import AppReceipt
import Foundation
import OfferEligibility
import ReceiptForge

// Prints the cost of the most expensive inputs, accepted and refused, compared with an ordinary receipt of
// the same size. A search finds some of them at each limit, others are written by hand. Asserts nothing.
//
//     swift run -c release --package-path Tests/Fuzz WorstCases [strangers | jws]
//
// With `strangers`, measures only unsigned certificates that are expensive for key decoders. With `jws`,
// measures only JWS.

setvbuf(stdout, nil, _IOLBF, 0)
let authority = try Authority.test()
let anchors = TrustAnchors.custom(authority.root.certificate.der)
let mebibyte = 1 << 20

/// Returns a receipt with this payload, in chunks if a size is given.
func receipt(_ payload: [UInt8], chunk: Int? = nil, bag: [[UInt8]]? = nil) throws -> [UInt8] {
    let signer = try SignerInfo(signing: payload, by: authority.leaf)
    var container = SignedData(eContent: payload, certificates: bag ?? authority.bag, signerInfos: [signer])
    if let chunk { container.form = .ber(chunkSize: chunk) }
    return container.encoded
}

func payload(purchases: Int, _ other: [ReceiptForge.ReceiptAttribute] = []) throws -> [UInt8] {
    var content = ReceiptContent()
    content.purchases = Array(
        repeating: PurchaseContent(
            productID: "com.example", transactionID: "1", purchaseDate: "2024-05-01T00:00:00Z"),
        count: purchases)
    content.otherAttributes = other
    content.sorted = false
    return try content.encoded()
}

/// Returns the minimum processor time of a few runs in milliseconds, and the peak of additional resident
/// memory in MiB.
func cost(_ work: () -> Bool) -> (milliseconds: Double, memory: Int, isAccepted: Bool) {
    try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    let before = memory("VmHWM") / 1024
    var least = Double.infinity
    var isAccepted = false
    for _ in 0..<3 { least = min(least, processorTime { isAccepted = work() }) }
    return (least, memory("VmHWM") / 1024 - before, isAccepted)
}

/// Returns the processor time in milliseconds.
func processorTime(_ work: () -> Void) -> Double {
    var (start, end) = (timespec(), timespec())
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start)
    work()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end)
    return Double(end.tv_sec - start.tv_sec) * 1e3 + Double(end.tv_nsec - start.tv_nsec) / 1e6
}

/// Returns a memory size in KiB: VmHWM for the peak, VmRSS for the current value.
func memory(_ name: String) -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
    return Int(line.filter(\.isNumber)) ?? 0
}

func column(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}

/// The costs of ordinary receipts by size. They contain only purchases.
var ordinary: [(bytes: Int, milliseconds: Double)] = []

func measure(_ name: String, _ bytes: [UInt8], isOrdinary: Bool = false, _ work: ([UInt8]) -> Bool) {
    let result = cost { work(bytes) }
    if isOrdinary { ordinary.append((bytes.count, result.milliseconds)) }
    let nearest = ordinary.min { abs($0.bytes - bytes.count) < abs($1.bytes - bytes.count) } ?? (1, 1)
    let expected = nearest.milliseconds * max(1, Double(bytes.count) / Double(nearest.bytes))
    print(
        column(name, 52), column("\(bytes.count)", 10), column(result.isAccepted ? "accepted" : "refused", 9),
        column(String(format: "%.3f ms", result.milliseconds), 13), column("\(result.memory) MiB", 8),
        String(format: "%.2f", result.milliseconds / expected))
}

let verifier = try ReceiptVerifier(anchors: anchors)
func verify(_ bytes: [UInt8]) -> Bool { (try? verifier.verify(bytes, for: .any)) != nil }
func verifyUncached(_ bytes: [UInt8]) -> Bool {
    (try? ReceiptVerifier(anchors: anchors).verify(bytes, for: .any)) != nil
}

if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "memory" {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: CommandLine.arguments[2])))
    try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    let before = memory("VmHWM")
    _ = verify(bytes)
    print("\(memory("VmHWM") - before) KiB", terminator: "")
    exit(0)
}

var jws = try JWSSearch()
if CommandLine.arguments.count == 2, CommandLine.arguments[1] == "jws" {
    try jws.run()
    exit(0)
}
var search = try Search()
try UnsignedCertificates().measure(by: search)
if CommandLine.arguments.count == 2, CommandLine.arguments[1] == "strangers" { exit(0) }
print()
try search.run()
print()
try jws.run()
print()

print(
    column("input", 52), column("bytes", 10), column("answer", 9), column("time", 13), column("memory", 8),
    "ratio")
let small = try receipt(payload(purchases: 2))
measure("ordinary, 2 purchases, chain cached", small, isOrdinary: true, verify)
measure("ordinary, 20,000 purchases", try receipt(payload(purchases: 20_000)), isOrdinary: true, verify)
measure(
    "ordinary, 37,000 purchases, 16 MiB", try receipt(payload(purchases: 37_000)), isOrdinary: true, verify)

// Payloads
let tiny = BER.element(0x31, [])
let unknowns = (0..<1_200_000).map { _ in ReceiptAttribute(99, value: []) }
measure(
    "1.2 million empty attributes and a second bundle id",
    try receipt(payload(purchases: 0, unknowns + [.utf8String(2, "x")])), verify)

// Containers
measure("5 MiB of content in chunks of one byte", try receipt(payload(purchases: 12_000), chunk: 1), verify)
let chunked = try payload(purchases: 12_000, [.utf8String(2, "x")])
measure("the same, and a second bundle id at the end", try receipt(chunked, chunk: 1), verify)
var empty = BER.element(
    BER.Tag.context(0), BER.element(0x24, (0..<8 * mebibyte).flatMap { _ in [0x04, 0x00] as [UInt8] }))
empty = BER.sequence(
    OID.signedData.encoded,
    BER.element(0xA0, BER.sequence(BER.integer(1), tiny, BER.sequence(OID.data.encoded, empty))))
measure("8 million empty chunks", empty, verify)
measure(
    "16 MiB of indefinite lengths",
    [UInt8](repeating: 0x30, count: 1) + (0..<8 * mebibyte).flatMap { _ in [0x80, 0x30] as [UInt8] }, verify)

let extensions = (0..<200_000).map { CertificateExtension([1, 3, 9, UInt64($0)], value: []) }
let heavy = try Authority.test { $0.leaf.extensions += extensions }
measure("a leaf of 200,000 extensions", try ReceiptRecipe(authority: heavy).forge().bytes, verifyUncached)

// Many new chains with one verifier, compared with a new verifier for each.
let flood = try (0..<1000).map { number in
    try ReceiptRecipe(
        authority: .test { $0.leaf.serialNumber = [1, UInt8(number >> 8), UInt8(number & 255)] }
    ).forge().bytes
}
let fresh = try flood.map { _ in try ReceiptVerifier(anchors: anchors) }
let uncached = processorTime {
    for (bytes, verifier) in zip(flood, fresh) { _ = try? verifier.verify(bytes, for: .any) }
}
_ = flood.prefix(100).allSatisfy(verify)
let before = memory("VmRSS")
let flooded = processorTime { for bytes in flood { _ = verify(bytes) } }
let middle = memory("VmRSS")
let again = processorTime { for bytes in flood { _ = verify(bytes) } }
let cached = processorTime { for _ in flood { _ = verify(flood[0]) } }
print(
    String(
        format: "flood of 1000 new chains: %.3f ms each, again %.3f ms; uncached %.3f ms, cached %.3f ms; "
            + "resident %d KiB before, %d KiB after, %d KiB after the second",
        flooded / 1000, again / 1000, uncached / 1000, cached / 1000, before, middle, memory("VmRSS")))

// The same with refused signers. The verifier may not keep any of them.
let refused = try (0..<1000).map { number in
    try ReceiptRecipe(
        authority: .test { profiles in
            profiles.leaf.extensions.removeLast()
            profiles.leaf.serialNumber = [2, UInt8(number >> 8), UInt8(number & 255)]
        }
    ).forge().bytes
}
_ = refused.prefix(100).allSatisfy(verify)
let level = memory("VmRSS")
let refusing = processorTime { for bytes in refused { _ = verify(bytes) } }
let refusingAgain = processorTime { for bytes in refused { _ = verify(bytes) } }
print(
    String(
        format: "flood of 1000 refused signers: %.3f ms each, again %.3f ms; "
            + "resident %d KiB before, %d KiB after",
        refusing / 1000, refusingAgain / 1000, level, memory("VmRSS")))

// Texts
let base64 = Array(Data(small).base64EncodedString().utf8)
measure("base64 of the small receipt", base64, verify)
measure("16 MiB of base64", [UInt8](repeating: 0x4D, count: 16 * mebibyte), verify)
measure("24 MiB of line ends", [UInt8](repeating: 0x0A, count: 24 * mebibyte), verify)

// JSON with names of combining characters in the wrong order, which a comparison by canonical equivalence
// must sort.
func read(_ bytes: [UInt8]) -> Bool { (try? SubscriptionCatalog(parsing: bytes)) != nil }
ordinary = []
let names = (0..<40_000).map { "\"p\($0)\"" }.joined(separator: ",")
measure(
    "JSON: a catalog of 40,000 products", Array("{\"groups\":{\"a\":[\(names)]}}".utf8), isOrdinary: true,
    read)
let marks = String(repeating: "\u{316}\u{301}", count: 60_000)
measure(
    "JSON: a name of 120,000 combining marks", Array("{\"a\(marks)\":1,\"groups\":{\"a\":[\"b\"]}}".utf8),
    read)
let members = (0..<30_000).map { "\"\($0)\":1" }.joined(separator: ",")
measure("JSON: an object of 30,000 members", Array("{\(members),\"groups\":{\"a\":[\"b\"]}}".utf8), read)
