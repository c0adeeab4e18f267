import AppReceipt
import Foundation
import ReceiptForge

/// The properties of an input. A search mutates them and keeps the more expensive inputs.
struct Genes {
    static let names = [
        "filler", "value", "chunk", "extras", "extraBytes", "kin", "damage", "nested", "depth",
    ]
    static let choices = [8, 11, 6, 14, 5, 3, 8, 12, 32]
    var values: [Int]

    init(using random: inout SplitMix64, free: Set<Int>) {
        values = Self.choices.map { _ in 0 }
        for gene in free { values[gene] = Self.pick(gene, &random) }
    }

    mutating func change(using random: inout SplitMix64, free: Set<Int>) {
        let list = free.sorted()
        for _ in 0...Int(random.next() % 2) {
            let gene = list[Int(random.next() % UInt64(list.count))]
            values[gene] = Self.pick(gene, &random)
        }
    }

    private static func pick(_ gene: Int, _ random: inout SplitMix64) -> Int {
        Int(random.next() % UInt64(choices[gene]))
    }

    var text: String {
        zip(Self.names, values).filter { $0.1 != 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }
}

/// A maker of receipts from genes.
final class Breeder {
    let authority: Authority
    let untrusted: Authority
    let unmarked: Authority
    private var issuers: [Int: [[UInt8]]] = [:]

    init() throws {
        authority = try .test()
        untrusted = try .generate()
        unmarked = try .test { $0.leaf.extensions.removeLast() }
    }

    func receipt(_ genes: Genes, bytes: Int, purchases: Int) throws -> [UInt8] {
        let gene = genes.values
        let signer = gene[6] == 5 ? untrusted : gene[6] == 6 ? unmarked : authority
        let bag = signer.bag + (try extras(gene[3], bytes: gene[4], kin: gene[5]))
        let nested = gene[7] == 0 ? [] : try signedAttributes(1 << (gene[7] - 1), depth: 1 + gene[8])
        let room = bytes - bag.reduce(2000) { $0 + $1.count } - nested.reduce(0) { $0 + $1.encoded.count }
        let limit = purchases + (gene[6] == 7 ? 1 : 0)
        // Chunks of one byte triple the size.
        let chunk = [0, 1, 2, 7, 64, 1000][gene[2]]
        let payload = try payload(gene, room: chunk == 0 ? room : room / (chunk + 2) * chunk, limit: limit)
        var attributes: [CMSAttribute]?
        if !nested.isEmpty { attributes = try CMSAttribute.usual(for: payload) + nested }
        let info = try SignerInfo(signing: payload, by: signer.leaf, signedAttributes: attributes)
        var container = SignedData(eContent: payload, certificates: bag, signerInfos: [info])
        if chunk > 0 { container.form = .ber(chunkSize: chunk) }
        var receipt = container.encoded
        switch gene[6] {
        case 2: receipt[receipt.count - (chunk > 0 ? 20 : 1)] ^= 1
        case 3: receipt.append(0)
        case 4: receipt.removeLast()
        default: break
        }
        return receipt
    }

    private func payload(_ gene: [Int], room: Int, limit: Int) throws -> [UInt8] {
        var attributes = BER.concatenated(try ReceiptContent().attributes().map(\.encoded))
        let unit = Self.unit(gene[0], value: gene[1] == 0 ? 0 : 1 << gene[1])
        var count = max(0, room - attributes.count) / unit.count
        if Self.isPurchase(gene[0]) { count = min(count, limit) }
        attributes.reserveCapacity(attributes.count + count * unit.count + 10)
        for _ in 0..<count { attributes += unit }
        if gene[6] == 1 { attributes += ReceiptForge.ReceiptAttribute.utf8String(2, "x").encoded }
        return BER.element(BER.Tag.set, attributes)
    }

    private static func isPurchase(_ filler: Int) -> Bool { ![2, 5].contains(filler) }

