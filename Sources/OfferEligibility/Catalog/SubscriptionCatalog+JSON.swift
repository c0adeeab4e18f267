import AppReceipt
public import StrictJSON

// A StoreKit configuration file, versions 1 to 5. These members are read:
//
// { "subscriptionGroups": [ { "id", "subscriptions": [ {
//     "productID", "groupNumber",
//     "introductoryOffer": {…} or null, "introductoryOffers": [ … ],   either or both
//     "adHocOffers": [ … ], "winbackOffers": [ { "offerID", … } ] } ] } ] }
//
// The other members of a win-back offer have the names of the App Store Connect API, where the first is "offerId".
//
// Plain JSON: { "groups": { "<group>": [ "<product>", … ] } }
//
// Scoped catalog: { "apps": { "<bundle id>": a StoreKit configuration file or plain JSON } }

extension SubscriptionCatalog {
    /// Reads a StoreKit configuration file.
    ///
    /// - Throws: `JSONError` with the path of the entry, for another format, an empty catalog, or a product
    ///   or group that occurs twice.
    public init(storeKitConfiguration bytes: some Sequence<UInt8>) throws(JSONError) {
        try self.init(Array(bytes), plain: false)
    }

    /// Reads a StoreKit configuration file, plain JSON or a scoped catalog, and detects the format.
    ///
    /// - Throws: The errors of ``init(storeKitConfiguration:)``, also for an app that occurs twice.
    public init(parsing bytes: some Sequence<UInt8>) throws(JSONError) {
        try self.init(Array(bytes), plain: true)
    }

    /// Reads a catalog from a request.
    ///
    /// - Parameter count: The maximum number of apps, groups, products and win-back offers in total.
    package init(parsing bytes: [UInt8], atMost count: Int) throws(JSONError) {
        try self.init(bytes, plain: true, atMost: count)
    }

    private init(_ bytes: [UInt8], plain: Bool, atMost count: Int = .max) throws(JSONError) {
        var reader = JSONReader(bytes.span, skipsByteOrderMark: true)
        var counter = CatalogEntryCounter(count)
        self = try Self.read(&reader, plain: plain, mayHaveScopes: plain, &counter)
        try reader.end()
    }

    private static func read(
        _ reader: inout JSONReader, plain: Bool, mayHaveScopes: Bool, _ counter: inout CatalogEntryCounter
    ) throws(JSONError) -> SubscriptionCatalog {
        var builder = CatalogBuilder()
        var scopes: [CatalogScope] = []
        var scopeTable = IdentifierTable()
        var forms = 0
        try reader.object { (reader, name) throws(JSONError) in
            switch name.ifASCII {
            case "subscriptionGroups":
                forms += 1
                try reader.array { (reader, _) throws(JSONError) in try builder.readGroup(&reader, &counter) }
            case "groups" where plain:
                forms += 1
                try reader.object { (reader, group) throws(JSONError) in
                    try builder.readPlainGroup(group, &reader, &counter)
                }
            case "apps" where mayHaveScopes:
                forms += 1
                try reader.object { (reader, app) throws(JSONError) in
                    try counter.increment(reader)
                    guard !app.isEmpty else { throw reader.error(.unexpectedValue(app)) }
                    guard scopeTable.append(app) else { throw reader.error(.duplicate(app)) }
                    let catalog = try read(&reader, plain: true, mayHaveScopes: false, &counter)
                    scopes.append((app, catalog))
                }
            // If this member were ignored, products would be evaluated for customers of another app.
            case "apps" where plain: throw reader.error(.invalid("apps cannot be nested"))
            default: try reader.skip()
            }
        }
        guard forms == 1 else {
            throw reader.error(.invalid("must have exactly one of groups, apps, subscriptionGroups"))
        }
        if !scopes.isEmpty { return SubscriptionCatalog(CatalogContents(scopes, scopeTable)) }
        guard !builder.products.isEmpty else { throw reader.error(.empty) }
        return builder.catalog
    }
}

extension CatalogBuilder {
    fileprivate mutating func readPlainGroup(
        _ group: String, _ reader: inout JSONReader, _ counter: inout CatalogEntryCounter
    ) throws(JSONError) {
        try counter.increment(reader)
        _ = addGroup(group)
        try reader.array { (reader, _) throws(JSONError) in
            try counter.increment(reader)
            let id = try reader.identifier()
            guard add(SubscriptionProduct(id: id, group: group)) else {
                throw reader.error(.duplicate(id))
            }
        }
    }

