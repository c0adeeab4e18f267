// TEST KEYS on elliptic curves. They are public and protect nothing. Never issue a certificate for them that
// any verifier trusts. They make forging fast and reproducible.

/// The keys that sign JWS and their certificates.
enum JWSKeys {
    /// The P-256 key that signs JWS.
    static let leaf = testKey(
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgxs2HTTD9JQSTLmjZ
        HR4gw7sdvMNQYGzKbIhiXEL/oDGhRANCAASiemDEIZFNXo982KfqmAP/h5R00kx7
        EbSlkVZys2cyibUrH0X0TjLEMWjKBcCnhvjSxPKLbA0bGmYc31hhq0l0
        -----END PRIVATE KEY-----
        """)

    /// The P-384 key that signs the intermediate of a chain like Apple's.
    static let root = testKey(
        """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDD87H0TuE/fxZj4FEC5
        0QGIuP9uc05qlXxu/6GQLURW7Y0e8FkTBRlGqquU5G7s11WhZANiAART1qzTGCR1
        jCXfkmJobrDlHs0izVHpVhQY9ONyyOIdNjOKSiuv+Q7feXUHol8DEnfq53Ei0p07
        TiSDgzSKaINUPrw22UNms37JNNt+9WA9mcC65E12M48AEwgV7O8cok8=
        -----END PRIVATE KEY-----
        """)

    /// The P-384 key that signs the leaf of that chain.
    static let intermediate = testKey(
        """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDDDXPBZJVJ/i25MfWOW
        mWRNpqelX8nHmfZfgUAb9WpM6xeyqFaFs51IjNJgfil7gmuhZANiAAToNdA0CT48
        iE1mRBsvNBXmJzUMOV7CcXNOqGJQ1o1RqVjaQhFXAeXQpi6bdDRNTI5VMM784IEx
        o/tRW6+OW2nSYW33H/al6kURzlaFlO8S8CmhLqWORNiXeAatznKYyMs=
        -----END PRIVATE KEY-----
        """)

    /// The P-256 key that signs JWS in place of Xcode's.
    static let storeKit = testKey(
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtB7t9CCdYDGokDmK
        56jp2GYjRImj+9Vsyn0tWc5gQIuhRANCAAS0A2jmrNe9eMgsPmEKzuei+CXbyJ6A
        zQHTw/I/BATR+gSs30cW2PgOl58su9Pru9+wGhnfaWpSGv+hZ26aff1t
        -----END PRIVATE KEY-----
        """)

    /// The attacker's P-256 key.
    static let attacker = testKey(
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggYQFywmLbEIALEGF
        b+3hvjLk9IjFHsCcrzhUtWIq8b+hRANCAAQNosrC/zCOWzI1nSJ29CQyF6YmUtIf
        tZMe/480ejmBE41gP7Vbv+yTc8waPFtMGCMxEDLGfSBYrtVFAAbluBLL
        -----END PRIVATE KEY-----
        """)
}
