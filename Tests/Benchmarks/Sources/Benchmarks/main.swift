// With "jws": what is verified as JWS alone.
if CommandLine.arguments.dropFirst().first == "jws" {
    try measureJWS()
} else {
    try measureVerification()
    try measureEligibility()
}
