import ReceiptASN1

extension ASN1ObjectIdentifier {
    /// 1.2.840.113549.1.7.1
    static let data = ASN1ObjectIdentifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 1])
    /// 1.2.840.113549.1.7.2
    static let signedData = ASN1ObjectIdentifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 2])
    /// 1.2.840.113549.1.9.3
    static let contentType = ASN1ObjectIdentifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 3])
    /// 1.2.840.113549.1.9.4
    static let messageDigest = ASN1ObjectIdentifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 4])
}
