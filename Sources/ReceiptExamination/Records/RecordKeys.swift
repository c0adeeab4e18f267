import AppReceipt
import StrictJSON

/// The keys that name a record in JSON that is keyed by id. Members of the record take precedence.
package struct RecordKeys: Hashable, Sendable {
    package let id: [UInt8]
    /// The key of the customer account, or nil if there is none.
    package let subject: [UInt8]?

    package init(id: [UInt8], subject: [UInt8]?) { (self.id, self.subject) = (id, subject) }

    /// Returns the JSON text of a key.
    func token(_ key: [UInt8]) throws(ReceiptError) -> [UInt8] {
        guard let text = String(validating: key, as: UTF8.self) else {
            throw ReceiptError(.unreadable, message: "a key of the record is not UTF-8")
        }
        return JSONWriter.text { $0.string(text) }
    }
}
