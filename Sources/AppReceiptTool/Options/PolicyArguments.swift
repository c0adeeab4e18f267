public import ArgumentParser
public import OfferEligibility
public import ReceiptAudit

// The policies are public types, so are their conformances, and so must be the imports of this file.

extension Policies.Refunds: ExpressibleByArgument {}
extension Policies.StaleEvidence: ExpressibleByArgument {}
extension Policies.PromotionalScope: ExpressibleByArgument {}
extension SourceFormat: ExpressibleByArgument {}
