public import AppReceipt

/// The forms in which signed objects come.
public enum SignedFormat: String, Sendable {
    case pkcs7, jws
    case transactionReceipt = "transaction_receipt"
}

/// What came out for one signed object of an input.
public struct SignedExamination: Sendable {
    public let result: Result<VerifiedObject, Refusal>
    /// What the digest is of, where the input is of no form at all nil.
    public let format: SignedFormat?
    /// Of the DER bytes, of the compact JWS's text or of the property list; nil where there are none.
    public let sha256: [UInt8]?
    /// What follows the input's name: where the object stands in it, for example `#data.signedTransactionInfo`.
    public let place: String

    public init(
        _ result: Result<VerifiedObject, Refusal>, format: SignedFormat? = nil, sha256: [UInt8]? = nil,
        place: String = ""
    ) {
        self.result = result
        self.format = format
        self.sha256 = sha256
        self.place = place
    }
}

extension Examiner {
    /// Recognises what the input is, and verifies every signed object in it.
    /// - Parameters:
    ///   - input: a receipt in any ``InputEncoding``, a compact JWS, a transaction receipt, or an answer of the App Store
    ///     Server API.
    ///   - body: is given each object in turn, a notification before what it carries.
    public func examine<Failure: Error>(
        anything input: [UInt8], _ body: (SignedExamination) throws(Failure) -> Void
    ) throws(Failure) {
        let recognised: RecognisedInput
        do throws(ReceiptError) {
            recognised = try RecognisedInput(input.span, limits: verifier.limits)
        } catch {
            return try body(SignedExamination(.failure(Refusal(error))))
        }
        switch recognised {
        case .receipt(let der):
            let examination = examine(container: der)
            try body(
                SignedExamination(
                    examination.result.map { .receipt($0) }, format: .pkcs7, sha256: examination.sha256))
        case .jws(let text): try examine(jws: text, at: "", body)
        case .transactionReceipt(let list):
            let sha256 = verifier.sha256(of: list)
            let result = Result { () throws(ReceiptError) in
                try demanded(verifier.verify(recognised: recognised))
            }
            try body(
                SignedExamination(
                    result.mapError(Refusal.init), format: .transactionReceipt, sha256: sha256))
        case .json(let text):
            let answer: APIAnswer
            do throws(ReceiptError) {
                answer = try APIAnswer(parsing: text, limits: verifier.limits)
            } catch {
                return try body(SignedExamination(.failure(Refusal(error))))
            }
            for element in answer.elements {
                let place = "#" + element.path
                guard let text = element.text else {
                    let refusal = Refusal(
                        code: .malformed, message: "not the text of a signed object", offset: element.offset,
                        field: element.path)
                    try body(SignedExamination(.failure(refusal), format: .jws, place: place))
                    continue
                }
                try examine(jws: Array(text.utf8), at: place, body)
            }
        }
    }

    /// Verifies a compact JWS, and what it carries where it is a notification.
    private func examine<Failure: Error>(
        jws text: [UInt8], at place: String, _ body: (SignedExamination) throws(Failure) -> Void
    ) throws(Failure) {
        let result = Result { () throws(ReceiptError) in
            try demanded(verifier.verify(recognised: .jws(text)))
        }
        try body(
            SignedExamination(
                result.mapError(Refusal.init), format: .jws, sha256: verifier.sha256(of: text), place: place))
        guard case .success(.notification(let notification)) = result else { return }
        for enclosure in notification.enclosures {
            let text = Array(enclosure.text.utf8)
            let result = Result { () throws(ReceiptError) in
                let object = try verifier.verify(recognised: .jws(text))
                if let jws = object.jws { try notification.require(jws, at: enclosure) }
                return try demanded(object, in: notification)
            }
            try body(
                SignedExamination(
                    result.mapError(Refusal.init), format: .jws, sha256: verifier.sha256(of: text),
                    place: "\(place)#\(enclosure.path)"))
        }
    }

    /// The object, if it proves what is demanded of it.
    /// - Parameter notification: what carries it; renewal information names no app, and its is then the app.
    private func demanded(
        _ object: VerifiedObject, in notification: VerifiedNotification? = nil
    ) throws(ReceiptError) -> VerifiedObject {
        var bundleID = demands.bundleID
        if notification != nil, case .renewalInfo = object { bundleID = nil }
        try object.object.require(bundleID: bundleID, environment: demands.environment)
        if let deviceID = demands.deviceID { try object.require(deviceID: deviceID) }
        return object
    }
}
