/// The validity of an answer over time.
public enum OfferCertainty: String, Sendable {
    /// Nothing that happens after the receipt can change the answer.
    case proven
    /// The answer was true when the newest evidence, an app receipt or a JWS, was signed. If it depends on missing
    /// purchases, it was true when the newest evidence that lists all purchases was. Later purchases and renewals may
    /// change it.
    case asOfReceipt = "as_of_receipt"
    /// The answer was true when the caller's unsigned renewal information was saved.
    case asOfRenewalInformation = "as_of_renewal_info"
    /// The answer was true when the App Store signed the renewal information.
    case asOfSignedRenewalInformation = "as_of_signed_renewal_info"
}
