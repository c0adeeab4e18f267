extension Outside {
    /// The cases of x509-limbo with another result here, with reasons. The cases are designed for web
    /// servers.
    static let limboDeviations: [Deviation] = [
        Deviation(
            "no revocation: this information is not available offline", accepts: true,
            [
                "crl::revoked-certificate-with-crl",
                "crl::crlnumber-missing",
                "crl::crlnumber-critical",
                "crl::issuer-missing-crlsign",
            ]),
        Deviation(
            "a path is signer, intermediate, root, because Apple's paths are not longer",
            [
                "pathlen::intermediate-pathlen-may-increase",
                "pathlen::self-issued-certs-pathlen",
                "pathlen::max-chain-depth-1-self-issued",
                "rfc5280::nc::nc-forbids-alternate-chain-ica",
            ]),
        Deviation(
            "the case needs a setting for the path length, which this verifier does not have",
            accepts: true,
            [
                "pathlen::max-chain-depth-0-exhausted"
            ]),
        Deviation(
            "key identifiers only help to find issuers; RFC 5280, 6 does not require them",
            accepts: true,
            [
                "rfc5280::aki::leaf-missing-aki",
                "rfc5280::aki::intermediate-missing-aki",
                "rfc5280::aki::cross-signed-root-missing-aki",
                "rfc5280::ski::root-missing-ski",
                "rfc5280::ski::intermediate-missing-ski",
            ]),
        Deviation(
            "an anchor is trusted as a name and a key (RFC 5280, 6.1.1, d); its statements about its issuer are not checked",
            accepts: true,
            [
                "webpki::aki::root-with-aki-missing-keyidentifier",
                "webpki::aki::root-with-aki-authoritycertissuer",
                "webpki::aki::root-with-aki-authoritycertserialnumber",
                "webpki::aki::root-with-aki-all-fields",
                "webpki::aki::root-with-aki-ski-mismatch",
            ]),
        Deviation(
            "an anchor's basic constraints count, critical or not", accepts: true,
            [
                "rfc5280::root-non-critical-basic-constraints"
            ]),
        Deviation(
            "extended key usage concerns TLS; Apple's markers name the purpose of receipt signers",
            accepts: true,
            [
                "rfc5280::eku::ee-wrong-eku",
                "webpki::eku::ee-anyeku",
                "webpki::eku::ee-critical-eku",
                "webpki::eku::ee-without-eku",
                "webpki::eku::root-has-eku",
            ]),
        Deviation(
            "alternative names identify servers, which have no role here",
            accepts: true,
            [
                "rfc5280::san::noncritical-with-empty-subject",
                "rfc5280::san::underscore-dns",
                "rfc5280::san::ip-in-dns",
                "rfc5280::ca-as-leaf-wrong-san",
                "webpki::san::mismatch-domain-san",
                "webpki::san::mismatch-subdomain-san",
                "webpki::san::mismatch-subdomain-apex-san",
                "webpki::san::mismatch-apex-subdomain-san",
                "webpki::san::public-suffix-wildcard-san",
                "webpki::san::public-suffix-multi-label-wildcard-san",
                "webpki::san::public-suffix-private-namespace-wildcard-san",
                "webpki::san::wildcard-embedded-leftmost-san",
                "webpki::san::wildcard-not-in-leftmost-san",
                "webpki::san::wildcard-match-across-labels-san",
                "webpki::san::wildcard-embedded-ulabel-san",
                "webpki::san::unicode-emoji-san",
                "webpki::san::no-san",
                "webpki::san::san-critical-with-nonempty-subject",
                "webpki::san::san-wildcard-only",
                "webpki::san::san-wildcard-only-tld",
            ]),
        Deviation(
            "common names identify servers, which have no role here", accepts: true,
            [
                "webpki::cn::ipv4-hex-mismatch",
                "webpki::cn::ipv4-leading-zeros-mismatch",
                "webpki::cn::ipv6-uppercase-mismatch",
                "webpki::cn::ipv6-uncompressed-mismatch",
                "webpki::cn::ipv6-non-rfc5952-mismatch",
                "webpki::cn::punycode-not-in-san",
                "webpki::cn::utf8-vs-punycode-mismatch",
                "webpki::cn::not-in-san",
                "webpki::cn::case-mismatch",
            ]),
        Deviation(
            "name constraints are not processed, so they are refused (RFC 5280, 4.2.1.10)",
            [
                "rfc5280::nc::permitted-dn-match",
                "rfc5280::nc::permitted-different-constraint-type",
                "rfc5280::nc::excluded-different-constraint-type",
                "rfc5280::nc::permitted-dns-match",
                "rfc5280::nc::permitted-dns-match-more",
                "rfc5280::nc::permitted-ipv4-match",
                "rfc5280::nc::permitted-ipv6-match",
                "rfc5280::nc::permitted-self-issued",
                "rfc5280::nc::nc-permits-email-exact",
                "rfc5280::nc::nc-permits-email-domain",
                "rfc5280::nc::nc-permits-email-literal-asterisk-exact-match",
                "rfc5280::nc::nc-permits-email-literal-double-asterisk",
                "rfc5280::nc::nc-permits-email-literal-mid-asterisk",
                "rfc5280::nc::nc-forbids-othername-noop",
                "webpki::nc::permitted-dns-match-noncritical",
                "webpki::nc::nc-permits-dns-san-pattern",
            ]),
        Deviation(
            "serial numbers: \"certificate users SHOULD be prepared to gracefully handle such certificates\" (RFC 5280, 4.1.2.2)",
            accepts: true,
            [
                "rfc5280::serial::too-long",
                "rfc5280::serial::zero",
            ]),
        Deviation(
            "a signer's keyCertSign has no effect without basic constraints, and no certificate follows a signer",
            accepts: true,
            [
                "rfc5280::leaf-ku-keycertsign"
            ]),
        Deviation(
            "RFC 5280, 6 allows a path that ends with an authority; the rules for web servers do not",
            accepts: true,
            [
                "webpki::ee-basicconstraints-ca",
                "webpki::ca-as-leaf",
            ]),
        Deviation(
            "a signer of version 1 has no extensions, so it fails when markers are required, which they are not here",
            accepts: true,
            [
                "webpki::v1-cert"
            ]),
        Deviation(
            "extensions that are not critical and have no effect here are not parsed: authorityInfoAccess",
            accepts: true,
            [
                "webpki::malformed-aia"
            ]),
        Deviation(
            "RSA moduli of 2,048 bits or more may have any length; multiples of 8 are a rule of the CA/Browser Forum",
            accepts: true,
            [
                "webpki::forbidden-rsa-not-divisible-by-8-in-root",
                "webpki::forbidden-rsa-key-not-divisible-by-8-in-leaf",
            ]),
    ]
}
