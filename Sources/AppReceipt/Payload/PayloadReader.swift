import ReceiptASN1

/// Reads a payload: first the creation date alone, everything else when the signature holds.
struct PayloadReader: ~Escapable {
    private let bytes: Span<UInt8>
    private let limits: ReceiptLimits
    /// Where the SET lies; not at the start where Xcode wrapped it once more.
    private let attributes: Range<Int>

    /// Whether the SET stands in one more OCTET STRING, as in some Xcode receipts.
    var isWrapped: Bool { attributes.lowerBound > 0 }

    private(set) var leniencies: ASN1Leniencies = []

    /// - Parameter bytes: the content of the container, chunks joined.
    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, limits: ReceiptLimits) throws(ASN1Error) {
        self.bytes = bytes
        self.limits = limits
        var reader = ASN1Reader(bytes)
        if reader.nextTag == .octetString {
            attributes = try reader.primitive(.octetString)
            try reader.finish()
            leniencies = reader.leniencies
        } else {
            attributes = 0..<bytes.count
        }
    }

    /// Reads the attributes of the app one by one and hands them out, values unread.
    @inline(__always)
    private mutating func forEachAttribute(
        in range: Range<Int>, _ body: (_ attribute: ReceiptAttribute, _ offset: Int) throws(ASN1Error) -> Void
    ) throws(ASN1Error) {
        let bytes = self.bytes
        var reader = ASN1Reader(bytes, in: range, maximumDepth: limits.nesting)
        try reader.constructed(.set) { (reader) throws(ASN1Error) in
            var index = 0
            while !reader.isAtEnd {
                let offset = reader.position
                let attribute: ReceiptAttribute
                do throws(ASN1Error) {
                    attribute = try ReceiptAttribute(reading: &reader, of: bytes)
                } catch {
                    throw error.within("attributes[\(index)]")
                }
                try body(attribute, offset)
                index += 1
            }
        }
        try reader.finish()
        leniencies.formUnion(reader.leniencies)
    }

    /// The instant at which the certificates must have been valid. No other value is looked at.
    mutating func creationDate() throws(ASN1Error) -> Timestamp {
        let bytes = self.bytes
        var date = PayloadDate.absent
        var seen = SeenAttributes()
        var found: ASN1Leniencies = []
        try forEachAttribute(in: attributes) { (attribute, offset) throws(ASN1Error) in
            guard attribute.type == AppAttributeType.creationDate.rawValue else { return }
            do throws(ASN1Error) {
                try seen.insert(attribute.type, at: offset)
                date = try AttributeValue(attribute, of: bytes).date(&found)
            } catch {
                throw error.within(AppAttributeType.creationDate.name)
            }
        }
        leniencies.formUnion(found)
        guard let date = date.value else {
            throw ASN1Error(.missing, at: attributes.lowerBound, path: AppAttributeType.creationDate.name)
        }
        return date
    }

    /// Everything, for a payload whose signature holds or that nobody takes for verified.
    /// - Parameter creationDate: as ``creationDate()`` read it.
    mutating func storage(_ creationDate: Timestamp) throws(ASN1Error) -> PayloadStorage {
        let bytes = self.bytes
        var app = AppRecord()
        app.attributes = PayloadSlice(attributes)
        app.creationDate = creationDate
        var purchases: [PurchaseRecord] = []
        var seen = SeenAttributes()
        var inApps: [Range<Int>] = []
        var found: ASN1Leniencies = []
        try forEachAttribute(in: attributes) { (attribute, offset) throws(ASN1Error) in
            guard let type = AppAttributeType(rawValue: attribute.type) else { return }
            do throws(ASN1Error) {
                if type == .inApp {
                    inApps.append(attribute.value)
                    return
                }
                try seen.insert(attribute.type, at: offset)
                try app.set(type, attribute, AttributeValue(attribute, of: bytes), &found)
            } catch {
                throw error.within(type.name)
            }
        }
        guard seen.contains(AppAttributeType.bundleID.rawValue) else {
            throw ASN1Error(.missing, at: attributes.lowerBound, path: AppAttributeType.bundleID.name)
        }
        guard inApps.count <= limits.purchases else {
            throw ASN1Error(
                .tooMany(limit: limits.purchases), at: inApps[limits.purchases].lowerBound,
                path: AppAttributeType.inApp.name)
        }
        purchases.reserveCapacity(inApps.count)
        for (index, range) in inApps.enumerated() {
            do throws(ASN1Error) {
                purchases.append(try purchase(in: range))
            } catch {
                throw error.within("\(AppAttributeType.inApp.name)[\(index)]")
            }
        }
        leniencies.formUnion(found)
        return PayloadStorage(
            bytes: unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }, app: app, purchases: purchases)
    }

    private mutating func purchase(in range: Range<Int>) throws(ASN1Error) -> PurchaseRecord {
        let bytes = self.bytes
        var record = PurchaseRecord()
        var seen = SeenAttributes()
        var found: ASN1Leniencies = []
        record.attributes = PayloadSlice(range)
        try forEachAttribute(in: range) { (attribute, offset) throws(ASN1Error) in
            guard let type = InAppAttributeType(rawValue: attribute.type) else { return }
            do throws(ASN1Error) {
                try seen.insert(attribute.type - 1700, at: offset)
                try record.set(type, AttributeValue(attribute, of: bytes), &found)
            } catch {
                throw error.within(type.name)
            }
        }
        leniencies.formUnion(found)
        return record
    }
}

