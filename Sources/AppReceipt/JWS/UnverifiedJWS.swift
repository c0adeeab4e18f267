/// A compact JWS that was not verified, for display. No API accepts it as proof.
package struct UnverifiedJWS: Sendable {
    package struct Part: Sendable {
        /// The offset in the text.
        package let offset: Int
        package let json: [UInt8]
        fileprivate let field: String

        package struct Member: Sendable {
            package let name: String
            /// The range of the value.
            package let range: Range<Int>
            /// The date, if the value is a number that can be one.
            package let date: Timestamp?
        }

        /// Returns the members of the object, in their order.
        /// - Throws: ``ReceiptError``.
        package func members() throws(ReceiptError) -> [Member] {
            try SignedMembers(parsing: json.span, in: 0..<json.count, path: field).list.map { member in
                var date: Timestamp?
                if case .number(let number) = member.value { date = Timestamp.signed(number) }
                return Member(name: member.name, range: member.range, date: date)
            }
        }
    }

    package let header: Part
    package let payload: Part
    package let signature: (offset: Int, bytes: [UInt8])
    /// The certificates of x5c in DER, if the header can be read.
    package let certificates: [[UInt8]]

    /// Parses a compact JWS.
    /// - Throws: ``ReceiptError`` if it is not one.
    package init(parsing text: [UInt8], limits: ReceiptLimits = ReceiptLimits()) throws(ReceiptError) {
        let compact = try CompactJWS(text.span, limits: limits)
        let json = try compact.bytes(compact.header, of: text.span, field: "header")
        header = Part(offset: 0, json: json, field: "header")
        payload = Part(
            offset: compact.payload.lowerBound,
            json: try compact.bytes(compact.payload, of: text.span, field: "payload"), field: "payload")
        signature = (
            compact.signature.lowerBound,
            try compact.bytes(compact.signature, of: text.span, field: "signature")
        )
        var certificates: [[UInt8]] = []
        if let read = try? JWSHeader(parsing: json.span, limits: limits) {
            for certificate in read.certificates { certificates.append(Array(read.bytes[certificate.der])) }
        }
        self.certificates = certificates
    }
}
