import AppReceipt

/// A pass that sorts the transactions of a history into the groups of a catalog.
struct TransactionSorter {
    let catalog: SubscriptionCatalog
    var history: PurchaseHistory
    let instant: Timestamp
    var groups: [GroupFacts] = []
    private(set) var slots: [Int32] = []
    /// The slot of each subscription's group, or nil if there is no signed evidence. An element is nil if the
    /// group is unknown.
    private(set) var places: [Int?]?
    var uncatalogued: [Int] = []
    /// The purchases of groups that only signed evidence names, and those of catalog groups with an unknown
    /// identifier. Each list counts as uncatalogued for the groups of the other, because two of them may be one group at Apple.
    private(set) var (beyondCatalog, unidentified): ([Int], [Int]) = ([], [])
    /// The facts about each group, except the customer's own purchases, by slot. Empty if there are none.
    var signed: [Int: SignedFacts] = [:]
    /// The indices of the renewals that a switch replaced before they began. They never ran.
    var replacedRenewals: Set<Int> = []
    /// The indices of family-shared purchases that were upgraded, if the evidence does not contain the successor.
    var sharedWithoutSuccessor: Set<Int> = []
    /// The names of the groups. Nil without signed evidence: then only the catalog names groups.
    var names: GroupNames?
    private var slotOfGroup: [Int: Int] = [:]

    init(_ history: PurchaseHistory, _ catalog: SubscriptionCatalog, asOf instant: Timestamp) {
        self.catalog = catalog
        self.history = history
        self.instant = instant
        names = history.signed.map { GroupNames($0, in: history.text, catalog) }
    }

    /// Returns the index of a product in the catalog, if it is listed, and the slot of its group. Returns nil
    /// if the product is in no group.
    mutating func place(of product: String) -> (product: Int?, slot: Int)? {
        let place = catalog.place(of: product)
        let group = names == nil ? place?.group : names?.group(ofProduct: Array(product.utf8))
        return group.map { (place?.product, slot(of: $0)) }
    }

    /// Returns the slot of a group, and adds a slot if it has none yet. A linear search is faster than
    /// hashing for few groups.
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

    /// Notes a purchase of a group that may be the same as another one at Apple.
    mutating func noteGroup(of index: Int, inSlot slot: Int) {
        switch names?.origin(of: groups[slot].group) {
        case .beyondCatalog: beyondCatalog.append(index)
        case .unidentified: unidentified.append(index)
        case .identified, nil: break
        }
    }

    /// Sorts the subscriptions, and the purchases that may be subscriptions, if they were bought by the
    /// evaluation date.
    mutating func sortTransactions() {
        places = names == nil ? nil : placesOfSigned()
        endUpgraded()
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
            if let slot { noteGroup(of: index, inSlot: slot) }
            if history.transactions[index].standing != .own {
                add(index, toSlot: slot)
                continue
            }
            guard let slot else {
                uncatalogued.append(index)
                continue
            }
            if history.signed?.renewalsAfterGaps[index] != nil {
                signed[slot, default: SignedFacts()].mayLackRenewals = true
            }
            slots[index] = Int32(truncatingIfNeeded: slot)
            groups[slot].add(index, of: history, asOf: instant)
            if let contested = history.transactions[index].contestedCancellation {
                if contested <= instant { groups[slot].addRefund(index, of: history) }
            } else if history.transactions[index].cancellation(by: instant) != nil {
                cancelled.append(index)
            }
        }
        if !cancelled.isEmpty { separateRefunds(cancelled) }
        noteUnstatedRefunds()
        noteLaterGaps()
    }

    /// Assigns renewal information to groups. Signed information of a subscription overrides unsigned information. Signed
    /// information of another subscription lets unsigned information only restrict.
    mutating func sort(_ renewals: RenewalInformation?) {
        sortSignedRenewals()
        let entries = renewals?.entries ?? []
        if entries.isEmpty { return }
        let subscriptions = subscriptions(named: entries.compactMap(\.originalTransactionID))
        var later = Set<[UInt8]>()
        for transaction in history.transactions
        where transaction.isSubscription && transaction.standing != .superseded
            && !transaction.wasBought(by: instant)
        {
            later.insert(name(ofSubscription: transaction))
        }
        let ofSigned = signed.values.reduce(into: Set<[UInt8]>()) { $0.formUnion($1.renewals) }
        for var entry in entries {
            guard let slot = slot(of: entry) else { continue }
            let named = entry.originalTransactionID.flatMap { subscriptions[Array($0.utf8)] }
            let original =
                named.map { name(ofSubscription: history.transactions[$0]) }
                ?? Array((entry.originalTransactionID ?? "").utf8)
            // Information without a date may be from after the last purchase.
            if original.isUsableIdentifier, later.contains(original) { continue }
            if original.isUsableIdentifier, ofSigned.contains(original) { continue }
            if signed[slot]?.renewal != nil {
                if !original.isUsableIdentifier { continue }
                entry.willRenew = entry.willRenew == true ? true : nil
                signed[slot]?.hasUnsignedRenewal = true
            }
            if groups[slot].last != nil, let named, isOfOtherOwner(named) {
                let isUnknown = history.transactions[named].standing == .unknownOwner
                entry.willRenew = isUnknown && entry.willRenew == true ? true : nil
            }
            groups[slot].add(entry, asOf: instant)
        }
    }

    /// Returns the slot of the group of the entry's product. If the product has no group, uses the product
    /// that it renews to.
    mutating func slot(of entry: RenewalInformation.Entry) -> Int? {
        for product in [entry.productID, entry.autoRenewProductID] {
            if let product, let place = place(of: product) { return place.slot }
        }
        return nil
    }
}

extension Array {
    /// Returns the first index at which the condition holds. It must hold for all later elements, too.
    package func partitioningIndex(_ condition: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
