// With "jws", measures only JWS.
if CommandLine.arguments.dropFirst().first == "jws" {
    try measureJWS()
} else {
    try measureVerification()
    try measureEligibility()
}
