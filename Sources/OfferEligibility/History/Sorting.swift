import AppReceipt

/// Sorts the transactions of a history into the groups of a catalogue, in one pass.
struct Sorting {
    let catalog: SubscriptionCatalog
    var history: PurchaseHistory
    let instant: Timestamp
    var groups: [GroupFacts] = []
    private(set) var slots: [Int32] = []
    /// The slot of each subscription's group, where signed evidence names groups; nil where nothing names one.
    private(set) var places: [Int?]?
    var uncatalogued: [Int] = []
    /// The purchases that may be of several groups of the catalog. U of a catalog group with an unknown identifier includes them.
    private(set) var beyondCatalog: [Int] = []
    var uncataloguedPurchases: [Int] { uncatalogued.filter { history.transactions[$0].showsSubscriber } }
    /// What is said of the group in a slot beside the customer's own purchases; empty where that is nothing.
    var signed: [Int: SignedFacts] = [:]
    /// Nil without signed evidence: then the catalogue alone names groups.
    var names: GroupNames?
    private var slotOfGroup: [Int: Int] = [:]

    init(_ history: PurchaseHistory, _ catalog: SubscriptionCatalog, asOf instant: Timestamp) {
        self.catalog = catalog
        self.history = history
        self.instant = instant
        names = history.signed.map { GroupNames($0, in: history.text, catalog) }
    }

    /// The names of the groups behind the catalogue's.
    var groupsBeyondCatalog: [String] { names?.beyond ?? [] }

    /// The place of a product in the catalogue, if it is there, and the slot of its group; nil where it is in none.
    mutating func place(of product: String) -> (product: Int?, slot: Int)? {
        let place = catalog.place(of: product)
        let group = names == nil ? place?.group : names?.group(ofProduct: Array(product.utf8))
        return group.map { (place?.product, slot(of: $0)) }
    }

    /// The slot of a group, a new one where it has none yet. Few groups are found faster without hashing.
    mutating func slot(of group: Int) -> Int {
        if groups.last?.group == group { return groups.count - 1 }
        if groups.count <= 8 {
            if let slot = groups.firstIndex(where: { $0.group == group }) { return slot }
        } else if let slot = slotOfGroup[group] {
            return slot
        }
        groups.append(GroupFacts(group: group))
        if groups.count == 9 {
            for slot in groups.indices { slotOfGroup[groups[slot].group] = slot }
        } else if groups.count > 9 {
            slotOfGroup[group] = groups.count - 1
        }
        return groups.count - 1
    }

    /// T and U: the subscriptions that were bought by the instant, and what may have been one.
    mutating func sortTransactions() {
        places = names == nil ? nil : placesOfSigned()
        let (history, catalog) = (history, catalog)
        slots = Array(repeating: -1, count: history.transactions.count)
        var cancelled: [Int] = []
        var known: (product: TextSlice, slot: Int?)?
        for index in history.transactions.indices {
            let isSubscription = history.transactions[index].isSubscription
            guard isSubscription || history.transactions[index].mayBeSubscription,
                history.transactions[index].wasBought(by: instant)
            else { continue }
            guard isSubscription else {
                uncatalogued.append(index)
                continue
            }
            let product = history.transactions[index].product ?? TextSlice(offset: 0, count: 0)
            let text = history.text.span.extracting(product.range)
            let slot: Int?
            if let places {
                slot = places[index]
            } else if let known, equal(history.text.span.extracting(known.product.range), text) {
                slot = known.slot
            } else {
                slot = catalog.place(of: text).map { self.slot(of: $0.group) }
                known = (product, slot)
            }
            if let slot, !catalog.isSingleGroup,
                names?.mayBeOfOthers(groups[slot].group, product: text) == true
            {
                beyondCatalog.append(index)
            }
            if history.transactions[index].standing != .own {
                add(index, toSlot: slot)
                continue
            }
            guard let slot else {
                uncatalogued.append(index)
                continue
            }
            slots[index] = Int32(truncatingIfNeeded: slot)
            groups[slot].add(index, of: history, asOf: instant)
            if history.transactions[index].cancellation(by: instant) != nil { cancelled.append(index) }
        }
        if !cancelled.isEmpty { separateRefunds(cancelled) }
    }

    /// What the renewal information says of the groups that matter. What is signed wins over what is not.
    mutating func sort(_ renewals: RenewalInformation?) {
        sortSignedRenewals()
        for entry in renewals?.entries ?? [] {
            guard let slot = slot(of: entry), signed[slot]?.renewal == nil else { continue }
            groups[slot].add(entry, asOf: instant)
        }
    }

    /// An entry speaks of the group of its product, else of the group of the product that it renews to.
    mutating func slot(of entry: RenewalInformation.Entry) -> Int? {
        for product in [entry.productID, entry.autoRenewProductID] {
            if let product, let place = place(of: product) { return place.slot }
        }
        return nil
    }
}

extension Array {
    /// The first place at which the condition holds, where it holds from some place on.
    func partitioningIndex(_ condition: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
