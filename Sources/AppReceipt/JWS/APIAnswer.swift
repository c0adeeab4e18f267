import ReceiptASN1
import StrictJSON

/// The signed objects in a response of the App Store Server API, or in other JSON with the same members at
/// any depth.
public struct APIAnswer: Sendable {
    /// A signed object of the response, not verified yet.
    public struct Element: Sendable {
        /// The path of the object, for example `signedTransactions[3]`.
        public let path: String
        /// The text of the object. Nil if the value is not a string, or if the response lists no object.
        public let text: String?
        /// The offset of its first byte in the input.
        public let offset: Int
        /// Whether the value is null, so there is no object.
        package let isNull: Bool
        /// Whether the value is the text of a receipt or another signed object, which may be wrapped.
        package let isReceipt: Bool
        /// The list of purchases that contains the object.
        package fileprivate(set) var list: PurchaseList?

        /// The listing that contains the object. Nil if it does not list a customer's purchases.
        public var listing: Listing? { list?.listing }

        package init(
            path: String, text: String?, offset: Int = 0, isNull: Bool = false, isReceipt: Bool = false
        ) {
            (self.path, self.text, self.offset) = (path, text, offset)
            (self.isNull, self.isReceipt) = (isNull, isReceipt)
        }
    }

    /// The listing that a response claims to be. Apple signs the objects in a response, but not the response
    /// itself, so the caller vouches for it. The response does not show the request's filters (product types,
    /// dates, `status`) or earlier pages.
    public enum Listing: String, Sendable, CaseIterable {
        /// Get Transaction History with `hasMore` false: the only or the last page.
        case history
        /// Get Transaction History with `hasMore` true: a page that other pages follow.
        case historyPage = "history-page"
        /// Get All Subscription Statuses.
        case statuses
        /// Get Transaction History with `hasMore` false, or Get All Subscription Statuses, for a customer
        /// without purchases. The response contains no object and proves nothing by itself.
        case empty
    }

    /// The objects of one response that lists purchases, as a range of elements. A response without objects
    /// is represented by one element without text.
    package struct PurchaseList: Sendable {
        package let listing: Listing
        /// The app and the environment that the response names. Apple does not sign them.
        package let bundleID: String
        package let environment: String
        /// The index of the first object in ``APIAnswer/elements``, which identifies the list.
        package let first: Int
        package let count: Int
    }

    /// The elements in the order of the input. A null member contains no object and has no element. If all are
    /// null, the first has one.
    public private(set) var elements: [Element] = []
    /// The texts beside them in members that contain receipts elsewhere.
    package private(set) var receipts: [Element] = []

    /// The elements that are not null, and the receipts beside them.
    package var objects: [Element] { elements.filter { !$0.isNull } + receipts }

    private static let members: Set<String> = [
        "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo", "signedPayload",
    ]
    /// The names of members that contain signed objects.
    package static let names = members.union(["signedTransactions"])

    /// The members that contain receipts in records and in verifyReceipt's requests and responses.
    private static let receiptNames: Set<String> = ["receipt", "receipt-data", "latest_receipt"]

    /// No receipt is shorter.
    private static let fewestReceiptBytes = 64

    /// Returns whether the text in such a member is examined. Other text is short, an address, an image, or
    /// issued by another store.
    private static func isExamined(_ text: [UInt8]) -> Bool {
        text.count >= fewestReceiptBytes && ForeignKind(text.span) == nil
            && !["http://", "https://", "data:image/"].contains { text.starts(with: $0.utf8) }
    }

    /// Parses a response.
    /// - Throws: ``ReceiptError`` with code `malformed` if the JSON is not well-formed, or if it neither
    ///   contains a signed object nor describes a customer without purchases. With code `too_large` if a
    ///   limit is exceeded.
    public init(parsing json: [UInt8], limits: ReceiptLimits = ReceiptLimits()) throws(ReceiptError) {
        guard json.count <= limits.textBytes else { throw InputEncoding.tooLarge(limits) }
        var search = Search(limits: limits, bytes: json.count)
        do throws(JSONError) {
            var reader = JSONReader(json.span, maximumMembers: 1 << 16, skipsByteOrderMark: true)
            try search.readObject(&reader)
            try reader.end()
        } catch {
            throw ReceiptError(error, in: "input")
        }
        if let excess = search.excess { throw ReceiptError(.tooLarge, excess) }
        (elements, receipts) = (search.elements, search.receipts)
        if elements.isEmpty, let null = search.firstNull { elements = [null] }
        guard !elements.isEmpty else {
            throw ReceiptError(
                .malformed, .json(.unknownFormat), field: "input", resemblance: InputResemblance(json.span))
        }
    }

    /// A search for signed objects at every depth that the JSON reader allows.
    private struct Search {
        let mostElements: Int
        /// The remaining total length of the paths of further elements, in bytes, to which each element adds an allowance.
        /// Without this limit, a long name would be repeated in the path of each element below it.
        var pathBytes: Int
        var elements: [Element] = []
        var receipts: [Element] = []
        /// The first null member, and the number of them.
        private(set) var firstNull: Element?
        private var nulls = 0
        /// The limit that the response exceeds.
        var excess: ReceiptError.Reason?
        /// The number of members for signed objects so far.
        private var taken: Int { elements.count + nulls }
        /// The number of members `lastTransactions` so far.
        private var statusCount = 0
        /// The number of members `signedTransactionInfo` so far.
        private var transactionCount = 0
        /// The number of open members `data`.
        private var dataCount = 0

        /// Returns the allowance of an element. Apple's paths have about 50 bytes, and its objects some thousand.
        private static func pathBytes(of element: Element) -> Int {
            128 + (element.text?.utf8.count ?? 0) / 8
        }