    fileprivate mutating func readGroup(
        _ reader: inout JSONReader, _ counter: inout CatalogEntryCounter
    ) throws(JSONError) {
        try counter.increment(reader)
        var id: String?
        var subscriptions: [(product: SubscriptionProduct, place: JSONError)] = []
        try reader.object { (reader, name) throws(JSONError) in
            switch name.ifASCII {
            case "id": id = try reader.identifier()
            case "subscriptions":
                try reader.array { (reader, _) throws(JSONError) in
                    let product = try SubscriptionProduct(&reader, &counter)
                    subscriptions.append((product, reader.error(.duplicate(product.id))))
                }
            default: try reader.skip()
            }
        }
        guard let id else { throw reader.error(.missing("id")) }
        guard addGroup(id) else { throw reader.error(.duplicate(id)) }
        for (var product, duplicate) in subscriptions {
            product.group = id
            guard add(product) else { throw duplicate }
        }
    }
}

extension SubscriptionProduct {
    /// Reads a subscription without its group, whose identifier may follow its subscriptions in the file.
    fileprivate init(_ reader: inout JSONReader, _ counter: inout CatalogEntryCounter) throws(JSONError) {
        try counter.increment(reader)
        self.init(id: "", group: "")
        (hasIntroductoryOffer, hasPromotionalOffer) = (false, false)
        try reader.object { (reader, name) throws(JSONError) in
            switch name.ifASCII {
            case "productID": id = try reader.identifier()
            case "groupNumber": rank = try reader.wholeNumber()
            case "introductoryOffer": if try reader.hasObject() { hasIntroductoryOffer = true }
            case "introductoryOffers": if try reader.hasObjects() { hasIntroductoryOffer = true }
            case "adHocOffers": hasPromotionalOffer = try reader.hasObjects()
            case "winbackOffers": winBackOffers = try WinBackOffer.list(&reader, &counter)
            default: try reader.skip()
            }
        }
        guard !id.isEmpty else { throw reader.error(.missing("productID")) }
    }
}

extension WinBackOffer {
    fileprivate static func list(
        _ reader: inout JSONReader, _ counter: inout CatalogEntryCounter
    ) throws(JSONError) -> [WinBackOffer]? {
        if try reader.null() { return nil }
        return try reader.list { (reader, _) throws(JSONError) in
            try counter.increment(reader)
            return try WinBackOffer(&reader)
        }
    }

    private init(_ reader: inout JSONReader) throws(JSONError) {
        self.init()
        try reader.object { (reader, name) throws(JSONError) in
            switch name.ifASCII {
            // The name in the configuration file, and the name in the App Store Connect API.
            case "offerID", "offerId": offerID = try reader.identifier()
            case "startDate": startDate = try reader.day()
            case "endDate": endDate = try reader.day()
            case "customerEligibilityPaidSubscriptionDurationInMonths": paidMonths = try reader.wholeNumber()
            case "customerEligibilityWaitBetweenOffersInMonths": waitMonths = try reader.wholeNumber()
            case "customerEligibilityTimeSinceLastSubscribedInMonths":
                if try reader.null() { return }
                try reader.object { (reader, name) throws(JSONError) in
                    switch name.ifASCII {
                    case "minimum": minimumMonthsSinceLapse = try reader.wholeNumber()
                    case "maximum": maximumMonthsSinceLapse = try reader.wholeNumber()
                    default:
                        hasUnknownCriterion = true
                        try reader.skip()
                    }
                }
            default:
                if name.hasPrefix("customerEligibility") { hasUnknownCriterion = true }
                try reader.skip()
            }
        }
    }
}

extension JSONReader {
    /// Reads a string that is not empty.
    fileprivate mutating func identifier() throws(JSONError) -> String {
        let text = try string()
        guard !text.isEmpty else { throw error(.unexpectedValue(text)) }
        return text
    }

    /// Reads a date without a time as 0:00 UTC, or nil for null.
    fileprivate mutating func day() throws(JSONError) -> Timestamp? {
        if try null() { return nil }
        let text = try string()
        guard let date = Timestamp(rfc3339: text + "T00:00:00Z") else {
            throw error(.invalid("expected a date, for example 2026-02-01"))
        }
        return date
    }

    /// Reads an integer, or nil for null.
    fileprivate mutating func wholeNumber() throws(JSONError) -> Int? {
        try null() ? nil : try integer(Int.self)
    }

    /// Reads an object or null, and returns whether it is an object.
    fileprivate mutating func hasObject() throws(JSONError) -> Bool {
        if try null() { return false }
        _ = try slice(of: .object)
        return true
    }

    /// Reads an array of objects or nulls, or null, and returns whether it has an object.
    fileprivate mutating func hasObjects() throws(JSONError) -> Bool {
        if try null() { return false }
        return try list { (reader, _) throws(JSONError) in try reader.hasObject() }.contains(true)
    }
}
