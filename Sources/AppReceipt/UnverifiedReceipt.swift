import ReceiptASN1

/// A receipt that was not verified, for display. No API accepts it as proof or turns it into a
/// ``VerifiedReceipt``.
public struct UnverifiedReceipt: Sendable {
    /// The payload of the container.
    public let payload: ReceiptPayload

    /// Parses a receipt in any ``InputEncoding``, without checking its certificates or signature.
    /// - Throws: ``ReceiptError`` with code `malformed` or `too_large`.
    public init(parsing input: [UInt8], limits: ReceiptLimits = ReceiptLimits()) throws(ReceiptError) {
        let der = try InputEncoding.decode(input, limits: limits).der
        let signedData: SignedData
        do throws(ASN1Error) {
            signedData = try SignedData(parsing: der.span, limits: limits)
        } catch {
            throw ReceiptError(error, resemblance: InputResemblance(der.span))
        }
        do throws(ASN1Error) {
            let content = signedData.eContent.bytes(of: der.span)
            var payload = try PayloadReader(content.span, limits: limits)
            let creationDate = try payload.creationDate()
            self.payload = ReceiptPayload(storage: try payload.storage(creationDate))
        } catch {
            throw ReceiptError(payload: error, in: signedData.eContent, of: der.span)
        }
    }
}
