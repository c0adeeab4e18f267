import Testing

@testable import AppReceipt

/// Signatures of minisign 0.11 and OpenSSH 9.2 over the same list, by test keys.
struct DistrustKeyTests {
    private static let list = Array("{\"certificates\": []}\n".utf8)

    private static func answer(_ key: String, _ signature: String, of message: [UInt8] = list) throws -> Bool
    {
        try #require(DistrustKey(parsing: Array(key.utf8))).verifies(Array(signature.utf8), of: message)
    }

    /// Checks each form of a signature, with the line ends of Unix and Windows, and without its last line end.
    @Test(arguments: [
        (minisign, prehashed), (minisign, legacy), (ssh, sha512), (ssh, sha256),
    ])
    func valid(key: String, signature: String) throws {
        #expect(try Self.answer(key, signature))
        #expect(try Self.answer(key + "\n", signature + "\n"))
        #expect(try Self.answer(key + "\r\n", signature.replacing("\n", with: "\r\n")))
        #expect(try !Self.answer(key, signature, of: Self.list + [0x0A]))
        #expect(try !Self.answer(key, signature, of: []))
    }

    /// Checks that no damaged signature is valid. Text outside of the base64 and of minisign's trusted comment is
    /// not signed.
    @Test(arguments: [
        (minisign, prehashed), (minisign, legacy), (ssh, sha512),
    ])
    func damaged(key: String, signature: String) throws {
        let bytes = Array(signature.utf8)
        let start = key == Self.minisign ? signature.utf8.prefix { $0 != 0x0A }.count + 1 : 0
        for index in stride(from: start, to: bytes.count, by: 3) {
            var changed = bytes
            changed[index] ^= 0x02
            #expect(try !Self.answer(key, String(decoding: changed, as: UTF8.self)), "byte \(index)")
        }
        for end in stride(from: 0, to: bytes.count, by: 7) {
            #expect(try !Self.answer(key, String(decoding: bytes[..<end], as: UTF8.self)))
        }
    }

    /// Checks signatures of the other format, of another key, and for another namespace.
    @Test(arguments: [
        (minisign, sha512), (ssh, prehashed), (ssh, otherNamespace),
        (minisign.replacing("+lEp", with: "+lEq"), prehashed), (minisign, ""), (ssh, ""),
    ])
    func others(key: String, signature: String) throws { #expect(try !Self.answer(key, signature)) }

    @Test(arguments: [
        "", "ssh-ed25519", "ssh-ed25519 AAAA", "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAAQ==", "RWQx", "a\nb\nc",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGiJiiT7HyRIhjAzWmxtC3cQxZLCvYGStfeS4r9dqmkyAAAA",
    ])
    func invalidKeys(_ text: String) { #expect(DistrustKey(parsing: Array(text.utf8)) == nil) }

    private static let minisign = """
        untrusted comment: minisign public key 423CF20B0882B531
        RWQxtYIIC/I8QiAzVdUFtIpLT6AinCK1FCBqluHSAiQskblGxRKm+lEp
        """

    private static let ssh = """
        ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGiJiiT7HyRIhjAzWmxtC3cQxZLCvYGStfeS4r9dqmky auditor
        """

    private static let prehashed = """
        untrusted comment: signature from minisign secret key
        RUQxtYIIC/I8Qh/mKbSZdFbYmMOXpD+9FcDTm1RgryfVKM/8DTY53V8iQQcioYN0XT/1q7h1BIwAKMfRWcfh/TLYTeSifEx1fgQ=
        trusted comment: a list
        LzDWLVIrr1Ld24z1cifzyFwu1aQM/bhcDzLPUPbr/40yVGejVpy4PuUZghfmN6XMP2SzC4b4+GKGM2wBuRLRBA==
        """

    private static let legacy = """
        untrusted comment: signature from minisign secret key
        RWQxtYIIC/I8Qrvf11XhMoJlfe0/+R0THfoRs2oUYSSGfKSn4VIrSFQ/IfYgaJFk0Wzt8MBtf2gRMu0lp4brFzv8ZY/TRrQgWwU=
        trusted comment: a list
        K0qP4q//oAnJHSU85oWsyHpKyfHvAbIPJjQWmxkqeNABTXQx/SZTrBeCRYzwxqqHE8fbOzqR+0qvW8iZzHbeCA==
        """

    private static let sha512 = """
        -----BEGIN SSH SIGNATURE-----
        U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgaImKJPsfJEiGMDNabG0LdxDFks
        K9gZK195Liv12qaTIAAAATYXBwcmVjZWlwdC1kaXN0cnVzdAAAAAAAAAAGc2hhNTEyAAAA
        UwAAAAtzc2gtZWQyNTUxOQAAAEA1pvm0L95q7kMT186o4LTMiCJpS+/AAXDbGQyoTlxJ52
        kc2KDNy24NY+Elj+4kaJdiV3fmNHR5UTCENoriEdkH
        -----END SSH SIGNATURE-----
        """

    private static let sha256 = """
        -----BEGIN SSH SIGNATURE-----
        U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgaImKJPsfJEiGMDNabG0LdxDFks
        K9gZK195Liv12qaTIAAAATYXBwcmVjZWlwdC1kaXN0cnVzdAAAAAAAAAAGc2hhMjU2AAAA
        UwAAAAtzc2gtZWQyNTUxOQAAAEDOff9ZIqm/XcJUOa8c8zj/ugbMrsarm/FroKVQSyHeeX
        uWppdCKFwg8RXzuNxy/uSgVTPVoYHZ2/lOByrHqDIJ
        -----END SSH SIGNATURE-----
        """

    private static let otherNamespace = """
        -----BEGIN SSH SIGNATURE-----
        U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgaImKJPsfJEiGMDNabG0LdxDFks
        K9gZK195Liv12qaTIAAAAEZmlsZQAAAAAAAAAGc2hhNTEyAAAAUwAAAAtzc2gtZWQyNTUx
        OQAAAED6YXlGlSiZEBhzxHbpgD4pOEnLsvF/YxgKn6jUlw5GJP9m4JsEJDhIzMbL3QaQyD
        xfCht0dO0M4JzBmyarR5AG
        -----END SSH SIGNATURE-----
        """
}
