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
        case .jws(let text): try examine(jws: text, at: "", body)
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
                try examine(element, &progress, body)
            }
        }
    }

    /// Verifies a signed object of an App Store Server API response, or beside it, and its contents.
    /// - Parameter progress: The state of the input's listings. The caller examines the objects in their
    ///   order.
    func examine<Failure: Error>(
        _ element: APIAnswer.Element, _ progress: inout ListingProgress,
        _ body: (Examination) throws(Failure) -> Void
    ) throws(Failure) {
        let place = "#" + element.path
        guard let text = element.text else {
            let isEmptyList = element.list?.count == 0
            let refusal = ReceiptError(
                .malformed,
                message: isEmptyList ? "lists no signed objects" : "not the text of a signed object",
                offset: element.offset, field: element.path.cut)
            var examination = Examination(.failure(refusal), format: .jws, place: place)
            _ = progress.take(element, .failure(refusal))
            if isEmptyList { examination.emptyList = element.list }
            return try body(examination)
        }
        guard !element.isReceipt else {
            let text = Array(text.utf8)
            return try checkingSignatures.examine(unwrapped: text.span, isBesideObjects: true) {
                (examination) throws(Failure) in try body(examination.inside(place))
            }
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
        jws text: [UInt8], at place: String, _ body: (Examination) throws(Failure) -> Void
    ) throws(Failure) {
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
        try body(examination)
        guard case .success(.notification(let notification)) = result else { return }
        for enclosure in notification.enclosures {
            let text = Array(enclosure.text.utf8)
            let result = Result { () throws(ReceiptError) in
                let object = try verifier.authenticate(.jws(text))
                if let jws = object.jws { try notification.require(jws, at: enclosure) }
                // Renewal information names no app. A transaction, and an app transaction outside production,
                // has no appAppleId. The notification has the same bundle ID and proves the app.
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
            try body(examination)
        }
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
