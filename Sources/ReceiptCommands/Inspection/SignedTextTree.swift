import AppReceipt
import ReceiptASN1
import RecordSources

/// A printer of the parts of a compact JWS or a transaction receipt, with offsets. It verifies nothing.
struct SignedTextTree {
    private let style: TerminalStyle
    private let isFull: Bool
    private var text = ""
    private var fault: String?

    init(style: TerminalStyle, isFull: Bool) {
        self.style = style
        self.isFull = isFull
    }

    /// Writes the parts.
    /// - Returns: The first fault of the input and its offset, or nil.
    mutating func write(_ input: RecognizedInput, from source: String) throws(AuditError) -> String? {
        text += style(
            "Not verified: the content of \(source.printable) may be forged.\n", .yellow)
        switch input {
        case .jws(let jws): show(jws: jws)
        case .json(let json): show(json: json)
        case .transactionReceipt(let list): show(list)
        case .receipt: break
        }
        try StandardOutput.write(Array(text.utf8))
        return fault
    }

    private mutating func line(_ offset: Int?, _ label: String, _ value: String, depth: Int = 0) {
        let number = (offset.map(String.init) ?? "").leftPadded(to: 6)
        let value = value.printable
        let shown = isFull ? value : value.shortened(to: 120)
        text +=
            "\(style(number, .dim))  \(String(repeating: "  ", count: depth))\(style(label.printable, .cyan))  \(shown)\n"
    }

    private mutating func note(_ error: ReceiptError) {
        let place = [error.field, error.offset.map { "byte \($0)" }].compactMap { $0 }.joined(separator: ", ")
        fault = fault ?? "\(error.code.rawValue) (\(place)): \(error.message)"
        text += style("        damaged here (\(place)): \(error.message)\n", .red)
    }

    // MARK: - JWS

    private mutating func show(jws: [UInt8]) {
        do throws(ReceiptError) {
            let parts = try UnverifiedJWS(parsing: jws)
            line(
                parts.header.offset, "header", "\(parts.header.json.count) bytes of JSON; offsets count in it"
            )
            show(parts.header)
            for (index, certificate) in parts.certificates.enumerated() {
                guard let summary = try? CertificateSummary(ofDER: certificate) else { continue }
                line(nil, "x5c[\(index)]", "\(certificate.count) bytes", depth: 1)
                for (label, value) in summary.lines { line(nil, label, value, depth: 2) }
            }
            line(
                parts.payload.offset, "payload",
                "\(parts.payload.json.count) bytes of JSON; offsets count in it")
            show(parts.payload)
            line(parts.signature.offset, "signature", "\(parts.signature.bytes.count) bytes: r and s")
            let half = parts.signature.bytes.count / 2
            line(nil, "r", hexadecimal(parts.signature.bytes.prefix(half)), depth: 1)
            line(nil, "s", hexadecimal(parts.signature.bytes.dropFirst(half)), depth: 1)
        } catch {
            note(error)
        }
    }

    private mutating func show(_ part: UnverifiedJWS.Part) {
        do throws(ReceiptError) {
            for member in try part.members() {
                var value = String(decoding: part.json[member.range], as: UTF8.self)
                if member.name.hasSuffix("Date"), let date = member.date { value += "  (\(date.rfc3339))" }
                line(member.range.lowerBound, member.name, value, depth: 1)
            }
        } catch {
            note(error)
        }
    }

    private mutating func show(json: [UInt8]) {
        do throws(ReceiptError) {
            let answer = try APIAnswer(parsing: json)
            for element in answer.elements {
                line(element.offset, element.path, element.text == nil ? "no text" : "a signed object")
                if let text = element.text { show(jws: Array(text.utf8)) }
            }
            for receipt in answer.receipts {
                line(receipt.offset, receipt.path, "text beside signed objects; inspect it alone")
            }
        } catch {
            note(error)
        }
    }

    // MARK: - Transaction receipts

    private mutating func show(_ bytes: [UInt8]) {
        do throws(ReceiptError) {
            let receipt = try UnverifiedTransactionReceipt(parsing: bytes)
            for (name, offset, value) in receipt.members { line(offset, name, value) }
            line(nil, "signature", "version \(receipt.version), \(receipt.signature.count) bytes", depth: 1)
            line(nil, "", hexadecimal(receipt.signature), depth: 2)
            if let summary = try? CertificateSummary(ofDER: receipt.certificate) {
                line(nil, "certificate", summary.subject, depth: 1)
                for (label, value) in summary.lines.dropFirst() { line(nil, label, value, depth: 2) }
            }
            line(nil, "purchase-info", "offsets count in the list", depth: 1)
            for (name, offset, value) in receipt.purchaseInfo { line(offset, name, value, depth: 2) }
        } catch {
            note(error)
        }
    }
}

extension CertificateSummary {
    fileprivate init(ofDER der: [UInt8]) throws(ASN1Error) {
        var reader = ASN1Reader(der.span)
        let whole = try reader.constructed(.sequence) { (reader) throws(ASN1Error) in
            let start = reader.position
            while !reader.isAtEnd { _ = try reader.element() }
            return start..<reader.position
        }
        try self.init(of: whole, in: der.span)
    }
}
