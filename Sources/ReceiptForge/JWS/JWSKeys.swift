// TEST KEYS on elliptic curves. They are public, protect nothing, and no certificate that anybody trusts may ever be
// issued for them. They are here so that forging is quick and gives the same bytes every time.

/// The keys of those who sign JWS.
enum JWSKeys {
    /// Signs JWS: P-256.
    static let leaf = testKey(
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgxs2HTTD9JQSTLmjZ
        HR4gw7sdvMNQYGzKbIhiXEL/oDGhRANCAASiemDEIZFNXo982KfqmAP/h5R00kx7
        EbSlkVZys2cyibUrH0X0TjLEMWjKBcCnhvjSxPKLbA0bGmYc31hhq0l0
        -----END PRIVATE KEY-----
        """)

    /// Signs the intermediate of a chain in the shape of Apple's: P-384.
    static let root = testKey(
        """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDD87H0TuE/fxZj4FEC5
        0QGIuP9uc05qlXxu/6GQLURW7Y0e8FkTBRlGqquU5G7s11WhZANiAART1qzTGCR1
        jCXfkmJobrDlHs0izVHpVhQY9ONyyOIdNjOKSiuv+Q7feXUHol8DEnfq53Ei0p07
        TiSDgzSKaINUPrw22UNms37JNNt+9WA9mcC65E12M48AEwgV7O8cok8=
        -----END PRIVATE KEY-----
        """)

    /// Signs the leaf of that chain: P-384.
    static let intermediate = testKey(
        """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDDDXPBZJVJ/i25MfWOW
        mWRNpqelX8nHmfZfgUAb9WpM6xeyqFaFs51IjNJgfil7gmuhZANiAAToNdA0CT48
        iE1mRBsvNBXmJzUMOV7CcXNOqGJQ1o1RqVjaQhFXAeXQpi6bdDRNTI5VMM784IEx
        o/tRW6+OW2nSYW33H/al6kURzlaFlO8S8CmhLqWORNiXeAatznKYyMs=
        -----END PRIVATE KEY-----
        """)

    /// What Xcode signs JWS with: P-256.
    static let storeKit = testKey(
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtB7t9CCdYDGokDmK
        56jp2GYjRImj+9Vsyn0tWc5gQIuhRANCAAS0A2jmrNe9eMgsPmEKzuei+CXbyJ6A
        zQHTw/I/BATR+gSs30cW2PgOl58su9Pru9+wGhnfaWpSGv+hZ26aff1t
        -----END PRIVATE KEY-----
        """)

    /// Somebody who is none of them: P-256.
    static let attacker = testKey(
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggYQFywmLbEIALEGF
        b+3hvjLk9IjFHsCcrzhUtWIq8b+hRANCAAQNosrC/zCOWzI1nSJ29CQyF6YmUtIf
        tZMe/480ejmBE41gP7Vbv+yTc8waPFtMGCMxEDLGfSBYrtVFAAbluBLL
        -----END PRIVATE KEY-----
        """)
}