    private static func unit(_ filler: Int, value: Int) -> [UInt8] {
        typealias Attribute = ReceiptForge.ReceiptAttribute
        let date = "2024-05-01T00:00:00Z"
        let inner: [Attribute]
        switch filler {
        case 1: inner = []
        case 2: return Attribute(99, value: [UInt8](repeating: 0, count: value)).encoded
        case 3: inner = [Attribute](repeating: Attribute(1799, value: []), count: 1 + value / 8)
        case 4: inner = [1704, 1706, 1708, 1712].map { .ia5String($0, "2024-05-01T00:00:00.250+05:30") }
        case 5: return Attribute(typeContent: [0x7F, 0, 0, 0, 0, 0, 0, 1], value: []).encoded
        case 6:
            let text = String(repeating: "é", count: value)
            inner = [1702, 1703, 1705, 1721].map { .utf8String($0, text) }
        case 7: inner = [.integer(1701, 1), .integer(1713, 0), .integer(1719, 1), .integer(1720, 1)]
        default:
            inner = [
                .integer(1701, 1), .utf8String(1702, "com.example.monthly"),
                .utf8String(1703, "100000012345678"), .ia5String(1704, date),
                .utf8String(1705, "100000012345678"), .ia5String(1706, date),
                .ia5String(1708, date), .integer(1711, 100_000_012_345), .ia5String(1712, ""),
                .integer(1713, 0), .integer(1719, 0),
            ]
        }
        return Attribute(17, value: BER.element(BER.Tag.set, BER.concatenated(inner.map(\.encoded)))).encoded
    }

    /// Returns unknown attributes with nested elements. With an even depth, lengths are indefinite, which is
    /// invalid there.
    private func signedAttributes(_ count: Int, depth: Int) throws -> [CMSAttribute] {
        let length: BER.Length = depth % 2 == 0 ? .indefinite : .minimal
        var value: [UInt8] = []
        for _ in 0..<depth { value = BER.element(BER.Tag.sequence, value, length: length) }
        return [CMSAttribute([1, 3, 9, 9], [[UInt8]](repeating: value, count: count))]
    }

    /// Returns additional issuers of the right name: signed by the root, with a broken signature, or with
    /// another name.
    private func extras(_ count: Int, bytes: Int, kin: Int) throws -> [[UInt8]] {
        if count == 0 { return [] }
        let key = bytes * 3 + kin
        if issuers[key] == nil {
            let size = [0, 500, 2000, 4000, 7000][bytes]
            issuers[key] = try (0..<13).map { number in
                let authority = try Authority.test { profiles throws(ForgeError) in
                    profiles.intermediate.serialNumber = [1, UInt8(number)]
                    profiles.intermediate.key = profiles.root.key
                    if kin == 2 { profiles.intermediate.subject = profiles.leaf.subject }
                    if size == 0 { return }
                    profiles.intermediate.extensions.append(
                        CertificateExtension(
                            [1, 3, 9, 9], value: BER.octetString([UInt8](repeating: 0, count: size))))
                }
                var der = authority.intermediate?.certificate.der ?? []
                if kin == 1 { der[der.count - 1] ^= 1 }
                return der
            }
        }
        return Array((issuers[key] ?? []).prefix(count))
    }
}

/// A search for the most expensive inputs at each limit, accepted and refused.
struct Search {
    let breeder: Breeder
    let anchors: TrustAnchors
    var random = SplitMix64(seed: 0x0057)
    /// Ordinary receipts by size, with their costs.
    private var ordinary: [(bytes: Int, cost: Cost, memory: String)] = []

    init() throws {
        breeder = try Breeder()
        anchors = .custom(breeder.authority.root.certificate.der)
        for bytes in [4500, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20] {
            var genes = Genes(using: &random, free: [])
            genes.values[0] = 0
            let receipt = try breeder.receipt(genes, bytes: bytes, purchases: .max)
            ordinary.append((receipt.count, cost(of: receipt, runs: 9), try memory(of: receipt)))
        }
    }

    struct Cost {
        var milliseconds: Double
        var isAccepted: Bool
    }

