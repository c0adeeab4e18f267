import ReceiptASN1

/// A reader of a payload. It reads only the creation date at first, and everything else after the signature
/// was verified.
struct PayloadReader: ~Escapable {
    private let bytes: Span<UInt8>
    private let limits: ReceiptLimits
    /// The range of the SET. It does not begin at 0 if Xcode wrapped the SET in an OCTET STRING.
    private let attributes: Range<Int>

    /// Whether another OCTET STRING wraps the SET, as in some Xcode receipts.
    var isWrapped: Bool { attributes.lowerBound > 0 }

    private(set) var leniencies: ASN1Leniencies = []

    /// Creates a reader.
    /// - Parameter bytes: the content of the container, with chunks joined.
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

    /// Calls `body` with each attribute, without reading its value.
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

    /// Reads only the creation date, at which the certificates must have been valid.
    mutating func creationDate() throws(ASN1Error) -> Timestamp {
        let bytes = self.bytes
        var date = PayloadDate.absent
        var seen = SeenAttributes()
        var found: ASN1Leniencies = []
        try forEachAttribute(in: attributes) { (attribute, offset) throws(ASN1Error) in
            guard attribute.type == AppRecord.creationDateType else { return }
            do throws(ASN1Error) {
                try seen.insert(attribute.type, at: offset)
                date = try AttributeValue(attribute, of: bytes).date(&found)
            } catch {
                throw error.within(AttributeTable.app.name(of: attribute.type))
            }
        }
        leniencies.formUnion(found)
        guard let date = date.value else {
            throw missing(AppRecord.creationDateType)
        }
        return date
    }

    /// Reads all attributes. The caller has verified the signature or creates an unverified receipt.
    /// - Parameter creationDate: the result of ``creationDate()``.
    mutating func storage(_ creationDate: Timestamp) throws(ASN1Error) -> PayloadStorage {
        let bytes = self.bytes
        var app = AppRecord()
        app.attributes = PayloadSlice(attributes)
        app.creationDate = creationDate
        var purchases: [PurchaseRecord] = []
        var unknown: [UInt32] = []
        // The usual number in an App Store receipt of this length.
        unknown.reserveCapacity(attributes.count / 48)
        var seen = SeenAttributes()
        var inApps: [Range<Int>] = []
        inApps.reserveCapacity(attributes.count / 256)
        var found: ASN1Leniencies = []
        let (modeled, base) = (AttributeTable.app.modeled, AttributeTable.app.base)
        try forEachAttribute(in: attributes) { (attribute, offset) throws(ASN1Error) in
            guard AttributeTable.isModeled(attribute.type, modeled, from: base) else {
                return unknown.append(UInt32(truncatingIfNeeded: offset))
            }
            if attribute.type == AppRecord.inAppType {
                inApps.append(attribute.value)
                return
            }
            do throws(ASN1Error) {
                try seen.insert(attribute.type, at: offset)
                try app.set(attribute, AttributeValue(attribute, of: bytes), &found)
            } catch {
                throw error.within(AttributeTable.app.name(of: attribute.type))
            }
        }
        guard seen.contains(AppRecord.bundleIDType) else { throw missing(AppRecord.bundleIDType) }
        guard inApps.count <= limits.purchases else {
            throw ASN1Error(
                .tooMany(limit: limits.purchases), at: inApps[limits.purchases].lowerBound,
                path: AttributeTable.app.name(of: AppRecord.inAppType))
        }
        app.unknown = 0..<UInt32(unknown.count)
        purchases.reserveCapacity(inApps.count)
        let inApp = AttributeTable.inApp
        for (index, range) in inApps.enumerated() {
            do throws(ASN1Error) {
                purchases.append(try purchase(in: range, inApp.modeled, from: inApp.base, &unknown))
            } catch {
                throw error.within("\(AttributeTable.app.name(of: AppRecord.inAppType))[\(index)]")
            }
        }
        leniencies.formUnion(found)
        return PayloadStorage(
            bytes: bytes.copy(0..<bytes.count), app: app, purchases: purchases, unknown: unknown)
    }

    private func missing(_ type: Int64) -> ASN1Error {
        ASN1Error(.missing, at: attributes.lowerBound, path: AttributeTable.app.name(of: type))
    }

    private mutating func purchase(
        in range: Range<Int>, _ modeled: UInt64, from base: Int64, _ unknown: inout [UInt32]
    ) throws(ASN1Error) -> PurchaseRecord {
        let bytes = self.bytes
        var record = PurchaseRecord()
        var seen = SeenAttributes()
        var found: ASN1Leniencies = []
        record.attributes = PayloadSlice(range)
        let firstUnknown = UInt32(unknown.count)
        try forEachAttribute(in: range) { (attribute, offset) throws(ASN1Error) in
            guard AttributeTable.isModeled(attribute.type, modeled, from: base) else {
                return unknown.append(UInt32(truncatingIfNeeded: offset))
            }
            do throws(ASN1Error) {
                try seen.insert(attribute.type &- base, at: offset)
                try record.set(attribute.type, AttributeValue(attribute, of: bytes), &found)
            } catch {
                throw error.within(AttributeTable.inApp.name(of: attribute.type))
            }
        }
        leniencies.formUnion(found)
        record.unknown = firstUnknown..<UInt32(unknown.count)
        return record
    }
}
