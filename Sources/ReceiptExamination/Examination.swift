public import AppReceipt

/// The result of examining one signed object of an input.
public struct Examination: Sendable {
    /// The verified object, or the reason for the refusal.
    public private(set) var result: Result<VerifiedObject, ReceiptError>
    /// The receipt that ``finish()`` will verify. Until then, `result` is a failure: the refusal by the checks
    /// before the signature check or, if there is none, a shortage. `sha256` is nil.
    package private(set) var pending: PendingReceipt?
    /// The format of the bytes that the digest covers, or nil if the input has no known format.
    public let format: SignedFormat?
    /// The SHA-256 of the DER bytes, the text of the compact JWS, or the property list. Nil if there are
    /// none.
    public private(set) var sha256: [UInt8]?
    /// The SHA-256 of the signed content of a PKCS #7 receipt, or of the payload of a JWS. One payload can
    /// have two valid signatures. Nil for a transaction receipt, and for a refused object unless it is
    /// `unplaced`.
    public private(set) var contentSHA256: [UInt8]?
    /// Genuine renewal information that is refused only because it names no app although one is expected. It
    /// is evidence for the customer whose other evidence contains its transaction.
    package internal(set) var unplaced: VerifiedObject?
    /// Whether a notification contains the object. Such an object belongs to the notification's app, even if
    /// it names no app.
    package internal(set) var isEnclosed = false
    /// The place of the object in the input, appended to the input's name. For example
    /// `#data.signedTransactionInfo`.
    public private(set) var place = ""
    /// The app of the notification that contains the object.
    package internal(set) var enclosingApp: String?
    /// The wrappings that an export added around the input, outermost first. Empty if there is only an
    /// `InputEncoding`.
    package var wrapping: [String] = []
    /// The bytes of the record that contained the object.
    package var received = ReceivedBytes.nothing
    /// The listing that the object completes, or nil. The last object of a response completes the listing, if
    /// all objects are genuine. In a page that other pages follow, each genuine object completes it.
    package internal(set) var listing: APIAnswer.Listing?
    /// The kind of the value if another store or payment system issued it. ``result`` is then a failure that
    /// does not appear in answers.
    package private(set) var foreign: ForeignKind?
    /// The unsigned response without objects that this examination represents.
    package internal(set) var emptyList: APIAnswer.PurchaseList?

    /// Creates the examination of a PKCS #7 receipt.
    /// - Parameters:
    ///   - sha256: The digest of the DER bytes.
    ///   - contentSHA256: The digest of the signed content, or nil if the receipt was refused.
    ///   - pending: The receipt, if its signature is not checked yet.
    package init(
        receipt: Result<VerifiedObject, ReceiptError>, _ sha256: [UInt8]?, _ contentSHA256: [UInt8]? = nil,
        received: ReceivedBytes = .nothing, pending: PendingReceipt? = nil
    ) {
        // Most records are receipts. The other initializers would copy each of them once more.
        result = receipt
        self.received = received
        self.pending = pending
        format = .pkcs7
        self.sha256 = sha256
        self.contentSHA256 = contentSHA256
    }

    /// Whether the input could be decoded.
    var isDecoded: Bool { sha256 != nil || pending != nil }

    /// Verifies the pending receipt, if there is one, after ``Examiner/checkTogether(_:)``.
    package mutating func finish() {
        guard let receipt = pending else { return }
        pending = nil
        sha256 = receipt.sha256
        guard sha256 != nil else {
            result = .failure(.cryptographyUnavailable)
            return
        }
        do throws(ReceiptError) {
            let verified = try receipt.verify()
            contentSHA256 =
                if let digest = receipt.contentSHA256 { digest } else { try verified.contentDigest }
            result = .success(.receipt(verified))
        } catch {
            result = .failure(error)
        }
    }

    /// Creates an examination from a result and the place of the object.
    public init(
        _ result: Result<VerifiedObject, ReceiptError>, format: SignedFormat? = nil, sha256: [UInt8]? = nil,
        contentSHA256: [UInt8]? = nil, place: String = ""
    ) {
        self.result = result
        self.format = format
        self.sha256 = sha256
        self.contentSHA256 = contentSHA256
        self.place = place
    }

    /// Returns the examination of an object inside the value at this place.
    func inside(_ place: String) -> Examination {
        var examination = self
        examination.place = place + self.place
        return examination
    }

    package var object: VerifiedObject? { try? result.get() }

    /// The evidence about a customer: the verified object, or `unplaced`.
    package var evidence: VerifiedObject? { object ?? unplaced }
}

extension Examination {
    /// Creates the examination of a value that another store or payment system issued.
    init(foreign kind: ForeignKind) {
        self.init(.failure(ReceiptError(.malformed, message: "not issued by Apple")))
        foreign = kind
    }

    /// The refusal, or nil if the object is genuine or the value is foreign.
    package var refusal: ReceiptError? {
        guard foreign == nil, case .failure(let refusal) = result else { return nil }
        return refusal
    }

    /// Returns the refusal of the same object.
    package func refused(_ refusal: ReceiptError) -> Examination {
        var examination = self
        examination.result = .failure(refusal)
        (examination.contentSHA256, examination.unplaced, examination.listing) = (nil, nil, nil)
        return examination
    }

    /// Returns the examination for a record whose bytes have this SHA-256.
    /// - Parameter digest: The digest, or nil if OpenSSL failed. The result is then a refusal.
    func received(as digest: [UInt8]?) -> Examination {
        guard let digest else { return Examination(.failure(.cryptographyUnavailable)) }
        var examination = self
        examination.received = .digest(digest)
        return examination
    }
}
