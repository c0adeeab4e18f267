public import AppReceipt

/// The formats of signed objects.
public enum SignedFormat: String, Sendable {
    /// A PKCS #7 receipt, or a compact JWS.
    case pkcs7, jws
    /// A transaction receipt.
    case transactionReceipt = "transaction_receipt"
}

/// The result of examining one signed object of an input.
public struct SignedExamination: Sendable {
    /// The verified object, or the reason for the refusal.
    public let result: Result<VerifiedObject, Refusal>
    /// The format of the bytes that the digest covers, or nil if the input has no known format.
    public let format: SignedFormat?
    /// The SHA-256 of the DER bytes, the text of the compact JWS, or the property list. Nil if there are
    /// none.
    public let sha256: [UInt8]?
    /// The SHA-256 of the signed content of a PKCS #7 receipt, or of the payload of a JWS. One payload can
    /// have two valid signatures. Nil for a transaction receipt, and for a refused object unless it is
    /// `unplaced`.
    public let contentSHA256: [UInt8]?
    /// Genuine renewal information that is refused only because it names no app although one is expected. It
    /// is evidence for the customer whose other evidence contains its transaction.
    package private(set) var unplaced: VerifiedObject?
    /// Whether a notification contains the object. Such an object belongs to the notification's app, even if
    /// it names no app.
    package let isEnclosed: Bool
    /// The place of the object in the input, appended to the input's name. For example
    /// `#data.signedTransactionInfo`.
    public let place: String
    /// The app of the notification that contains the object.
    package private(set) var enclosingApp: String?
    /// The wrappings that an export added around the input, outermost first. Empty if there is only an
    /// `InputEncoding`.
    package var wrapping: [String] = []
    /// The bytes of the record that contained the object.
    package var received = ReceivedBytes.nothing
    /// The listing that the object completes, as the last of only genuine objects. In a page that other pages
    /// follow, each genuine object has the listing.
    package fileprivate(set) var listing: APIAnswer.Listing?
    /// The unsigned response without objects that this examination represents.
    package fileprivate(set) var emptyList: APIAnswer.PurchaseList?

    /// Creates the examination of a PKCS #7 receipt, or of an input without a known format.
    package init(_ examination: Examination) {
        // Most records are receipts. The other initializers would copy each of them once more.
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

    /// Creates an examination from a result and the place of the object.
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
    /// Returns the examination for a record whose bytes have this SHA-256.
    /// - Parameter digest: The digest, or nil if OpenSSL failed. The result is then a refusal.
    func received(as digest: [UInt8]?) -> SignedExamination {
        guard let digest else { return SignedExamination(.failure(Refusal(.cryptographyUnavailable))) }
        var examination = self
        examination.received = .digest(digest)
        return examination
    }
}

extension Examiner {
    /// Recognizes the format of an input and verifies every signed object in it.
    /// - Parameters:
    ///   - input: A receipt in any `InputEncoding`, a compact JWS, a transaction receipt, or an App Store
    ///     Server API response.
    ///   - body: The closure that receives each object. A notification comes before its contents.
    /// - Throws: Any error that `body` throws.
    public func examine<Failure: Error>(
        anything input: [UInt8], _ body: (SignedExamination) throws(Failure) -> Void
    ) throws(Failure) {
        let recognized: RecognizedInput
        do throws(ReceiptError) {
            recognized = try RecognizedInput(input.span, limits: verifier.limits)
        } catch {
            return try body(SignedExamination(.failure(Refusal(error))))
        }
        try examine(recognized: recognized, body)
    }

    /// Verifies every signed object in an input whose format is known.
    package func examine<Failure: Error>(
        recognized: RecognizedInput, _ body: (SignedExamination) throws(Failure) -> Void
    ) throws(Failure) {
        switch recognized {
        case .receipt(let der): try body(SignedExamination(examine(container: der)))
        case .jws(let text): try examine(jws: text, at: "", body)
        case .transactionReceipt(let list):
            let sha256 = verifier.sha256(of: list)
            let result = Result { () throws(ReceiptError) in
                let object = try verifier.verify(recognized: recognized, for: .anyApp)
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

    /// Verifies a signed object of an App Store Server API response, and its contents.
    /// - Parameter progress: The state of the input's listings. The caller examines the objects in their
    ///   order.
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
            // Only the first examination is the element itself. The contents of a notification follow it.
            if isFirst {
                let result = examination.unplaced.map { .success($0) } ?? examination.result
                examination.listing = progress.take(element, result)
            }
            isFirst = false
            try body(examination)
        }
    }

    /// Verifies a compact JWS and, if it is a notification, its contents.
    private func examine<Failure: Error>(
        jws text: [UInt8], at place: String, _ body: (SignedExamination) throws(Failure) -> Void
    ) throws(Failure) {
        var unplaced: VerifiedObject?
        let result = Result { () throws(ReceiptError) in
            let object = try verifier.verify(recognized: .jws(text), for: .anyApp)
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
                let object = try verifier.verify(recognized: .jws(text), for: .anyApp)
                if let jws = object.jws { try notification.require(jws, at: enclosure) }
                // Renewal information names no app. A transaction, and an app transaction outside production,
                // has no appAppleId. The notification has the same bundle ID and proves the app.
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

    /// Returns the object if it satisfies the rest of the policy: the device and, with `isAppLeft`, the
    /// environment.
    private func demanded(
        _ object: VerifiedObject, ofAnyApp isAppLeft: Bool = false
    ) throws(ReceiptError) -> VerifiedObject {
        if isAppLeft { try demands.require(object.object, isAppLeft: true) }
        if let deviceID = demands.deviceID { try object.require(deviceID: deviceID) }
        return object
    }
}

extension VerifiedObject {
    /// Whether Apple omits `appAppleId` from objects of this kind and environment, and this object does not
    /// name it.
    fileprivate var isWithoutAppAppleID: Bool {
        switch self {
        case .transaction: true
        case .appTransaction(let transaction):
            transaction.environment.map { $0 != .production } == true && (transaction.appAppleID ?? 0) == 0
        default: false
        }
    }
}