        init(limits: ReceiptLimits, bytes: Int) {
            (mostElements, pathBytes) = (limits.signedObjects(inBytes: bytes), min(bytes, 1 << 16))
        }

        /// Reads an object. If it is a HistoryResponse or a StatusResponse of the App Store Server API, marks
        /// its elements with the listing. Responses with refunds or the transactions of one order list fewer
        /// purchases and name no app, so they are not marked.
        mutating func readObject(_ reader: inout JSONReader) throws(JSONError) {
            let (first, start, statuses, offset) = (elements.count, taken, statusCount, reader.offset)
            var hasMore: Bool?
            var found = (app: String?.none, environment: String?.none, transactions: false, statuses: false)
            /// The number of objects in `data` or `signedTransactions`.
            var count = 0
            try reader.object { (reader, name) throws(JSONError) in
                let kind = try reader.peek()
                switch (name.ifASCII, kind) {
                case ("hasMore", .bool): hasMore = try reader.bool()
                case ("bundleId", .string): found.app = try reader.string(atMost: .max)
                case ("environment", .string): found.environment = try reader.string(atMost: .max)
                case ("data", .array):
                    let before = taken
                    var (groups, withoutList) = (0, 0)
                    dataCount += 1
                    try reader.array { (reader, _) throws(JSONError) in
                        let inGroup = statusCount
                        groups += 1
                        try read(&reader, "")
                        if statusCount == inGroup { withoutList += 1 }
                    }
                    dataCount -= 1
                    found.statuses = groups == 0 || statusCount > statuses
                    // The subscriptions of such a group are missing.
                    if found.statuses, withoutList > 0 { takeNull(reader, count: withoutList) }
                    if found.statuses { count = taken - before }
                case ("signedTransactions", .array):
                    let before = taken
                    found.transactions = true
                    try read(&reader, "signedTransactions")
                    count = taken - before
                default: try read(&reader, name.ifASCII)
                }
            }
            guard let app = found.app, let environment = found.environment,
                found.transactions != found.statuses, taken - start == count
            else { return }
            let listing: Listing? =
                found.statuses ? .statuses : hasMore.map { $0 ? .historyPage : .history }
            guard let listing else { return }
            // A list without objects, or of nulls alone.
            if elements.count == first, excess == nil {
                let path = reader.error(.unknownFormat).path
                let name = found.statuses ? "data" : "signedTransactions"
                append(Element(path: path.isEmpty ? name : "\(path).\(name)", text: nil, offset: offset))
            }
            let list = PurchaseList(
                listing: count == 0 && listing != .historyPage ? .empty : listing, bundleID: app,
                environment: environment, first: first, count: count)
            for index in first..<elements.count { elements[index].list = list }
        }

        mutating func read(_ reader: inout JSONReader, _ name: String) throws(JSONError) {
            let kind = try reader.peek()
            switch (name, kind) {
            case ("signedTransactions", .array):
                try reader.array { (reader, _) throws(JSONError) in try take(&reader) }
            case ("signedTransactions", _): try take(&reader)
            case _ where APIAnswer.members.contains(name):
                if name == "signedTransactionInfo" { transactionCount += 1 }
                try take(&reader)
            case (_, .object): try readObject(&reader)
            case (_, .array):
                let isStatus = name == "lastTransactions"
                if isStatus { statusCount += 1 }
                try reader.array { (reader, _) throws(JSONError) in
                    let (kind, before) = (try reader.peek(), transactionCount)
                    try read(&reader, "")
                    // Without the member, a subscription is missing, as with null.
                    let mayBeSubscription = isStatus && dataCount > 0 && (kind == .object || kind == .null)
                    if mayBeSubscription, transactionCount == before { takeNull(reader) }
                }
            case (_, .string) where APIAnswer.receiptNames.contains(name): try takeReceipt(&reader)
            default: try reader.skip()
            }
        }

        private mutating func takeReceipt(_ reader: inout JSONReader) throws(JSONError) {
            let offset = reader.offset
            let text = try reader.text(atMost: .max)
            guard excess == nil, APIAnswer.isExamined(text) else { return }
            append(
                Element(
                    path: reader.error(.unknownFormat).path, text: String(decoding: text, as: UTF8.self),
                    offset: offset, isReceipt: true))
        }

        private mutating func take(_ reader: inout JSONReader) throws(JSONError) {
            guard excess == nil else { return try reader.skip() }
            let kind = try reader.peek()
            let offset = reader.offset
            if kind == .null {
                takeNull(reader)
                return try reader.skip()
            }
            let path = reader.error(.unknownFormat).path
            var text: String?
            if kind == .string {
                text = try reader.string(atMost: .max)
            } else {
                try reader.skip()
            }
            append(Element(path: path, text: text, offset: offset))
        }

        /// Notes a member that is null or missing.
        private mutating func takeNull(_ reader: borrowing JSONReader, count: Int = 1) {
            nulls += count
            guard firstNull == nil else { return }
            firstNull = Element(
                path: reader.error(.unknownFormat).path, text: nil, offset: reader.offset, isNull: true)
        }

        /// Ignores elements beyond the limit, but records that there are too many.
        private mutating func append(_ element: Element) {
            if elements.count + receipts.count == mostElements {
                excess = excess ?? .encoding(.tooMany(limit: mostElements))
            }
            guard excess == nil else { return }
            pathBytes += Self.pathBytes(of: element) - element.path.utf8.count
            if pathBytes < 0 { excess = .json(.longPaths) }
            if element.isReceipt { receipts.append(element) } else { elements.append(element) }
        }
    }
}
