// Invalid signed payloads, including invalid dates and names.
extension HostileVariant {
    static let payload: [HostileVariant] = [
        payload("payload-sequence", "a SEQUENCE instead of the SET") { $0[0] = BER.Tag.sequence },
        payload("payload-trailing-byte", "a signed byte after the SET") { $0.append(0) },
        payload("payload-twice", "two SETs") { $0 += $0 },
        payload("payload-empty-set", "an empty SET") { $0 = BER.element(BER.Tag.set, []) },
        payload("payload-no-bytes", "empty signed content") { $0 = [] },
        HostileVariant(
            "payload-wrapped", "the payload in a second OCTET STRING, not from Xcode", .malformed,
            or: [.genuine]
        ) { $0.doubleWrapped = true },
        HostileVariant("payload-wrapped-twice", "the payload in a third OCTET STRING", .malformed) {
            $0.editPayload { $0 = BER.octetString($0) }
            $0.doubleWrapped = true
        },
        content("creation-missing", "no creation date") { $0.creationDate = nil },
        content("creation-empty", "an empty creation date") { $0.creationDate = "" },
        content("creation-february-30", "created on February 30") {
            $0.creationDate = "2024-02-30T10:00:00Z"
        },
        content("creation-hour-24", "created at hour 24") { $0.creationDate = "2024-06-01T24:00:00Z" },
        content("creation-without-zone", "a creation date without Z or offset") {
            $0.creationDate = "2024-06-01T10:00:00"
        },
        content("creation-text", "letters in the creation date") { $0.creationDate = "yesterday" },
        added("creation-twice", "two creation dates", .ia5String(12, "2030-01-01T00:00:00Z")),
        content("creation-integer", "an INTEGER as the creation date") {
            $0.creationDate = nil
            $0.otherAttributes.append(.integer(12, 1_717_236_000))
        },
        content("creation-utf8", "the creation date as UTF8String", .genuine, or: [.malformed]) { content in
            content.otherAttributes.append(.utf8String(12, content.creationDate ?? ""))
            content.creationDate = nil
        },
        content("created-before-the-chain", "created before all certificates are valid", .untrustedChain) {
            $0.creationDate = "2009-06-01T10:00:00Z"
        },
        content("created-after-the-chain", "created after all certificates expired", .untrustedChain) {
            $0.creationDate = "2041-06-01T10:00:00Z"
        },
        content("original-purchase-bad", "an original purchase date of February 30") {
            $0.originalPurchaseDate = "2022-02-30T00:00:00Z"
        },
        content("expiration-bad", "an expiration date with letters") {
            $0.expirationDate = "2O25-01-01T00:00:00Z"
        },
        content("bundle-id-missing", "no bundle id") { $0.bundleID = nil },
        content("bundle-id-empty", "an empty bundle id", or: [.genuine]) { $0.bundleID = "" },
        added("bundle-id-twice", "two bundle ids", .utf8String(2, "com.example.other")),
        content("bundle-id-repeated", "the same bundle id twice") {
            $0.otherAttributes.append(.utf8String(2, $0.bundleID ?? ""))
        },
        bundleID("bundle-id-raw", "the bundle id without its string header") { Array($0.utf8) },
        bundleID("bundle-id-trailing-byte", "a byte after the bundle id's string") {
            BER.utf8String($0) + [0]
        },
        bundleID("bundle-id-two-strings", "two strings in one attribute") {
            BER.utf8String($0) + BER.utf8String("com.example.other")
        },
        bundleID("bundle-id-integer", "an INTEGER as the bundle id") { _ in BER.integer(7) },
        bundleID("bundle-id-long", "the string claims more bytes than remain") {
            BER.element(BER.Tag.utf8String, Array($0.utf8), length: .written([0x7F]))
        },
        bundleID("bundle-id-not-utf8", "a bundle id that is not UTF-8") {
            BER.element(BER.Tag.utf8String, Array($0.utf8) + [0xC0, 0xAF])
        },
        bundleID("bundle-id-ia5", "the bundle id as IA5String", .genuine, or: [.malformed]) {
            BER.ia5String($0)
        },
        bundleID("bundle-id-nul", "a NUL byte after the bundle id", .genuine, or: [.malformed]) {
            BER.utf8String($0 + "\0.other")
        },
    ]

    /// Makes a variant with another encoding of attribute 2's value.
    private static func bundleID(
        _ id: String, _ summary: String, _ expected: Answer = .malformed, or alternatives: Set<Answer> = [],
        _ value: @escaping @Sendable (String) -> [UInt8]
    ) -> HostileVariant {
        content(id, summary, expected, or: alternatives) { content in
            content.otherAttributes.append(ReceiptAttribute(2, value: value(content.bundleID ?? "")))
            content.bundleID = nil
        }
    }
}
