import AppReceipt
import ReceiptForge
import Testing

/// The exact code, offset and field of the refusal of each refused variant.
struct RefusalPlaceTests {
    struct Row: Sendable, CustomStringConvertible {
        let id: String
        let code: ReceiptError.Code
        let offset: Int?
        let field: String?
        var description: String { id }

        init(_ id: String, _ code: ReceiptError.Code, _ offset: Int?, _ field: String?) {
            self.id = id
            self.code = code
            self.offset = offset
            self.field = field
        }
    }

    @Test(arguments: rows)
    func names(row: Row) throws {
        let forged = try HostileVariant.named(row.id).forge()
        let verifier = try ReceiptVerifier(anchors: .custom(forged.anchor))
        let error = #expect(throws: ReceiptError.self) { try verifier.verify(forged.bytes, for: .any) }
        #expect(error?.code == row.code)
        #expect(error?.offset == row.offset)
        #expect(error?.field == row.field)
    }

    /// Checks that each refused variant has a row here.
    @Test
    func everyRefusedVariantHasARow() {
        let refused = HostileVariant.all.filter { !$0.answers.contains(.genuine) }.map(\.id)
        #expect(Set(refused).subtracting(Self.rows.map(\.id)).isEmpty)
    }

    static let rows = [
        // another root with the name, serial number and key identifier of the trusted one
        Row("attacker-root-same-name", .untrustedChain, nil, "certificates"),
        // a complete authority that is not trusted
        Row("attacker-root", .untrustedChain, nil, "certificates"),
        // signed by a StoreKit Test certificate
        Row("storekit-test", .untrustedChain, nil, "certificates"),
        // the leaf is self-signed and has the marker
        Row("leaf-self-signed", .untrustedChain, nil, "certificates"),
        // a genuine leaf issued the attacker's certificate
        Row("leaf-as-authority", .untrustedChain, nil, "certificates"),
        // a second intermediate below one of path length 0
        Row("path-too-long", .untrustedChain, nil, "certificates"),
        // the root allows no intermediate
        Row("root-path-too-long", .untrustedChain, nil, "certificates"),
        // the intermediate has CA: FALSE
        Row("intermediate-not-ca", .untrustedChain, nil, "certificates"),
        // no basicConstraints on the intermediate
        Row("intermediate-without-constraints", .untrustedChain, nil, "certificates"),
        // the intermediate's keyUsage lacks keyCertSign
        Row("intermediate-may-not-sign", .untrustedChain, nil, "certificates"),
        // the leaf expired a second before the creation date
        Row("leaf-expired", .untrustedChain, nil, "certificates"),
        // the leaf becomes valid a second after the creation date
        Row("leaf-not-yet-valid", .untrustedChain, nil, "certificates"),
        // the intermediate expired before the creation date
        Row("intermediate-expired", .untrustedChain, nil, "certificates"),
        // the intermediate becomes valid after the creation date
        Row("intermediate-not-yet-valid", .untrustedChain, nil, "certificates"),
        // the root expired before the creation date
        Row("root-expired", .untrustedChain, nil, "certificates"),
        // the root becomes valid after the creation date
        Row("root-not-yet-valid", .untrustedChain, nil, "certificates"),
        // the signature on the leaf uses MD5
        Row("leaf-signed-with-md5", .untrustedChain, nil, "certificates"),
        // the signature on the intermediate uses MD5
        Row("intermediate-signed-with-md5", .untrustedChain, nil, "certificates"),
        // the leaf's key has 1,024 bits
        Row("leaf-rsa-1024", .untrustedChain, nil, "certificates"),
        // the intermediate's key has 1,024 bits
        Row("intermediate-rsa-1024", .untrustedChain, nil, "certificates"),
        // an unknown critical extension on the leaf
        Row("leaf-critical-extension", .untrustedChain, nil, "certificates"),
        // the same on the intermediate
        Row("intermediate-critical-extension", .untrustedChain, nil, "certificates"),
        // the intermediate's name constraints do not permit the leaf
        Row("name-not-permitted", .untrustedChain, nil, "certificates"),
        // the intermediate's name constraints exclude the leaf
        Row("name-excluded", .untrustedChain, nil, "certificates"),
        // the leaf names an issuer that is missing
        Row("leaf-other-issuer", .untrustedChain, nil, "certificates"),
        // the leaf lacks the receipt signing marker
        Row("leaf-marker-missing", .wrongPurpose, nil, "certificates"),
        // the intermediate lacks its marker
        Row("intermediate-marker-missing", .wrongPurpose, nil, "certificates"),
        // neither has a marker
        Row("markers-missing", .wrongPurpose, nil, "certificates"),
        // each has the marker of the other
        Row("markers-swapped", .wrongPurpose, nil, "certificates"),
        // the leaf's marker has one more arc
        Row("leaf-marker-longer", .wrongPurpose, nil, "certificates"),
        // the leaf's marker has one arc less
        Row("leaf-marker-shorter", .wrongPurpose, nil, "certificates"),
        // the leaf's marker is the next one
        Row("leaf-marker-neighbour", .wrongPurpose, nil, "certificates"),
        // the intermediate's marker has one more arc
        Row("intermediate-marker-longer", .wrongPurpose, nil, "certificates"),
        // the marker is among the certificate policies
        Row("leaf-marker-as-policy", .wrongPurpose, nil, "certificates"),
        // the marker is in extendedKeyUsage
        Row("leaf-marker-as-usage", .wrongPurpose, nil, "certificates"),
        // a whole marker inside another extension's value
        Row("leaf-marker-in-extension", .wrongPurpose, nil, "certificates"),
        // the marker's DER is in the subject
        Row("leaf-marker-in-name", .wrongPurpose, nil, "certificates"),
        // the leaf's keyUsage lacks digitalSignature
        Row("leaf-may-not-sign", .wrongPurpose, nil, "certificates"),
        // CA: TRUE on the leaf
        Row("leaf-is-authority", .wrongPurpose, nil, "certificates"),
        // no intermediate: the root signed the leaf
        Row("leaf-signed-by-root", .wrongPurpose, nil, "certificates"),
        // the intermediate signed the receipt itself
        Row("signed-by-intermediate", .wrongPurpose, nil, "certificates"),
        // the root signed the receipt itself
        Row("signed-by-root", .wrongPurpose, nil, "certificates"),
        // no intermediate in the bag
        Row("intermediate-missing", .untrustedChain, nil, "certificates"),
        // no leaf in the bag
        Row("leaf-missing", .untrustedChain, 3397, "signerInfos[0].sid"),
        // no certificates at all
        Row("bag-absent", .untrustedChain, 1395, "signerInfos[0].sid"),
        // an empty bag
        Row("bag-empty", .untrustedChain, 1397, "signerInfos[0].sid"),
        // an OCTET STRING in the bag
        Row("bag-not-certificates", .malformed, 1388, "certificates[0]"),
        // more certificates than the limit
        Row("bag-of-17", .tooLarge, 17152, "certificates"),
        // one flipped bit in the signature on the leaf
        Row("leaf-signature-flipped", .untrustedChain, nil, "certificates"),
        // one flipped bit in the signature on the intermediate
        Row("intermediate-signature-flipped", .untrustedChain, nil, "certificates"),
        // the signerInfo names a serial number that no certificate has
        Row("sid-unknown-serial", .untrustedChain, 4423, "signerInfos[0].sid"),
        // the signerInfo names the leaf's serial number and an unknown issuer
        Row("sid-unknown-issuer", .untrustedChain, 4423, "signerInfos[0].sid"),
        // the leaf signed, but the signerInfo names the intermediate
        Row("sid-names-intermediate", .wrongPurpose, nil, "certificates"),
        // the signerInfo names the signer by subjectKeyIdentifier
        Row("sid-key-identifier", .malformed, 23, "version"),
        // two different certificates with the same issuer and serial number, genuine one first
        Row("twins-genuine-first", .malformed, 2414, "certificates"),
        // two different certificates with the same issuer and serial number, attacker's first
        Row("twins-attacker-first", .malformed, 2414, "certificates"),
        // the first bit of the signature
        Row("signature-first-bit", .badSignature, 4601, "signerInfos[0].signature"),
        // the last bit of the signature
        Row("signature-last-bit", .badSignature, 4601, "signerInfos[0].signature"),
        // a signature of zero bytes
        Row("signature-zero", .badSignature, 4601, "signerInfos[0].signature"),
        // the number 1 as signature
        Row("signature-one", .badSignature, 4601, "signerInfos[0].signature"),
        // all bits set
        Row("signature-larger-than-modulus", .badSignature, 4601, "signerInfos[0].signature"),
        // no signature bytes
        Row("signature-empty", .badSignature, 4599, "signerInfos[0].signature"),
        // the last byte is missing
        Row("signature-short", .badSignature, 4601, "signerInfos[0].signature"),
        // a zero byte before the signature
        Row("signature-leading-zero", .badSignature, 4601, "signerInfos[0].signature"),
        // the signature covers the OCTET STRING's header, too
        Row("signature-over-element", .badSignature, 4601, "signerInfos[0].signature"),
        // the signature covers no bytes
        Row("signature-over-nothing", .badSignature, 4601, "signerInfos[0].signature"),
        // another receipt's signature
        Row("signature-over-other-content", .badSignature, 4601, "signerInfos[0].signature"),
        // one flipped bit in the content
        Row("content-bit-flipped", .badSignature, 4601, "signerInfos[0].signature"),
        // another bundle ID with this receipt's signature
        Row("content-replaced", .badSignature, 4601, "signerInfos[0].signature"),
        // the same attributes in another order
        Row("content-reordered", .badSignature, 4601, "signerInfos[0].signature"),
        // forged without the key: garbage after the digest, exponent 3
        Row("exponent-3-forged", .badSignature, 4599, "signerInfos[0].signature"),
        // PKCS #1 padding of eight bytes, garbage after the digest
        Row("padding-too-short", .badSignature, 4601, "signerInfos[0].signature"),
        // signed with SHA-256, declared as SHA-1
        Row("digest-named-sha1", .badSignature, 4571, "signerInfos[0].digestAlgorithm"),
        // signed with SHA-256, declared as SHA-512
        Row("digest-named-sha512", .badSignature, 4571, "signerInfos[0].digestAlgorithm"),
        // an unknown digest
        Row("digest-unknown", .badSignature, 4571, "signerInfos[0].digestAlgorithm"),
        // an algorithm identifier without an algorithm
        Row("digest-empty", .malformed, 4573, "signerInfos[0].digestAlgorithm"),
        // signed with MD5
        Row("digest-md5", .badSignature, 4570, "signerInfos[0].digestAlgorithm"),
        // RSASSA-PSS
        Row("signature-pss", .badSignature, 4586, "signerInfos[0].signatureAlgorithm"),
        // RSASSA-PSS, declared as PKCS #1 v1.5
        Row("signature-pss-unnamed", .badSignature, 4601, "signerInfos[0].signature"),
        // RSA, declared as ECDSA
        Row("signature-named-ecdsa", .badSignature, 4586, "signerInfos[0].signatureAlgorithm"),
        // digestAlgorithm and signatureAlgorithm disagree
        Row("signature-named-sha1-with-rsa", .badSignature, 4586, "signerInfos[0].signatureAlgorithm"),
        // no messageDigest: the content is not covered
        Row("signedattrs-without-digest", .badSignature, 4586, "signerInfos[0].signedAttrs"),
        // the messageDigest of other content
        Row("signedattrs-other-digest", .badSignature, 4586, "signerInfos[0].signedAttrs"),
        // only the first bytes of the messageDigest
        Row("signedattrs-short-digest", .badSignature, 4586, "signerInfos[0].signedAttrs"),
        // an empty messageDigest
        Row("signedattrs-empty-digest", .badSignature, 4586, "signerInfos[0].signedAttrs"),
        // a messageDigest attribute without a value
        Row("signedattrs-digest-without-value", .badSignature, 4586, "signerInfos[0].signedAttrs"),
        // messageDigest with two values, one of them right
        Row("signedattrs-digest-values", .badSignature, 4586, "signerInfos[0].signedAttrs"),
        // two messageDigest attributes, one of them right
        Row("signedattrs-digest-twice", .badSignature, 4586, "signerInfos[0].signedAttrs"),
        // no contentType
        Row("signedattrs-without-content-type", .badSignature, 4586, "signerInfos[0].signedAttrs"),
        // contentType is signedData
        Row("signedattrs-other-content-type", .badSignature, 4586, "signerInfos[0].signedAttrs"),
        // two contentType attributes that disagree
        Row("signedattrs-content-type-twice", .badSignature, 4586, "signerInfos[0].signedAttrs"),
        // attributes added to a signature that covers the content
        Row("signedattrs-added", .badSignature, 4678, "signerInfos[0].signature"),
        // attributes removed from a signature that covers them
        Row("signedattrs-removed", .badSignature, 4601, "signerInfos[0].signature"),
        // signed attributes presented as the content: the signature is valid
        Row("signedattrs-as-content", .malformed, 64, "payload.attributes[0]"),
        // an empty [0] of attributes
        Row("signedattrs-empty", .malformed, 4586, "signerInfos[0].signedAttrs"),
        // attributes with non-minimal lengths, signature over their DER
        Row("signedattrs-ber", .malformed, 4586, "signerInfos[0].signedAttrs"),
        // signature over [0] instead of SET OF
        Row("signedattrs-sequence-tag", .badSignature, 4678, "signerInfos[0].signature"),
        // no signer
        Row("signers-none", .malformed, 4414, "signerInfos[0]"),
        // no signer, changed content
        Row("signers-none-content-changed", .malformed, 4414, "signerInfos[0]"),
        // the same signerInfo twice
        Row("signers-twice", .malformed, 4861, "signerInfos"),
        // an attacker's signerInfo after the genuine one
        Row("signers-genuine-first", .malformed, 5884, "signerInfos"),
        // an attacker's signerInfo before the genuine one
        Row("signers-attacker-first", .malformed, 5881, "signerInfos"),
        // a signerInfo without fields
        Row("signer-empty", .malformed, 4414, "signerInfos[0]"),
        // an element after signerInfos
        Row("field-behind-signers", .malformed, 4861, "contentInfo"),
        // a second SET after signerInfos
        Row("signers-set-twice", .malformed, 4861, "contentInfo"),
        // an element after SignedData
        Row("field-behind-signed-data", .malformed, 4861, "contentInfo"),
        // an element after the signature
        Row("field-in-signer", .malformed, 4861, "signerInfos[0]"),
        // unsigned attributes
        Row("unsigned-attributes", .malformed, 4861, "signerInfos[0]"),
        // unsigned revocation lists
        Row("crls", .malformed, 4412, "signerInfos"),
        // no content
        Row("content-detached", .malformed, 56, "encapContentInfo.eContent"),
        // empty content
        Row("content-empty", .malformed, 60, "payload"),
        // two OCTET STRINGs of content
        Row("content-twice", .malformed, 1384, "encapContentInfo.eContent"),
        // the content type is signedData
        Row("content-type-signed-data", .malformed, 47, "encapContentInfo.eContentType"),
        // the container type is data
        Row("container-type-data", .malformed, 4, "contentType"),
        // the container type is envelopedData
        Row("container-type-enveloped", .malformed, 4, "contentType"),
        // no bytes
        Row("empty", .malformed, 0, "input"),
        // only the first byte
        Row("one-byte", .malformed, 0, "contentInfo"),
        // a thousand zeros
        Row("zeros", .malformed, 0, "input"),
        // the first half of a receipt
        Row("truncated-half", .malformed, 0, "contentInfo"),
        // the last byte is missing
        Row("truncated-last-byte", .malformed, 0, "contentInfo"),
        // a zero byte after the receipt
        Row("trailing-byte", .malformed, 4861, "contentInfo"),
        // the receipt twice
        Row("trailing-receipt", .malformed, 4861, "contentInfo"),
        // more bytes than the limit
        Row("above-16-mib", .tooLarge, nil, nil),
        // a length of 126 bytes, mostly zeros
        Row("length-leading-zeros", .malformed, 0, "contentInfo"),
        // a length of almost 4 GiB
        Row("length-4-gib", .malformed, 0, "contentInfo"),
        // the largest signed length
        Row("length-int64-max", .malformed, 0, "contentInfo"),
        // a length that becomes -1 if it wraps
        Row("length-minus-one", .malformed, 0, "contentInfo"),
        // the reserved length FF
        Row("length-reserved", .malformed, 0, "contentInfo"),
        // the content claims to extend past its field
        Row("length-content-too-long", .malformed, 62, "encapContentInfo.eContent"),
        // the content claims to end early
        Row("length-content-too-short", .malformed, 80, "encapContentInfo.eContent"),
        // an indefinite length without end-of-contents
        Row("indefinite-without-end", .malformed, 4859, "contentInfo"),
        // Xcode's format without the last end-of-contents
        Row("indefinite-cut", .malformed, 4867, "contentInfo"),
        // a primitive OCTET STRING of indefinite length
        Row("indefinite-primitive", .malformed, 62, "encapContentInfo.eContent"),
        // 100,000 nested SEQUENCEs
        Row("nesting-definite", .malformed, 5, "contentType"),
        // 100,000 nested SEQUENCEs without content
        Row("nesting-open", .malformed, 2, "contentType"),
        // 100,000 nested SEQUENCEs of indefinite length
        Row("nesting-closed", .malformed, 2, "contentType"),
        // 100,000 nested SEQUENCEs in a purchase
        Row("nesting-in-purchase", .malformed, 1407, "payload.in_app[2]"),
        // text instead of a receipt
        Row("text", .malformed, 4, "input"),
        // an empty SEQUENCE
        Row("der-of-nothing", .malformed, 2, "contentType"),
        // a SEQUENCE instead of the SET
        Row("payload-sequence", .malformed, 66, "payload"),
        // a signed byte after the SET
        Row("payload-trailing-byte", .malformed, 1384, "payload"),
        // two SETs
        Row("payload-twice", .malformed, 1384, "payload"),
        // an empty SET
        Row("payload-empty-set", .malformed, 60, "payload.receipt_creation_date"),
        // empty signed content
        Row("payload-no-bytes", .malformed, 60, "payload"),
        // the payload in a second OCTET STRING, not from Xcode
        Row("payload-wrapped", .malformed, nil, "payload"),
        // the payload in a third OCTET STRING
        Row("payload-wrapped-twice", .malformed, 70, "payload"),
        // no creation date
        Row("creation-missing", .malformed, 66, "payload.receipt_creation_date"),
        // an empty creation date
        Row("creation-empty", .malformed, 66, "payload.receipt_creation_date"),
        // created on February 30
        Row("creation-february-30", .malformed, 401, "payload.receipt_creation_date"),
        // created at 24 o'clock
        Row("creation-hour-24", .malformed, 401, "payload.receipt_creation_date"),
        // a creation date without Z or offset
        Row("creation-without-zone", .malformed, 369, "payload.receipt_creation_date"),
        // letters in the creation date
        Row("creation-text", .malformed, 262, "payload.receipt_creation_date"),
        // two creation dates
        Row("creation-twice", .malformed, 421, "payload.receipt_creation_date"),
        // an INTEGER as creation date
        Row("creation-integer", .malformed, 209, "payload.receipt_creation_date"),
        // created before all certificates are valid
        Row("created-before-the-chain", .untrustedChain, nil, "certificates"),
        // created after all certificates expired
        Row("created-after-the-chain", .untrustedChain, nil, "certificates"),
        // an original purchase on February 30
        Row("original-purchase-bad", .malformed, 433, "payload.original_purchase_date"),
        // an expiration date with letters
        Row("expiration-bad", .malformed, 465, "payload.expiration_date"),
        // no bundle ID
        Row("bundle-id-missing", .malformed, 66, "payload.bundle_id"),
        // an empty bundle ID
        Row("bundle-id-empty", .malformed, 80, "payload.bundle_id"),
        // two bundle IDs
        Row("bundle-id-twice", .malformed, 327, "payload.bundle_id"),
        // the same bundle ID twice
        Row("bundle-id-repeated", .malformed, 327, "payload.bundle_id"),
        // the bundle ID without its string header
        Row("bundle-id-raw", .malformed, 308, "payload.bundle_id"),
        // a byte after the bundle ID's string
        Row("bundle-id-trailing-byte", .malformed, 327, "payload.bundle_id"),
        // two strings in one attribute
        Row("bundle-id-two-strings", .malformed, 453, "payload.bundle_id"),
        // an INTEGER as bundle ID
        Row("bundle-id-integer", .malformed, 92, "payload.bundle_id"),
        // the string claims more bytes than remain
        Row("bundle-id-long", .malformed, 308, "payload.bundle_id"),
        // a bundle ID in invalid UTF-8
        Row("bundle-id-not-utf8", .malformed, 338, "payload.bundle_id"),
        // an INTEGER among the attributes
        Row("attribute-integer", .malformed, 70, "payload.attributes[0]"),
        // an attribute without fields
        Row("attribute-empty", .malformed, 72, "payload.attributes[0]"),
        // an attribute without a value
        Row("attribute-two-fields", .malformed, 78, "payload.attributes[0]"),
        // a constructed value
        Row("attribute-constructed-value", .malformed, 258, "payload.attributes[12]"),
        // a string instead of the type
        Row("attribute-text-type", .malformed, 84, "payload.attributes[1]"),
        // an empty INTEGER as type
        Row("attribute-empty-type", .malformed, 72, "payload.attributes[0]"),
        // an attribute with a fourth field
        Row("attribute-four-fields", .malformed, 289, "payload.attributes[13]"),
        // type 2^64 + 2 with another bundle ID
        Row("type-2-to-64-plus-2", .malformed, 455, "payload.attributes[19]"),
        // type -2 with another bundle ID
        Row("type-minus-2", .malformed, 329, "payload.attributes[15].type"),
        // two receipt types
        Row("receipt-type-twice", .malformed, 298, "payload.receipt_type"),
        // two opaque values
        Row("opaque-value-twice", .malformed, 298, "payload.opaque_value"),
        // two device hashes
        Row("device-hash-twice", .malformed, 357, "payload.sha1_hash"),
        // an app ID that wraps to 1
        Row("app-id-2-to-64-plus-1", .malformed, 244, "payload.app_item_id"),
        // letters in an app ID
        Row("app-id-text", .malformed, 266, "payload.app_item_id"),
        // an expiration date of February 30
        Row("purchase-bad-expiry", .malformed, 1326, "payload.in_app[1].expires_date"),
        // letters in a purchase date
        Row("purchase-bad-date", .malformed, 1260, "payload.in_app[1].purchase_date"),
        // a cancellation date in month 13
        Row("purchase-bad-cancellation", .malformed, 1346, "payload.in_app[1].cancellation_date"),
        // a quantity that wraps to 1
        Row("quantity-2-to-64-plus-1", .malformed, 1188, "payload.in_app[1].quantity"),
        // letters in a quantity
        Row("quantity-text", .malformed, 1095, "payload.in_app[1].quantity"),
        // an empty quantity
        Row("quantity-empty", .malformed, 1004, "payload.in_app[1].quantity"),
        // two product IDs
        Row("product-id-twice", .malformed, 1382, "payload.in_app[1].product_id"),
        // two expiration dates
        Row("expiry-twice", .malformed, 1346, "payload.in_app[1].expires_date"),
        // two trial flags
        Row("trial-flag-twice", .malformed, 1126, "payload.in_app[1].is_trial_period"),
        // letters in a trial flag
        Row("trial-flag-text", .malformed, 1168, "payload.in_app[1].is_trial_period"),
        // a purchase's attribute with a fourth field
        Row("purchase-four-fields", .malformed, 1209, "payload.in_app[1].attributes[14]"),
        // a string instead of a purchase
        Row("purchase-text", .malformed, 463, "payload.in_app[0]"),
        // a SEQUENCE instead of the purchase's SET
        Row("purchase-sequence", .malformed, 80, "payload.in_app[0]"),
        // a byte after the purchase's SET
        Row("purchase-trailing-byte", .malformed, 94, "payload.in_app[0]"),
        // an empty purchase
        Row("purchase-no-bytes", .malformed, 80, "payload.in_app[0]"),
        // INTEGERs instead of a purchase's attributes
        Row("purchase-of-integers", .malformed, 164, "payload.in_app[0].attributes[0]"),
        // more purchases than the limit
        Row("purchases-100001", .tooLarge, 1200622, "payload.in_app"),
    ]
}
