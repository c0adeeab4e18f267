import AppReceipt

/// The groups of a history with signed transactions, by number: those of the catalogue, and behind them those that only
/// Apple names.
struct GroupNames {
    private let catalog: SubscriptionCatalog
    /// The signed group of a product.
    private var namings: [[UInt8]: [UInt8]] = [:]
    /// The signed groups of products of which evidence of one date names several.
    private(set) var contested: [(product: [UInt8], groups: [[UInt8]])] = []
    /// The catalog's groups of a signed group that the catalog does not name: those that list its products. Plain and local
    /// catalogs have names of their own.
    private var ownNames: [[UInt8]: Set<Int>] = [:]
    /// The signed groups of the products that a group of the catalog lists.
    private var signedNames: [Int: Set<[UInt8]>] = [:]
    /// The catalog's groups that Apple has in one group with others of the catalog's.
    private var joined: Set<Int> = []
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
            if let listed {
                signedNames[listed, default: []].insert(group)
                if named == nil { ownNames[group, default: []].insert(listed) }
            }
            if let known = named ?? listed { identified.insert(known) }
        }
        joined = ownNames.values.filter { $0.count > 1 }.reduce(into: []) { $0.formUnion($1) }
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
        if let group = catalog.place(of: product.span)?.group ?? ownNames[name]?.min() { return group }
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
        if joined.contains(group) { return false }
        let name = catalog.groups[group]
        return identified.contains(group)
            || name.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }

    /// Returns whether a purchase of a group may be of other groups of the catalog, too: a purchase of a group that only signed
    /// evidence names, or of an unlisted product of groups that Apple has as one.
    func mayBeOfOthers(_ group: Int, product: Span<UInt8>) -> Bool {
        group >= catalog.groups.count || joined.contains(group) && catalog.place(of: product) == nil
    }

    /// The groups of the catalog whose products Apple has in several groups, or in one with those of another.
    var differing: [Int] {
        if catalog.isSingleGroup { return [] }
        return joined.union(signedNames.filter { $0.value.count > 1 }.keys).sorted()
    }

    /// The two groups that the catalogue names, where it has the product in another than Apple; else none.
    func contradiction(named name: [UInt8], ofProduct product: [UInt8]) -> [Int] {
        guard !catalog.isSingleGroup, let signed = catalog.group(named: name.span),
            let listed = catalog.place(of: product.span)?.group, signed != listed
        else { return [] }
        return [signed, listed]
    }
}
