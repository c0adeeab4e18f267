import AppReceipt
import ReceiptJSON

extension EvidenceParts {
    /// What came, and in it the object at a place: the `container`, which is DER, a compact JWS or a property list.
    /// - Parameters:
    ///   - place: as a verdict has it behind the source, for example `#data.signedTransactionInfo`.
    ///   - isTheOne: whether these bytes are the object's.
    init(received: [UInt8], at place: String, limits: ReceiptLimits, _ isTheOne: ([UInt8]) -> Bool) {
        if let input = try? RecognisedInput(received.span, limits: limits) {
            var parts = EvidenceParts(received: received)
            parts.locate(input, in: "received", at: place, limits)
            if let container = parts["container"], isTheOne(container) {
                self = parts
                return
            }
        }
        // What an export wrapped it in is the program's to undo: the script takes what came out as it is.
        var parts = EvidenceParts(received: received)
        if case .signed(let input, _) = Unwrapper.read(received.span, limits: limits) {
            switch input {
            case .receipt(let bytes), .transactionReceipt(let bytes): parts.keep(loose: "container", bytes)
            case .jws(let bytes), .json(let bytes):
                parts.keep(loose: "unwrapped", bytes)
                parts.locate(input, in: "unwrapped", at: place, limits)
            }
            if let container = parts["container"], isTheOne(container) {
                self = parts
                return
            }
        }
        self.init(received: received)
    }

    private mutating func keep(loose name: String, _ bytes: [UInt8]) {
        facts.append("loose \(name)")
        keep(EvidenceFile(name, bytes))
    }

    private mutating func locate(
        _ input: RecognisedInput, in source: String, at place: String, _ limits: ReceiptLimits
    ) {
        let bytes = self[source] ?? []
        switch input {
        case .receipt(let der):
            if bytes == der { return _ = add("container", .bytes, of: source, 0..<bytes.count) }
            add("container", .base64url, of: source, bytes.base64Body)
        case .transactionReceipt(let list):
            let body = bytes.trimmed
            if bytes[body].elementsEqual(list) { return _ = add("container", .bytes, of: source, body) }
            add("list", .base64url, of: source, bytes.base64Body)
            if let list = self["list"] { add("container", .bytes, of: "list", list.trimmed) }
        case .jws(let text):
            locate(jws: 0..<text.count, .bytes, in: source, at: place, limits)
        case .json(let text):
            guard let answer = try? APIAnswer(parsing: text, limits: limits) else { return }
            let start = bytes.trimmed.lowerBound
            // The whole place, or where a notification stands, which carries it.
            let element =
                answer.elements.first { place == "#\($0.path)" }
                ?? answer.elements.first { place.hasPrefix("#\($0.path)#") }
            guard let element, let literal = bytes.string(at: start + element.offset) else { return }
            locate(
                jws: literal, .text, in: source, at: String(place.dropFirst(1 + element.path.utf8.count)),
                limits)
        }
    }

    /// - Parameter place: empty for the JWS itself, else of what it carries.
    private mutating func locate(
        jws range: Range<Int>, _ coding: Coding, in source: String, at place: String, _ limits: ReceiptLimits
    ) {
        guard !place.isEmpty else { return _ = add("container", coding, of: source, range) }
        guard add("notification", coding, of: source, range), let text = self["notification"],
            let jws = try? UnverifiedJWS(parsing: text, limits: limits),
            add("notification.json", .base64url, of: "notification", jws.payloadText(of: text))
        else { return }
        let path = "notification.\(place.dropFirst())"
        guard let literal = [Citation].place(path, ofJSON: jws.payload.json, below: "notification"),
            literal.count >= 2
        else { return }
        add("container", .text, of: "notification.json", literal.lowerBound + 1..<literal.upperBound - 1)
    }
}

extension UnverifiedJWS {
    func headerText(of text: [UInt8]) -> Range<Int> { 0..<payload.offset - 1 }
    func payloadText(of text: [UInt8]) -> Range<Int> { payload.offset..<signature.offset - 1 }
    func signatureText(of text: [UInt8]) -> Range<Int> { signature.offset..<text.count }
    func signingInput(of text: [UInt8]) -> Range<Int> { 0..<signature.offset - 1 }
}

extension [UInt8] {
    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    /// Without blanks and line ends around it.
    fileprivate var trimmed: Range<Int> {
        let first = firstIndex { !Self.isSpace($0) } ?? count
        let last = lastIndex { !Self.isSpace($0) } ?? count - 1
        return first..<Swift.max(first, last + 1)
    }

    /// Without a byte order mark, and without the lines of BEGIN and END.
    fileprivate var base64Body: Range<Int> {
        var body = trimmed
        if starts(with: [0xEF, 0xBB, 0xBF]) {
            body = Array(dropFirst(3)).trimmed
            body = body.lowerBound + 3..<body.upperBound + 3
        }
        func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
        guard self[body].starts(with: "-----".utf8), let begin = self[body].firstIndex(where: isLineEnd),
            let end = self[body].lastIndex(where: isLineEnd)
        else { return body }
        return begin..<end
    }

    /// What stands between the quotes of a JSON string that begins there.
    fileprivate func string(at start: Int) -> Range<Int>? {
        guard indices.contains(start), self[start] == UInt8(ascii: "\"") else { return nil }
        var end = start + 1
        while end < count, self[end] != UInt8(ascii: "\"") {
            end += self[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        return end < count ? start + 1..<end : nil
    }
}
