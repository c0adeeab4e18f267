// The payload's members: each occurs once and has its documented type. The app and the environment match the
// verification policy.
extension HostileJWS {
    static let members: [HostileJWS] = [
        added("jws-bundle-id-twice", "a second bundle id", "bundleId", #""com.example.other""#),
        added("jws-bundle-id-twice-alike", "the same bundle id twice", "bundleId", #""com.example.app""#),
        added(
            "jws-bundle-id-twice-escaped", "a second bundle id, its name escaped", #"bundle\u0049d"#,
            #""com.example.other""#),
        added("jws-environment-twice", "a second environment", "environment", #""Production""#),
        added("jws-signed-date-twice", "a second signedDate", "signedDate", "1780308000123"),
        added("jws-transaction-id-twice", "a second transaction id", "transactionId", #""2000000000000009""#),
        HostileJWS("jws-unknown-member-twice", "an unknown member twice") {
            $0.payload.list += [("futureMember", "1"), ("futureMember", "1")]
        },
        added(
            "jws-unknown-inside-twice", "two members with the same name inside an unknown one",
            "futureMember",
            #"{"a":1,"a":1}"#),
        signedDate("jws-signed-date-absent", "no signedDate", nil),
        signedDate("jws-signed-date-null", "signedDate is null", "null"),
        signedDate("jws-signed-date-text", "signedDate is a string", #""1780308000123""#),
        signedDate("jws-signed-date-rfc3339", "signedDate in RFC 3339 format", #""2026-06-01T10:00:00Z""#),
        signedDate("jws-signed-date-fraction", "signedDate with a fraction", "1780308000123.5"),
        signedDate("jws-signed-date-point", "signedDate with a fraction of zero", "1780308000123.0"),
        signedDate("jws-signed-date-exponent", "signedDate with an exponent", "1.780308000123e12"),
        signedDate("jws-signed-date-negative", "signedDate before 1970", "-1", .untrustedChain),
        signedDate(
            "jws-signed-date-seconds", "signedDate in seconds: in January 1970", "1780308000", .untrustedChain
        ),
        signedDate("jws-signed-date-microseconds", "signedDate in microseconds", "1780308000123000"),
        signedDate("jws-signed-date-of-64-bits", "the largest signedDate of 64 bits", "9223372036854775807"),
        signedDate(
            "jws-signed-date-of-65-bits", "signedDate beyond 64 bits, which wraps to a valid one",
            "18446745853817551739"),
        signedDate("jws-signed-date-true", "signedDate is true", "true"),
        member(
            "jws-purchase-date-fraction", "purchaseDate with a fraction", "purchaseDate", "1779267600000.5"),
        member("jws-purchase-date-negative", "purchaseDate before 1970", "purchaseDate", "-62135769600000"),
        member("jws-purchase-date-text", "purchaseDate is a string", "purchaseDate", #""1779267600000""#),
        member(
            "jws-purchase-date-year-10000", "purchaseDate in the year 10000", "purchaseDate",
            "253402300800000"),
        member("jws-expires-date-null", "expiresDate is null", "expiresDate", "null"),
        member("jws-expires-date-exponent", "expiresDate with an exponent", "expiresDate", "1e13"),
        member("jws-revocation-date-null", "revocationDate is null", "revocationDate", "null"),
        member("jws-revocation-date-flag", "revocationDate is false", "revocationDate", "false"),
        member("jws-bundle-id-null", "bundleId is null", "bundleId", "null"),
        member("jws-bundle-id-list", "bundleId is a list", "bundleId", #"["com.example.app"]"#),
        member("jws-bundle-id-object", "bundleId is an object", "bundleId", "{}"),
        member("jws-bundle-id-number", "bundleId is a number", "bundleId", "7"),
        member("jws-transaction-id-number", "transactionId is a number", "transactionId", "2000000000000002"),
        member("jws-product-id-flag", "productId is true", "productId", "true"),
        member("jws-quantity-text", "quantity is a string", "quantity", #""1""#),
        member("jws-quantity-point", "quantity is 1.0", "quantity", "1.0"),
        member("jws-quantity-exponent", "quantity is 1e0", "quantity", "1e0"),
        member("jws-quantity-of-65-bits", "quantity wraps to 1", "quantity", "18446744073709551617"),
        member("jws-quantity-negative", "quantity is -1", "quantity", "-1"),
        member("jws-quantity-of-33-bits", "quantity is 2^32", "quantity", "4294967296"),
        member("jws-quantity-null", "quantity is null", "quantity", "null"),
        member("jws-quantity-true", "quantity is true", "quantity", "true"),
        member("jws-price-fraction", "price with a fraction", "price", "9.99"),
        member("jws-price-of-64-bits", "price is 2^63", "price", "9223372036854775808"),
        member("jws-is-upgraded-number", "isUpgraded is 1", "isUpgraded", "1"),
        member("jws-is-upgraded-text", "isUpgraded is a string", "isUpgraded", #""true""#),
        member("jws-offer-type-text", "offerType is a string", "offerType", #""1""#),
        member("jws-type-number", "type is a number", "type", "3"),
        member("jws-commitment-info-text", "commitmentInfo is a string", "commitmentInfo", #""{}""#),
        member("jws-environment-number", "environment is a number", "environment", "1"),
        member("jws-environment-null", "environment is null", "environment", "null"),
        environment("jws-environment-production", "environment is Production", #""Production""#),
        environment("jws-environment-in-small", "environment is sandbox", #""sandbox""#),
        environment("jws-environment-blank-behind", "a space after the environment", #""Sandbox ""#),
        environment("jws-environment-empty", "environment is the empty string", #""""#),
        environment("jws-environment-absent", "no environment", nil),
        environment("jws-environment-unknown", "an unknown environment", #""Staging""#),
        member(
            "jws-environment-xcode", "environment Xcode, signed with an App Store chain", "environment",
            #""Xcode""#, .untrustedChain),
        member(
            "jws-environment-local-testing", "environment LocalTesting, signed with an App Store chain",
            "environment", #""LocalTesting""#, .untrustedChain),
        bundleID("jws-bundle-id-of-another-app", "the bundle id of another app", #""com.example.other""#),
        bundleID("jws-bundle-id-in-capitals", "the bundle id in another letter case", #""com.example.App""#),
        bundleID("jws-bundle-id-nul-behind", "a NUL after the bundle id", #""com.example.app\u0000""#),
        bundleID("jws-bundle-id-longer", "the bundle id with a suffix", #""com.example.app.pro""#),
        bundleID("jws-bundle-id-empty", "the bundle id is the empty string", #""""#),
        bundleID("jws-bundle-id-absent", "no bundle id", nil),
        HostileJWS("jws-renewal-info", "renewal information, which names no app", .wrongBundleID) {
            $0.payload = .renewalInfo
        },
        HostileJWS("jws-notification-without-data", "a notification that names no app", .wrongBundleID) {
            $0.payload = .notification()
            $0.payload["data"] = nil
        },
        HostileJWS("jws-notification-of-another-app", "a notification of another app", .wrongBundleID) {
            $0.payload = .notification()
            $0.payload["data"] = #"{"bundleId":"com.example.other","environment":"Sandbox"}"#
        },
    ]
    /// Makes a variant with another `signedDate`.
    private static func signedDate(
        _ id: String, _ summary: String, _ value: String?, _ expected: Answer = .malformed
    ) -> HostileJWS {
        member(id, summary, "signedDate", value, expected)
    }

    /// Makes a variant of an unexpected environment.
    private static func environment(_ id: String, _ summary: String, _ value: String?) -> HostileJWS {
        member(id, summary, "environment", value, .wrongEnvironment)
    }

    /// Makes a variant of an unexpected app.
    private static func bundleID(_ id: String, _ summary: String, _ value: String?) -> HostileJWS {
        member(id, summary, "bundleId", value, .wrongBundleID)
    }
}
