try measureEligibility()
