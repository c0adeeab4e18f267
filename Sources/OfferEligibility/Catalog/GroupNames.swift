import AppReceipt

/// The groups of a history with signed transactions, by number: those of the catalogue, and behind them those that only
/// Apple names.
struct GroupNames {
    private let catalog: SubscriptionCatalog
    /// The signed group of a product.
    private var namings: [[UInt8]: [UInt8]] = [:]
    /// The signed groups of products of which evidence of one date names several.
    private(set) var contested: [(product: [UInt8], groups: [[UInt8]])] = []
    /// The catalogue's group of a signed group that the catalogue does not name: plain and local catalogues have names of
    /// their own.
    private var ownNames: [[UInt8]: Int] = [:]
    /// The catalog's groups that signed evidence names, or one of whose products it names.
    private var identified: Set<Int> = []
    private var placesBeyond: [[UInt8]: Int] = [:]
    /// The names of the groups behind the catalogue's.
    private(set) var beyond: [String] = []

    init(_ signed: SignedEvidence, in text: [UInt8], _ catalog: SubscriptionCatalog) {
        self.catalog = catalog
        for naming in signed.namings {
            let product = Array(text[naming.product.range])
            let groups = naming.groups.map { Array(text[$0.range]) }
            let group = choice(of: groups, ofProduct: product)
            namings[product] = group
            if groups.count > 1 { contested.append((product, groups)) }
            let (named, listed) = (catalog.group(named: group.span), catalog.place(of: product.span)?.group)
            if ownNames[group] == nil, named == nil { ownNames[group] = listed }
            if let known = named ?? listed { identified.insert(known) }
        }
    }

    /// Of groups that evidence of one date names for one product: the one that the catalog has the product in, else one that
    /// it names at all, else the first.
    func choice(of groups: [[UInt8]], ofProduct product: [UInt8]) -> [UInt8] {
        guard groups.count > 1 else { return groups.first ?? [] }
        let listed = catalog.place(of: product.span)?.group
        let named = groups.filter { catalog.group(named: $0.span) != nil }
        return named.first { catalog.group(named: $0.span) == listed } ?? named.first ?? groups[0]
    }

    /// What the newest signed transaction of the product names, else the catalogue's; nil where neither names one.
    mutating func group(ofProduct product: [UInt8]) -> Int? {
        namings[product].map { group(named: $0, ofProduct: product) }
            ?? catalog.place(of: product.span)?.group
    }

    /// Apple's word, as the catalogue calls it.
    mutating func group(named name: [UInt8], ofProduct product: [UInt8]) -> Int {
        if catalog.isSingleGroup { return 0 }
        if let group = catalog.group(named: name.span) { return group }
        if let group = catalog.place(of: product.span)?.group ?? ownNames[name] { return group }
        if let place = placesBeyond[name] { return place }
        let place = catalog.groups.count + beyond.count
        beyond.append(String(decoding: name, as: UTF8.self))
        placesBeyond[name] = place
        return place
    }

    /// Returns whether the group's Apple identifier is known: Apple's identifiers have only digits. A group of the catalog whose
    /// identifier is unknown may be any of the groups that only signed evidence names.
    func isIdentified(_ group: Int) -> Bool {
        guard group < catalog.groups.count else { return true }
        let name = catalog.groups[group]
        return identified.contains(group)
            || name.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }

    /// The two groups that the catalogue names, where it has the product in another than Apple; else none.
    func contradiction(named name: [UInt8], ofProduct product: [UInt8]) -> [Int] {
        guard !catalog.isSingleGroup, let signed = catalog.group(named: name.span),
            let listed = catalog.place(of: product.span)?.group, signed != listed
        else { return [] }
        return [signed, listed]
    }
}
