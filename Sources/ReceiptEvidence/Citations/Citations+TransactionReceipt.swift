import AppReceipt
import StrictJSON

extension [Citation] {
    /// Cites the members of a transaction receipt's purchase-info, in order.
    /// - Parameter start: The offset of purchase-info in the signed content.
    init(of receipt: UnverifiedTransactionReceipt, from start: Int) {
        self = receipt.purchaseInfo.map { member in
            let name = JSONWriter.text { $0.string(member.name) }.dropFirst().dropLast()
            let place = start + member.offset
            return Citation(
                path: Array<UInt8>("transaction.".utf8) + name, attribute: nil,
                range: place..<place + member.text.utf8.count,
                value: JSONWriter.text { $0.string(member.text) })
        }
    }
}
