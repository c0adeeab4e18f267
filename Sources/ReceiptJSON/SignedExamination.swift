public import AppReceipt

/// The forms in which signed objects come.
public enum SignedFormat: String, Sendable {
    /// A PKCS #7 receipt, a compact JWS.
    case pkcs7, jws
    /// A transaction receipt.
    case transactionReceipt = "transaction_receipt"
}

/// What came out for one signed object of an input.
public struct SignedExamination: Sendable {
    /// What was verified, or why it was refused.
    public let result: Result<VerifiedObject, Refusal>
    /// What the digest is of, where the input is of no form at all nil.
    public let format: SignedFormat?
    /// Of the DER bytes, of the compact JWS's text or of the property list; nil where there are none.
    public let sha256: [UInt8]?
    /// Of the signed content: a PKCS #7 receipt's, or the payload of a JWS, which has two valid signatures. Nil where it
    /// was refused, unless it is `unplaced`, and of a transaction receipt.
    public let contentSHA256: [UInt8]?
    /// Genuine renewal information that is refused only because it names no app where one is demanded. It counts for the
    /// customer whose evidence has its transaction.
    package private(set) var unplaced: VerifiedObject?
    /// A notification carries it: it is of the notification's app, also where it names none itself.
    package let isEnclosed: Bool
    /// What follows the input's name: where the object stands in it, for example `#data.signedTransactionInfo`.
    public let place: String
    /// The app of the notification that carries it, which is its own.
    package private(set) var enclosingApp: String?
    /// What an export had wrapped the input in, from the outside in, where it is more than an `InputEncoding`.
    package var wrapping: [String] = []
    /// What the record held of which it came.
    package var received = ReceivedBytes.nothing
    /// The listing that the object completes: the last of its objects, all of them genuine. Each object of a page
    /// that others follow.
    package fileprivate(set) var listing: APIAnswer.Listing?
    /// The answer without objects, which nobody signed, that this stands for.
    package fileprivate(set) var emptyList: APIAnswer.PurchaseList?

    /// What came out for a PKCS #7 receipt, or for what is of no form.
    package init(_ examination: Examination) {
        // Most records are receipts; by way of the other initialisers each would be copied once more.
        result =
            switch examination.result {
            case .success(let receipt): .success(.receipt(receipt))
            case .failure(let refusal): .failure(refusal)
            }
        format = examination.sha256 == nil ? nil : .pkcs7
        sha256 = examination.sha256
        contentSHA256 = examination.contentSHA256
        isEnclosed = false
        place = ""
        wrapping = examination.wrapping
        if examination.isPlainBase64, examination.sha256 != nil { received = .base64 }
    }

    /// What came out, and where.
    public init(
        _ result: Result<VerifiedObject, Refusal>, format: SignedFormat? = nil, sha256: [UInt8]? = nil,
        contentSHA256: [UInt8]? = nil, place: String = ""
    ) {
        self.init(
            result, format: format, sha256: sha256, contentSHA256: contentSHA256, place: place,
            isEnclosed: false)
    }

    init(
        _ result: Result<VerifiedObject, Refusal>, format: SignedFormat?, sha256: [UInt8]?,
        contentSHA256: [UInt8]? = nil, place: String, isEnclosed: Bool, enclosingApp: String? = nil,
        unplaced: VerifiedObject? = nil
    ) {
        self.result = result
        self.format = format
        self.sha256 = sha256
        self.contentSHA256 = contentSHA256
        self.place = place
        self.isEnclosed = isEnclosed
        self.enclosingApp = enclosingApp
        self.unplaced = unplaced
    }

    /// The evidence about a customer: the verified object, or `unplaced`.
    package var evidence: VerifiedObject? {
        if case .success(let object) = result { object } else { unplaced }
    }
}

extension SignedExamination {
    /// The same of bytes of this SHA-256.
    /// - Parameter digest: nil where OpenSSL failed, and then nothing was judged.
    func received(as digest: [UInt8]?) -> SignedExamination {
        guard let digest else { return SignedExamination(.failure(Refusal(.cryptographyUnavailable))) }
        var examination = self
        examination.received = .digest(digest)
        return examination
    }
}

