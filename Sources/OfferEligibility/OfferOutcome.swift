/// The answer to whether a customer may get an offer.
public enum OfferOutcome: String, Sendable {
    /// The customer may get the offer.
    case eligible
    /// The customer may not get the offer.
    case ineligible
    /// The evidence is not sufficient. ``OfferVerdict/explanation`` states what is missing.
    case undetermined
}
