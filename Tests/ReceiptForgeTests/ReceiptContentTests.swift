import ReceiptForge
import TestSupport
import Testing

@Suite("Payloads have the structure of genuine ones")
struct ReceiptContentTests {
    /// Returns the lines of `openssl asn1parse` without offsets and lengths.
    private func parsed(_ bytes: [UInt8]) throws -> [String] {
        let answer = try OpenSSLTool.run(["asn1parse", "-inform", "DER", "-in", "p"], files: ["p": bytes])
        #expect(answer.status == 0, "\(answer.messages)")
        return answer.output.split(separator: "\n").map { line in
            let parts = line.split(separator: ":", maxSplits: 1).last?.split(separator: " ") ?? []
            return parts.filter { !$0.contains("=") && !$0.allSatisfy(\.isNumber) }.joined(separator: " ")
        }
    }

    @Test("types and versions of the receipt's attributes")
    func attributes() throws {
        let lines = try parsed(ReceiptContent().encoded())
        #expect(lines[0] == "cons: SET")
        var versions: [String: String] = [:]
        for start in stride(from: 1, to: lines.count, by: 4) {
            #expect(lines[start] == "cons: SEQUENCE")
            #expect(lines[start + 3].hasPrefix("prim: OCTET STRING"))
            versions[lines[start + 1].replacing("prim: INTEGER :", with: "")] = lines[start + 2]
        }
        let expected = [
            "00", "01", "02", "03", "04", "05", "06", "07", "08", "09", "0A", "0B", "0C", "0D", "0E", "0F",
            "10",
            "12", "13", "14", "19",
        ]
        #expect(versions.keys.sorted() == expected)
        #expect(versions.filter { $0.value != "prim: INTEGER :01" } == ["04": "prim: INTEGER :02"])
    }

    @Test("types of a purchase's attributes")
    func purchase() {
        let purchase = PurchaseContent.subscription(
            productID: "p", transactionID: "1", purchaseDate: "2024-01-01T00:00:00Z",
            expiresDate: "2024-02-01T00:00:00Z")
        let types = purchase.attributes.map { $0.type.reduce(0) { $0 << 8 | Int($1) } }.sorted()
        #expect(types == Array(1701...1719) + [1722])
        let strings: [Int: UInt8] = [1702: 0x0C, 1703: 0x0C, 1704: 0x16, 1705: 0x0C, 1706: 0x16, 1708: 0x16]
        for attribute in purchase.attributes {
            if let tag = strings[attribute.type.reduce(0) { $0 << 8 | Int($1) }] {
                #expect(attribute.value.first == tag)
            }
        }
    }

    @Test("the device hash covers device, opaque value and bundle ID element")
    func deviceHash() throws {
        var content = ReceiptContent(bundleID: "com.example.forge")
        content.deviceID = [1, 2, 3]
        content.opaqueValue = [4, 5]
        let attribute = try #require(content.attributes().first { $0.type == [5] })
        let message: [UInt8] = [1, 2, 3, 4, 5] + BER.utf8String("com.example.forge")
        #expect(try attribute.value == Digest.sha1.hash(message))
        content.omittedTypes = [5, 12]
        #expect(try !content.attributes().contains { $0.type == [5] || $0.type == [12] })
    }

    @Test("a sorted payload is in DER order, and Xcode's is not")
    func order() throws {
        let sorted = try ReceiptContent().attributes().map(\.encoded)
        #expect(try ReceiptContent().encoded() == BER.set(of: sorted))
        let xcode = try ReceiptContent.xcode().attributes()
        #expect(try ReceiptContent.xcode().encoded() == BER.element(BER.Tag.set, xcode.flatMap(\.encoded)))
        #expect(xcode.allSatisfy { $0.version == 1 })
    }

    @Test("random receipts are reproducible and plausible")
    func random() throws {
        var first = SplitMix64(seed: 7)
        var second = SplitMix64(seed: 7)
        var seen: Set<ReceiptContent> = []
        for _ in 0..<300 {
            let content = ReceiptContent.random(using: &first)
            #expect(content == ReceiptContent.random(using: &second))
            let creation = try #require(content.creationDate)
            for purchase in content.purchases { #expect(try #require(purchase.purchaseDate) <= creation) }
            seen.insert(content)
        }
        #expect(seen.count == 300)
        let purchases = seen.flatMap(\.purchases)
        #expect(purchases.contains { $0.isTrialPeriod == true })
        #expect(purchases.contains { $0.isInIntroOfferPeriod == true })
        #expect(purchases.contains { $0.cancellationDate != "" })
        #expect(Set(seen.map(\.receiptType)) == ["Production", "ProductionSandbox", "ProductionVPP"])
    }

    @Test("the generator agrees with SplitMix64")
    func splitMix64() {
        var generator = SplitMix64(seed: 1_234_567)
        #expect(generator.next() == 6_457_827_717_110_365_317)
        #expect(generator.next() == 3_203_168_211_198_807_973)
    }
}
