public import AppReceipt
public import ArgumentParser
public import JSONSchemas
public import OfferEligibility
import ReceiptExamination
import RecordSources

// The policies are public types. Their conformances are therefore public, too, and so are this file's
// imports.

extension SHA1Signatures: ExpressibleByArgument {}
extension RevocationPolicy: ExpressibleByArgument {}
extension OfferPolicies.Refunds: ExpressibleByArgument {}
extension OfferPolicies.StaleEvidence: ExpressibleByArgument {}
extension OfferPolicies.PartialEvidence: ExpressibleByArgument {}
extension OfferPolicies.PromotionalScope: ExpressibleByArgument {}
extension SourceFormat: ExpressibleByArgument {}
extension ContractSchema: ExpressibleByArgument {}

extension ExpectedEnvironment: ExpressibleByArgument {
    /// Accepts any case, because receipts contain `Production`.
    package init?(argument: String) { self.init(rawValue: argument.lowercased()) }
}
