import AppReceipt
import ReceiptExamination
import StrictJSON

/// The signed bytes of a genuine object: the container, the signed content and the certificates.
struct EvidenceParts {
    /// A PKCS #7 container, a compact JWS, or a property list.
    let container: [UInt8]
    /// The name of the file that the offsets of citations refer to.
    let contentName: String
    let content: [UInt8]
    private let chain: [[UInt8]]
    private let object: VerifiedObject

    /// Creates the parts, or returns nil if `received` does not contain the object.
    /// - Parameters:
    ///   - place: The place of the object in `received`, as at the end of the verdict's source: empty, or for
    ///     example `#data.signedTransactionInfo`.
    ///   - isTheOne: A closure that returns whether the given bytes are the object's.
    init?(
        _ object: VerifiedObject, in received: [UInt8], at place: String, limits: ReceiptLimits,
        _ isTheOne: ([UInt8]) -> Bool
    ) {
        let found = RecognizedInput.containers(in: received, at: place, limits: limits).first(where: isTheOne)
        guard let found else { return nil }
        (container, self.object, chain) = (found, object, object.chain)
        switch object {
        case .receipt(let receipt): (contentName, content) = ("content.der", receipt.payload.bytes)
        case .transactionReceipt:
            guard let receipt = try? UnverifiedTransactionReceipt(parsing: found) else { return nil }
            (contentName, content) = ("content", receipt.signedContent)
        case .transaction, .renewalInfo, .appTransaction, .notification, .realtimeRequest:
            (contentName, content) = ("payload.json", object.jws?.signed.json ?? [])
        }
    }

    /// The files of a bundle that contain signed bytes, certificates and citations.
    var files: [EvidenceFile] {
        let names = ["signer.pem"] + Array(repeating: "intermediate.pem", count: chain.count > 2 ? 1 : 0)
        var files = zip(names, chain).map { EvidenceFile($0, PEM.certificate($1)) }
        if let root = chain.last { files.append(EvidenceFile("root.pem", PEM.certificate(root))) }
        return files + [
            EvidenceFile("container", container), EvidenceFile(contentName, content),
            EvidenceFile("citations.json", citations.json(of: contentName)),
        ]
    }

    /// The values of the verdict, each with its place in the content.
    var citations: [Citation] {
        switch object {
        case .receipt(let receipt): [Citation](of: receipt.payload)
        case .transactionReceipt:
            // The signature also covers a version byte in front of purchase-info.
            (try? UnverifiedTransactionReceipt(parsing: container)).map { [Citation](of: $0, from: 1) } ?? []
        case .transaction, .renewalInfo, .appTransaction, .notification, .realtimeRequest:
            object.jws.map { [Citation](ofJSON: $0.signed.json, below: $0.signed.kind.rawValue) } ?? []
        }
    }
}

extension RecognizedInput {
    /// Returns the signed objects at a place, in an input as it is and without its wrappings.
    fileprivate static func containers(
        in input: [UInt8], at place: String, limits: ReceiptLimits
    ) -> [[UInt8]] {
        var readings = [try? RecognizedInput(input.span, limits: limits)]
        if case .signed(let signed, _) = Unwrapper.read(input.span, limits: limits) {
            readings.append(signed)
        }
        return readings.flatMap { $0?.containers(at: place, limits: limits) ?? [] }
    }

    private func containers(at place: String, limits: ReceiptLimits) -> [[UInt8]] {
        switch self {
        case .receipt(let bytes), .transactionReceipt(let bytes): return place.isEmpty ? [bytes] : []
        case .jws(let text): return Self.containers(ofJWS: text, at: place, limits: limits)
        case .json(let text):
            // The place is that of the element itself, or of an object inside the notification in the
            // element.
            let objects = (try? APIAnswer(parsing: text, limits: limits))?.objects ?? []
            // Several objects have one path if names contain periods.
            let exact = objects.filter { place.isExactly("#\($0.path)") }
            let found =
                exact.isEmpty ? objects.filter { place.utf8.starts(with: "#\($0.path)#".utf8) } : exact
            return found.flatMap { object in
                let text = Array((object.text ?? "").utf8)
                let rest = String(Substring(place.utf8.dropFirst(1 + object.path.utf8.count)))
                return object.isReceipt
                    ? Self.containers(in: text, at: rest, limits: limits)
                    : Self.containers(ofJWS: text, at: rest, limits: limits)
            }
        }
    }

    private static func containers(ofJWS text: [UInt8], at place: String, limits: ReceiptLimits) -> [[UInt8]]
    {
        guard !place.isEmpty else { return [text] }
        guard let json = try? UnverifiedJWS(parsing: text, limits: limits).payload.json,
            let range = [Citation].place(
                "notification.\(Substring(place.utf8.dropFirst()))", ofJSON: json, below: "notification")
        else { return [] }
        var reader = JSONReader(json.span.extracting(range))
        return (try? reader.text(atMost: range.count)).map { [$0] } ?? []
    }
}
