try measureVerification()
if CommandLine.arguments.count < 2 { try measureEligibility() }
