import ReceiptASN1

extension ASN1ObjectIdentifier {
    /// The name in the standards, for identifiers that occur in receipts.
    var name: String? { names[description] }
}

private let names = [
    "1.2.840.113549.1.7.1": "data", "1.2.840.113549.1.7.2": "signedData",
    "1.2.840.113549.1.9.1": "emailAddress", "1.2.840.113549.1.9.3": "contentType",
    "1.2.840.113549.1.9.4": "messageDigest", "1.2.840.113549.1.9.5": "signingTime",
    "1.2.840.113549.1.9.15": "sMIMECapabilities", "1.2.840.113549.1.9.52": "cmsAlgorithmProtection",

    "1.3.14.3.2.26": "sha1", "1.2.840.113549.2.5": "md5", "2.16.840.1.101.3.4.2.1": "sha256",
    "2.16.840.1.101.3.4.2.2": "sha384", "2.16.840.1.101.3.4.2.3": "sha512",
    "1.2.840.113549.1.1.1": "rsaEncryption", "1.2.840.113549.1.1.4": "md5WithRSAEncryption",
    "1.2.840.113549.1.1.5": "sha1WithRSAEncryption", "1.2.840.113549.1.1.8": "mgf1",
    "1.2.840.113549.1.1.10": "rsassaPss", "1.2.840.113549.1.1.11": "sha256WithRSAEncryption",
    "1.2.840.113549.1.1.12": "sha384WithRSAEncryption", "1.2.840.113549.1.1.13": "sha512WithRSAEncryption",
    "1.2.840.10045.2.1": "ecPublicKey", "1.2.840.10045.3.1.7": "prime256v1", "1.3.132.0.34": "secp384r1",
    "1.2.840.10045.4.3.2": "ecdsaWithSHA256", "1.2.840.10045.4.3.3": "ecdsaWithSHA384",

    "2.5.4.3": "commonName", "2.5.4.5": "serialNumber", "2.5.4.6": "countryName", "2.5.4.7": "localityName",
    "2.5.4.8": "stateOrProvinceName", "2.5.4.10": "organizationName", "2.5.4.11": "organizationalUnitName",
    "2.5.4.97": "organizationIdentifier", "0.9.2342.19200300.100.1.1": "userId",
    "0.9.2342.19200300.100.1.25": "domainComponent",

    "2.5.29.14": "subjectKeyIdentifier", "2.5.29.15": "keyUsage", "2.5.29.17": "subjectAltName",
    "2.5.29.19": "basicConstraints", "2.5.29.30": "nameConstraints", "2.5.29.31": "cRLDistributionPoints",
    "2.5.29.32": "certificatePolicies", "2.5.29.35": "authorityKeyIdentifier", "2.5.29.37": "extKeyUsage",
    "1.3.6.1.5.5.7.1.1": "authorityInfoAccess", "1.3.6.1.5.5.7.2.1": "cps", "1.3.6.1.5.5.7.2.2": "userNotice",
    "1.3.6.1.5.5.7.3.3": "codeSigning", "1.3.6.1.5.5.7.48.1": "ocsp", "1.3.6.1.5.5.7.48.2": "caIssuers",

    "1.2.840.113635.100.5.1": "Apple: certificate policy",
    "1.2.840.113635.100.5.6": "Apple: certificate policy",
    "1.2.840.113635.100.5.6.1": "Apple: receipt validation policy",
    "1.2.840.113635.100.6.1.1": "Apple: development code signing",
    "1.2.840.113635.100.6.2.1": "Apple: marker of the developer relations authority",
    "1.2.840.113635.100.6.11.1": "Apple: marker of App Store receipt signing",
]
