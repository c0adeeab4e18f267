/// A reservation about an answer.
public enum OfferCaveat: String, Sendable {
    /// The last period, or a shared one, may have renewed. Either it has ended since the receipt's creation, or no later
    /// signed evidence shows whether it renewed.
    case renewalPossible = "renewal-possible"
    /// No evidence lists all purchases: neither an app receipt nor a complete response of the App Store
    /// Server API. Or renewals in the group may be missing.
    case partialEvidence = "partial-evidence"
    /// Evidence of one date conflicts about a purchase in the group.
    case conflictingEvidence = "told-differently"
    /// The catalog and Apple's signed evidence differ on the group. Either the catalog lists a product in
    /// another group than Apple signed, or Apple combines or splits groups of the catalog.
    case groupDiffers = "group-differs"
    /// A family member shares a subscription of the group. It is not the customer's own purchase.
    case familyShared = "family-shared"
    /// A subscription of the group has an unknown ownership. It may be the customer's own.
    case unknownOwnership = "unknown-ownership"
    /// Some evidence was refused and left out.
    case evidenceRefused = "evidence-refused"
}
