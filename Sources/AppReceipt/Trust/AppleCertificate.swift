import CReceiptCrypto

/// One of Apple's certificates, embedded in the binary. Provenance and digests: `Certificates/SOURCES.md`.
package struct AppleCertificate: Sendable {
    package let name: String
    package let der: [UInt8]

    private init(_ name: String, _ file: receipt_crypto_apple_name) {
        self.name = name
        let slice = unsafe receipt_crypto_apple_certificate(file)
        der = unsafe Array(UnsafeBufferPointer(start: slice.bytes, count: slice.count))
    }

    /// All roots of Apple's PKI page under which Apple signs receipts, or may do so in the future.
    package static let roots = [
        AppleCertificate("Apple Inc. Root", RECEIPT_CRYPTO_APPLE_INC_ROOT),
        AppleCertificate("Apple Root CA - G2", RECEIPT_CRYPTO_APPLE_ROOT_G2),
        AppleCertificate("Apple Root CA - G3", RECEIPT_CRYPTO_APPLE_ROOT_G3),
    ]

    // Intermediates are trusted only if the root that signed them is.

    /// The issuer of the certificates that sign transaction receipts of version 2.
    static let iTunesStore = AppleCertificate(
        "Apple iTunes Store Certification Authority", RECEIPT_CRYPTO_APPLE_ITUNES_STORE)

    /// The RSA intermediates of Apple Worldwide Developer Relations, under Apple Inc. Root, that issued receipt
    /// signers. A transaction receipt of version 3 or 4 names one of them but does not contain it.
    static let developerRelations = [
        AppleCertificate("WWDR", RECEIPT_CRYPTO_APPLE_WWDR),
        AppleCertificate("WWDR G5", RECEIPT_CRYPTO_APPLE_WWDR_G5),
        AppleCertificate("WWDR G7", RECEIPT_CRYPTO_APPLE_WWDR_G7),
        AppleCertificate("WWDR G8", RECEIPT_CRYPTO_APPLE_WWDR_G8),
    ]

    /// The elliptic-curve intermediate of Apple Worldwide Developer Relations, under Apple Root CA - G3.
    static let developerRelationsG6 = AppleCertificate("WWDR G6", RECEIPT_CRYPTO_APPLE_WWDR_G6)
}
