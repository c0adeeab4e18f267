import ReceiptASN1
import StrictJSON

/// The signed objects in an answer of the App Store Server API, or in whatever JSON holds such members at any depth.
public struct APIAnswer: Sendable {
    /// A signed object of the answer, not verified yet.
    public struct Element: Sendable {
        /// Where it stands, for example `signedTransactions[3]`.
        public let path: String
        /// What stands there; nil where that is no text, or an answer lists no object.
        public let text: String?
        /// Index of its first byte in the input.
        public let offset: Int
        /// The answer says that nothing is there.
        package let isNull: Bool
        /// The answer that lists purchases and that this is an object of.
        package fileprivate(set) var list: PurchaseList?

        /// The listing that the object is part of; nil where it lists no customer's purchases.
        public var listing: Listing? { list?.listing }

        package init(path: String, text: String?, offset: Int = 0, isNull: Bool = false) {
            (self.path, self.text, self.offset, self.isNull) = (path, text, offset, isNull)
        }
    }

    /// A claim of an answer about its completeness. Apple signs the objects in an answer, not the answer: the caller vouches for
    /// it. Filters of the request (product types, dates, `status`) and pages before the first are not visible in it.
    public enum Listing: String, Sendable, CaseIterable {
        /// Get Transaction History, `hasMore` false: the only page or the last one.
        case history
        /// Get Transaction History, `hasMore` true: a page that others follow.
        case historyPage = "history-page"
        /// Get All Subscription Statuses.
        case statuses
        /// Get Transaction History, `hasMore` false, or Get All Subscription Statuses, of a customer without purchases: no
        /// object. It proves nothing by itself.
        case empty
    }

    /// The objects of one answer that lists purchases: elements one behind the other. Of an answer without objects, one
    /// element without text stands for them.
    package struct PurchaseList: Sendable, Equatable {
        package let listing: Listing
        /// The app and the environment that the answer names. Apple does not sign them.
        package let bundleID: String
        package let environment: String
        /// The place of the first one among ``APIAnswer/elements``.
        package let first: Int
        package let count: Int
    }

    /// In the order of the input.
    public private(set) var elements: [Element] = []

    private static let members: Set<String> = [
        "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo", "signedPayload",
    ]
    /// The names of members that hold signed objects.
    package static let names = members.union(["signedTransactions"])

    /// - Throws: ``ReceiptError`` with code `malformed` where the JSON, all of it, is not well formed, or neither holds a
    ///   signed object nor is an answer about a customer without purchases; or `too_large`.
    public init(parsing json: [UInt8], limits: ReceiptLimits = ReceiptLimits()) throws(ReceiptError) {
        guard json.count <= limits.textBytes else { throw InputEncoding.tooLarge(limits) }
        var search = Search(limits: limits, bytes: json.count)
        do throws(JSONError) {
            var reader = JSONReader(json.span, skipsByteOrderMark: true)
            try search.readObject(&reader)
            try reader.end()
        } catch {
            throw ReceiptError(error, in: "input")
        }
        if let excess = search.excess { throw ReceiptError(.tooLarge, excess) }
        elements = search.elements
        guard !elements.isEmpty else {
            throw ReceiptError(
                .malformed, .json(.unknownForm), field: "input", resemblance: InputResemblance(json.span))
        }
    }

    /// Looks for signed objects as deep as the reader lets anything be.
    private struct Search {
        let mostElements: Int
        /// Bytes that the paths of the next elements may have, together: those of the input, and enough for each element in an
        /// answer of Apple's. Long names above many elements would be told once for each.
        var pathBytes: Int
        var elements: [Element] = []
        /// What is too much of it.
        var excess: ReceiptError.Reason?
        /// Members `lastTransactions` so far.
        private var statusCount = 0

        private static let pathBytesOfEach = 64

        init(limits: ReceiptLimits, bytes: Int) {
            (mostElements, pathBytes) = (limits.signedObjects(inBytes: bytes), bytes)
        }

        /// Reads an object, and says of its elements what it lists if it is a HistoryResponse or a StatusResponse of the
        /// App Store Server API. A refund history and an order's transactions, which list less, name no app.
        mutating func readObject(_ reader: inout JSONReader) throws(JSONError) {
            let (first, statuses, offset) = (elements.count, statusCount, reader.offset)
            var hasMore: Bool?
            var members = (app: String?.none, environment: String?.none, transactions: false, statuses: false)
            /// Of the member that lists objects.
            var count = 0
            try reader.object { (reader, name) throws(JSONError) in
                let kind = try reader.peek()
                switch (name.ifASCII, kind) {
                case ("hasMore", .bool): hasMore = try reader.bool()
                case ("bundleId", .string): members.app = try reader.string(atMost: .max)
                case ("environment", .string): members.environment = try reader.string(atMost: .max)
                case ("data", .array):
                    let before = elements.count
                    var isEmpty = true
                    try reader.array { (reader, _) throws(JSONError) in
                        isEmpty = false
                        try read(&reader, "")
                    }
                    members.statuses = isEmpty || statusCount > statuses
                    if members.statuses { count = elements.count - before }
                case ("signedTransactions", .array):
                    let before = elements.count
                    members.transactions = true
                    try read(&reader, "signedTransactions")
                    count = elements.count - before
                default: try read(&reader, name.ifASCII)
                }
            }
            guard let app = members.app, let environment = members.environment,
                members.transactions != members.statuses, elements.count - first == count
            else { return }
            let listing: Listing? =
                members.statuses ? .statuses : hasMore.map { $0 ? .historyPage : .history }
            guard let listing else { return }
            if count == 0, excess == nil {
                let path = reader.error(.unknownForm).path
                let name = members.statuses ? "data" : "signedTransactions"
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
            case _ where APIAnswer.members.contains(name): try take(&reader)
            case (_, .object): try readObject(&reader)
            case (_, .array):
                if name == "lastTransactions" { statusCount += 1 }
                try reader.array { (reader, _) throws(JSONError) in try read(&reader, "") }
            default: try reader.skip()
            }
        }

        private mutating func take(_ reader: inout JSONReader) throws(JSONError) {
            guard excess == nil else { return try reader.skip() }
            let kind = try reader.peek()
            let offset = reader.offset
            let path = reader.error(.unknownForm).path
            var text: String?
            if kind == .string {
                text = try reader.string(atMost: .max)
            } else {
                try reader.skip()
            }
            append(Element(path: path, text: text, offset: offset, isNull: kind == .null))
        }

        /// What is one too many is read, and nothing is made of it.
        private mutating func append(_ element: Element) {
            if elements.count == mostElements {
                excess = excess ?? .encoding(.tooMany(limit: mostElements))
            }
            guard excess == nil else { return }
            pathBytes += Self.pathBytesOfEach - element.path.utf8.count
            if pathBytes < 0 { excess = .json(.longPaths) }
            elements.append(element)
        }
    }
}
