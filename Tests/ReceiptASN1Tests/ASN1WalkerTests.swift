import ReceiptASN1
import Testing

@Suite("ASN1Walker")
struct ASN1WalkerTests {
    /// Returns the steps of a walk: offset, depth and element. A fault ends the walk unless `resumes` is
    /// true.
    private func walk(
        _ bytes: [UInt8], maximumDepth: Int = 32, descends: Bool = false, resumes: Bool = false
    ) -> [String] {
        var steps: [String] = []
        var walker = ASN1Walker(bytes.span, maximumDepth: maximumDepth)
        while true {
            do throws(ASN1Error) {
                switch try walker.next() {
                case nil: return steps
                case .endOfContents(let offset, let depth): steps.append("\(offset)/\(depth) end")
                case .element(let element):
                    let cut = element.isTruncated ? " cut" : ""
                    let length = element.isIndefinite ? "…" : "\(element.content.count)"
                    steps.append(
                        "\(element.offset)/\(element.depth) \(element.tag) \(element.headerLength)+\(length)\(cut)"
                    )
                    if descends && element.tag == .octetString { walker.descend() }
                }
            } catch {
                steps.append("\(error.offset) \(error.fault)")
                guard resumes, walker.resume() else { return steps }
            }
        }
    }

    @Test("elements in the order of their bytes")
    func order() {
        #expect(walk([]) == [])
        #expect(
            walk([0x30, 0x07, 0x02, 0x01, 0x05, 0x31, 0x02, 0x05, 0x00, 0x02, 0x81, 0x01, 0x07]) == [
                "0/0 SEQUENCE 2+7", "2/1 INTEGER 2+1", "5/1 SET 2+2", "7/2 NULL 2+0", "9/0 INTEGER 3+1",
            ])
    }

    @Test("nested indefinite lengths")
    func indefinite() {
        #expect(
            walk([0x30, 0x80, 0x24, 0x80, 0x04, 0x01, 0xAA, 0x00, 0x00, 0x00, 0x00, 0x05, 0x00]) == [
                "0/0 SEQUENCE 2+…", "2/1 constructed OCTET STRING 2+…", "4/2 OCTET STRING 2+1", "7/1 end",
                "9/0 end",
                "11/0 NULL 2+0",
            ])
    }

    @Test("nested elements in strings have offsets of the input")
    func descent() {
        let bytes: [UInt8] = [0x30, 0x07, 0x04, 0x03, 0x02, 0x01, 0x05, 0x05, 0x00]
        #expect(walk(bytes) == ["0/0 SEQUENCE 2+7", "2/1 OCTET STRING 2+3", "7/1 NULL 2+0"])
        #expect(
            walk(bytes, descends: true) == [
                "0/0 SEQUENCE 2+7", "2/1 OCTET STRING 2+3", "4/2 INTEGER 2+1", "7/1 NULL 2+0",
            ])
        #expect(walk([0x04, 0x00], descends: true) == ["0/0 OCTET STRING 2+0"])
        // The walker cannot descend before the first element or after an empty constructed one.
        let empty: [UInt8] = [0x30, 0x00]
        var walker = ASN1Walker(empty.span)
        let early = walker.descend()
        _ = try? walker.next()
        let constructed = walker.descend()
        #expect(!early)
        #expect(!constructed)
    }

    @Test(
        "damage",
        arguments: [
            ([0x30], ["0 truncated: the input ends inside an element header"]),
            ([0x30, 0x82, 0x01], ["0 truncated: the input ends inside an element header"]),
            ([0x30, 0xFF, 0x00], ["0 reserved length octet 0xFF"]),
            ([0x30, 0x89, 1, 2, 3, 4, 5, 6, 7, 8, 9], ["0 length of more than 8 octets"]),
            ([0x04, 0x80, 0x00, 0x00], ["0 indefinite length on a primitive element"]),
            ([0x1F, 0x20, 0x00], ["0 tag number above 30"]),
            ([0x00, 0x00], ["0 unexpected end-of-contents"]),
            ([0x30, 0x80], ["0/0 SEQUENCE 2+…", "2 truncated: the input ends inside an element header"]),
            (
                [0x30, 0x80, 0x00],
                ["0/0 SEQUENCE 2+…", "2 truncated: the input ends inside an element header"]
            ),
            ([0x05, 0x00, 0x02], ["0/0 NULL 2+0", "2 truncated: the input ends inside an element header"]),
            (
                [0x30, 0x02, 0x05, 0x00, 0x00, 0x00],
                ["0/0 SEQUENCE 2+2", "2/1 NULL 2+0", "4 unexpected end-of-contents"]
            ),
        ] as [([UInt8], [String])])
    func damage(bytes: [UInt8], steps: [String]) {
        #expect(walk(bytes) == steps)
        #expect(walk(bytes, resumes: true) == steps)
    }

    @Test("truncated input is walked to its end, and the outermost element is reported")
    func truncation() {
        #expect(
            walk([0x30, 0x20, 0x05, 0x00, 0x31, 0x10, 0x04, 0x08, 0x01]) == [
                "0/0 SEQUENCE 2+7 cut", "2/1 NULL 2+0", "4/1 SET 2+3 cut", "6/2 OCTET STRING 2+1 cut",
                "0 truncated: needs 32 bytes, 7 remain",
            ])
        #expect(
            walk([0x30, 0x09, 0x30, 0x80, 0x05, 0x00]) == [
                "0/0 SEQUENCE 2+4 cut", "2/1 SEQUENCE 2+…", "4/2 NULL 2+0",
                "0 truncated: needs 9 bytes, 4 remain",
            ])
        #expect(
            walk([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0x05]) == [
                "0/0 SEQUENCE 6+1 cut", "0 truncated: needs 4294967295 bytes, 1 remain",
            ])
    }

    @Test("after a fault in a string, the walk continues after the string")
    func resumption() {
        #expect(
            walk(
                [0x30, 0x09, 0x04, 0x03, 0x02, 0x7F, 0x05, 0x04, 0x00, 0x05, 0x00], descends: true,
                resumes: true) == [
                    "0/0 SEQUENCE 2+9", "2/1 OCTET STRING 2+3", "4/2 INTEGER 2+1 cut",
                    "4 truncated: needs 127 bytes, 1 remain", "7/1 OCTET STRING 2+0", "9/1 NULL 2+0",
                ])
    }

    @Test("depth is limited, including strings")
    func depth() {
        let nested: [UInt8] = [0x30, 0x04, 0x04, 0x02, 0x31, 0x00]
        #expect(walk(nested, maximumDepth: 3, descends: true).count == 3)
        #expect(
            walk(nested, maximumDepth: 2, descends: true).last == "4 nested more than 2 levels deep")
        #expect(
            walk(nested, maximumDepth: 1, descends: true) == ["0/0 SEQUENCE 2+4", "2/1 OCTET STRING 2+2"])
        let deep = Array(repeating: [0x30, 0x80] as [UInt8], count: 100_000).flatMap { $0 }
        #expect(walk(deep).count == 33)
        #expect(walk(deep).last == "64 nested more than 32 levels deep")
    }

    @Test("no input causes a trap or more steps than bytes")
    func anyBytes() {
        var state: UInt64 = 0x5EED
        for _ in 0..<2_000 {
            var bytes: [UInt8] = []
            for _ in 0..<64 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let kinds: [UInt8] = [0x30, 0x80, 0x04, 0x24, 0x00, 0x02, 0x84, UInt8(state >> 56)]
                bytes.append(kinds[Int(state >> 33 & 7)])
            }
            #expect(walk(bytes, descends: true, resumes: true).count <= 3 * bytes.count)
        }
    }
}