    /// Returns the minimum processor time of a few runs, each with a new verifier.
    func cost(
        of bytes: [UInt8], runs: Int = 3, anchors: TrustAnchors? = nil, isCrossChecking: Bool = false
    ) -> Cost {
        var result = Cost(milliseconds: .infinity, isAccepted: false)
        for _ in 0..<runs {
            let verifier = try? ReceiptVerifier(
                anchors: anchors ?? self.anchors, isCrossChecking: isCrossChecking)
            guard let verifier else { continue }
            let time = processorTime {
                result.isAccepted = (try? verifier.verify(bytes, for: .any)) != nil
            }
            result.milliseconds = min(result.milliseconds, time)
        }
        return result
    }

    /// Returns the peak of memory during verification, beyond the input itself, in a separate process.
    func memory(of bytes: [UInt8]) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "worst-case-\(getpid())")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(bytes).write(to: file)
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["memory", file.path]
        process.standardOutput = pipe
        try process.run()
        return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    /// Returns the ratio to an ordinary receipt of that size, with linear interpolation between measured
    /// sizes.
    func ratio(_ cost: Cost, bytes: Int) -> Double {
        let above = ordinary.firstIndex { $0.bytes >= bytes } ?? ordinary.count - 1
        let (high, low) = (ordinary[above], ordinary[max(0, above - 1)])
        let part = Double(bytes - low.bytes) / Double(max(1, high.bytes - low.bytes))
        let growth = high.cost.milliseconds - low.cost.milliseconds
        return cost.milliseconds / (low.cost.milliseconds + growth * min(max(part, 0), 1))
    }

    /// Starts at random, improves the genes, and measures the best input again. `bytes` is the space that an
    /// input fills.
    mutating func climb(_ free: Set<Int>, bytes: Int, kin: Int?, accepted: Bool) throws -> String {
        var best: (genes: Genes, ratio: Double)?
        for step in 0..<70 {
            var genes = Genes(using: &random, free: free)
            if step >= 20, let best {
                genes = best.genes
                genes.change(using: &random, free: free)
            }
            if accepted { genes.values[6] = 0 }
            if let kin { genes.values[5] = kin }
            let receipt = try breeder.receipt(genes, bytes: bytes, purchases: 100_000)
            let cost = cost(of: receipt, runs: 2)
            let ratio = ratio(cost, bytes: receipt.count)
            let isFit = cost.isAccepted == accepted && receipt.count <= 16 << 20
            if isFit, ratio > best?.ratio ?? 0 { best = (genes, ratio) }
        }
        guard let best else { return "none found" }
        let receipt = try breeder.receipt(best.genes, bytes: bytes, purchases: 100_000)
        let cost = cost(of: receipt, runs: 9)
        let answer = cost.isAccepted ? "accepted" : "refused"
        return column(answer, 10) + column("\(receipt.count)", 10)
            + column(String(format: "%.3f ms", cost.milliseconds), 13)
            + column(String(format: "%.2f", ratio(cost, bytes: receipt.count)), 7)
            + column(try memory(of: receipt), 11) + best.genes.text
    }

    mutating func run() throws {
        print(
            column("limit", 19) + column("answer", 10) + column("bytes", 10) + column("time", 13)
                + column("ratio", 7) + column("memory", 11) + "found")
        for (bytes, cost, memory) in ordinary {
            print(
                column("ordinary", 19) + column("accepted", 10) + column("\(bytes)", 10)
                    + column(String(format: "%.3f ms", cost.milliseconds), 13) + column("1", 7)
                    + memory)
        }
        let limits: [(name: String, free: Set<Int>, bytes: Int, kin: Int?)] = [
            ("input bytes", [0, 1, 2, 6], 16_700_000, nil),
            ("purchases", [0, 1, 6], 16_700_000, nil),
            ("nesting", [6, 7, 8], 400_000, nil),
            // Inputs that an attacker can create, and inputs that only the root could sign.
            ("certificates", [3, 6], 20_000, 1),
            ("certificate bytes", [3, 4, 6], 120_000, 1),
            ("genuine issuers", [3, 4, 6], 120_000, 0),
        ]
        for limit in limits {
            for accepted in [true, false] {
                let line = try climb(
                    limit.free, bytes: limit.bytes, kin: limit.kin, accepted: accepted)
                print(column(limit.name, 19) + line)
            }
        }
    }
}
