try measureVerification()
try measureEligibility()