extension Examiner {
    /// Recognises what the input is, and verifies every signed object in it.
    /// - Parameters:
    ///   - input: a receipt in any `InputEncoding`, a compact JWS, a transaction receipt, or an answer of the App Store
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
        try examine(recognised: recognised, body)
    }

    /// The same of an input whose form is known.
    package func examine<Failure: Error>(
        recognised: RecognisedInput, _ body: (SignedExamination) throws(Failure) -> Void
    ) throws(Failure) {
        switch recognised {
        case .receipt(let der): try body(SignedExamination(examine(container: der)))
        case .jws(let text): try examine(jws: text, at: "", body)
        case .transactionReceipt(let list):
            let sha256 = verifier.sha256(of: list)
            let result = Result { () throws(ReceiptError) in
                let object = try verifier.verify(recognised: recognised, for: .anyApp)
                try demands.require(object.object)
                return try demanded(object)
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
            var progress = ListingProgress()
            for element in answer.elements { try examine(element, &progress, body) }
        }
    }

    /// Verifies a signed object of an answer of the App Store Server API, and what it carries.
    /// - Parameter progress: of the input, whose objects are examined in their order.
    func examine<Failure: Error>(
        _ element: APIAnswer.Element, _ progress: inout ListingProgress,
        _ body: (SignedExamination) throws(Failure) -> Void
    ) throws(Failure) {
        let place = "#" + element.path
        guard let text = element.text else {
            let isEmptyList = element.list?.count == 0
            let refusal = Refusal(
                code: .malformed,
                message: isEmptyList ? "lists no signed objects" : "not the text of a signed object",
                offset: element.offset, field: element.path)
            var examination = SignedExamination(.failure(refusal), format: .jws, place: place)
            if isEmptyList { examination.emptyList = element.list }
            return try body(examination)
        }
        var isFirst = true
        try examine(jws: Array(text.utf8), at: place) { (examination) throws(Failure) in
            var examination = examination
            // What a notification carries comes behind it.
            if isFirst {
                let result = examination.unplaced.map { .success($0) } ?? examination.result
                examination.listing = progress.take(element, result)
            }
            isFirst = false
            try body(examination)
        }
    }

    /// Verifies a compact JWS, and what it carries where it is a notification.
    private func examine<Failure: Error>(
        jws text: [UInt8], at place: String, _ body: (SignedExamination) throws(Failure) -> Void
    ) throws(Failure) {
        var unplaced: VerifiedObject?
        let result = Result { () throws(ReceiptError) in
            let object = try verifier.verify(recognised: .jws(text), for: .anyApp)
            let isBareRenewal = if case .renewalInfo = object { true } else { false }
            do throws(ReceiptError) {
                try demands.require(object.object, isAppLeft: isBareRenewal && isLeavingAppOfRenewals)
            } catch {
                if isBareRenewal { unplaced = try? demanded(object, ofAnyApp: true) }
                throw error
            }
            return try demanded(object)
        }
        try body(
            SignedExamination(
                result.mapError(Refusal.init), format: .jws, sha256: verifier.sha256(of: text),
                contentSHA256: contentDigest(of: unplaced.map { .success($0) } ?? result), place: place,
                isEnclosed: false, unplaced: unplaced))
        guard case .success(.notification(let notification)) = result else { return }
        for enclosure in notification.enclosures {
            let text = Array(enclosure.text.utf8)
            let result = Result { () throws(ReceiptError) in
                let object = try verifier.verify(recognised: .jws(text), for: .anyApp)
                if let jws = object.jws { try notification.require(jws, at: enclosure) }
                // Renewal information names no app; a transaction, and an app transaction of a test, no appAppleId: the
                // notification, of whose bundle ID they are, proves it.
                let isAppLeft =
                    enclosure.kind == .renewalInfo
                    || demands.audience.bundleIDs == nil && notification.bundleID != nil
                        && object.isWithoutAppAppleID
                try demands.require(object.object, isAppLeft: isAppLeft)
                return try demanded(object)
            }
            try body(
                SignedExamination(
                    result.mapError(Refusal.init), format: .jws, sha256: verifier.sha256(of: text),
                    contentSHA256: contentDigest(of: result), place: "\(place)#\(enclosure.path)",
                    isEnclosed: true, enclosingApp: notification.bundleID))
        }
    }

    private func contentDigest(of result: Result<VerifiedObject, ReceiptError>) -> [UInt8]? {
        guard case .success(let object) = result, let jws = object.jws else { return nil }
        return verifier.sha256(of: jws.signed.json)
    }

    /// The object, if it was made for the device that is demanded.
    private func demanded(
        _ object: VerifiedObject, ofAnyApp isAppLeft: Bool = false
    ) throws(ReceiptError) -> VerifiedObject {
        if isAppLeft { try demands.require(object.object, isAppLeft: true) }
        if let deviceID = demands.deviceID { try object.require(deviceID: deviceID) }
        return object
    }
}

extension VerifiedObject {
    /// Whether Apple leaves `appAppleId` out of objects of this kind and environment, and this one does not name it.
    fileprivate var isWithoutAppAppleID: Bool {
        switch self {
        case .transaction: true
        case .appTransaction(let transaction):
            transaction.environment.map { $0 != .production } == true && (transaction.appAppleID ?? 0) == 0
        default: false
        }
    }
}
