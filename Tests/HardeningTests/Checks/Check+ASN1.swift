import ReceiptASN1

extension Check {
    /// The DER reader alone. It must agree with the second decoder on every element, and its offsets must be
    /// consistent.
    static let asn1 = Check(
        name: "asn1", form: .elements, longest: 512,
        seeds: {
            let receipts = Bench.shared.receipts.filter { $0.first == 0x30 && $0.count <= 8192 }
            let pieces = receipts.flatMap { TLVNode.parse($0[...])?.first?.pieces(upTo: 512) ?? [] }
            let unique = Set(pieces).sorted { $0.lexicographicallyPrecedes($1) }
            return stride(from: 0, to: unique.count, by: 1 + unique.count / 400).map { unique[$0] }
        }
    ) { bytes in
        var reader = ASN1Reader(bytes.span)
        let whole = try? reader.element()
        var rest = bytes[...]
        let second = SecondDecoder.element(&rest).map { _ in 0..<rest.startIndex }
        if whole != second {
            let reading = second.map { "\($0)" } ?? "nothing"
            return Outcome(
                answer: "\(whole, default: "refused")", fault: "the second decoder reads \(reading)")
        }
        var walk = ASN1Walk()
        var everything = ASN1Reader(bytes.span)
        try? walk.elements(&everything, in: 0..<bytes.count, of: bytes)
        return Outcome(answer: "\(whole, default: "refused")", fault: walk.fault)
    }
}

/// Reads any elements by the grammar that their tags suggest.
private struct ASN1Walk {
    var fault: String?

    mutating func elements(_ reader: inout ASN1Reader, in range: Range<Int>, of bytes: [UInt8])
        throws(ASN1Error)
    {
        while let tag = reader.nextTag {
            let start = reader.position
            try value(&reader, tag, of: bytes)
            if reader.position <= start || reader.position > range.upperBound {
                fault = "an element from \(start) to \(reader.position) in \(range)"
                return
            }
        }
    }

    private mutating func value(_ reader: inout ASN1Reader, _ tag: ASN1Tag, of bytes: [UInt8])
        throws(ASN1Error)
    {
        switch tag {
        case .integer: try integer(&reader)
        case .utf8String, .ia5String:
            let range = try reader.text()
            if String(validating: bytes[range], as: UTF8.self) == nil {
                fault = "text at \(range) is not UTF-8"
            }
        case .octetString, .constructedOctetString:
            let string = try reader.octetString()
            let joined = string.bytes(of: bytes.span)
            if joined.count != string.count { fault = "\(joined.count) bytes joined out of \(string.count)" }
            for index in stride(from: 0, to: joined.count, by: 1 + joined.count / 8)
            where bytes[string.offset(ofByte: index, in: bytes.span)] != joined[index] {
                fault = "byte \(index) of the string at \(string.content) has another position"
            }
        case _ where tag.isConstructed && tag.rawValue & 0x1F != 0x1F:
            try reader.constructed(tag) { (reader) throws(ASN1Error) in
                try self.elements(&reader, in: 0..<bytes.count, of: bytes)
            }
        default: _ = try reader.element()
        }
    }

    /// Reads an integer as signed and as unsigned, and compares both.
    private mutating func integer(_ reader: inout ASN1Reader) throws(ASN1Error) {
        let start = reader.position
        do throws(ASN1Error) {
            let value = try reader.integer()
            if value == 0x7FFF_FFFF_FFFF_FFFF { fault = nil }
        } catch {
            if error.offset < start { fault = "an error at \(error.offset), before the INTEGER at \(start)" }
            throw error
        }
    }
}
