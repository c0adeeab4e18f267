import AppReceipt

/// The groups of a history with signed transactions, as numbers. The groups of the catalog come first, then
/// the groups that only Apple names.
struct GroupNames {
    private let catalog: SubscriptionCatalog
    /// The signed group of each product.
    private var namings: [[UInt8]: [UInt8]] = [:]
    /// The products for which evidence of the same date names several groups, with these groups.
    private(set) var contested: [(product: [UInt8], groups: [[UInt8]])] = []
    /// The catalog's groups that list products of a signed group. The keys are the signed groups that the
    /// catalog does not name. Plain JSON and local StoreKit configurations may have other group names than
    /// Apple's identifiers.
    private var ownNames: [[UInt8]: [Int]] = [:]
    /// The signed groups of each catalog group's products.
    private var signedNames: [Int: Set<[UInt8]>] = [:]
    /// Lists of groups of the catalog. The groups in one list are a single group at Apple. A group can be in
    /// several lists.
    private(set) var joins: [[Int]] = []
    /// The indices in `joins` of the lists that contain a group, in ascending order.
    private(set) var joinsOfGroup: [Int: [Int]] = [:]
    /// The catalog's groups whose names or products occur in signed evidence.
    private var identified: Set<Int> = []
    /// Whether signed evidence shows that the catalog's names of digits are Apple's identifiers: it names one of the catalog's groups, and
    /// agrees about the group of each listed product. Local StoreKit configurations may have names of digits, too.
    private var areAppleNames = false
    private var placesBeyond: [[UInt8]: Int] = [:]
    /// The names of the groups that the catalog does not contain.
    private(set) var beyond: [String] = []

    init(_ signed: SignedEvidence, in text: [UInt8], _ catalog: SubscriptionCatalog) {
        self.catalog = catalog
        var ownNames: [[UInt8]: Set<Int>] = [:]
        var contradicts = false
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
            areAppleNames = areAppleNames || named != nil
            contradicts = contradicts || listed != nil && listed != named
        }
        areAppleNames = areAppleNames && !contradicts
        self.ownNames = ownNames.mapValues { $0.sorted() }
        joins = self.ownNames.values.filter { $0.count > 1 }
        for (join, groups) in joins.enumerated() {
            for group in groups { joinsOfGroup[group, default: []].append(join) }
        }
    }

    /// Returns one of several groups that evidence of the same date names for a product. Prefers the
    /// catalog's group of the product, then any group that the catalog names, then the first.
    func choice(of groups: [[UInt8]], ofProduct product: [UInt8]) -> [UInt8] {
        guard groups.count > 1 else { return groups.first ?? [] }
        let listed = catalog.place(of: product.span)?.group
        let named = groups.filter { catalog.group(named: $0.span) != nil }
        return named.first { catalog.group(named: $0.span) == listed } ?? named.first ?? groups[0]
    }

    /// Returns the group that the product's newest signed transaction names, else the catalog's group.
    /// Returns nil if neither names one.
    mutating func group(ofProduct product: [UInt8]) -> Int? {
        namings[product].map { group(named: $0, ofProduct: product) }
            ?? catalog.place(of: product.span)?.group
    }

    /// Returns the number of a signed group. It is the first one of these that exists:
    /// - the number of the catalog's group with this name
    /// - the number of the catalog's group that lists the product
    /// - the number of the catalog's group that lists another product of the signed group
    /// - a number after those of the catalog's groups
    mutating func group(named name: [UInt8], ofProduct product: [UInt8]) -> Int {
        if catalog.isSingleGroup { return 0 }
        if let group = catalog.group(named: name.span) { return group }
        if let group = catalog.place(of: product.span)?.group ?? ownNames[name]?.first { return group }
        if let place = placesBeyond[name] { return place }
        let place = catalog.groups.count + beyond.count
        beyond.append(String(decoding: name, as: UTF8.self))
        placesBeyond[name] = place
        return place
    }

    /// Returns the origin of a group's name. Apple's identifiers have at least eight digits and nothing else.
    func origin(of group: Int) -> GroupOrigin {
        if catalog.isSingleGroup { return .identified }
        guard group < catalog.groups.count else { return .beyondCatalog }
        let name = catalog.groups[group].utf8
        let isNumber = name.count >= 8 && name.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        return isNumber && areAppleNames || identified.contains(group) ? .identified : .unidentified
    }

    /// The catalog's groups that Apple splits or combines with others.
    var differing: [Int] {
        if catalog.isSingleGroup { return [] }
        return Set(joinsOfGroup.keys).union(signedNames.filter { $0.value.count > 1 }.keys).sorted()
    }

    /// Returns the signed group and the catalog's group if the catalog names both and they differ. Otherwise,
    /// returns an empty array.
    func contradiction(named name: [UInt8], ofProduct product: [UInt8]) -> [Int] {
        guard !catalog.isSingleGroup, let signed = catalog.group(named: name.span),
            let listed = catalog.place(of: product.span)?.group, signed != listed
        else { return [] }
        return [signed, listed]
    }
}
