package import AppReceipt

extension Examiner {
    /// Recognizes the format of an input and verifies every signed object in it.
    /// - Parameters:
    ///   - input: A receipt in any `InputEncoding`, a compact JWS, a transaction receipt, or an App Store
    ///     Server API response. Receipts in JSON beside signed objects are also verified.
    ///   - body: The closure that receives each object. A notification comes before its contents.
    /// - Throws: Any error that `body` throws.
    public func examine<Failure: Error>(
        signedObjects input: [UInt8], _ body: (Examination) throws(Failure) -> Void
    ) throws(Failure) {
        let recognized: RecognizedInput
        do throws(ReceiptError) {
            recognized = try RecognizedInput(input.span, limits: verifier.limits)
        } catch {
            return try body(Examination(.failure(error)))
        }
        try examine(recognized: recognized, body)
    }

    /// Returns the examinations of every signed object in an input.
    package func examinations(of input: [UInt8]) -> [Examination] {
        var examinations: [Examination] = []
        examine(signedObjects: input) { (examination) throws(Never) in examinations.append(examination) }
        return examinations
    }

    /// Verifies every signed object in an input whose format is known.
    package func examine<Failure: Error>(
        recognized: RecognizedInput, _ body: (Examination) throws(Failure) -> Void
    ) throws(Failure) {
        switch recognized {
        case .receipt(let der): try body(examine(container: der))
        case .jws(let text):
            for examination in examinations(ofJWS: text, at: "") { try body(examination) }
        case .transactionReceipt(let list):
            let result = Result { () throws(ReceiptError) in
                try verifier.verify(recognized: recognized, for: policy)
            }
            try body(
                Examination(result, format: .transactionReceipt, sha256: verifier.sha256(of: list)))
        case .json(let text):
            let answer: APIAnswer
            do throws(ReceiptError) {
                answer = try APIAnswer(parsing: text, limits: verifier.limits)
            } catch {
                return try body(Examination(.failure(error)))
            }
            var progress = ListingProgress()
            let objects = answer.objects
            // Members that are all null are refused, so that every input has a result.
            for element in objects.isEmpty ? answer.elements : objects {
                for examination in examinations(of: element, &progress) { try body(examination) }
            }
        }
    }

    /// Verifies a signed object of an App Store Server API response, or beside it, and its contents.
    /// - Parameter progress: The state of the input's listings. The caller examines the objects in their
    ///   order.
    func examinations(of element: APIAnswer.Element, _ progress: inout ListingProgress) -> [Examination] {
        let place = "#" + element.path
        guard let text = element.text else {
            let examination = refusal(of: element, at: place)
            _ = progress.take(element, examination.result)
            return [examination]
        }
        var examinations: [Examination] = []
        if element.isReceipt {
            let text = Array(text.utf8)
            checkingSignatures.examine(unwrapped: text.span, isBesideObjects: true) {
                (examination) throws(Never) in examinations.append(examination.inside(place))
            }
        } else {
            examinations = self.examinations(ofJWS: Array(text.utf8), at: place)
            // Only the first examination is the element itself. The contents of a notification follow it.
            let result = examinations[0].unplaced.map { .success($0) } ?? examinations[0].result
            examinations[0].listing = progress.take(element, result)
        }
        return examinations
    }

    /// Returns the refusal of an element that is not the text of a signed object.
    private func refusal(of element: APIAnswer.Element, at place: String) -> Examination {
        let isEmptyList = element.list?.count == 0
        let refusal = ReceiptError(
            .malformed,
            message: isEmptyList ? "lists no signed objects" : "not the text of a signed object",
            offset: element.offset, field: element.path.cut)
        var examination = Examination(.failure(refusal), format: .jws, place: place)
        if isEmptyList { examination.emptyList = element.list }
        return examination
    }

    /// Verifies a compact JWS and, if it is a notification, its contents.
    private func examinations(ofJWS text: [UInt8], at place: String) -> [Examination] {
        let examination = examination(ofJWS: text, at: place)
        guard case .success(.notification(let notification)) = examination.result else {
            return [examination]
        }
        return [examination]
            + notification.enclosures.map { self.examination(of: $0, in: notification, at: place) }
    }

    private func examination(ofJWS text: [UInt8], at place: String) -> Examination {
        var unplaced: VerifiedObject?
        let result = Result { () throws(ReceiptError) in
            let object = try verifier.authenticate(.jws(text))
            guard case .renewalInfo(let renewal) = object else {
                try object.object.require(policy)
                return object
            }
            do throws(ReceiptError) {
                try renewal.require(isLeavingAppOfRenewals ? policy.ofAnyApp : policy)
            } catch {
                if (try? renewal.require(policy.ofAnyApp)) != nil { unplaced = object }
                throw error
            }
            return object
        }
        var examination = Examination(
            result, format: .jws, sha256: verifier.sha256(of: text),
            contentSHA256: contentDigest(of: unplaced.map { .success($0) } ?? result), place: place)
        examination.unplaced = unplaced
        return examination
    }

    private func examination(
        of enclosure: VerifiedNotification.Enclosure, in notification: VerifiedNotification, at place: String
    ) -> Examination {
        let text = Array(enclosure.text.utf8)
        let result = Result { () throws(ReceiptError) in
            let object = try verifier.authenticate(.jws(text))
            if let jws = object.jws { try notification.require(jws, at: enclosure) }
            // Renewal information names no app. A transaction, and an app transaction outside production, has
            // no appAppleId. The notification has the same bundle ID and proves the app.
            let isAppLeft =
                enclosure.kind == .renewalInfo
                || policy.bundleIDs == nil && notification.bundleID != nil
                    && object.isWithoutAppAppleID
            try object.object.require(isAppLeft ? policy.ofAnyApp : policy)
            return object
        }
        var examination = Examination(
            result, format: .jws, sha256: verifier.sha256(of: text),
            contentSHA256: contentDigest(of: result), place: "\(place)#\(enclosure.path)")
        (examination.isEnclosed, examination.enclosingApp) = (true, notification.bundleID)
        return examination
    }

    private func contentDigest(of result: Result<VerifiedObject, ReceiptError>) -> [UInt8]? {
        guard case .success(let object) = result, let jws = object.jws else { return nil }
        return verifier.sha256(of: jws.signed.json)
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
