public import AppReceipt
public import ArgumentParser
public import OfferEligibility
public import ReceiptAudit
public import ReceiptJSON

// The policies are public types, so are their conformances, and so must be the imports of this file.

extension SHA1Signatures: ExpressibleByArgument {}
extension OfferPolicies.Refunds: ExpressibleByArgument {}
extension OfferPolicies.StaleEvidence: ExpressibleByArgument {}
extension OfferPolicies.PartialEvidence: ExpressibleByArgument {}
extension OfferPolicies.PromotionalScope: ExpressibleByArgument {}
extension SourceFormat: ExpressibleByArgument {}
extension ContractSchema: ExpressibleByArgument {}

extension EnvironmentDemand: ExpressibleByArgument {
    /// In whatever case: receipts write `Production`.
    package init?(argument: String) { self.init(rawValue: argument.lowercased()) }
}
