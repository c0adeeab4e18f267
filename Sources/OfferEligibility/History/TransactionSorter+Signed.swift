import AppReceipt

extension TransactionSorter {
    /// Returns the slot of each subscription's group, or nil if neither evidence nor catalog names one.
    mutating func placesOfSigned() -> [Int?] {
        var places: [Int?] = Array(repeating: nil, count: history.transactions.count)
        for index in places.indices where history.transactions[index].isSubscription {
            let transaction = history.transactions[index]
            let product = text(transaction.product)
            let contested = history.signed?.contestedGroups[index]?.map(text) ?? []
            let group =
                contested.isEmpty
                ? transaction.group.map(text) : names?.choice(of: contested, ofProduct: product)
            places[index] = slot(ofGroup: group, ofProduct: product)
            noteDifference(contested, ofProduct: product)
            guard let names, let group else { continue }
            for group in names.contradiction(named: group, ofProduct: product) {
                signed[slot(of: group), default: SignedFacts()].groupDiffers = true
            }
        }
        for (product, groups) in names?.contested ?? [] { noteDifference(groups, ofProduct: product) }
        for group in names?.differing ?? [] {
            signed[slot(of: group), default: SignedFacts()].groupDiffers = true
        }
        for transaction in history.signed?.conflictingEvidence ?? [] where transaction.isSubscription {
            guard let slot = slot(ofGroup: transaction.group.map(text), ofProduct: text(transaction.product))
            else {
                continue
            }
            signed[slot, default: SignedFacts()].hasConflictingEvidence = true
        }
        return places
    }

    /// Returns the slot of the group that the transaction names, else the slot of its product's group.
    private mutating func slot(ofGroup name: [UInt8]?, ofProduct product: [UInt8]) -> Int? {
        let group =
            if let name {
                names?.group(named: name, ofProduct: product)
            } else {
                names?.group(ofProduct: product)
            }
        return group.map { slot(of: $0) }
    }

    /// Marks groups as differing, because evidence of the same date names all of them.
    private mutating func noteDifference(_ groups: [[UInt8]], ofProduct product: [UInt8]) {
        guard !catalog.isSingleGroup else { return }
        for group in groups {
            guard let slot = slot(ofGroup: group, ofProduct: product) else { continue }
            signed[slot, default: SignedFacts()].groupDiffers = true
        }
    }

    func text(_ slice: TextSlice?) -> [UInt8] { slice.map { Array(history.text[$0.range]) } ?? [] }

    /// Adds another owner's purchase, or superseded evidence. Neither counts among the customer's own
    /// purchases.
    mutating func add(_ index: Int, toSlot slot: Int?) {
        switch (history.transactions[index].standing, slot) {
        case (.own, _): break
        case (.familyShared, let slot?):
            signed[slot, default: SignedFacts()].shared.append(index)
            groups[slot].addShared(index, of: history, asOf: instant)
        case (.unknownOwner, let slot?):
            signed[slot, default: SignedFacts()].unknownOwners.append(index)
            let ends = [signed[slot]?.unknownOwnersEnd, history.transactions[index].end(asOf: instant)]
            signed[slot]?.unknownOwnersEnd = ends.compactMap(\.self).max()
            groups[slot].addShared(index, of: history, asOf: instant)
        case (.superseded, let slot?):
            signed[slot, default: SignedFacts()].superseded.append(index)
            groups[slot].addOffer(index, of: history)
        case (.familyShared, nil), (.unknownOwner, nil), (.superseded, nil): uncatalogued.append(index)
        }
    }

    /// Returns whether a transaction belongs to another owner, or to an unknown one.
    func isOfOtherOwner(_ index: Int) -> Bool {
        [.familyShared, .unknownOwner].contains(history.transactions[index].standing)
    }

    /// Notes renewals from after the evaluation date, before which others may be missing. A receipt that is as new as that date would
    /// list the missing ones. A missing renewal of a shared subscription may run. One of a product that no group lists counts as
    /// uncatalogued.
    mutating func noteLaterGaps() {
        let isListed = (history.signed?.newestReceipt).map { instant <= $0 } ?? false
        for (index, end) in history.signed?.renewalsAfterGaps ?? [:]
        where !isListed && end <= instant.secondsSince1970 {
            let transaction = history.transactions[index]
            guard !transaction.wasBought(by: instant), let slot = places?[index] else { continue }
            noteGroup(of: index, inSlot: slot)
            switch transaction.standing {
            case .own, .unknownOwner: signed[slot, default: SignedFacts()].mayLackRenewals = true
            case .familyShared: signed[slot, default: SignedFacts()].noteSharedRenewal(isStated: false)
            case .superseded: break
            }
        }
    }

    /// Returns the identifier of a subscription: that of its first transaction, or of this one if it names none.
    func name(ofSubscription transaction: Transaction) -> [UInt8] {
        text(transaction.original ?? transaction.id)
    }

    /// Returns a transaction's index for each identifier: the identifier is the transaction's own or that of
    /// the subscription's first transaction. A transaction with a known group takes precedence, then the newest evidence.
    func subscriptions(named ids: [String]) -> [[UInt8]: Int] {
        let wanted = Set(ids.map { Array($0.utf8) }).subtracting([[], [UInt8(ascii: "0")]])
        var found: [[UInt8]: Int] = [:]
        for field in [\Transaction.id, \.original] {
            for (index, transaction) in history.transactions.enumerated()
            where transaction.isSubscription && transaction.standing != .superseded {
                let id = text(transaction[keyPath: field])
                guard wanted.contains(id) else { continue }
                if found[id].map({ places?[$0] == nil && places?[index] != nil }) ?? true {
                    found[id] = index
                }
            }
        }
        return found
    }
}
