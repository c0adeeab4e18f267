/// The origin of a group's name.
enum GroupOrigin: Sendable {
    /// The catalog, and Apple's identifier of the group is known.
    case identified
    /// The catalog, and Apple's identifier is unknown. The group may be the same as one that only signed evidence names.
    case unidentified
    /// Only signed evidence.
    case beyondCatalog
}
