/// The offers that the rules cover.
public enum OfferKind: String, Sendable, CaseIterable {
    /// A free trial or introductory price, for customers who never had an introductory offer in the
    /// subscription group.
    case introductory
    /// An offer to current and lapsed subscribers, signed by the app's server.
    case promotional
    /// An offer to lapsed subscribers, with criteria in App Store Connect.
    case winBack = "win_back"
}
