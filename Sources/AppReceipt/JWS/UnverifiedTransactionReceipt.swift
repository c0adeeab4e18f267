/// A transaction receipt that was not verified, for display.
package struct UnverifiedTransactionReceipt: Sendable {
    package typealias Member = (name: String, offset: Int, text: String)

    package let members: [Member]
    package let purchaseInfo: [Member]
    package let version: UInt8
    package let signature: [UInt8]
    package let certificate: [UInt8]
    /// The version byte, followed by purchase-info.
    package let signedContent: [UInt8]

    /// Parses a transaction receipt.
    /// - Throws: ``ReceiptError`` if it is not one.
    package init(parsing bytes: [UInt8]) throws(ReceiptError) {
        let list = try PropertyList(parsing: bytes.span, field: "property list")
        let blob = try list.decoded("signature", of: bytes.span)
        let parts = try TransactionReceiptSignature(parsing: blob.span)
        let info = try list.decoded("purchase-info", of: bytes.span)
        func members(_ list: PropertyList, _ bytes: [UInt8]) -> [Member] {
            list.members.map {
                ($0.name, $0.text.lowerBound, String(decoding: bytes[$0.text], as: UTF8.self))
            }
        }
        self.members = members(list, bytes)
        purchaseInfo = members(try PropertyList(parsing: info.span, field: "purchase-info"), info)
        version = parts.version.rawValue
        signature = Array(blob[parts.signature])
        certificate = Array(blob[parts.certificate])
        signedContent = [version] + info
    }
}
