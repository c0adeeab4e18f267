/// The format of the signed object, which determines the certificates.
enum SignedFormat {
    case receipt, jws
    /// A transaction receipt with signature version 2, which uses a 1,024-bit RSA key and other markers.
    case oldTransactionReceipt

    var leafMarker: OID { self == .oldTransactionReceipt ? .oldReceiptSigningMarker : .receiptSigningMarker }
    var intermediateMarker: OID {
        self == .oldTransactionReceipt ? .oldStoreMarker : .developerRelationsMarker
    }
}
