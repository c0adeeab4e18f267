import AppReceipt
import ReceiptJSON

extension EvidenceParts {
    /// The file that offsets of citations count in.
    static func content(of format: SignedFormat) -> String {
        switch format {
        case .pkcs7: "content.der"
        case .jws: "payload.json"
        case .transactionReceipt: "content"
        }
    }

    /// Takes the container apart into what a check of its signature needs.
    /// - Parameter chain: from the signer to the anchor; nil where none was found: then what stands there is taken.
    /// - Returns: when it was signed, by its own word; nil where it cannot be taken apart.
    mutating func take(_ format: SignedFormat, _ chain: [[UInt8]]?, limits: ReceiptLimits) -> Timestamp? {
        guard let container = self["container"] else { return nil }
        switch format {
        case .pkcs7: return take(receipt: container, chain, limits)
        case .jws: return take(jws: container, chain, limits)
        case .transactionReceipt: return take(transactionReceipt: container, chain)
        }
    }

    private mutating func take(
        receipt container: [UInt8], _ chain: [[UInt8]]?, _ limits: ReceiptLimits
    ) -> Timestamp? {
        guard let signature = try? SignatureParts(of: container, limits: limits),
            signature.content.count <= SignatureParts.mostPieces
        else { return nil }
        for piece in signature.content { add("content.der", .bytes, of: "container", piece) }
        if let attributes = signature.signedAttributes {
            add("signed-attributes", .bytes, of: "container", attributes)
        }
        add("signature", .bytes, of: "container", signature.signature)
        var places = [signature.signer, signature.issuers.first]
        if let chain {
            // Without the anchor, which comes from elsewhere.
            places = chain.prefix(max(1, chain.count - 1)).map { der in
                signature.certificates.first { container[$0].elementsEqual(der) }
            }
        }
        for (name, place) in zip(Self.certificates, places) {
            guard let place else { continue }
            add(certificate: name, .bytes, of: "container", place)
        }
        return signature.creationDate
    }

    private mutating func take(
        jws container: [UInt8], _ chain: [[UInt8]]?, _ limits: ReceiptLimits
    ) -> Timestamp? {
        guard let jws = try? UnverifiedJWS(parsing: container, limits: limits) else { return nil }
        add("header.json", .base64url, of: "container", jws.headerText(of: container))
        add("payload.json", .base64url, of: "container", jws.payloadText(of: container))
        add("signing-input", .bytes, of: "container", jws.signingInput(of: container))
        add("signature", .base64url, of: "container", jws.signatureText(of: container))
        guard (try? jws.header.members()) != nil, let members = try? jws.payload.members() else { return nil }
        let count = chain.map { max(1, $0.count - 1) } ?? min(2, max(1, jws.certificates.count - 1))
        for (index, name) in Self.certificates.prefix(count).enumerated() {
            let place = [Citation].place("header.x5c[\(index)]", ofJSON: jws.header.json, below: "header")
            guard let literal = place, literal.count > 2 else { continue }
            add(
                certificate: name, .base64, of: "header.json",
                literal.lowerBound + 1..<literal.upperBound - 1)
        }
        let dates = members.filter { $0.name == "signedDate" || $0.name == "receiptCreationDate" }
        return (dates.first { $0.name == "signedDate" } ?? dates.first)?.date
    }

    private mutating func take(transactionReceipt container: [UInt8], _ chain: [[UInt8]]?) -> Timestamp? {
        guard let receipt = try? UnverifiedTransactionReceipt(parsing: container) else { return nil }
        for (file, name) in [("signature-blob", "signature"), ("purchase-info", "purchase-info")] {
            guard let member = receipt.members.first(where: { $0.name == name }) else { return nil }
            add(file, .base64, of: "container", member.offset..<member.offset + member.text.utf8.count)
        }
        let end = 1 + receipt.signature.count
        guard let info = self["purchase-info"], let blob = self["signature-blob"], end + 4 <= blob.count
        else { return nil }
        add("content", .bytes, of: "signature-blob", 0..<1)
        add("content", .bytes, of: "purchase-info", 0..<info.count)
        add("signature", .bytes, of: "signature-blob", 1..<end)
        // Behind the four bytes of its length.
        add(certificate: Self.certificates[0], .bytes, of: "signature-blob", end + 4..<blob.count)
        // Whose the signer is says the program alone, of what it does not take: no step has what it needs.
        guard let chain else { return nil }
        if chain.count == 3 { keep(EvidenceFile(Self.certificates[1], PEM.certificate(chain[1]))) }
        return receipt.purchaseDate
    }

    private static let certificates = ["signer.pem", "intermediate.pem"]
}
