import ReceiptForge
import TestSupport
import Testing

@Suite("BER and DER as in X.690")
struct BERTests {
    @Test(
        "lengths",
        arguments: [
            (0, [0x04, 0x00]), (127, [0x04, 0x7F]), (128, [0x04, 0x81, 0x80]), (255, [0x04, 0x81, 0xFF]),
            (256, [0x04, 0x82, 0x01, 0x00]), (65_536, [0x04, 0x83, 0x01, 0x00, 0x00]),
        ] as [(Int, [UInt8])])
    func lengths(count: Int, header: [UInt8]) {
        #expect(BER.header(BER.Tag.octetString, count: count) == header)
        #expect(BER.octetString(Array(repeating: 7, count: count)).count == header.count + count)
    }

    @Test(
        "explicit lengths",
        arguments: [
            (.padded(octets: 1), [0x30, 0x81, 0x02, 5, 0]),
            (.padded(octets: 4), [0x30, 0x84, 0, 0, 0, 2, 5, 0]),
            (.indefinite, [0x30, 0x80, 5, 0, 0, 0]),
            (.indefiniteWithoutEnd, [0x30, 0x80, 5, 0]),
            (.written([0xFF]), [0x30, 0xFF, 5, 0]),
        ] as [(BER.Length, [UInt8])])
    func damage(length: BER.Length, bytes: [UInt8]) {
        #expect(BER.element(BER.Tag.sequence, BER.null, length: length) == bytes)
    }

    @Test(
        "integers",
        arguments: [
            (0, [0]), (1, [1]), (127, [0x7F]), (128, [0, 0x80]), (255, [0, 0xFF]), (256, [1, 0]),
            (-1, [0xFF]),
            (-128, [0x80]), (-129, [0xFF, 0x7F]), (.max, [0x7F] + Array(repeating: 0xFF, count: 7)),
            (.min, [0x80] + Array(repeating: 0, count: 7)),
        ] as [(Int, [UInt8])])
    func integers(number: Int, content: [UInt8]) {
        #expect(BER.integerContent(number) == content)
    }

    @Test("an unsigned 64-bit integer has a leading zero byte")
    func unsigned() {
        #expect(BER.integerContent(UInt64.max) == [0] + Array(repeating: 0xFF, count: 8))
        #expect(BER.integerContent(UInt8(200)) == [0, 200])
    }

    @Test("chunks")
    func chunks() {
        let expected: [UInt8] = [0x24, 0x80, 4, 2, 1, 2, 4, 1, 3, 0, 0]
        #expect(BER.chunkedOctetString([1, 2, 3], chunkSize: 2) == expected)
    }

    @Test("a set is sorted by its elements' bytes")
    func sets() {
        let shuffled = [BER.integer(300), BER.integer(2), BER.null, BER.integer(1)]
        #expect(BER.set(of: shuffled) == [0x31, 12, 2, 1, 1, 2, 1, 2, 2, 2, 1, 0x2C, 5, 0])
    }

    @Test(
        "object identifiers", arguments: ["1.2.840.113549.1.7.2", "2.5.29.19", "1.3.14.3.2.26", "2.999.3"])
    func objectIdentifiers(text: String) throws {
        let oid = try #require(OID(text))
        let answer = try OpenSSLTool.run(
            ["asn1parse", "-inform", "DER", "-in", "oid", "-oid", "none"],
            files: ["oid": oid.encoded, "none": []])
        #expect(answer.status == 0)
        let names = ["1.2.840.113549.1.7.2": "pkcs7-signedData", "2.5.29.19": "X509v3 Basic Constraints"]
        #expect(answer.output.contains(names[text] ?? (text == "1.3.14.3.2.26" ? "sha1" : text)))
        for bad in ["", "1", "1..2", "1.2.x", "1.2.99999999999999999999"] { #expect(OID(bad) == nil) }
    }

    @Test("times turn from UTCTime to GeneralizedTime in 2050")
    func times() {
        #expect(BER.time("2049-12-31T23:59:59Z") == [0x17, 13] + "491231235959Z".utf8)
        #expect(BER.time("2050-01-01T00:00:00Z") == [0x18, 15] + "20500101000000Z".utf8)
        #expect(BER.time("1949-12-31T23:59:59Z") == [0x18, 15] + "19491231235959Z".utf8)
    }
}