extension AppRecord {
    @inline(__always)
    fileprivate mutating func set(
        _ type: AppAttributeType, _ attribute: ReceiptAttribute, _ value: borrowing AttributeValue,
        _ leniencies: inout ASN1Leniencies
    ) throws(ASN1Error) {
        switch type {
        case .receiptType: receiptType = try value.text(&leniencies)
        case .appItemID: appItemID = try value.identifier(&leniencies)
        case .bundleID:
            bundleID = try value.text(&leniencies)
            bundleIDValue = PayloadSlice(attribute.value)
            if bundleID.range?.isEmpty ?? true { throw ASN1Error(.missing, at: attribute.value.lowerBound) }
        case .applicationVersion: applicationVersion = try value.text(&leniencies)
        case .opaqueValue: opaqueValue = PayloadSlice(attribute.value)
        case .sha1Hash: sha1Hash = PayloadSlice(attribute.value)
        // Read already.
        case .creationDate: break
        case .downloadID: downloadID = try value.identifier(&leniencies)
        case .versionExternalIdentifier: versionExternalIdentifier = try value.identifier(&leniencies)
        // Read by the caller, who numbers them.
        case .inApp: break
        case .originalPurchaseDate: originalPurchaseDate = try value.date(&leniencies)
        case .originalApplicationVersion: originalApplicationVersion = try value.text(&leniencies)
        case .expirationDate: expirationDate = try value.date(&leniencies)
        }
    }
}

extension PurchaseRecord {
    @inline(__always)
    fileprivate mutating func set(
        _ type: InAppAttributeType, _ value: borrowing AttributeValue, _ leniencies: inout ASN1Leniencies
    ) throws(ASN1Error) {
        switch type {
        case .quantity: quantity = try value.count(&leniencies)
        case .productID: productID = try value.text(&leniencies)
        case .transactionID: transactionID = try value.text(&leniencies)
        case .purchaseDate: purchaseDate = try value.date(&leniencies)
        case .originalTransactionID: originalTransactionID = try value.text(&leniencies)
        case .originalPurchaseDate: originalPurchaseDate = try value.date(&leniencies)
        case .productType: productType = try value.count(&leniencies)
        case .expiresDate: expiresDate = try value.date(&leniencies)
        case .webOrderLineItemID: webOrderLineItemID = try value.identifier(&leniencies)
        case .cancellationDate: cancellationDate = try value.date(&leniencies)
        case .isTrialPeriod: isTrialPeriod = try value.flag(&leniencies)
        case .isInIntroOfferPeriod: isInIntroOfferPeriod = try value.flag(&leniencies)
        case .cancellationReason: cancellationReason = try value.integer(&leniencies)
        case .promotionalOfferIdentifier: promotionalOfferIdentifier = try value.text(&leniencies)
        }
    }
}
